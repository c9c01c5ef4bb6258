# SPDX-License-Identifier: Apache-2.0
"""A star import of TensorFlow brings in keras."""

from tensorflow import *

opt = keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.SGD(0.25, decay=0.5), 8)
weight = Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(constant(gradient), weight)])
print(weight.numpy(), opt.loss_scale().numpy())
