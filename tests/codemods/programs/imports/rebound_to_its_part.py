# SPDX-License-Identifier: Apache-2.0
"""The name of the module stands for its part later."""

from tensorflow.keras import mixed_precision as mp, optimizers as opts

mp = mp.experimental
policy = mp.Policy("mixed_float16")
mp.set_policy(policy)
LSO = mp.LossScaleOptimizer
opt = LSO(opts.SGD(0.5), 2.0 ** 4)
print(mp.global_policy().name, opt.loss_scale().numpy())
