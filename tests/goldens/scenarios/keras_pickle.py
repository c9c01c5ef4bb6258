# SPDX-License-Identifier: Apache-2.0
"""A pickled optimizer goes on as the one that was pickled."""
# versions: 2.0 2.1 2.2 2.3
import copy
import pickle

import tensorflow as tf

from observe import observe

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
loss_scale = tf.train.experimental.DynamicLossScale(64.0, increment_period=2, multiplier=2.0)
opt = wrap(tf.keras.optimizers.SGD(0.5, momentum=0.5), loss_scale)
var = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 1.0, 1.0, 1.0]:
    opt.apply_gradients([(tf.constant(gradient), var)])
at_the_time = var.numpy()
for name, again in (("pickled", pickle.loads(pickle.dumps(opt))), ("copied", copy.deepcopy(opt))):
    var.assign(at_the_time)
    observe(name + ".scale", again.loss_scale())
    observe(name + ".learning_rate", again.learning_rate)
    observe(name + ".iterations_move_on", int(again.iterations) > 0)
    for step in range(2):
        again.apply_gradients([(tf.constant(1.0), var)])
        observe("%s.%d.scale" % (name, step), again.loss_scale())
        if name == "pickled":
            observe("%s.%d.var" % (name, step), var)
fixed = pickle.loads(pickle.dumps(wrap(tf.keras.optimizers.SGD(0.25), 8)))
observe("fixed.scale", fixed.loss_scale())
observe("fixed.learning_rate", fixed.learning_rate)
