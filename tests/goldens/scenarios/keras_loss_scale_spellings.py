# SPDX-License-Identifier: Apache-2.0
"""Numbers, strings and objects that the constructor accepts, and the scale each gives."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
spellings = {
    "dynamic": "dynamic",
    "int": 8,
    "float": 12.5,
    "one": 1,
    "true": True,
    "float64": np.float64(8),
    "fixed_object": tf.train.experimental.FixedLossScale(64.0),
    "dynamic_object": tf.train.experimental.DynamicLossScale(),
    "dynamic_small": tf.train.experimental.DynamicLossScale(16, 5),
}
for name, spelling in sorted(spellings.items()):
    opt = LossScaleOptimizer(tf.keras.optimizers.SGD(), spelling)
    observe(name + ".scale", opt.get_scaled_loss(tf.constant(1.0)))
    keyword = LossScaleOptimizer(optimizer=tf.keras.optimizers.SGD(), loss_scale=spelling) \
        if name != "dynamic_object" else opt
    observe(name + ".keyword_scale", keyword.get_scaled_loss(tf.constant(1.0)))
