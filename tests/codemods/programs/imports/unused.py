# SPDX-License-Identifier: Apache-2.0
"""An import that nothing uses."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy, global_policy

print(global_policy().name)
