# SPDX-License-Identifier: Apache-2.0

import registry
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

registry.CLASSES["scaled"] = LossScaleOptimizer
COUNT = len(registry.CLASSES)
