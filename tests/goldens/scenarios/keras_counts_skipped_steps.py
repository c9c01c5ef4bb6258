# SPDX-License-Identifier: Apache-2.0
"""A program that finds skipped steps by comparing the scale before and after each of them."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), "dynamic"
)
var = tf.Variable(1.0)
skipped = 0
for gradient in [1.0, float("nan"), 1.0, float("inf"), float("-inf"), 1.0]:
    before = opt.loss_scale().numpy()
    opt.apply_gradients([(tf.constant(gradient), var)])
    skipped += int(opt.loss_scale().numpy() < before)
observe("skipped", skipped)
observe("scale", float(opt.loss_scale()))
observe("summary", "scale=%.1f" % opt.loss_scale().numpy())
observe("reciprocal", 1.0 / opt.loss_scale())
observe("identity", tf.identity(opt.loss_scale(), name="loss_scale"))
