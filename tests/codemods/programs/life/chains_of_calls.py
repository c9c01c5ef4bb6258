# SPDX-License-Identifier: Apache-2.0
"""The loss scale is read of what an expression makes or looks up."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make(scale=8):
    return mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


opts = [make(), make(16)]
table = {"a": make(32)}
print(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64).loss_scale().numpy())
print(make().loss_scale().numpy(), (None or opts[1]).loss_scale().numpy())
print(opts[0].loss_scale().numpy(), opts[-1].loss_scale().numpy(), table["a"].loss_scale().numpy())
print(next(iter(opts)).loss_scale().numpy(), (last := make(4)).loss_scale().numpy())
print([opt.loss_scale().numpy() for opt in opts], *map(lambda o: o.loss_scale().numpy(), opts))
print(sorted(opts, key=lambda o: -o.loss_scale().numpy())[0].loss_scale().numpy())
