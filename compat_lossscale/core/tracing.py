# SPDX-License-Identifier: Apache-2.0
"""How this package's functions are traced: as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import tensorflow as tf

_Function = TypeVar("_Function", bound=Callable[..., Any])


def as_written(function: _Function) -> _Function:
    """Keeps AutoGraph from rewriting a function when a user's `tf.function` calls it.

    TensorFlow's own optimizers are exempt too. Rewriting would only make tracing slower.
    """
    return cast("_Function", tf.autograph.experimental.do_not_convert(function))
