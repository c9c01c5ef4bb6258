# SPDX-License-Identifier: Apache-2.0
"""Which files can hold an old name at all: a test of bytes, near the speed of reading them.

Every old name, and all else that the rules look for, needs one of the rules' markers in the file.
Letters count as they are written: what escapes, or wide letters of identifiers, stand for is not
looked at. Nor are words that other files bring in by relative imports.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import time
from collections.abc import Sequence
from pathlib import Path

from lossscale_codemods.project.discovery import Skipped, discover
from lossscale_codemods.rules.base import GIVES_LR, Marker, Rule, all_rules, rules_for
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

_SCALE_CALL = re.compile(rb"\bloss_scale\s*\(\s*\)")
"""A helper calls the loss scale of an optimizer, and need name neither TensorFlow nor a class."""
_OPTIMIZERS = re.compile(rb"optimizers(?<!\woptimizers)(?!\w)|\.compile(?<!\bre\.compile)\s*\(")
"""A file can make Keras optimizers, by a class or by a name."""
_DEFAULT = Options()
_LARGEST = 20_000_000
"""Files of more bytes are left to `migrate`."""


def can_hold_old_name(source: bytes, options: Options = _DEFAULT, *, parses: bool = True) -> bool:
    """Whether a file can hold an old name, or what a run asks for by a rule or an option.

    Arguments such as `lr` are in other files too. One of these that does not parse is not reported.
    """
    selection, told = options.selection, () if parses else (GIVES_LR,)
    markers = _markers(all_rules(), options.target)
    if any(m.word in source and m.stands_in(source) for m in markers if m not in told):
        return True
    if options.legacy_optimizers and can_run_with_old(source, options.target):
        return True
    if not selection.select:
        return False
    rules = tuple(rule for rule in rules_for(options.target) if selection.asks_for(rule.id))
    return _has_group_marker(source, rules)


def can_run_with_old(source: bytes, target: Target) -> bool:
    """Whether a file is looked at, without an old name, if it runs in one program with such."""
    return (
        _OPTIMIZERS.search(source) is not None
        or _SCALE_CALL.search(source) is not None
        or _has_group_marker(source, rules_for(target))
    )


def _has_group_marker(source: bytes, rules: tuple[Rule, ...]) -> bool:
    markers = (marker for rule in rules for marker in rule.group_markers)
    return any(marker.word in source and marker.stands_in(source) for marker in markers)


@functools.lru_cache(maxsize=8)
def _markers(rules: tuple[Rule, ...], target: Target) -> list[Marker]:
    """Returns the markers of the rules for a target, each once."""
    return list(dict.fromkeys(m for rule in rules if target in rule.targets for m in rule.markers))


@dataclasses.dataclass(frozen=True)
class Survey:
    """What was found.

    Attributes:
        files: The files that can hold an old name, in the order in which they were found. Only
            `migrate`, which reads scopes too, knows whether one really does.
        looked_at: How many files were looked at.
        left_out: How many files were too large, or could not be read.
        complete: Whether there was time for all.
    """

    files: tuple[str, ...]
    looked_at: int
    left_out: int
    complete: bool


def survey(paths: Sequence[Path], *, seconds: float, exclude: Sequence[str] = ()) -> Survey:
    """Looks for files that can hold an old name, for so many seconds at most."""
    files: list[str] = []
    looked_at = left_out = 0
    end = time.monotonic() + seconds
    for discovered in discover(paths, exclude=exclude):
        if time.monotonic() >= end:
            return Survey(tuple(files), looked_at, left_out, complete=False)
        if isinstance(discovered, Skipped):
            left_out += discovered.failed
            continue
        try:
            with discovered.path.open("rb") as file:
                source = file.read(_LARGEST + 1)
        except OSError:
            left_out += 1
            continue
        if len(source) > _LARGEST:
            left_out += 1
            continue
        if can_hold_old_name(source):
            files.append(discovered.name)
        looked_at += 1
    return Survey(tuple(files), looked_at, left_out, complete=True)
