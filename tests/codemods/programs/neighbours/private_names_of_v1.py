# SPDX-License-Identifier: Apache-2.0
"""Names of the private Keras that are public in `compat.v1` alone, or under another name."""

import tensorflow as tf
from tensorflow.python.keras import backend as K
from tensorflow.python.keras.layers import recurrent
from tensorflow.python.keras.utils import losses_utils

print(recurrent.GRU.__name__, issubclass(recurrent.LSTM, tf.keras.layers.Layer), K.get_session.__name__)
print(losses_utils.ReductionV2.SUM, tf.keras.losses.MeanSquaredError(reduction=losses_utils.ReductionV2.SUM)([[1.0], [2.0]], [[0.0], [0.0]]).numpy())
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
