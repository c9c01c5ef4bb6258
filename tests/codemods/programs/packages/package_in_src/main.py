# SPDX-License-Identifier: Apache-2.0
"""The package that a program uses is in the folder `src` of the project."""

import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent / "src"))
from mine.optim import Doubled

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Doubled(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
