# SPDX-License-Identifier: Apache-2.0
"""Which files can hold an old name at all: a test of bytes, near the speed of reading them.

Every old name, and all else that the rules look for, needs one of the rules' markers in the file.
Strings count as they are written: what their escapes stand for is not looked at. Nor are words that
other files bring in by relative imports.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import threading
import unicodedata
from typing import TYPE_CHECKING

from lossscale_codemods.project.discovery import Skipped, discover
from lossscale_codemods.rules.registry import all_rules, rules_for
from lossscale_codemods.source.reading import ENCODING_COOKIE, text_of
from lossscale_codemods.tables.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lossscale_codemods.rules.base import Marker, Rule
    from lossscale_codemods.tables.suppression import Selection


_SCALE_CALL = re.compile(rb"\bloss_scale\s*\(\s*\)")
"""A helper calls the loss scale of an optimizer, and need name neither TensorFlow nor a class."""
_OPTIMIZERS = re.compile(rb"optimizers(?<!\woptimizers)(?!\w)|\.compile(?<!\bre\.compile)\s*\(")
_JSON_OBJECT = re.compile(rb"\s*{")
_JSON_ESCAPE = re.compile(rb"\\u00([2-7][0-9a-fA-F])")
_LARGEST = 20_000_000
"""Files of more bytes are left to `migrate`."""


def markers_in(source: bytes, selection: Selection | None = None) -> list[bytes]:
    """Returns the words of markers in a file's bytes, as they are usually spelled."""
    return [word for word in _markers_for(_target(selection)) if word in source]


def can_hold_old_name(
    source: bytes, markers: Sequence[bytes] | None = None, selection: Selection | None = None
) -> bool:
    """Whether a file can hold an old name: Python, in any encoding, or a notebook.

    Args:
        source: The file's bytes.
        markers: The words of markers in it, if they are known.
        selection: Which rules the run applies, if that matters.
    """
    present = markers_in(source, selection) if markers is None else markers
    target = _target(selection)
    return (
        _can_be_old(source, present, target)
        or any(
            _can_be_old(other, markers_in(other, selection), target)
            for other in _other_spellings(source)
        )
        or is_asked_for(source, selection)
    )


def is_asked_for(source: bytes, selection: Selection | None) -> bool:
    """Whether a run looks at a file for nothing but a rule that it selects by its id or group.

    Args:
        source: The file's bytes.
        selection: Which rules the run applies; none is selected by itself without it.
    """
    if selection is None or not selection.select:
        return False
    rules = tuple(rule for rule in rules_for(selection.target) if selection.asks_for(rule.id))
    return _has_group_marker(source, rules)


def can_run_with_old(source: bytes) -> bool:
    """Whether a file is looked at, without an old name, if it runs in one program with such."""
    return (
        can_make_optimizers(source)
        or _SCALE_CALL.search(source) is not None
        or _has_group_marker(source, all_rules())
    )


def _has_group_marker(source: bytes, rules: tuple[Rule, ...]) -> bool:
    markers = [marker for rule in rules for marker in rule.group_markers]
    return any(
        marker.word in spelled and marker.stands_in(spelled)
        for spelled in ((source, *_other_spellings(source)) if markers else ())
        for marker in markers
    )


def can_make_optimizers(source: bytes) -> bool:
    """Whether a file can make Keras optimizers, by a class or by a name."""
    return _OPTIMIZERS.search(source) is not None


def _target(selection: Selection | None) -> Target:
    return Target.TF_KERAS if selection is None else selection.target


def _markers_for(target: Target) -> dict[bytes, list[Marker]]:
    """Returns the markers of the rules for a target, by their words."""
    return _markers(all_rules(), target)


@functools.lru_cache(maxsize=8)
def _markers(rules: tuple[Rule, ...], target: Target) -> dict[bytes, list[Marker]]:
    by_word: dict[bytes, list[Marker]] = {}
    for marker in dict.fromkeys(
        m for rule in rules if target in rule.targets for m in rule.markers
    ):
        by_word.setdefault(marker.word, []).append(marker)
    return by_word


def _can_be_old(source: bytes, words: Sequence[bytes], target: Target) -> bool:
    by_word = _markers_for(target)
    return any(marker.stands_in(source) for word in words for marker in by_word[word])


def _other_spellings(source: bytes) -> Iterator[bytes]:
    """Yields a file's bytes as they would be if it were spelled the usual way."""
    if not source.isascii() or ENCODING_COOKIE.match(source):
        text = text_of(source)
        # Identifiers are compared in this form: https://docs.python.org/3/reference/lexical_analysis.html#identifiers
        if text.isascii() or not unicodedata.is_normalized("NFKC", text):
            yield unicodedata.normalize("NFKC", text).encode("utf-8", "replace")
    if _JSON_OBJECT.match(source) and b"\\u00" in source:
        yield _JSON_ESCAPE.sub(lambda escape: bytes.fromhex(escape.group(1).decode()), source)


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
    """Looks for files that can hold an old name.

    Args:
        paths: Files and folders.
        seconds: How long at most.
        exclude: Patterns of files and folders to leave out, as `discover` takes them.

    Returns:
        What was found so far.
    """
    look = _Look(paths, exclude)
    # One slow folder, or one large file, must not outlast the time either.
    thread = threading.Thread(target=look.run, daemon=True)
    thread.start()
    thread.join(seconds)
    look.over.set()
    return Survey(tuple(look.files), look.looked_at, look.left_out, look.complete)


class _Look:
    def __init__(self, paths: Sequence[Path], exclude: Sequence[str]) -> None:
        self.paths = paths
        self.exclude = exclude
        self.over = threading.Event()
        self.files: list[str] = []
        self.looked_at = 0
        self.left_out = 0
        self.complete = False

    def run(self) -> None:
        for discovered in discover(self.paths, exclude=self.exclude):
            if self.over.is_set():
                return
            if isinstance(discovered, Skipped):
                self.left_out += discovered.failed
                continue
            try:
                with discovered.path.open("rb") as file:
                    source = file.read(_LARGEST + 1)
            except OSError:
                self.left_out += 1
                continue
            if len(source) > _LARGEST:
                self.left_out += 1
                continue
            if can_hold_old_name(source):
                self.files.append(discovered.name)
            self.looked_at += 1
        self.complete = True
