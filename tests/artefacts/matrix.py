# SPDX-License-Identifier: Apache-2.0
"""Prints what conversions of the artefacts keep, as the table in `matrix.md`.

python -m tests.artefacts.matrix
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale.formats.artefact import Artefact, StatedConfig
from compat_lossscale.formats.conversion import Conversion
from compat_lossscale.formats.verification import Verification, expand, printable, verify_artefact
from compat_lossscale.spec import Generation

HERE = Path(__file__).parent
_STATE = ("loss_scale", "good_steps", "iterations", "slots")
_HEADINGS = (
    "Format",
    "Form",
    "Loss scale",
    "Scale",
    "Counter",
    "Iterations",
    "Slots",
    *(f"To {generation.title}" for generation in Generation),
    "Artefacts",
)


def matrix_of(results: Sequence[Verification]) -> Iterator[str]:
    """Yields the lines of the table.

    Yields:
        The headings, and a row for each config of each artefact. Artefacts with the same content
        share a row. Artefacts without a loss scale have no row.
    """
    rows: dict[tuple[str, ...], dict[str, None]] = {}
    folders = [str(Path(result.path).absolute().parent) for result in results]
    root = os.path.commonpath(folders) if folders else "."
    for result in results:
        artefact = result.artefact
        if artefact is None or not (artefact.has_loss_scale or artefact.missing):
            continue
        name = printable(Path(os.path.relpath(result.path, root)).as_posix()).replace("|", r"\|")
        for stated, conversions in result.conversions or ((None, ()),):
            rows.setdefault(_row(artefact, stated, conversions), {})[name] = None
    yield _line(_HEADINGS)
    yield _line(["---"] * len(_HEADINGS))
    for row, names in sorted(rows.items()):
        yield _line([*row, ", ".join(f"`{name}`" for name in names)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(
    artefact: Artefact, stated: StatedConfig | None, conversions: Sequence[Conversion]
) -> tuple[str, ...]:
    by_target = {conversion.target: conversion for conversion in conversions}
    return (
        artefact.format,
        artefact.layout if stated is None else stated.generation.title,
        "not in it" if stated is None else _kind(stated),
        *(_held(artefact, name) for name in _STATE),
        *(_kept(by_target.get(generation), stated) for generation in Generation),
    )


def _kind(stated: StatedConfig) -> str:
    spec = stated.spec
    if not spec.dynamic:
        return "fixed"
    if spec.rule is not None:
        return "dynamic, with a rule"
    return "dynamic" if spec.multiplier == 2 else "dynamic, multiplier not 2"


def _held(artefact: Artefact, name: str) -> str:
    held = any(getattr(state, name) not in (None, 0) for state in artefact.states)
    return "yes" if held else "no"


def _kept(conversion: Conversion | None, stated: StatedConfig | None) -> str:
    if conversion is None:
        return "-" if stated is None else "its own"
    if not conversion.lost:
        return "all"
    return f"all but {', '.join(field.name for field in conversion.lost)}"


def main() -> None:
    """Prints the table."""
    for line in matrix_of([verify_artefact(path) for path in expand([str(HERE)])]):
        print(line)


if __name__ == "__main__":
    main()
