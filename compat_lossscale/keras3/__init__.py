# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for Keras 3, on TensorFlow, JAX and PyTorch.

`LossScaleOptimizer` takes the place of `keras.optimizers.LossScaleOptimizer`: it has that class'
protocol and TensorFlow 2.4's, and none of its defects. Importing this module imports Keras 3.
"""

from compat_lossscale._require import require_keras_3

require_keras_3(__name__)

from compat_lossscale.keras3.loss_scale_logger import LossScaleLogger  # noqa: E402  # after the check
from compat_lossscale.keras3.optimizer import LossScaleOptimizer  # noqa: E402  # after the check

__all__ = ["LossScaleLogger", "LossScaleOptimizer"]
