# SPDX-License-Identifier: Apache-2.0
"""What one file becomes: verdicts, imports and aliases fitted together, edits, proofs."""
