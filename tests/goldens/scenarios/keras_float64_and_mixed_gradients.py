# SPDX-License-Identifier: Apache-2.0
"""Variables of several types in one step: a bad float64 gradient skips the float32 one too."""
# versions: 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(4.0, 2)
)
single, double = tf.Variable(1.0), tf.Variable(np.float64(1.0))
for step, (a, b) in enumerate([(1.0, 1.0), (1.0, np.nan), (np.nan, 1.0), (1.0, 1.0)]):
    opt.apply_gradients([(tf.constant(np.float32(a)), single), (tf.constant(np.float64(b)), double)])
    observe("step%d.values" % step, [single.numpy(), double.numpy()])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
