# SPDX-License-Identifier: Apache-2.0
"""tf_keras if it is there, else the Keras of TensorFlow."""

try:
    import tf_keras as keras
except ImportError:
    from tensorflow import keras
import tensorflow as tf

optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.legacy.Adam(0.1), "dynamic")
v = tf.Variable([1.0])
optimizer.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), float(optimizer.loss_scale()))
