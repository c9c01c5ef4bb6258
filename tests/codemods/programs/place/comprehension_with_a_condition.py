# SPDX-License-Identifier: Apache-2.0
"""A comprehension wraps some of several optimizers."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
pairs = [(tf.keras.optimizers.SGD(0.25), 8), (tf.keras.optimizers.SGD(0.5), None)]
pairs += [(tf.keras.optimizers.SGD(0.125), "dynamic")]
made = [mp.LossScaleOptimizer(opt, scale) if scale else opt for opt, scale in pairs]
wrapped = {n: opt for n, opt in enumerate(made) if isinstance(opt, mp.LossScaleOptimizer)}
print({n: float(opt.loss_scale()) for n, opt in wrapped.items()})
print(sum(float(opt.loss_scale()) for opt in wrapped.values()))
