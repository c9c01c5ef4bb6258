# SPDX-License-Identifier: Apache-2.0
"""The codemod that moves codebases from old loss-scale APIs to the one that stayed."""
