# SPDX-License-Identifier: Apache-2.0
"""Plans what becomes of the variables in an archive: which get another path, and which are made.

A plan is JSON. `hdf5_writing.rearrange` carries it out, in a copy of the file.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compat_lossscale.formats.models.layer_variables import (
    ATTENTION_PARTS,
    UnknownVariablesError,
    parts_of,
)
from compat_lossscale.formats.models.optimizer_slots import Made, Stored, Variable
from compat_lossscale.spec import Generation

Variables = Mapping[str, Sequence[int]]
"""The shape of each variable in a file, by its path."""
OPTIMIZER = "optimizer"
ASIDE = "optimizer (before)"
"""Where the old optimizer's variables stand meanwhile."""
_IN_ATTENTION = re.compile(
    rf"(^|/)multi_head_attention(_\d+)?/(?P<part>_?({'|'.join(ATTENTION_PARTS)}))(?=/)"
)


@dataclasses.dataclass
class VariablePlan:
    """What is done to a file, in this order.

    Attributes:
        moves: Groups that get another path.
        links: Variables that get a second path; the first of each pair is the old one.
        made: Variables that are made: path, value, dtype, shape.
        removed: Paths that are removed at last. What has a second path stays.
        marks_bfloat16: Whether variables of that type are marked.
    """

    moves: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    links: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    made: list[tuple[str, float, str, list[int]]] = dataclasses.field(default_factory=list)
    removed: list[str] = dataclasses.field(default_factory=list)
    marks_bfloat16: bool = False

    def number(self, variables: Iterable[Variable], group: str) -> None:
        """Adds variables under their numbers below a group.

        Args:
            variables: The variables in their order. Stored ones have their path of before.
            group: The group's path.
        """
        for number, variable in enumerate(variables):
            path = f"{group}/vars/{number}"
            if isinstance(variable, Stored):
                self.links.append((variable.path, path))
            else:
                self.made.append((path, variable.value, variable.dtype, list(variable.shape)))

    def as_json(self) -> dict[str, Any]:
        """Returns it as `hdf5_writing.rearrange` takes it."""
        return dataclasses.asdict(self)


def plan_layers(variables: Variables, target: Generation) -> VariablePlan:
    """Plans what becomes of the layers' variables.

    Args:
        variables: The file's.
        target: The Keras that is to read it.
    """
    plan = VariablePlan(marks_bfloat16=target is Generation.KERAS3)
    moved: dict[str, str] = {}
    for path in variables:
        for match in _IN_ATTENTION.finditer(path):
            part = match["part"]
            wanted = part.removeprefix("_") if target is Generation.KERAS3 else f"_{part}"
            if part != wanted and part.startswith("_") == (target is Generation.KERAS3):
                before = path[: match.end("part")]
                moved[before] = f"{path[: match.start('part')]}{wanted}"
    plan.moves += sorted(moved.items())
    if any(path.startswith("metrics/") for path in variables):
        # Keras makes them when it trains on. tf-keras alone writes them.
        plan.removed.append("metrics")
    return plan


def trained_shapes(model: Any, variables: Variables) -> list[tuple[int, ...]] | None:
    """Returns the shapes of the variables that a model trains, in the order of its optimizer.

    Args:
        model: Its config.
        variables: The file's.

    Returns:
        The shapes; `None` if there is a layer in it of which nothing is known.
    """
    try:
        parts = parts_of(model)
    except UnknownVariablesError:
        return None
    shapes = []
    for part in parts:
        for number in range(part.trained):
            shape = variables.get(f"{part.path}/vars/{number}")
            if shape is None:
                return None
            shapes.append(tuple(shape))
    return shapes


def numbered(variables: Variables, group: str) -> list[Stored]:
    """Returns the numbered variables below a group, in their order.

    Args:
        variables: The file's.
        group: The group's path.

    Returns:
        The variables; none if they are not numbered from 0 on without a gap.
    """
    start = f"{group}/vars/"
    path_of = {path[len(start) :]: path for path in variables if path.startswith(start)}
    if path_of.keys() != {str(number) for number in range(len(path_of))}:
        return []
    paths = [path_of[str(number)] for number in range(len(path_of))]
    return [Stored(path, tuple(variables[path])) for path in paths]


def aside(variables: Iterable[Variable]) -> list[Variable]:
    """Returns the optimizer's variables as they are found once its group has been moved aside."""
    return [
        variable
        if isinstance(variable, Made)
        else Stored(f"{ASIDE}{variable.path.removeprefix(OPTIMIZER)}", variable.shape)
        for variable in variables
    ]
