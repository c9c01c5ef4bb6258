# SPDX-License-Identifier: Apache-2.0
"""Unsafe fixes: rewrites that are probably right and not proven, made only if asked for.

A file that has any is migrated twice, without and with them. What only the second rewrites is
unsafe, including the imports that can go because of it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, TypeAlias

from lossscale_codemods.vocabulary.records import Outcome, Status

if TYPE_CHECKING:
    from collections.abc import Collection

    from lossscale_codemods.vocabulary.options import Observed
    from lossscale_codemods.vocabulary.records import Record, Result

_Place: TypeAlias = tuple[int, int, int, int]


def with_unsafe_fixes(safe: Result, unsafe: Result, *, wanted: bool) -> Result:
    """Returns one of two results of a file, in which is marked what unsafe fixes do.

    Args:
        safe: What becomes of the file without unsafe fixes.
        unsafe: What becomes of it with them; if that did not pass a proof, there are none.
        wanted: Whether they are to be made.
    """
    if unsafe.status is not Status.CHANGED:
        return _marked(safe, Outcome.NEEDS_REVIEW, ())
    if wanted:
        return _marked(unsafe, Outcome.REWRITTEN, _places(safe, Outcome.NEEDS_REVIEW))
    return _marked(safe, Outcome.NEEDS_REVIEW, _places(unsafe, Outcome.REWRITTEN))


def with_observed(safe: Result, observed: Result, lines: Observed) -> Result:
    """Returns the result with what a recorded run told, in which that is marked.

    Args:
        safe: What becomes of the file without it.
        observed: What becomes of the file with it; if that did not pass a proof, `safe` stays.
        lines: What was observed, by line.
    """
    if observed.status is not Status.CHANGED:
        return safe
    open_places = _places(safe, Outcome.NEEDS_REVIEW)
    records = tuple(
        dataclasses.replace(one, observed=_times(lines, one.line))
        if one.outcome is Outcome.REWRITTEN and _place(one) in open_places
        else one
        for one in observed.records
    )
    return dataclasses.replace(observed, records=records)


def _times(lines: Observed, line: int) -> int:
    return max((times for _, times in lines.get(line, {}).values()), default=0)


def _marked(result: Result, outcome: Outcome, places: Collection[_Place]) -> Result:
    """Marks the records of an outcome at these places, and no others."""
    records = tuple(
        dataclasses.replace(one, unsafe=one.outcome is outcome and _place(one) in places)
        for one in result.records
    )
    return dataclasses.replace(result, records=records)


def _places(result: Result, outcome: Outcome) -> set[_Place]:
    return {_place(one) for one in result.records if one.outcome is outcome}


def _place(record: Record) -> _Place:
    return record.line, record.column, record.end_line, record.end_column
