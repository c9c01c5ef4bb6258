# SPDX-License-Identifier: Apache-2.0
"""A run: processes, Ctrl-C, configuration, writing whole or not at all, undo, notebooks."""
