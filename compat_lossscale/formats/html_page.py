# SPDX-License-Identifier: Apache-2.0
"""Verified artefacts as one HTML page: what each holds, and what conversions lose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from compat_lossscale.formats import verification
from compat_lossscale.formats.conversion import Conversion, Verdict
from compat_lossscale.formats.verification import (
    ArtefactStatus,
    Verification,
    json_value,
    printable,
)
from compat_lossscale.pages import page
from compat_lossscale.pages.page import Row, hunks
from compat_lossscale.spec import Generation

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


def as_html_page(results: Sequence[Verification], *, deep: Sequence[Mapping[str, str]] = ()) -> str:
    """Returns the results as a page that loads nothing else."""
    totals = verification.totals(results)
    statuses = [(_css(status), status.words, count) for status, count in totals.items()]
    made = [conversion for result in results for conversion in result.made]
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
        results=ordered,
        most_open=_OPEN,
        deep=deep,
        css=_css,
        as_text=lambda value: printable(json.dumps(value)),
        describe_config=verification.describe_config,
        describe_state=verification.describe_state,
        printable=printable,
        configs_of=lambda result: sorted(
            result.distinct, key=lambda of_config: not any(made.lost for made in of_config[1])
        ),
        kept=lambda made: ", ".join(
            printable(field.name) for field in made.fields if field.verdict is Verdict.KEPT
        ),
        side_by_side=_side_by_side,
    )


def _css(status: ArtefactStatus) -> str:
    return status.value.replace(" ", "-")


def _counts(made: Sequence[Conversion], target: Generation) -> tuple[int, int]:
    """Counts the conversions to a generation that lose nothing, and those that lose something."""
    lossy = [bool(conversion.lost) for conversion in made if conversion.target is target]
    return len(lossy) - sum(lossy), sum(lossy)


def _side_by_side(
    before: Mapping[str, object], after: Mapping[str, object] | None
) -> list[list[Row]]:
    if after is None:
        return []
    old, new = (json.dumps(json_value(dict(c)), indent=2) + "\n" for c in (before, after))
    return hunks(old, new) if max(len(old), len(new)) <= _MAX_CONFIG else []
