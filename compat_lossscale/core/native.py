# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's own loss-scale classes, under names that stay, and how functions are traced."""

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


_names = tf.compat.v1.mixed_precision

LossScale = _names.LossScale
FixedLossScale = _names.FixedLossScale
DynamicLossScale = _names.DynamicLossScale
MixedPrecisionLossScaleOptimizer = _names.MixedPrecisionLossScaleOptimizer
enable_mixed_precision_graph_rewrite = _names.enable_mixed_precision_graph_rewrite
disable_mixed_precision_graph_rewrite = _names.disable_mixed_precision_graph_rewrite
