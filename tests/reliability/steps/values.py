# SPDX-License-Identifier: Apache-2.0
"""The numbers of a configuration: initial values, and the gradients that each step is fed."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tests.reliability.steps.configuration import Configuration, Variable

ROWS = 4
"""Of a sparse gradient."""


def array(values: Any, dtype: str) -> np.ndarray[Any, Any]:
    """Makes an array of any dtype of TensorFlow's."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(tf.as_dtype(dtype).as_numpy_dtype)


def initial_values(configuration: Configuration) -> list[np.ndarray[Any, Any]]:
    """Draws the variables' first values."""
    chance = np.random.default_rng(configuration.seed)
    return [array(chance.normal(size=one.shape), one.dtype) for one in configuration.variables]


def feed_dtypes(configuration: Configuration) -> list[tuple[tuple[int, ...], str]]:
    """Shapes and dtypes of what a step is fed: for each gradient its values, then row numbers."""
    specs: list[tuple[tuple[int, ...], str]] = []
    for one in configuration.variables:
        dtype = configuration.compute_dtype or one.dtype
        if one.gradient == "sparse":
            specs += [((ROWS, *one.shape[1:]), dtype), ((ROWS,), "int32")]
        elif one.gradient == "dense":
            specs.append((one.shape, dtype))
    return specs


def feeds(configuration: Configuration) -> list[list[np.ndarray[Any, Any]]]:
    """Draws what each step is fed."""
    chance = np.random.default_rng(configuration.seed + 1)
    return [_feed(configuration, fault, chance) for fault in configuration.steps]


def _feed(
    configuration: Configuration, fault: str, chance: np.random.Generator
) -> list[np.ndarray[Any, Any]]:
    trained = [one for one in configuration.variables if one.gradient != "none"]
    victim = int(chance.integers(max(len(trained), 1)))
    fed = []
    for number, one in enumerate(trained):
        dtype = configuration.compute_dtype or one.dtype
        shape = (ROWS, *one.shape[1:]) if one.gradient == "sparse" else one.shape
        values = _gradient(configuration, dtype, shape, fault, number == victim, chance)
        fed.append(array(values, dtype))
        if one.gradient == "sparse":
            fed.append(_row_numbers(one, chance))
    return fed


def _row_numbers(variable: Variable, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    return chance.integers(0, variable.shape[0], ROWS).astype(np.int32)


def _gradient(
    configuration: Configuration,
    dtype: str,
    shape: tuple[int, ...],
    fault: str,
    is_victim: bool,
    chance: np.random.Generator,
) -> Any:
    limits = tf.as_dtype(dtype)
    largest = float(limits.max)
    smallest = float(np.finfo(np.float32).tiny) if dtype == "bfloat16" else 2.0**-1022
    smallest = {"float16": 2.0**-14, "float32": 2.0**-126}.get(dtype, smallest)
    values = chance.normal(size=shape)
    if fault == "zero":
        return values * 0.0
    if fault == "huge":
        return np.sign(values) * largest * chance.uniform(0.1, 1, shape)
    if fault == "tiny":
        # Normal numbers, some of which are denormal once they are unscaled.
        return values * smallest * max(configuration.initial_scale, 1.0)
    if fault == "denormal":
        return np.sign(values) * smallest * chance.uniform(0.001, 1, shape)
    if not is_victim or not values.size:
        return values
    values = np.array(values)
    place = int(chance.integers(values.size))
    faults = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
    if fault in faults:
        values.flat[place] = faults[fault]
    elif fault == "overflow":
        # Finite itself, infinite once it is scaled.
        values.flat[place] = min(largest, 2 * largest / max(configuration.initial_scale, 2.0))
    return values
