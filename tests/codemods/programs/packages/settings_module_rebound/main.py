# SPDX-License-Identifier: Apache-2.0
"""A module of settings is changed by another before it is read."""

import settings
import tensorflow as tf
from training import make

settings.LOSS_SCALE = 32
print(make(tf.keras.optimizers.SGD(0.25)).loss_scale().numpy())
settings.LOSS_SCALE = "dynamic"
print(make(tf.keras.optimizers.SGD(0.25)).loss_scale().numpy())
