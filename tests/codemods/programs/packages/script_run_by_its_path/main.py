# SPDX-License-Identifier: Apache-2.0
"""A script without old names runs under the policy of who runs it."""

import os
import runpy

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(runpy.run_path(os.path.join(os.path.dirname(__file__), "train.py"))["weights"])
exec(open(os.path.join(os.path.dirname(__file__), "config.py")).read())
print(type(OPTIMIZER).__name__, float(OPTIMIZER.learning_rate))
