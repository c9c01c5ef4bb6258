# SPDX-License-Identifier: Apache-2.0
"""Which module makes the model is known only when the program runs."""

import importlib
import os

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
name = os.environ.get("MODEL", "small")
for module in (importlib.import_module("models." + name), importlib.import_module(f"models.{name}")):
    model = module.build()
    print(model.get_weights())
