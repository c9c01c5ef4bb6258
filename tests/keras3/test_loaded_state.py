# SPDX-License-Identifier: Apache-2.0
"""Copies and pickles of Keras 3's optimizers keep the state that they trained to."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.errors import LossScaleStuckWarning
from compat_lossscale.keras3 import LossScaleOptimizer
from compat_lossscale.spec import LossScaleRule
from tests.keras3.stepping import BACKEND, MODES, stepper, values_in, variables_of
from tests.support import INF, NAN

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


def with_scale(optimizer: Any, scale: float) -> dict[str, Any]:
    """What a file has of an optimizer, with another loss scale."""
    store: dict[str, Any] = {}
    optimizer.save_own_variables(store)
    return {**store, "3": np.float32(scale)}


def from_numbers(optimizer: Any, scale: float, folder: Path) -> Any:
    del folder
    optimizer.load_own_variables(with_scale(optimizer, scale))
    return optimizer


def from_weights(optimizer: Any, scale: float, folder: Path) -> Any:
    del folder
    values = values_in(optimizer.variables)
    optimizer.set_weights([np.float32(scale) if n == 3 else v for n, v in enumerate(values)])
    return optimizer


def from_a_copy(optimizer: Any, scale: float, folder: Path) -> Any:
    del folder
    optimizer.dynamic_scale.assign(scale)
    return pickle.loads(pickle.dumps(optimizer))


def from_keras_own(optimizer: Any, scale: float, folder: Path) -> Any:
    del optimizer, folder
    stock = keras.optimizers.LossScaleOptimizer(
        keras.optimizers.Adam(0.5), initial_scale=8.0, dynamic_growth_steps=4
    )
    stock.build(variables_of(*START))
    stock.dynamic_scale.assign(scale)
    return LossScaleOptimizer.from_keras(stock)


def from_a_checkpoint(optimizer: Any, scale: float, folder: Path) -> Any:
    """It is restored before there are any variables, as `tf.train.Checkpoint` allows."""
    import tensorflow as tf

    optimizer.dynamic_scale.assign(scale)
    path = tf.train.Checkpoint(optimizer=optimizer).write(str(folder / "checkpoint"))
    fresh = LossScaleOptimizer(keras.optimizers.Adam(0.5), initial_scale=8.0)
    tf.train.Checkpoint(optimizer=fresh).read(path)
    fresh.build(variables_of(*START))
    return fresh


LOADS = [from_numbers, from_weights, from_a_copy, from_keras_own]
if BACKEND == "tensorflow":
    LOADS.append(from_a_checkpoint)


@pytest.mark.parametrize("scale", [INF, NAN, 0.0, -8.0])
@pytest.mark.parametrize("load", LOADS)
def test_a_loss_scale_of_no_use_starts_again_with_a_warning(
    load: Callable[..., Any], scale: float, tmp_path: Path
) -> None:
    optimizer, _ = trained(keras.optimizers.Adam(0.5))
    with pytest.warns(LossScaleStuckWarning, match=r"must be positive and finite.*value, 8\."):
        loaded = load(optimizer, scale, tmp_path)
    assert (float(loaded.dynamic_scale), int(loaded.step_counter)) == (8.0, 0)


@pytest.mark.parametrize("load", LOADS)
def test_another_loss_scale_is_loaded_as_it_is(load: Callable[..., Any], tmp_path: Path) -> None:
    optimizer, _ = trained(keras.optimizers.Adam(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleStuckWarning)
        assert float(load(optimizer, 0.25, tmp_path).dynamic_scale) == 0.25


@pytest.mark.parametrize("suffix", [".keras", ".weights.h5"])
def test_a_files_loss_scale_of_no_use_starts_again(suffix: str, tmp_path: Path) -> None:
    def model() -> Any:
        made = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        made.compile(LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0), "mse")
        made.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
        return made

    first, path = model(), tmp_path / f"model{suffix}"
    first.optimizer.dynamic_scale.assign(INF)
    if suffix == ".keras":
        first.save(path)
        with pytest.warns(LossScaleStuckWarning, match="value, 8"):
            second = keras.models.load_model(path)
    else:
        first.save_weights(path)
        second = model()
        with pytest.warns(LossScaleStuckWarning, match="value, 8"):
            second.load_weights(path)
    second.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
    assert float(second.optimizer.dynamic_scale) == 8.0
    assert int(second.optimizer.step_counter) == 1


def test_bad_steps_that_a_rule_tolerates_start_again_too() -> None:
    rule = LossScaleRule(hysteresis=3)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=8.0, rule=rule)
    stepper(optimizer, variables_of([1.0]), MODE)([NAN])
    with pytest.warns(LossScaleStuckWarning, match="value, 8"):
        optimizer.load_own_variables(with_scale(optimizer, INF))
    assert int(optimizer.hysteresis_left) == 3


def test_a_fixed_loss_scale_does_not_read_what_a_file_has_for_it() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), dynamic=False, initial_scale=4.0)
    optimizer.build(variables_of([1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleStuckWarning)
        optimizer.load_own_variables(with_scale(optimizer, INF))
    assert float(optimizer.loss_scale) == 4.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", [INF, NAN])
def test_one_that_was_assigned_starts_again_with_the_first_step(mode: str, scale: float) -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=8.0)
    variables = variables_of([1.0])
    step = stepper(optimizer, variables, mode)
    optimizer.dynamic_scale.assign(scale)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        step([scale])
    assert float(optimizer.dynamic_scale) == 8.0
    assert values_in(variables)[0].tolist() == [1.0]
    is_told = any(one.category is LossScaleStuckWarning for one in caught)
    assert is_told == (BACKEND == "torch" or (BACKEND == "tensorflow" and mode == "eager"))
    step([8.0])
    assert values_in(variables)[0].tolist() == [0.0]


class OwnOptimizer(LossScaleOptimizer):
    """An optimizer of a program's own."""


@pytest.mark.parametrize("cls", [LossScaleOptimizer, OwnOptimizer])
def test_a_class_is_pickled_by_where_it_is(cls: Any) -> None:
    optimizer = cls(keras.optimizers.SGD())
    assert pickle.loads(pickle.dumps(type(optimizer))) is cls
