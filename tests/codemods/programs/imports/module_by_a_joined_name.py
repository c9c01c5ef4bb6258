# SPDX-License-Identifier: Apache-2.0
"""The name of the module is put together."""

import importlib
import tensorflow as tf

ROOT = "tensorflow.keras.mixed_precision"
mp = importlib.import_module(ROOT + ".experimental")
mp.set_policy("mixed_bfloat16")
print(mp.global_policy().compute_dtype)
