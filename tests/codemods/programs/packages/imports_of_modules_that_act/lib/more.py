# SPDX-License-Identifier: Apache-2.0
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
print("more")
