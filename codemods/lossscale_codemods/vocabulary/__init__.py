# SPDX-License-Identifier: Apache-2.0
"""What is old, and in which words it is spoken of: names, frameworks, options, change records."""
