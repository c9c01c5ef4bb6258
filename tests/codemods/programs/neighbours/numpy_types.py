# SPDX-License-Identifier: Apache-2.0
"""numpy's aliases of Python's own types, up to numpy 1.23."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(np.float(0.25)), "dynamic")
weight = tf.Variable(np.ones(2, np.float)[0].astype(np.float32))
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
table = np.zeros((1, 2), dtype=np.bool)
names = np.array(["a", None], dtype=np.object)
print(table.dtype, names.dtype, np.int(3.5), np.str(4), np.complex(1), np.unicode("x"), np.long(7))
print(np.bool8(1), isinstance(1.0, np.float), np.float_(1), np.string_(b"y"), np.typeDict["float32"])
