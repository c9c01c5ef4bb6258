# SPDX-License-Identifier: Apache-2.0
"""TensorFlow is imported as compat.v2."""

import tensorflow.compat.v2 as tf
import tensorflow.keras as K

K.mixed_precision.experimental.set_policy("float32")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(K.optimizers.SGD(0.25, decay=0.5), 8)
weight = tf.Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
print(weight.numpy(), opt.loss_scale().numpy(), K.mixed_precision.experimental.global_policy().name)
