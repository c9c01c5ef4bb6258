# SPDX-License-Identifier: Apache-2.0
"""get_weights and set_weights carry iterations and slots, and no loss-scale state."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

nan = float("nan")


def build():
    return LossScaleOptimizer(tf.keras.optimizers.SGD(0.5, momentum=0.5), "dynamic")


first, var = build(), tf.Variable([1.0, 1.0])
for gradient in [[1.0, 2.0], [3.0, 4.0]]:
    first.apply_gradients([(tf.constant(gradient), var)])
weights = first.get_weights()
observe("weights", weights)

second, other = build(), tf.Variable([1.0, 1.0])
second.apply_gradients([(tf.constant([nan, nan]), other)])
second.apply_gradients([(tf.constant([0.0, 0.0]), other)])
second.set_weights([np.array(w) for w in weights])
observe("restored.weights", second.get_weights())
observe("restored.scale", second.get_scaled_loss(tf.constant(1.0)))
observe("restored.iterations", second.iterations)
for opt, v, name in [(first, var, "first"), (second, other, "second")]:
    opt.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    observe(name + ".var", v)
