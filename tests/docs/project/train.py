"""Trains a small network in float16. Written for TensorFlow 2.3."""

import tensorflow as tf
from evaluate import describe
from tensorflow.keras.mixed_precision import experimental as prec

prec.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, "relu", kernel_initializer="ones")])
loss_scale = tf.train.experimental.DynamicLossScale(1024, increment_period=2)
optimizer = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), loss_scale)
x, y = tf.ones([32, 4]), tf.ones([32, 1])
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.cast(model(x), tf.float32) - y)
        scaled_loss = optimizer.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = optimizer.get_unscaled_gradients(gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    print(f"step {step} loss {loss:.3f} loss scale {optimizer.loss_scale().numpy():.0f}")
print(describe())
