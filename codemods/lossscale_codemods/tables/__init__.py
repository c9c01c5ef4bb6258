# SPDX-License-Identifier: Apache-2.0
"""What is old, and the words for it: names, frameworks, options, change records."""
