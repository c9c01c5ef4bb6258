# SPDX-License-Identifier: Apache-2.0
"""tf.train.Checkpoint of a v1 optimizer: keys, values, and restoring."""
# versions: 1.15 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow.compat.v1 as tf

from observe import observe

tf.enable_eager_execution()
var = tf.Variable(1.0)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.MomentumOptimizer(0.5, 0.5), tf.train.experimental.DynamicLossScale(64, 2)
)
opt.minimize(lambda: var * 1.0, var_list=[var])
opt.apply_gradients([(tf.constant(float("nan")), var)])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(v=var, opt=opt).save(os.path.join(folder, "ckpt"))
    keys = [key for key, _ in tf.train.list_variables(path) if not key.startswith("_")]
    observe("keys", sorted(keys))
    other = tf.Variable(0.0)
    fresh = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.MomentumOptimizer(0.5, 0.5), tf.train.experimental.DynamicLossScale(64, 2)
    )
    status = tf.train.Checkpoint(v=other, opt=fresh).restore(path)
    fresh.apply_gradients([(tf.constant(1.0), other)])
    status.assert_existing_objects_matched()
observe("restored.scale", fresh._loss_scale())
observe("continued", other)
