# SPDX-License-Identifier: Apache-2.0
"""The program knows that these names can be missing, and goes on without them."""

import sys

import numpy as np
import tensorflow as tf

try:
    from collections import Mapping
except ImportError:
    from collections.abc import Mapping
try:
    from collections.abc import Sequence
except ImportError:
    from collections import Sequence
if sys.version_info[0] < 3:
    text = np.unicode
else:
    text = str
number = np.float if hasattr(np, "float") else float
try:
    infinity = np.Inf
except AttributeError:
    infinity = np.inf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(number(0.25)), "dynamic")
weight = tf.Variable(1.0)
strategy = tf.distribute.get_strategy()
run = strategy.run if hasattr(strategy, "run") else strategy.experimental_run_v2
for gradient in [1.0, infinity, 0.5]:
    run(opt.apply_gradients, args=([(tf.constant(gradient), weight)],))
    print(text(weight.numpy()), opt.loss_scale().numpy(), isinstance({}, Mapping), isinstance([], Sequence))
