# SPDX-License-Identifier: Apache-2.0
"""from_config(get_config()) rebuilds scale, growth period and inner optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
exp = tf.train.experimental
for name, value in [("dynamic", exp.DynamicLossScale(4, 2)), ("fixed", 32)]:
    opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.5, momentum=0.25), value)
    first = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), first)])
    opt.apply_gradients([(tf.constant(1.0), first)])
    again = LossScaleOptimizer.from_config(opt.get_config())
    observe(name + ".isinstance", isinstance(again, LossScaleOptimizer))
    observe(name + ".inner", type(again._optimizer))
    observe(name + ".learning_rate", again.learning_rate)
    observe(name + ".momentum", again._optimizer.get_config()["momentum"])
    observe(name + ".iterations", again.iterations)
    var = tf.Variable(0.0)
    for step in range(3):
        again.apply_gradients([(tf.constant(1.0), var)])
        observe("%s.step%d.scale" % (name, step), again.get_scaled_loss(tf.constant(1.0)))
        observe("%s.step%d.var" % (name, step), var)
