# SPDX-License-Identifier: Apache-2.0
"""The generations of loss scaling, and the numbers that all of them have by default."""

from __future__ import annotations

import enum

DEFAULT_INITIAL_SCALE = 2.0**15
"""The default first value of a dynamic loss scale, the same in every generation."""
DEFAULT_GROWTH_STEPS = 2000
"""The default number of good steps before a dynamic loss scale grows, in every generation."""
DEFAULT_MULTIPLIER = 2.0
"""The default factor of growth and backoff. TensorFlow 2.4 and later have no other."""


class Generation(enum.Enum):
    """The forms of a loss scale in configs."""

    TF23 = "tf2.3"
    """Keys `optimizer` and `loss_scale`, the config of a LossScale; TensorFlow 2.0 to 2.3."""
    TF24 = "tf2.4"
    """Keys `inner_optimizer`, `dynamic`, `initial_scale`, `dynamic_growth_steps`; 2.4 to 2.15."""
    TF_KERAS = "tf-keras"
    """The same keys as 2.4, written by tf-keras 2.16 and later."""
    KERAS3 = "keras3"
    """Keys `inner_optimizer`, `initial_scale`, `dynamic_growth_steps`, for dynamic scales. A fixed
    scale is the key `loss_scale_factor` of an optimizer without a wrapper."""

    @property
    def title(self) -> str:
        """The name for users."""
        return _TITLES[self]


_TITLES = {
    Generation.TF23: "TensorFlow 2.0-2.3",
    Generation.TF24: "TensorFlow 2.4-2.15",
    Generation.TF_KERAS: "tf-keras",
    Generation.KERAS3: "Keras 3",
}
