# SPDX-License-Identifier: Apache-2.0
"""The loss scale is read in f-strings, arithmetic, calls and comparisons."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
loss = tf.constant(2.0)
print(f"{opt.loss_scale():.1f} {opt.loss_scale().numpy()!r:>8} {float(opt.loss_scale()) + 1=}")
print((opt.loss_scale() * loss).numpy(), (loss / opt.loss_scale()).numpy())
print(int(opt.loss_scale()), opt.loss_scale() == 64, bool(opt.loss_scale() > 1))
print([round(float(scale()), 1) for scale in [opt.loss_scale]], max(opt.loss_scale(), 1).numpy())
print(tf.cast(opt.loss_scale(), tf.float16).dtype.name, opt.loss_scale().dtype.name)
print(opt.loss_scale().numpy().item() if opt.loss_scale() is not None else None)
