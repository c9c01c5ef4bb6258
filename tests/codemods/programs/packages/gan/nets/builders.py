# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def build_generator():
    return tf.keras.Sequential([
        layers.Dense(2, kernel_initializer="ones", input_shape=(2,), dtype="float32")])


def build_discriminator():
    return tf.keras.Sequential([
        layers.Dense(2, kernel_initializer="ones", input_shape=(2,)),
        layers.Dense(1, kernel_initializer="ones", dtype="float32")])


def make_optimizer(which, **kwargs):
    return LossScaleOptimizer(
        tf.keras.optimizers.Adam(1e-2 if which == "g" else 1e-3, **kwargs), loss_scale="dynamic")
