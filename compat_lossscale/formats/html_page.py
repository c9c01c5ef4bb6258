# SPDX-License-Identifier: Apache-2.0
"""Verified artefacts as one HTML page: what each holds, and what conversions lose."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence

from compat_lossscale.formats.artefact import StatedConfig
from compat_lossscale.formats.conversion import Conversion, Verdict
from compat_lossscale.formats.verification import (
    ArtefactStatus,
    Verification,
    describe_config,
    describe_state,
    json_value,
    printable,
)
from compat_lossscale.pages import page
from compat_lossscale.pages.side_by_side import Row, hunks
from compat_lossscale.spec import Generation

_WORDS = {
    ArtefactStatus.LOSSLESS: "lossless",
    ArtefactStatus.LOSSY: "would lose something",
    ArtefactStatus.NO_LOSS_SCALE: "without a loss scale",
    ArtefactStatus.UNREADABLE: "unreadable",
}
_URGENCY = (
    ArtefactStatus.UNREADABLE,
    ArtefactStatus.LOSSY,
    ArtefactStatus.LOSSLESS,
    ArtefactStatus.NO_LOSS_SCALE,
)
_MAX_CONFIG = 50_000
"""The number of characters of a config that are shown."""
_OPEN = 40
"""The number of artefacts that are expanded at first."""


@dataclasses.dataclass(frozen=True)
class ShownField:
    """A field that is lost or noted."""

    verdict: str
    name: str
    value: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Converted:
    """One conversion on the page."""

    target: str
    title: str
    lost: int
    kept: str
    fields: list[ShownField]
    hunks: list[list[Row]]


@dataclasses.dataclass(frozen=True)
class Config:
    """One config on the page."""

    words: str
    note: str
    conversions: list[Converted]


@dataclasses.dataclass(frozen=True)
class Shown:
    """One artefact on the page."""

    path: str
    status: str
    words: str
    error: str
    facts: list[tuple[str, str]]
    configs: list[Config]
    states: list[str]
    missing: list[str]
    lost: Sequence[str]
    open: bool


def as_html_page(results: Sequence[Verification], *, deep: Sequence[Mapping[str, str]] = ()) -> str:
    """Returns the results as a page that loads nothing else.

    Args:
        results: The results of verifying each artefact.
        deep: The comparisons with tf-keras, in the form of `--json`.
    """
    statuses = [
        (_css(status), words, sum(result.status is status for result in results))
        for status, words in _WORDS.items()
    ]
    made = [made for result in results for _, of_config in result.conversions for made in of_config]
    ordered = sorted(results, key=lambda result: _URGENCY.index(result.status))
    return page.render(
        "verify.html.jinja",
        total=len(results),
        statuses=statuses,
        targets=[
            (target.value, target.title, *_counts(made, target))
            for target in Generation
            if any(conversion.target is target for conversion in made)
        ],
        artefacts=[_shown(result, open_=i < _OPEN) for i, result in enumerate(ordered)],
        deep=deep,
    )


def _css(status: ArtefactStatus) -> str:
    return status.value.replace(" ", "-")


def _counts(made: Sequence[Conversion], target: Generation) -> tuple[int, int]:
    """Counts the conversions to a generation that lose nothing, and those that lose something."""
    lossy = [bool(conversion.lost) for conversion in made if conversion.target is target]
    return len(lossy) - sum(lossy), sum(lossy)


def _loses_nothing(stated: tuple[StatedConfig, Sequence[Conversion]]) -> bool:
    return not any(conversion.lost for conversion in stated[1])


def _shown(result: Verification, *, open_: bool) -> Shown:
    artefact = result.artefact
    facts = []
    if artefact is not None:
        facts = [("Format", artefact.format), ("Form", artefact.layout)]
        facts += [("Written by", printable(artefact.writer))] if artefact.writer else []
    return Shown(
        result.path,
        _css(result.status),
        _WORDS[result.status],
        result.error,
        facts,
        [
            Config(
                describe_config(stated),
                stated.note,
                [_converted(stated, made) for made in conversions],
            )
            for stated, conversions in sorted(result.conversions, key=_loses_nothing)
        ],
        [describe_state(state) for state in (artefact.states if artefact else ())],
        [printable(what) for what in (artefact.missing if artefact else ())],
        result.lost,
        open_,
    )


def _converted(stated: StatedConfig, made: Conversion) -> Converted:
    return Converted(
        made.target.value,
        made.target.title,
        len(made.lost),
        ", ".join(printable(f.name) for f in made.fields if f.verdict is Verdict.KEPT),
        [
            ShownField(
                field.verdict.value,
                printable(field.name),
                printable(json.dumps(field.value)),
                printable(field.reason),
            )
            for field in made.fields
            if field.verdict is not Verdict.KEPT
        ],
        _side_by_side(stated.config, made.config),
    )


def _side_by_side(
    before: Mapping[str, object], after: Mapping[str, object] | None
) -> list[list[Row]]:
    if after is None:
        return []
    old, new = (json.dumps(json_value(dict(c)), indent=2) + "\n" for c in (before, after))
    return hunks(old, new, "json") if max(len(old), len(new)) <= _MAX_CONFIG else []
