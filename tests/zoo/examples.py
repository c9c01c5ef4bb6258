# SPDX-License-Identifier: Apache-2.0
"""A model with data to train it on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

BATCH = 4
SAMPLES = 3 * BATCH


class Example(NamedTuple):
    """What `compile` and `fit` need.

    Attributes:
        model: Not compiled.
        x: The inputs.
        y: The targets.
        loss: As `compile` takes it.
    """

    model: Any
    x: Any
    y: Any
    loss: Any = "mse"


def example(model: Any, x: Any = None, loss: Any = "mse", classes: int = 0) -> Example:
    """Makes data that fits a model.

    Args:
        model: One whose inputs and outputs are known.
        x: The inputs; by default random numbers, or tokens below 10.
        loss: As `compile` takes it.
        classes: The targets are one of so many classes; by default they are numbers.
    """
    rng = np.random.default_rng(1)
    if x is None:
        x = _one_or_list([_random(rng, one) for one in model.inputs])
    samples = len(x[0] if isinstance(x, list) else x)
    y = _one_or_list(
        [rng.normal(size=[samples, *one.shape[1:]]).astype("float32") for one in model.outputs]
    )
    if classes:
        y = rng.integers(classes, size=y.shape[:-1])
    return Example(model, x, y, loss)


def _random(rng: np.random.Generator, one: Any) -> Any:
    size = [SAMPLES, *one.shape[1:]]
    dtype = getattr(one.dtype, "name", one.dtype)
    return (
        rng.integers(1, 10, size=size)
        if "int" in dtype
        else rng.normal(size=size).astype("float32")
    )


def _one_or_list(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
