# SPDX-License-Identifier: Apache-2.0
"""The round-trip matrix: what a conversion to each generation keeps, as a Markdown table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale.formats.artefact import Artefact, StatedConfig
from compat_lossscale.formats.conversion import Conversion
from compat_lossscale.formats.verification import Verification, printable
from compat_lossscale.spec import Generation

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

    Args:
        results: The results of verifying artefacts against all generations.

    Yields:
        The headings, and a row for each config of each artefact. Artefacts with the same content
        share a row. Artefacts without a loss scale have no row.
    """
    rows: dict[tuple[str, ...], dict[str, None]] = {}
    root = _common_folder([result.path for result in results])
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


def _common_folder(paths: Sequence[str]) -> str:
    folders = [str(Path(path).absolute().parent) for path in paths]
    return os.path.commonpath(folders) if folders else "."


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
