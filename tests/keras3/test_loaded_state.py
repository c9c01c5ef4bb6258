# SPDX-License-Identifier: Apache-2.0
"""Copies and pickles of Keras 3's optimizers keep the state that they trained to."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.stepping import BACKEND, stepper, values_in, variables_of
from tests.support import NAN

KEEP: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "twice": lambda one: copy.deepcopy(pickle.loads(pickle.dumps(one))),
}
MODE = "jit" if BACKEND == "jax" else "eager"
"""JAX compiles each operation of an eager step by itself."""
START = (np.ones((2, 3)), np.zeros(3))


def trained(inner: Any) -> tuple[Any, list[Any]]:
    optimizer = LossScaleOptimizer(inner, initial_scale=8.0, dynamic_growth_steps=4)
    variables = variables_of(*START)
    step = stepper(optimizer, variables, MODE)
    for bad in (False, True, False, False):
        step(np.full((2, 3), NAN if bad else 2.0), np.full(3, 4.0))
    return optimizer, variables


@pytest.mark.sampled(3)
@pytest.mark.parametrize("keep", KEEP.values(), ids=KEEP)
@pytest.mark.parametrize(
    "inner",
    [
        lambda: keras.optimizers.SGD(0.5),
        lambda: keras.optimizers.Adam(0.5),
        lambda: keras.optimizers.SGD(0.5, momentum=0.5, use_ema=True),
    ],
    ids=["sgd", "adam", "ema"],
)
def test_a_copy_trains_on_with_the_same_values(
    keep: Callable[[Any], Any], inner: Callable[[], Any]
) -> None:
    optimizer, variables = trained(inner())
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Skipping variable loading")
        kept = keep(optimizer)
        assert int(kept.iterations) == int(optimizer.iterations) == 3
        assert float(kept.loss_scale) == 4.0
        others = variables_of(*values_in(variables))
        step = stepper(kept, others, MODE)
    assert [one.tolist() for one in values_in(kept.variables)] == [
        one.tolist() for one in values_in(optimizer.variables)
    ]
    gradients = (np.full((2, 3), 2.0), np.full(3, 4.0))
    stepper(optimizer, variables, MODE)(*gradients)
    step(*gradients)
    for ours, theirs in zip(
        values_in([*kept.variables, *others]),
        values_in([*optimizer.variables, *variables]),
        strict=True,
    ):
        assert ours.tobytes() == theirs.tobytes()


def test_what_is_set_before_it_is_built_stays() -> None:
    optimizer, variables = trained(keras.optimizers.Adam(0.5))
    kept = copy.deepcopy(optimizer)
    kept.learning_rate = 0.25
    kept.build(variables)
    assert float(kept.learning_rate) == 0.25


def test_slots_of_other_variables_start_again_with_a_warning() -> None:
    optimizer, _ = trained(keras.optimizers.Adam(0.5))
    kept = copy.deepcopy(optimizer)
    with pytest.warns(UserWarning, match="another set of variables"):
        kept.build(variables_of(np.ones(5)))
    slots = values_in(kept.inner_optimizer.variables)[2:]
    assert [slot.tolist() for slot in slots] == [[0.0] * 5] * 2
    assert "load_own_variables" not in vars(kept.inner_optimizer)


def test_a_file_with_fewer_variables_is_keras_own_warning() -> None:
    optimizer, _ = trained(keras.optimizers.Adam(0.5))
    with pytest.warns(UserWarning, match="Skipping variable loading"):
        optimizer.load_own_variables({"0": np.array(1)})
    assert int(optimizer.iterations) == 3
