# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1.15: training stopped and gone on with from a checkpoint of the Keras wrapper."""
# versions: 1.15
# run: --tf1
import os
import tempfile

import tensorflow as tf

from observe import observe

tf.enable_v2_behavior()


def build():
    var = tf.Variable([1.0, 2.0])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25, momentum=0.5), tf.train.experimental.DynamicLossScale(16.0, 2)
    )
    return var, opt, tf.train.Checkpoint(model=var, optimizer=opt)


var, opt, checkpoint = build()
for gradient in [1.0, float("nan"), 2.0]:
    opt.apply_gradients([(tf.constant([gradient, 1.0]), var)])
with tempfile.TemporaryDirectory() as folder:
    path = checkpoint.save(os.path.join(folder, "ckpt"))
    var, opt, checkpoint = build()
    checkpoint.restore(path)
    observe("restored.var", var)
    observe("restored.scale", opt.loss_scale())
    opt.apply_gradients([(tf.constant([1.0, 1.0]), var)])
observe("continued.var", var)
observe("continued.scale", opt.loss_scale())
