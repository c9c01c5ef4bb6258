# SPDX-License-Identifier: Apache-2.0
"""What a checkpoint holds is listed, and the slots of the optimizer are counted."""

import os
import tempfile

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
var = tf.Variable([1.0, 2.0])
opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), "dynamic")
opt.apply_gradients([(tf.constant([1.0, 1.0]), var)])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(var=var, opt=opt).save(os.path.join(folder, "ckpt"))
    keys = [key for key, _ in tf.train.list_variables(path)]
print(sorted(key for key in keys if "loss_scale" in key))
print(sorted(key.split("/")[-3] for key in keys if "OPTIMIZER_SLOT" in key))
print(len(opt.weights), [weight.shape.as_list() for weight in opt.weights])
