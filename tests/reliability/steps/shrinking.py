# SPDX-License-Identifier: Apache-2.0
"""Shrinks a configuration that fails to a small one that fails in the same way."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tests.reliability.steps.configuration import Configuration, Variable
from tests.reliability.steps.running import is_failure, outcomes

ROUNDS = 40
"""So many simplifications are kept at most."""
SIMPLER_MODES = {"replicas": ("eager", "replicas-eager")}
"""Where a failure may also be looked for. Each compiler rounds in its own way, so not in others."""
_INDEPENDENT = (
    "structure",
    "between",
    "reuses",
    "returns",
    "event",
    "event_scale",
    "unknown_shapes",
    "subclass",
    "compute_dtype",
    "loss",
    "growth_steps",
)
"""Fields that can take their default whatever the others are."""


def shrink(configuration: Configuration, result: str) -> tuple[Configuration, str]:
    """Greedily takes away, or makes simpler, what the failure does not need.

    Args:
        configuration: One that fails.
        result: How it fails.

    Returns:
        A smaller one, and how that fails.
    """
    for _ in range(ROUNDS):
        for candidate, found in outcomes(list(simpler(configuration))):
            if is_failure(found) and kind(found) == kind(result):
                configuration, result = candidate, found
                break
        else:
            break
    return configuration, result


def kind(result: str) -> str:
    """The kind of a failure, without its numbers."""
    first, _, rest = result.partition(":")
    if first in ("raises", "another error"):
        return f"{first}: {rest.split(':')[0].strip()}"
    return "values" if first not in ("crash", "hang", "roles") else first


def simpler(configuration: Configuration) -> Iterator[Configuration]:
    """Gives simpler configurations, the much simpler ones first."""
    default = Configuration()
    seen = {configuration.to_json()}
    for changes in _changes(configuration, default):
        candidate = dataclasses.replace(configuration, **changes)
        text = candidate.to_json()
        if text not in seen:
            seen.add(text)
            yield candidate


def _changes(one: Configuration, default: Configuration) -> Iterator[dict[str, object]]:
    for mode in SIMPLER_MODES.get(one.mode, ("eager",)):
        yield {"mode": mode, "structure": "plain", "unknown_shapes": False}
    yield from ({"variables": some} for some in _fewer(one.variables))
    for number in range(len(one.steps)) if len(one.steps) > 1 else ():
        yield {"steps": one.steps[:number] + one.steps[number + 1 :]}
    for field in _INDEPENDENT:
        yield {field: getattr(default, field)}
    yield from _simpler_optimizers(one)
    yield {"dynamic": True, "initial_scale": 2.0**15}
    for number, variable in enumerate(one.variables[:4]):
        for change in _simpler_variables(variable):
            yield {"variables": (*one.variables[:number], change, *one.variables[number + 1 :])}
    for number in range(len(one.steps)):
        yield {"steps": (*one.steps[:number], "normal", *one.steps[number + 1 :])}
    if one.seed > 9:
        yield from ({"seed": seed} for seed in range(3))


def _fewer(variables: tuple[Variable, ...]) -> Iterator[tuple[Variable, ...]]:
    count = len(variables)
    for size in (count // 2, 1):
        for start in range(0, count, size) if 0 < size < count else ():
            yield variables[start : start + size]
    for number in range(count) if 1 < count <= 4 else ():
        yield variables[:number] + variables[number + 1 :]


def _simpler_optimizers(one: Configuration) -> Iterator[dict[str, object]]:
    if one.api == "v1":
        yield {"optimizer": "GradientDescentOptimizer", "options": {"learning_rate": 0.25}}
    else:
        yield {"api": "public"}
        yield {"way": "given", "loss": "linear", "compute_dtype": ""}
        yield {"way": "tape"}
        yield {"optimizer": "SGD", "options": {"learning_rate": 0.25}}
    for name in one.options:
        if name not in ("learning_rate", "momentum" if one.api == "v1" else ""):
            yield {"options": {key: one.options[key] for key in one.options if key != name}}
    yield {"options": {**one.options, "learning_rate": 0.25}}


def _simpler_variables(variable: Variable) -> Iterator[Variable]:
    yield Variable()
    yield dataclasses.replace(variable, gradient="dense")
    yield dataclasses.replace(variable, dtype="float32")
    if variable.gradient != "sparse":
        for shape in ((2,), (20,)):
            if len(variable.shape) != 1 or variable.shape[0] > shape[0]:
                yield dataclasses.replace(variable, shape=shape)
