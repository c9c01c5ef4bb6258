# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from compat_lossscale import LossScaleSpec
from compat_lossscale.errors import LossScaleArgumentError

SGD = {"class_name": "SGD", "config": {"learning_rate": 0.5}}


class DynamicLossScale:
    """Stands for TensorFlow's or this package's class: a spec needs neither."""

    __module__ = "tensorflow.python.training.experimental.loss_scale"

    def get_config(self) -> dict[str, Any]:
        return {"initial_loss_scale": 64.0, "increment_period": 7, "multiplier": 4.0}


class MyDynamicLossScale(DynamicLossScale):
    pass


# Of the same name, as a program may well call it.
OfTheSameName = type("DynamicLossScale", (DynamicLossScale,), {"__module__": "__main__"})


class FixedLossScale:
    __module__ = "compat_lossscale.core.loss_scale"

    def get_config(self) -> dict[str, Any]:
        return {"loss_scale_value": 32.0}


# What the codemod evaluates an old program's constructor to.
StandIn = type("FixedLossScale", (FixedLossScale,), {"__module__": "lossscale_codemods.analysis"})


class OwnLossScale:
    def get_config(self) -> dict[str, Any]:
        return {"initial_loss_scale": 64.0}


def test_the_default_is_the_loss_scale_that_every_generation_has_by_default() -> None:
    assert LossScaleSpec() == LossScaleSpec(
        dynamic=True, initial_scale=32768.0, growth_steps=2000, multiplier=2.0
    )


def test_a_spec_is_frozen_and_hashable() -> None:
    spec = LossScaleSpec()
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.initial_scale = 2.0  # type: ignore[misc]  # the mistake that is tested
    assert {spec: 1}[LossScaleSpec.from_argument("dynamic")] == 1


def test_numbers_are_normalised_so_that_equal_meanings_are_equal_specs() -> None:
    spec = LossScaleSpec(initial_scale=8, growth_steps=3.0, multiplier=2)  # type: ignore[arg-type]  # the mistake that is tested
    assert spec == LossScaleSpec(initial_scale=8.0, growth_steps=3, multiplier=2.0)
    assert [type(value) for value in spec.fields.values()] == [bool, float, int, float]


@pytest.mark.parametrize(
    "arguments",
    [
        {"dynamic": False, "initial_scale": 8.0},
        {"dynamic": False, "growth_steps": None, "initial_scale": 8.0},
        {"growth_steps": None},
        {"multiplier": None},
        {"initial_scale": float("inf")},
        {"initial_scale": float("nan")},
    ],
)
def test_a_contradictory_spec_cannot_be_made(arguments: dict[str, Any]) -> None:
    with pytest.raises(LossScaleArgumentError):
        LossScaleSpec(**arguments)


@pytest.mark.parametrize(
    ("argument", "spec"),
    [
        ("dynamic", LossScaleSpec()),
        (128, LossScaleSpec.fixed(128.0)),
        (0.5, LossScaleSpec.fixed(0.5)),
        (True, LossScaleSpec.fixed(1.0)),
        (DynamicLossScale(), LossScaleSpec(True, 64.0, 7, 4.0)),
        (FixedLossScale(), LossScaleSpec.fixed(32.0)),
        (StandIn(), LossScaleSpec.fixed(32.0)),
    ],
)
def test_every_old_argument_is_read(argument: object, spec: LossScaleSpec) -> None:
    assert LossScaleSpec.from_argument(argument) == spec


@pytest.mark.parametrize(
    "argument",
    [
        None,
        "foo",
        "Dynamic",
        [8.0],
        {"loss_scale": 8},
        object(),
        OwnLossScale(),
        MyDynamicLossScale(),
        OfTheSameName(),
    ],
)
def test_what_is_no_loss_scale_is_both_a_value_error_and_a_type_error(argument: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # the class is the point
        LossScaleSpec.from_argument(argument)
    with pytest.raises(TypeError):
        LossScaleSpec.from_argument(argument)


def test_none_is_refused_in_the_words_of_the_original() -> None:
    with pytest.raises(ValueError, match=r"loss_scale cannot be None\."):
        LossScaleSpec.from_argument(None)


def test_an_unknown_string_is_refused_in_the_words_of_the_original() -> None:
    with pytest.raises(ValueError, match=r"Could not interpret .* identifier: .*foo"):
        LossScaleSpec.from_argument("foo")


def test_numpy_scalars_count_as_numbers_only_if_they_are_python_numbers() -> None:
    np = pytest.importorskip("numpy", reason="numpy comes with the tf extra")
    assert LossScaleSpec.from_argument(np.float64(8)) == LossScaleSpec.fixed(8.0)
    for scalar in (np.float32(8), np.int64(8)):
        with pytest.raises(LossScaleArgumentError):
            LossScaleSpec.from_argument(scalar)


@pytest.mark.parametrize(
    ("kwargs", "spec"),
    [
        ({}, LossScaleSpec()),
        ({"initial_scale": 4}, LossScaleSpec(initial_scale=4.0)),
        ({"dynamic_growth_steps": 5}, LossScaleSpec(growth_steps=5)),
        ({"dynamic": False, "initial_scale": 4}, LossScaleSpec.fixed(4.0)),
    ],
)
def test_the_arguments_of_the_new_constructor_are_read(
    kwargs: dict[str, Any], spec: LossScaleSpec
) -> None:
    assert LossScaleSpec.from_constructor(**kwargs) == spec


@pytest.mark.parametrize("dynamic", ["dynamic", 128, None, 1])
def test_a_dynamic_that_is_no_bool_is_a_type_error(dynamic: Any) -> None:
    with pytest.raises(TypeError, match='"dynamic" argument to LossScaleOptimizer'):
        LossScaleSpec.from_constructor(dynamic)


def test_a_fixed_scale_needs_a_value_and_takes_no_growth_steps() -> None:
    with pytest.raises(ValueError, match='"initial_scale" must be specified if "dynamic" is False'):
        LossScaleSpec.from_constructor(dynamic=False)
    with pytest.raises(ValueError, match='must be None if "dynamic" is False, but got: 2'):
        LossScaleSpec.from_constructor(False, 1.0, 2)


@pytest.mark.parametrize(
    ("config", "spec"),
    [
        ({"optimizer": SGD, "loss_scale": LossScaleSpec().to_loss_scale_config()}, LossScaleSpec()),
        ({"name": "mixed_float16", "loss_scale": 8}, LossScaleSpec.fixed(8.0)),
        ({"loss_scale_value": 8}, LossScaleSpec.fixed(8.0)),
        ({"increment_period": 5}, LossScaleSpec(growth_steps=5)),
        ({"initial_loss_scale": 5}, LossScaleSpec(initial_scale=5.0)),
        ({"dynamic": True, "initial_scale": None}, LossScaleSpec()),
        ({"dynamic": False, "initial_scale": 8.0}, LossScaleSpec.fixed(8.0)),
        ({"initial_scale": 8, "dynamic_growth_steps": 3.0}, LossScaleSpec(True, 8.0, 3, 2.0)),
        (
            {
                "class_name": "LossScaleOptimizerV1",
                "config": {"inner_optimizer": SGD, "dynamic": True, "dynamic_growth_steps": 9},
            },
            LossScaleSpec(growth_steps=9),
        ),
        (
            {"class_name": "FixedLossScale", "config": {"loss_scale_value": 2}},
            LossScaleSpec.fixed(2),
        ),
        ({"class_name": "DynamicLossScale", "config": {}}, LossScaleSpec()),
    ],
)
def test_configs_of_every_generation_are_read(config: dict[str, Any], spec: LossScaleSpec) -> None:
    assert LossScaleSpec.from_config(config) == spec
