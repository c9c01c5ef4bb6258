# SPDX-License-Identifier: Apache-2.0
"""What every front end does around a step: checks the strategy, counts skipped steps, warns."""
