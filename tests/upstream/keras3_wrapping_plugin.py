# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that wraps the optimizer of every `Model.compile` of Keras 3.

It wraps in `keras.optimizers.LossScaleOptimizer`: that is Keras' own class, or this package's if
`keras3_plugin` was loaded before. An optimizer that is wrapped already stays as it is.
"""

from __future__ import annotations

import functools
from typing import Any

import keras
from keras.src.trainers.trainer import Trainer

_compile = Trainer.compile


@functools.wraps(_compile)
def _compile_wrapped(self: Any, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> Any:
    wrapper = keras.optimizers.LossScaleOptimizer
    optimizer = keras.optimizers.get(optimizer)
    if optimizer is not None and not isinstance(optimizer, wrapper):
        optimizer = wrapper(optimizer)
    return _compile(self, optimizer, *args, **kwargs)


Trainer.compile = _compile_wrapped
