# SPDX-License-Identifier: Apache-2.0
"""Which class compile wraps with, by policy: the experimental one, or 2.4's own."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
for name, policy in [
    ("name", "mixed_float16"),
    ("default_object", mp.Policy("mixed_float16")),
    ("fixed", mp.Policy("mixed_float16", loss_scale=8)),
]:
    mp.set_policy(policy)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(), "mse")
    observe(name + ".isinstance", isinstance(model.optimizer, mp.LossScaleOptimizer))
