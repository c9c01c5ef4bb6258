# SPDX-License-Identifier: Apache-2.0
"""Text edits that keep the layout, and how a new name is written at a place."""
