# SPDX-License-Identifier: Apache-2.0
"""Configs as JSON: the results of `get_config()`, `serialize()` or `Model.to_json()`."""

from __future__ import annotations

from compat_lossscale.formats.artefact import Artefact, find_configs, layout_of
from compat_lossscale.formats.bounded import open_regular, parse_json, read_start

FORMAT = "config (JSON)"
SUFFIXES = (".json",)


def matches(path: str) -> bool:
    """Recognizes its suffix, or its first character."""
    if path.endswith(".json"):
        return True
    start = read_start(path, 64)
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def read(path: str) -> Artefact:
    """Reads every loss-scale config in a JSON file."""
    with open_regular(path) as file:
        configs, lost = find_configs(parse_json(file.read(), "the file"))
    return Artefact(path, FORMAT, layout_of(configs), configs=tuple(configs), lost=tuple(lost))
