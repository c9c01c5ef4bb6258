# SPDX-License-Identifier: Apache-2.0
"""An optimizer of one file is set on the model of another."""

import tensorflow as tf
import amp
from models import Detector
from tensorflow.keras.optimizers import Adam

detector = Detector()
detector.set_optimizer(amp.enable(Adam(lr=1e-2, decay=1e-3)))


def step(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
        scaled_loss = detector.optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled_loss, model.trainable_variables)
    grads = detector.optimizer.get_unscaled_gradients(grads)
    detector.model.optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return float(loss)


print(["%.5f" % step(detector.model, tf.ones((4, 3))) for _ in range(3)])
print(float(detector.optimizer.loss_scale()), float(detector.model.optimizer.lr))
