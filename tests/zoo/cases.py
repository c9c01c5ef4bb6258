# SPDX-License-Identifier: Apache-2.0
"""The cases: what is combined with what, and how the two trainings of a case are compared."""

from __future__ import annotations

import dataclasses
import functools
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.zoo import layers, models, optimizers, trainings
from tests.zoo.families import Family, Side
from tests.zoo.trainings import Trained

POLICIES = ("float32", "mixed_float16", "mixed_bfloat16", "float16")
BOTH = POLICIES[:2]
ROUNDING = {"float32": 1e-5, "mixed_float16": 2e-3, "mixed_bfloat16": 2e-2, "float16": 1e-2}
"""How far two trainings may be apart, as a share of a variable's largest value."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A model and a way to train it.

    Attributes:
        family: On what.
        group: What it is about: a row of the table.
        what: Its name in the group.
        policy: The global policy.
        train: Trains.
        takes_long: Whether `make test` leaves it out.
    """

    family: Family
    group: str
    what: str
    policy: str
    train: Callable[[Side], Trained]
    takes_long: bool = False

    @property
    def name(self) -> str:
        return f"{self.group}: {self.what}, {self.policy}"


def cases(family: Family) -> Iterator[Case]:
    """The cases of a family: each dimension on a base, and the pairs that matter."""

    def several(
        group: str, what: str, policies: tuple[str, ...], train: Any, takes_long: bool = False
    ) -> Iterator[Case]:
        for policy in policies:
            yield Case(family, group, what, policy, train, takes_long)

    for name in layers.names(family):
        make = functools.partial(layers.model_around, name=name)
        yield from several("layers", name, BOTH, functools.partial(trainings.fit, make=make))
    for name, make in models.MODELS.items():
        yield from several("models", name, BOTH, functools.partial(trainings.fit, make=make))
    for name, options in optimizers.cases(family):
        inner = functools.partial(optimizers.optimizer, name=name, options=options)
        train = functools.partial(trainings.fit, make=models.dense, inner=inner)
        yield from several("optimizers", optimizers.words(name, options), BOTH, train)
    for name, way in trainings.WAYS.items():
        if way.has(family):
            train = functools.partial(way.train, make=models.cnn)
            yield from several("ways to train", name, POLICIES, train)
    for name in models.applications(family):
        make = functools.partial(models.application, name=name)
        # XLA takes minutes to compile the larger ones on TensorFlow.
        jit_compile = "auto" if family.name == "keras3-jax" else False
        train = functools.partial(trainings.train_on_batch, make=make, jit_compile=jit_compile)
        yield from several("applications", name, ("mixed_float16",), train, takes_long=True)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one training gave.

    Attributes:
        error: The exception that ended it; `None` if none did.
        values: Variables of models and optimizers, and what was reported, by their role.
        moved: Whether a variable of a model has another value than before.
    """

    error: str | None
    values: dict[str, list[Any]]
    moved: bool


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How ours compares with stock.

    Attributes:
        kind: `same bits`; `rounding`; `random`, where stock differs from itself; `as stock`, where
            both fail; `better`, where stock alone fails; `differs`; `fails`; `stands still`, where
            nothing was trained.
        why: The error, or what differs by how much.
    """

    kind: str
    why: str = ""


def outcome(case: Case, is_ours: bool) -> Outcome:
    """Trains."""
    side = Side(case.family, is_ours, case.policy)
    side.begin()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trained = case.train(side)
        return _outcome(side, trained)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        lines = str(error).strip().splitlines() or [""]
        message = f"{type(error).__name__}: {lines[0]} ({where.filename.rpartition('/')[2]})"
        return Outcome(message, {}, moved=False)
    finally:
        side.end()


def _outcome(side: Side, trained: Trained) -> Outcome:
    numpy = side.family.numpy
    after = [one for model in trained.models for one in trainings.values(side, model)]
    optimizers_values = []
    for optimizer in trained.optimizers:
        assert isinstance(optimizer, side.wrapper), type(optimizer)
        variables = optimizer.variables
        variables = variables() if callable(variables) else variables
        optimizers_values += [numpy(one) for one in variables]
    scales = [np.asarray(_scale(side, one), "float64") for one in trained.optimizers]
    numbers = [np.asarray(_plain(side, one), "float64") for one in trained.numbers]
    pairs = zip(trained.before, after, strict=True)
    moved = any(not np.array_equal(before, now) for before, now in pairs)
    values = {
        "variables": after, "optimizer": optimizers_values, "scale": scales, "numbers": numbers
    }  # fmt: skip
    return Outcome(None, values, moved)


def _scale(side: Side, optimizer: Any) -> list[float]:
    """The loss scale, the counter of good steps, and the iterations."""
    if side.family.is_keras_3:
        parts = (optimizer.dynamic_scale, optimizer.step_counter, optimizer.iterations)
        return [float(side.family.numpy(one)) for one in parts]
    counter = optimizer.dynamic_counter
    steps = 0 if counter is None else int(counter.numpy())
    return [float(optimizer.loss_scale), steps, int(optimizer.iterations.numpy())]


def _plain(side: Side, number: Any) -> Any:
    if isinstance(number, (float, int, list, np.ndarray, np.generic)):
        return number
    return side.family.numpy(number)


def verdict(case: Case) -> Verdict:
    """Trains both sides of a case, and compares."""
    stock, ours = outcome(case, is_ours=False), outcome(case, is_ours=True)
    if stock.error and ours.error:
        kind = "as stock" if _kind(stock.error) == _kind(ours.error) else "fails"
        return Verdict(
            kind, ours.error if kind == "as stock" else f"{ours.error}; stock: {stock.error}"
        )
    if ours.error:
        return Verdict("fails", ours.error)
    if not ours.moved:
        if not stock.moved:
            return Verdict("as stock", "neither trains: all steps are skipped")
        return Verdict("stands still")
    if stock.error:
        return Verdict("better", f"stock: {stock.error}")
    found = compare(stock.values, ours.values, ROUNDING[case.policy])
    if found.kind == "differs":
        again = compare(stock.values, outcome(case, is_ours=False).values, ROUNDING[case.policy])
        if again.kind == "differs":
            return Verdict("random", f"stock from itself: {again.why}")
    return found


def _kind(error: str) -> str:
    return error.partition(":")[0]


def compare(stock: dict[str, list[Any]], ours: dict[str, list[Any]], rounding: float) -> Verdict:
    """Compares what two trainings gave."""
    worst = 0.0
    for role, theirs in stock.items():
        if [one.shape for one in theirs] != [one.shape for one in ours[role]]:
            return Verdict(
                "differs", f"{role}: {len(ours[role])} for {len(theirs)}, or other shapes"
            )
        for number, (a, b) in enumerate(zip(theirs, ours[role], strict=True)):
            apart = _apart(a, b)
            if role == "scale" and apart:
                return Verdict(
                    "differs", f"scale, counter, iterations: {b.tolist()}, stock {a.tolist()}"
                )
            if apart > rounding:
                return Verdict("differs", f"{role} {number} by {apart:.1g}")
            worst = max(worst, apart)
    return Verdict("rounding", f"{worst:.1g}") if worst else Verdict("same bits")


def _apart(a: Any, b: Any) -> float:
    """The largest difference as a share of the largest value."""
    if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
        return 0.0
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not finite.any():
        return np.inf
    a, b = a[finite].astype("float64"), b[finite].astype("float64")
    return float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-3))
