# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow 1 MonitoredTrainingSession with a stop hook: skipped steps are not counted."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

tf.logging.set_verbosity(tf.logging.ERROR)
runs = tf.get_variable("runs", initializer=0, trainable=False)
count = tf.assign_add(runs, 1, use_locking=True)
var = tf.get_variable("var", initializer=0.0)
global_step = tf.train.get_or_create_global_step()
with tf.control_dependencies([count]):
    factor = tf.where(tf.equal(tf.mod(count, 3), 2), float("nan"), 1.0)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), loss_scale="dynamic"
)
train_op = opt.minimize(var * factor, global_step)
hooks = [tf.train.StopAtStepHook(last_step=4)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
    number = 0
    while not sess.should_stop():
        number += 1
        sess.run(train_op)
    observe("runs", number)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        sess.run(train_op)
        observe("step%d" % step, sess.run([runs, var, global_step]))
        observe("step%d.scale" % step, sess.run(opt._loss_scale()))
