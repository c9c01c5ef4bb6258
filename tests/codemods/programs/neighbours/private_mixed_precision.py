# SPDX-License-Identifier: Apache-2.0
"""The private modules of TensorFlow 2.4 stand beside old names."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.policy import global_policy

tf.keras.mixed_precision.experimental.set_policy("float32")
opt = lso.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer), global_policy().name)
