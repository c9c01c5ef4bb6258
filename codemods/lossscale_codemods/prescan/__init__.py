# SPDX-License-Identifier: Apache-2.0
"""Which files can be skipped without a full parse."""
