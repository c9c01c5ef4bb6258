# SPDX-License-Identifier: Apache-2.0
"""The rules, one file each. A new file here is a new rule; nothing else has to know of it."""
