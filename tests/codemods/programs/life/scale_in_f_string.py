# SPDX-License-Identifier: Apache-2.0
"""A log line formats the loss scale in several ways."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), loss_scale="dynamic")
weight = tf.Variable(1.0)
for grad in (1.0, float("inf"), 1.0):
    opt.apply_gradients([(tf.constant(grad), weight)])
    print(f"scale {opt.loss_scale().numpy():.1f}", "scale %d" % opt.loss_scale(), "{0:g}".format(float(opt.loss_scale())))
    print("num", int(opt.loss_scale._num_good_steps), "step", opt.iterations.numpy())
