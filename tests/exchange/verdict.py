# SPDX-License-Identifier: Apache-2.0
"""Whether training goes on, after loading, as it would have on the side that saved."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

TOLERANCE = 1e-5
"""How far a value may be from the saver's, as a share of the larger of that and 1."""

Steps = list[dict[str, Any]]
"""The state after each step; or `{"error": ...}` in its place."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How a loader goes on.

    Attributes:
        kind: `same`: every value has the same bits. `close`: within the tolerance. `as its saver`
            or `as its loader`: as that side goes on after it loads its own file of the training,
            of which it does not save or restore everything. `differs` and `fails`: what they say.
        difference: The largest, if `close`.
        parts: What differs from the saver's training, had it never been interrupted.
        error: Why it fails.
    """

    kind: str
    difference: float = 0.0
    parts: tuple[str, ...] = ()
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns what is not the default."""
        fields = dataclasses.asdict(self).items()
        return {name: value for name, value in fields if name == "kind" or value}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Verdict:
        """The inverse of `as_json`."""
        return cls(**{**value, "parts": tuple(value.get("parts", ()))})


def judge(
    loaded: Any, continued: Steps, saver_again: Any = None, loader_again: Any = None
) -> Verdict:
    """Compares the steps after loading with those of the saver.

    Args:
        loaded: The loader's steps, or its error.
        continued: The saver's own steps after it had saved.
        saver_again: The saver's steps after it loaded its own file in a new process, or its error.
        loader_again: Likewise, the loader's after it loaded its own file of this training.
    """
    if isinstance(loaded, dict):
        return Verdict("fails", error=loaded["error"])
    differences = _differences(loaded, continued)
    worst = max(differences.values())
    if worst <= TOLERANCE:
        return Verdict("close" if worst else "same", difference=worst)
    parts = tuple(
        sorted(part for part, difference in differences.items() if difference > TOLERANCE)
    )
    for kind, again in (("as its saver", saver_again), ("as its loader", loader_again)):
        if isinstance(again, list) and max(_differences(loaded, again).values()) <= TOLERANCE:
            return Verdict(kind, parts=parts)
    return Verdict("differs", parts=parts)


def _differences(one: Steps, other: Steps) -> dict[str, float]:
    """The largest difference of each part, over all steps."""
    result: dict[str, float] = {}
    for ours, theirs in zip(one, other, strict=True):
        for name in sorted({*ours, *theirs}):
            part = _part(name)
            difference = _difference(ours.get(name), theirs.get(name))
            result[part] = max(result.get(part, 0.0), difference)
    return result


def _part(name: str) -> str:
    """What a state's entry is about: its own name, or that of a graph's variable."""
    last = name.rsplit("/", maxsplit=1)[-1]
    if name in ("loss", "variables", "slots", "loss scale", "good steps", "iterations"):
        return name
    if last.startswith("current_loss_scale"):
        return "loss scale"
    if last.startswith("good_steps"):
        return "good steps"
    if last in ("global_step", "iter"):
        return "iterations"
    return "variables" if last in ("weight", "bias") else "slots"


def _difference(one: Any, other: Any) -> float:
    ours, theirs = list(_numbers(one)), list(_numbers(other))
    if len(ours) != len(theirs):
        return math.inf
    return max((_of_numbers(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)


def _of_numbers(one: Any, other: Any) -> float:
    if one == other:
        return 0.0
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return math.inf
    return abs(one - other) / max(abs(other), 1.0)


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    else:
        yield value
