# SPDX-License-Identifier: Apache-2.0
"""The first look at a file, by its bytes, its names and its strings: mostly, it is enough.

It costs a tenth of a full look, and does without libcst.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.prescan.byte_scan import can_hold_old_name
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable


def first_look(source: bytes, relative: Callable[[str], str | None] | None = None) -> Result | None:
    """Returns what becomes of a Python file, if that can be told without a full look.

    Args:
        source: The file's bytes.
        relative: Turns the dotted path of a relative import into an absolute one, if it is known.

    Returns:
        What a full look would return, for a file without an old name or with mentions only; else
        nothing.
    """
    if not can_hold_old_name(source):
        return Result(source, source, Status.UNCHANGED)
    from lossscale_codemods.prescan import mention_scan, name_scan
    from lossscale_codemods.prescan.ast_index import Nodes

    with warnings.catch_warnings():
        # Of escapes that Python does not know, for one; who runs the file sees them.
        warnings.simplefilter("ignore")
        try:
            nodes = Nodes(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        text = text_of(source)
        if name_scan.old_name_can_stand(nodes, text, relative):
            return None
        if not mention_scan.can_stand(nodes, text):
            return Result(source, source, Status.UNCHANGED)
        try:
            records = mention_scan.in_program(nodes, text)
        except mention_scan.CannotTellError:
            return None
    return Result(source, source, Status.UNCHANGED, tuple(records))
