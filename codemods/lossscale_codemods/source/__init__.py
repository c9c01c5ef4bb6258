# SPDX-License-Identifier: Apache-2.0
"""One file: its bytes, its syntax tree with positions, the cells of a notebook."""
