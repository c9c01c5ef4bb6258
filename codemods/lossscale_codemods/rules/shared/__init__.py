# SPDX-License-Identifier: Apache-2.0
"""What several rules have in common."""
