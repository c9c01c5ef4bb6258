# SPDX-License-Identifier: Apache-2.0
"""Sets up the precision."""
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import set_policy, global_policy

for gpu in tf.config.experimental.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
print("set up")
