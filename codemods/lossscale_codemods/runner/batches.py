# SPDX-License-Identifier: Apache-2.0
"""Files that are searched for words together, by whichever process has time."""

from __future__ import annotations

from typing import NamedTuple

from lossscale_codemods.prescan.byte_scan import can_hold_old_name, markers_in
from lossscale_codemods.project.file_reading import read, unreadable
from lossscale_codemods.project.importers import can_hand_on
from lossscale_codemods.vocabulary.records import Result
from lossscale_codemods.vocabulary.suppression import Selection


class Batch(NamedTuple):
    """Files to search.

    Attributes:
        number: Which batch of the run it is, from 0.
        names: Their paths.
        selection: Which rules the run applies, if that matters.
    """

    number: int
    names: list[str]
    selection: Selection | None = None


class Searched(NamedTuple):
    """What was found in the files of a batch, each known by its position.

    Attributes:
        to_parse: Those that can hold an old name, with their sizes in bytes.
        marked: Those that have a marker, or may hand on what they do not name.
        unreadable: Those that cannot be read, with what is to be said of it.
    """

    to_parse: list[tuple[int, int]]
    marked: list[int]
    unreadable: list[tuple[int, Result]]


def search(batch: Batch) -> Searched:
    """Reads the files of a batch and looks for words in their bytes; nothing is parsed."""
    searched = Searched([], [], [])
    for position, name in enumerate(batch.names):
        try:
            source = read(name)
        except OSError as error:
            searched.unreadable.append((position, unreadable(error)))
            continue
        markers = markers_in(source, batch.selection)
        if markers or can_hand_on(source):
            searched.marked.append(position)
        if can_hold_old_name(source, markers, batch.selection):
            searched.to_parse.append((position, len(source)))
    return searched
