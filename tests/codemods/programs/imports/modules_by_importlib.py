# SPDX-License-Identifier: Apache-2.0
"""The module is imported by its name."""

import importlib

import tensorflow as tf

mp = importlib.import_module("tensorflow.keras.mixed_precision.experimental")
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
print(float(opt.loss_scale()))
