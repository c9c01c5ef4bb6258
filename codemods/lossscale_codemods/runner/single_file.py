# SPDX-License-Identifier: Apache-2.0
"""Scans a file on the disk, from where its relative imports are looked up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.prescan.byte_scan import can_hold_old_name
from lossscale_codemods.prescan.file_scan import scan_source
from lossscale_codemods.project.relative_imports import relative_imports
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from lossscale_codemods.vocabulary.suppression import Selection


def scan_file(name: str, source: bytes, selection: Selection | None = None) -> Result | None:
    """Returns what `scan_source` does for a file, or nothing for a notebook with a marker.

    Args:
        name: Its name; relative imports are looked up from there.
        source: What is in it.
        selection: Which rules the run applies, if that matters.
    """
    if not can_hold_old_name(source, selection=selection):
        return Result(source, source, Status.UNCHANGED)
    if name.endswith(".ipynb"):
        return None
    return scan_source(source, relative_imports(Path(name)), selection)
