# SPDX-License-Identifier: Apache-2.0
"""MonitoredTrainingSession with hooks and checkpoints around the v1 optimizer."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tempfile

import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=0.0)
global_step = tf.train.get_or_create_global_step()
scaler = tf.train.experimental.DynamicLossScale(8, increment_period=2)
scale = tf.identity(scaler(), name="loss_scale")
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), scaler
)
train_op = opt.minimize(var * x, global_step=global_step)


class Recorder(tf.train.SessionRunHook):
    """Collects the scale and the step of every run."""

    seen = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([global_step])

    def after_run(self, run_context, run_values):
        self.seen.append(int(run_values.results[0] > 0))


values = [1.0, float("nan"), 1.0, 1.0, 1.0, float("inf"), 1.0]
with tempfile.TemporaryDirectory() as folder:
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=[Recorder()], save_summaries_steps=None, log_step_count_steps=None
    ) as sess:
        for step, value in enumerate(values):
            sess.run(train_op, {x: value})
            observe("step%d" % step, sess.run([var, global_step], {x: 0.0}))
            observe("step%d.scale" % step, sess.run(scale, {x: 0.0}))
    hooks = [tf.train.StopAtStepHook(num_steps=2)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=hooks, save_summaries_steps=None, log_step_count_steps=None
    ) as sess:
        observe("resumed", sess.run([var, global_step], {x: 0.0}))
        observe("resumed.scale", sess.run(scale, {x: 0.0}))
        runs = 0
        while not sess.should_stop():
            sess.run(train_op, {x: float("nan") if runs == 0 else 1.0})
            runs += 1
        observe("runs", runs)
observe("hook_called", len(Recorder.seen) > 0)
