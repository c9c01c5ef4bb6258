# SPDX-License-Identifier: Apache-2.0
"""Whether a file is part of a program that comes to old names on today's TensorFlow.

A program whose old names are all in branches for older versions runs today as it is, with the
optimizers of today. So do the other files of such a program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.version_guards import guarded
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program


def uses_old_api(program: Program) -> bool:
    """Whether there are old names in a file's code, other than those kept for older versions."""
    if program.has_old_uses or program.has_old_arguments:
        return True
    return program.remembered("unguarded old names", lambda: _has_unguarded(program))


def _has_unguarded(program: Program) -> bool:
    old = [*program.references, *program.imports]
    kept = guarded(program, old)
    return any(
        not _is_new_today(one, program) and (one not in kept or not kept[one].sure) for one in old
    )


def _is_new_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether a name is an old one in old versions only."""
    return occurrence.ambiguous and all(
        path is not None and frameworks.is_new_name(path)
        for path in program.today.paths(occurrence.node)
    )


def is_part_of_old(program: Program) -> bool:
    """Whether a file is part of a program that comes to old names."""
    known = program.runs_with_old
    return uses_old_api(program) if known is None else known
