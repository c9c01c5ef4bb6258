# SPDX-License-Identifier: Apache-2.0
"""The import is in a function, under a name that the module has already."""

import tensorflow as tf
from tensorflow.keras import mixed_precision


def enable(name):
    try:
        from tensorflow.keras.mixed_precision import experimental as mixed_precision
    except ImportError:
        mixed_precision = None
    if mixed_precision is not None:
        mixed_precision.set_policy(mixed_precision.Policy(name))
        return True
    return False


print(enable("mixed_float16"), mixed_precision.experimental.global_policy().name)
