# SPDX-License-Identifier: Apache-2.0
"""Where Weights & Biases has its callbacks for frameworks: wandb 0.17 has the newer place only.

https://github.com/wandb/wandb/releases/tag/v0.17.0
"""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

NEIGHBOURS = (
    Neighbour(
        "wandb.keras.*",
        "wandb 0.16",
        "wandb.integration.keras",
        THE_SAME,
        "wandb.integration.keras",
    ),
)
