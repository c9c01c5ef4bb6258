# SPDX-License-Identifier: Apache-2.0
"""What constructors, policies and configs state as a loss scale, and the LossScale made of it."""

from compat_lossscale.arguments.loss_scale_arguments import (
    as_loss_scale,
    class_of,
    from_spec,
    opt_means_optimizer,
    with_rule,
)
from compat_lossscale.arguments.loss_scale_configs import LossScaleConfigs

__all__ = [
    "LossScaleConfigs",
    "as_loss_scale",
    "class_of",
    "from_spec",
    "opt_means_optimizer",
    "with_rule",
]
