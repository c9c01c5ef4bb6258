# SPDX-License-Identifier: Apache-2.0

import importlib


def __getattr__(name):
    if name == "precision":
        return importlib.import_module("tensorflow.keras.mixed_precision.experimental")
    raise AttributeError(name)
