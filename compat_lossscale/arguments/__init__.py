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
from compat_lossscale.arguments.optimizer_configs import (
    arguments_in,
    config_of,
    initial_scale_of,
    inner_in,
    others_in,
    spec_in,
    spec_of,
)
from compat_lossscale.arguments.policy_loss_scale import PolicyWithLossScale, Wrap, wrap_under
from compat_lossscale.arguments.tapes import check_has_tape

__all__ = [
    "LossScaleConfigs",
    "PolicyWithLossScale",
    "Wrap",
    "arguments_in",
    "as_loss_scale",
    "check_has_tape",
    "class_of",
    "config_of",
    "from_spec",
    "initial_scale_of",
    "inner_in",
    "opt_means_optimizer",
    "others_in",
    "spec_in",
    "spec_of",
    "with_rule",
    "wrap_under",
]
