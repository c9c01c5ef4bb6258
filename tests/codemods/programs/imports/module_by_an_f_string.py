# SPDX-License-Identifier: Apache-2.0
"""The name of the module is an f-string."""

import importlib
import tensorflow as tf

part = "mixed_precision"
mp = importlib.import_module(f"tensorflow.keras.{part}.experimental")
mp.set_policy("mixed_bfloat16")
print(mp.global_policy().compute_dtype)
