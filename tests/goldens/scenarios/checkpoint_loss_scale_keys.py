# SPDX-License-Identifier: Apache-2.0
"""The part of a checkpoint that holds the loss scale, and its values."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow as tf

from observe import observe

with tempfile.TemporaryDirectory() as folder:
    var = tf.Variable(1.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(64.0, 5)
    )
    for gradient in [float("nan"), 1.0, 1.0]:
        opt.apply_gradients([(tf.constant(gradient), var)])
    path = tf.train.Checkpoint(optimizer=opt).save(os.path.join(folder, "ckpt"))
    reader = tf.train.load_checkpoint(path)
    for key, shape in sorted(tf.train.list_variables(path)):
        if "loss_scale" in key:
            value = reader.get_tensor(key)
            observe(key.split("/.")[0] + ".value", value)
            observe(key.split("/.")[0] + ".dtype", str(value.dtype))
