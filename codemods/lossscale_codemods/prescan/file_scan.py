# SPDX-License-Identifier: Apache-2.0
"""Asks the rules whether a file needs a full parse: by its bytes, its names and its strings.

It costs a tenth of a full parse, and does without libcst.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import CannotTellError
from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.analysis.scanned_source import ScannedSource
from lossscale_codemods.prescan.byte_scan import can_hold_old_name, is_asked_for
from lossscale_codemods.rules.registry import rules_for
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from lossscale_codemods.vocabulary.suppression import Selection


def scan_source(
    source: bytes,
    relative: Callable[[str], str | None] | None = None,
    selection: Selection | None = None,
) -> Result | None:
    """Returns what becomes of a Python file, if that can be told without a full parse.

    Args:
        source: The file's bytes.
        relative: Turns the dotted path of a relative import into an absolute one, if it is known.
        selection: Which rules the run applies, if that matters.

    Returns:
        What a full parse would return, for a file without an old name or with mentions only; else
        nothing.
    """
    if is_asked_for(source, selection):
        return None
    if not can_hold_old_name(source, selection=selection):
        return Result(source, source, Status.UNCHANGED)
    rules = rules_for(Target.TF_KERAS if selection is None else selection.target)
    with warnings.catch_warnings():
        # Of escapes that Python does not know, for one; who runs the file sees them.
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        scanned = ScannedSource(tree, text_of(source), relative)
        try:
            if any(rule.can_fire(scanned) for rule in rules):
                return None
            records = [one for rule in rules for one in rule.scan_mentions(scanned)]
        except (CannotTellError, RecursionError):
            return None
    records.sort(key=lambda one: (one.line, one.column, one.rule))
    return Result(source, source, Status.UNCHANGED, tuple(records))
