# SPDX-License-Identifier: Apache-2.0
"""A test file beside the program imports what it tests."""

import test_amp

test_amp.test_wrap()
print("passed")
