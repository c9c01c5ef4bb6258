# SPDX-License-Identifier: Apache-2.0
"""Trainings beside stock ones, a few of each kind. `differential` has the long mode."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.reliability.steps import sides
from tests.reliability.steps.configuration import Configuration, Variable
from tests.reliability.steps.drawing import Draw
from tests.reliability.steps.program import program
from tests.reliability.steps.shrinking import simpler
from tests.support import python

HALF = (Variable((2,), "float16"),)
FEW = (Variable((20,)),)
MIXED = (Variable((20,)), Variable((20,), "float16"))
THREE_STEPS = ("normal",) * 3
OVERFLOW = ("normal", "huge", "normal")
WEIGHT_DECAY = {"learning_rate": 0.1, "weight_decay": 0.01}
FIXED = {
    "restored scale below 1": Configuration(
        variables=HALF, steps=OVERFLOW, mode="function", event="restore"
    ),
    "assigned scale below 1": Configuration(
        variables=HALF, steps=OVERFLOW, mode="function", event="assign"
    ),
    "kept gradient, new": Configuration(
        subclass="Remembers", dynamic=False, initial_scale=1024.0, mode="function"
    ),
    "kept gradient, legacy": Configuration(
        subclass="Remembers", family="legacy", dynamic=False, initial_scale=1024.0, mode="function"
    ),
    "Ftrl": Configuration(optimizer="Ftrl", variables=FEW, steps=THREE_STEPS, mode="function"),
    "RMSprop": Configuration(optimizer="RMSprop", variables=MIXED, mode="function"),
    "weight decay": Configuration(
        options=WEIGHT_DECAY,
        variables=(Variable((200,)),),
        steps=THREE_STEPS,
        mode="function",
        way="tape",
        loss="tanh",
    ),
    "product that overflows": Configuration(steps=("overflow",), mode="function", way="tape"),
    "product": Configuration(initial_scale=3.0, variables=FEW, mode="function", way="minimize"),
    "small products that the branch takes": Configuration(
        optimizer="RMSprop",
        options={"learning_rate": 0.1},
        initial_scale=3.0,
        variables=tuple(Variable(shape, "float16") for shape in ((17,), (511,), (1,))),
        steps=THREE_STEPS,
        mode="function",
        way="minimize",
        loss="square",
    ),
    "products of one element": Configuration(
        api="v1",
        family="v1",
        optimizer="FtrlOptimizer",
        options={"learning_rate": 0.1},
        initial_scale=1000.0,
        variables=(Variable((1,)), Variable((1,)), Variable((5000,))),
        steps=("normal", "normal"),
        mode="function",
        way="tape",
    ),
    "single numbers": Configuration(
        optimizer="Adadelta",
        variables=(Variable((1,), "float16"), Variable((1,), "float16")),
        steps=("normal", "normal"),
        mode="function",
        way="tape",
        loss="matmul",
    ),
    "empty variable on replicas": Configuration(
        variables=(Variable((0,)), Variable((512,))), mode="replicas-eager", way="minimize"
    ),
    "several products": Configuration(
        dynamic=False,
        variables=(Variable(), Variable()),
        steps=("overflow",),
        mode="function",
        way="tape",
    ),
    "several products in a graph of TensorFlow 1": Configuration(
        api="v1",
        family="v1",
        optimizer="GradientDescentOptimizer",
        dynamic=False,
        variables=(Variable(), Variable()),
        steps=("overflow",),
        mode="graph",
        way="tape",
    ),
    "huge gradients and a scale below 1 in XLA": Configuration(
        steps=("huge",), mode="jit", event="assign"
    ),
    **{
        f"XLA, {structure}": Configuration(mode="function", structure=structure)
        for structure in ("traced-in-jit", "concrete-in-jit", "saved-in-jit")
    },
}
"""Configurations that differed from stock once."""


def _outcomes(*arguments: str) -> tuple[int, str]:
    # In a process of its own: one that has run TensorFlow cannot be forked.
    done = python(
        "-m",
        "tests.reliability.differential",
        *arguments,
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def fixed() -> dict[str, str]:
    """The outcome of each configuration in `FIXED`, by its JSON."""
    replays = [part for one in FIXED.values() for part in ("--replay", one.to_json())]
    _, printed = _outcomes("--shrink", "0", *replays)
    lines = printed.splitlines()
    return {
        line.strip(): result
        for result, line in itertools.pairwise(lines)
        if line.startswith("    ")
    }


@pytest.mark.nightly
@pytest.mark.parametrize("name", FIXED)
def test_what_once_differed_from_stock_matches(name: str, fixed: dict[str, str]) -> None:
    assert fixed[FIXED[name].to_json()] == "match"


def test_random_trainings_match_stock() -> None:
    code, printed = _outcomes("--count", "3", "--seed", "0", "--shrink", "0")
    assert code == 0, printed
    assert "3 configurations in " in printed


def test_a_seed_draws_the_same_configurations_again() -> None:
    first, second = (Draw(seed=3) for _ in range(2))
    for _ in range(50):
        drawn = first.configuration()
        assert drawn == second.configuration() == Configuration.from_json(drawn.to_json())
        compile(program(drawn), drawn.to_json(), "exec")


def test_what_is_simpler_is_another_configuration() -> None:
    draw = Draw(seed=4)
    for _ in range(20):
        configuration = draw.configuration()
        candidates = [one.to_json() for one in simpler(configuration)]
        assert len(set(candidates)) == len(candidates) > 5
        assert configuration.to_json() not in candidates


@pytest.mark.parametrize(
    ("ours", "stock", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0], "match"),
        ([1.0, float("nan")], [1.0, float("nan")], "match"),
        ([0.0], [-0.0], "inner: inner 0 "),
        ([1.0, 3.0], [1.0, 2.0], "inner: inner 0 "),
        ([1.0, ValueError("no")], [1.0, 2.0], "raises: ValueError: no"),
        ([1.0], [1.0, 2.0], "stopped: "),
        ([1.0, ValueError("no")], [1.0, TypeError("not")], "refused: TypeError: not"),
        ([1.0, 2.0], [1.0, TypeError("not")], "refused: TypeError: not"),
        ([KeyError("x")], [TypeError("not")], "another error: KeyError: "),
    ],
)
def test_the_first_difference_is_told(ours: list[Any], stock: list[Any], expected: str) -> None:
    def states(values: list[Any]) -> Iterator[sides.State]:
        for value in values:
            if isinstance(value, Exception):
                raise value
            yield sides.flat({"inner 0": value})

    assert sides.difference(states(ours), states(stock)).startswith(expected)


def test_a_wrapper_that_does_otherwise_is_found() -> None:
    configuration = dataclasses.replace(FIXED["Ftrl"], mode="eager", optimizer="SGD")
    namespace: dict[str, Any] = {"__name__": "training"}
    exec(program(configuration), namespace)
    stock = sides.wrapper("public", is_ours=False)

    def other(*args: Any, **kwargs: Any) -> Any:
        return stock(*args, **{**kwargs, "initial_scale": 3.0})

    train = namespace["train"]
    assert sides.difference(train(stock), train(stock)) == "match"
    assert "loss scale" in sides.difference(train(other), train(stock))
