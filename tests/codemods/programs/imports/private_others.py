# SPDX-License-Identifier: Apache-2.0
"""Other names of the private module."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import autocast_variable

print(hasattr(autocast_variable, "AutoCastVariable"))
