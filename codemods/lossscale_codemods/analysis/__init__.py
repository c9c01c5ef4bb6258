# SPDX-License-Identifier: Apache-2.0
"""What one file means: its syntax tree, scopes, reaching definitions, types, guards, constants."""
