# SPDX-License-Identifier: Apache-2.0
"""Several graph rewrites on one line."""

import tensorflow as tf
from tensorflow.keras import optimizers


def amp_on():
    return bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))


enable = tf.train.experimental.enable_mixed_precision_graph_rewrite
use_amp = False
if use_amp: opt = enable(optimizers.SGD(0.1))
print(amp_on())
opts = []
for rate in (): opts += [enable(optimizers.SGD(rate))]
print(amp_on())
x = y = enable(optimizers.SGD(0.1), loss_scale=2)
a, b = enable(optimizers.SGD(0.2), 4), enable(optimizers.Adam(0.2), "dynamic")
opts += [enable(o, 8) for o in (optimizers.Nadam(0.3), optimizers.Adadelta(0.1))]
print(amp_on(), x is y, [float(o.get_scaled_loss(tf.constant(1.0))) for o in (x, a, b, *opts)])
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(amp_on())
