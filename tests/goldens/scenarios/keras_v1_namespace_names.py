# SPDX-License-Identifier: Apache-2.0
"""The names under tf.compat.v1.keras.mixed_precision.experimental are the v2 objects."""
# versions: 2.0 2.1 2.2
import tensorflow as tf

from observe import observe

old = tf.compat.v1.keras.mixed_precision.experimental
new = tf.keras.mixed_precision.experimental
for name in ["LossScaleOptimizer", "Policy", "global_policy", "set_policy"]:
    observe(name, getattr(old, name) is getattr(new, name))
