# SPDX-License-Identifier: Apache-2.0
"""The functions of policies are called, mapped, and given as defaults."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import set_policy, global_policy

SETUP = [set_policy]
for f in SETUP:
    f("mixed_float16")
print(global_policy().name)
list(map(set_policy, ["float32", "mixed_bfloat16"]))
print((lambda p=global_policy: p().name)())
