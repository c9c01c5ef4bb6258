# SPDX-License-Identifier: Apache-2.0
"""The compat.v1.mixed_precision names of 2.4 are the old classes."""
# versions: 2.4
import tensorflow as tf

from observe import observe

v1 = tf.compat.v1
for name in ["LossScale", "FixedLossScale", "DynamicLossScale"]:
    observe(name, getattr(v1.mixed_precision, name) is getattr(tf.train.experimental, name))
for name in [
    "MixedPrecisionLossScaleOptimizer",
    "enable_mixed_precision_graph_rewrite",
    "disable_mixed_precision_graph_rewrite",
]:
    same = getattr(v1.mixed_precision, name) is getattr(v1.train.experimental, name)
    observe(name, same)
