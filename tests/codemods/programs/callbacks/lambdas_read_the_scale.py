# SPDX-License-Identifier: Apache-2.0
"""Lambdas as callbacks read the loss scale of the model."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
mp.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), 128), "mse")
seen = []
log = tf.keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: seen.append((epoch, float(model.optimizer.loss_scale()))),
    on_train_end=lambda logs: seen.append(model.optimizer.loss_scale().numpy()),
)
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0, callbacks=[log])
print(seen, model.get_weights()[0].tolist())
