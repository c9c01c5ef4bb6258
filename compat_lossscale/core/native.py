# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's own loss-scale classes, under names that stay, and what is private in TensorFlow.

Each private name has a public fallback: a TensorFlow that moves one makes the package slower, and
does not break it.
`tests/test_private_names.py` runs the tests with all of them missing.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import tensorflow as tf

_Function = TypeVar("_Function", bound=Callable[..., Any])


def probe(module: str, name: str, fallback: Any = None) -> Any:
    """Looks up a private name of another package, with attributes after dots, or a fallback."""
    try:
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return fallback


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


def _value() -> Any:
    """The base class that eager tensors have and other tensors have not."""
    eager = next(cls for cls in tf.Tensor.__subclasses__() if cls.__name__ == "_EagerTensorBase")
    return next(cls for cls in eager.__mro__ if cls.__name__ == "Value")


Value: Any = probe("tensorflow.python.types.core", "Value") or _value()
"""What makes native code ask a tensor for its value. To native code, a tensor that is no `Value` is
a node of a graph, and outside of a graph it reads memory that is not there."""

replicas_apply_by_themselves = probe(
    "tensorflow",
    "__internal__.distribute.strategy_supports_no_merge_call",
    lambda: not tf.distribute.has_strategy(),
)
"""Whether replicas need not merge to assign to variables: without a strategy, and under XLA on
GPUs. The fallback merges there too."""


def _has_the_option_that_the_rewrite_sets() -> bool:
    # A program may have set it without the rewrite.
    return bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))


is_graph_rewrite_enabled = probe(
    "tensorflow",
    "__internal__.train.is_mixed_precision_graph_rewrite_enabled",
    _has_the_option_that_the_rewrite_sets,
)
"""Whether the graph rewrite is on."""
