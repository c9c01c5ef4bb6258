# SPDX-License-Identifier: Apache-2.0
"""An optimizer of a module that a function imports."""

import lazy
import tensorflow as tf

opt = lazy.train().GradientDescentOptimizer(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(type(opt).__name__)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
