# SPDX-License-Identifier: Apache-2.0
"""Configs as JSON: the results of `get_config()`, `serialize()` or `Model.to_json()`."""

from __future__ import annotations

from compat_lossscale.formats.artefact import (
    Artefact,
    ConfigSearch,
    UnreadableArtefactError,
    layout_of,
)
from compat_lossscale.formats.bounded import parse_json, read_start, read_text_file

FORMAT = "config (JSON)"
SUFFIXES = (".json",)


def matches(path: str) -> bool:
    """Recognizes its suffix, or its first character."""
    if path.endswith(".json"):
        return True
    try:
        start = read_start(path, 64)
    except UnreadableArtefactError:
        return False
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def read(path: str) -> Artefact:
    """Reads every loss-scale config in a JSON file."""
    tree = parse_json(read_text_file(path), "the file")
    found = ConfigSearch().search(tree)
    return Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(found.configs),
        configs=tuple(found.configs),
        lost=tuple(found.lost),
    )
