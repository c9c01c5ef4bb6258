# SPDX-License-Identifier: Apache-2.0
"""Old names are looked up in the dictionary of their module."""

import tensorflow as tf

mp = vars(tf.keras.mixed_precision)["experimental"]
mp.set_policy("mixed_float16")
print(tf.keras.mixed_precision.__dict__["experimental"].global_policy().name)
