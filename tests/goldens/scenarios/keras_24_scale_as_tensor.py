# SPDX-License-Identifier: Apache-2.0
"""In 2.4 the experimental loss_scale is a tensor: arithmetic, float(), casts and operators."""
# versions: 2.4
import numpy as np
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)
scale = opt.loss_scale
observe("float", float(opt.loss_scale))
observe("times", opt.loss_scale * 2.0)
observe("reflected_times", 2.0 * opt.loss_scale)
observe("reciprocal", 1.0 / opt.loss_scale)
observe("minus", 10.0 - opt.loss_scale)
observe("power", opt.loss_scale ** 2)
observe("cast", tf.cast(opt.loss_scale, tf.int32))
observe("cast.dtype", tf.cast(opt.loss_scale, tf.float16).dtype)
observe("less", opt.loss_scale < 9.0)
observe("numpy.scale", opt.loss_scale.numpy())
observe("array", np.array(opt.loss_scale))
observe("identity", tf.identity(opt.loss_scale, name="loss_scale"))
observe("shape", opt.loss_scale.shape)
observe("stack", tf.stack([opt.loss_scale, 1.0]))
observe("format", "%.1f" % opt.loss_scale)


@tf.function
def doubled():
    return opt.loss_scale * 2.0


observe("in_function", doubled())
