# SPDX-License-Identifier: Apache-2.0
"""The loss-scale rules that every way to train is tried with."""

from __future__ import annotations

from compat_lossscale import DynamicLossScale, LossScaleRule

RULES = {
    "torch": LossScaleRule.torch(growth_interval=2),
    "deepspeed": LossScaleRule.deepspeed(scale_window=3, raise_error_at_min_scale=False),
    "consecutive": LossScaleRule.deepspeed(
        scale_window=4,
        delayed_shift=3,
        consecutive_hysteresis=True,
        raise_error_at_min_scale=False,
    ),
    "apex": LossScaleRule.apex(scale_window=2, min_loss_scale=3.0),
    "megatron": LossScaleRule.megatron(growth_interval=3, hysteresis=4),
    "factors": LossScaleRule(growth_steps=2, growth_factor=1.5, backoff_factor=0.3, min_scale=0.5),
    "keras3": LossScaleRule.keras3(dynamic_growth_steps=2),
}
"""Each field differs from TensorFlow's in one of them."""
DEFAULT = "tensorflow"
NAMES = (DEFAULT, *RULES)


def loss_scale(name: str) -> DynamicLossScale:
    """Makes a loss scale that often moves, by one of `NAMES`."""
    rule = RULES.get(name)
    return DynamicLossScale(2.0**10, 3) if rule is None else DynamicLossScale(2.0**10, rule=rule)
