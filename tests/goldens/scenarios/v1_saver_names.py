# SPDX-License-Identifier: Apache-2.0
"""The names a tf.train.Saver writes, and restoring them into a fresh session."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=1.0)
global_step = tf.train.get_or_create_global_step()
scaler = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.MomentumOptimizer(0.5, 0.5), scaler
)
train_op = opt.minimize(var * x, global_step=global_step)
saver = tf.train.Saver()
scale = scaler()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in [1.0, float("nan"), 1.0]:
            sess.run(train_op, {x: value})
        saver.save(sess, path, write_meta_graph=False)
        saved = sess.run([var, scale, scaler._num_good_steps, global_step])
    observe("names", [[name, list(shape)] for name, shape in tf.train.list_variables(path)])
    reader = tf.train.load_checkpoint(path)
    observe("current_loss_scale.scale", reader.get_tensor("current_loss_scale"))
    observe("good_steps", reader.get_tensor("good_steps"))
    observe("dtypes", [str(reader.get_tensor(n).dtype) for n in ["current_loss_scale", "good_steps"]])
    with tf.Session() as sess:
        saver.restore(sess, path)
        observe("restored_is_saved", saved == sess.run([var, scale, scaler._num_good_steps, global_step]))
        sess.run(train_op, {x: 1.0})
        observe("next.var", sess.run(var))
        observe("next.scale", sess.run(scale))
