# SPDX-License-Identifier: Apache-2.0
"""The module comes from `__import__`, and names from `globals`."""

tf = __import__("tensorflow")
mp = __import__("tensorflow.keras.mixed_precision", fromlist=["experimental"]).experimental
opt = globals()["mp"].LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
print(float(opt.loss_scale()))
