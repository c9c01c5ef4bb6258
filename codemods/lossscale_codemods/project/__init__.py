# SPDX-License-Identifier: Apache-2.0
"""Many files: which there are, and what they import from each other."""
