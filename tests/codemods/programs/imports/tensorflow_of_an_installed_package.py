# SPDX-License-Identifier: Apache-2.0
"""TensorFlow itself comes from a package that is installed elsewhere."""

import sys
import types

import tensorflow

package = types.ModuleType("toolbox")
package.tf = tensorflow
sys.modules["toolbox"] = package

from toolbox import tf  # noqa: E402

var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), loss_scale=8
)
opt.apply_gradients([(tf.constant(8.0), var)])
print(var.numpy(), opt.loss_scale().numpy())
