# SPDX-License-Identifier: Apache-2.0
"""Wrong loss_scale arguments of the experimental optimizer, and what each raises."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe_error

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer


def wrong(name, value):
    observe_error(name, lambda: wrap(tf.keras.optimizers.SGD(), value))


wrong("text", "foo")
wrong("list", [8.0])
wrong("float32", np.float32(8))
wrong("int64", np.int64(8))
wrong("tensor", tf.constant(8.0))
wrong("class", tf.train.experimental.DynamicLossScale)
wrong("capital", "Dynamic")
wrong("empty", "")
wrong("dict", {"loss_scale_value": 8.0})
