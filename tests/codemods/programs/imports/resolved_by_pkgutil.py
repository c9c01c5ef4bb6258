# SPDX-License-Identifier: Apache-2.0
"""The path of the class has a colon."""

import pkgutil
import tensorflow as tf

Policy = pkgutil.resolve_name("tensorflow.keras.mixed_precision.experimental:Policy")
print(Policy("mixed_float16").name)
