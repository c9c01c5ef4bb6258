# SPDX-License-Identifier: Apache-2.0
"""The decay is read from the config of an optimizer that is wrapped if a flag says so."""

import os

import tensorflow as tf

opt = tf.keras.optimizers.SGD(lr=0.1, decay=0.5)
if not os.environ.get("FLOAT32"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=8)
print(float(opt._optimizer.get_config()["decay"]))
