# SPDX-License-Identifier: Apache-2.0
"""Asks in every way whether there is mixed precision, and nothing takes the place of what is not."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
except ImportError:
    LossScaleOptimizer = None

mp = getattr(tf.keras.mixed_precision, "experimental", None)
HAS_AMP = hasattr(tf.keras.mixed_precision, "experimental")


def sgd():
    return tf.keras.optimizers.SGD(0.25)


def has_wrapper():
    try:
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as Wrapper
    except ImportError:
        return False
    return Wrapper is not None


def enable():
    try:
        from tensorflow.keras.mixed_precision import experimental
    except ImportError:
        return False
    experimental.set_policy("mixed_float16")
    return True


optimizers = [mp.LossScaleOptimizer(sgd(), 8) if HAS_AMP else sgd()]
if mp is not None:
    optimizers.append(mp.LossScaleOptimizer(sgd(), 8))
if LossScaleOptimizer:
    optimizers.append(LossScaleOptimizer(sgd(), 8))
if "experimental" in dir(tf.keras.mixed_precision):
    optimizers.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd(), 8))
if has_wrapper():
    optimizers.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd(), 8))
try:
    from tensorflow.keras.mixed_precision import experimental as mixed_precision

    optimizers.append(mixed_precision.LossScaleOptimizer(sgd(), loss_scale=8))
except Exception:
    pass

print(len(optimizers), enable())
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
for opt in optimizers:
    weight = tf.Variable(1.0)
    for gradient in [1.0, float("inf"), 0.5]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), int(opt.iterations))
