# SPDX-License-Identifier: Apache-2.0
"""What training scripts ask of the wrapped optimizer."""

import tensorflow as tf
from tensorflow.keras import backend as K

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5), clipnorm=5.0), "dynamic")
v = tf.Variable([1.0, 2.0], name="v")
for _ in range(2):
    opt.minimize(lambda: tf.reduce_sum(v * v), [v])
opt.apply_gradients([(tf.constant([1.0, 1.0]), v)], name="apply", experimental_aggregate_gradients=False)
print(int(opt.iterations), v.numpy().tolist())
print(opt.get_slot_names(), opt.get_slot(v, "m").numpy().tolist())
print([w.name for w in opt.weights], [w.shape for w in opt.get_weights()])
print(len(opt.variables()), hasattr(opt, "get_scaled_loss"), hasattr(opt, "loss_scale"))
print(float(opt.lr(opt.iterations)), float(K.get_value(opt.beta_1)))
opt.learning_rate = 0.01
print(float(K.get_value(opt.lr)), float(opt._optimizer.clipnorm))
opt.beta_1 = 0.5
opt.apply_gradients([(tf.constant([1.0, 1.0]), v)])
print(v.numpy().tolist())
