# SPDX-License-Identifier: Apache-2.0
"""Old names in YAML, JSON and TOML files, as `_target_` of a configuration has them.

Such files are never edited. Whatever reads them imports by the path, and fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lossscale_codemods.rules.texts import Strings
from lossscale_codemods.tables import names
from lossscale_codemods.tables.likely_names import is_old_path
from lossscale_codemods.tables.records import Outcome, Record, Result, Status

if TYPE_CHECKING:
    from lossscale_codemods.tables.options import Options

_PATH = re.compile(r"[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+")


def migrate_config(source: bytes, options: Options) -> Result:
    """Returns the findings of a configuration file, which stays as it is.

    Args:
        source: The bytes of the file.
        options: What the run does.
    """
    found = []
    applies = options.selection.applies(Strings.id)
    lines = source.decode("utf-8", "replace").splitlines() if applies else ()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        found += [
            _record(number, match, options)
            for match in _PATH.finditer(line)
            if is_old_path(match.group())
        ]
    return Result(source, source, Status.UNCHANGED, tuple(found))


def _record(line: int, match: re.Match[str], options: Options) -> Record:
    old = names.lookup(match.group().replace(":", ".", 1))
    new = old.new_path(options.target) if old is not None else None
    advice = "Write the path of the new name, and the arguments that it takes."
    if new is not None:
        advice = f"Write {new}, and the arguments that it takes."
    return Record(
        Strings.id,
        Outcome.NEEDS_REVIEW,
        line,
        match.start() + 1,
        match.group(),
        "this value is the path of an old name, and configuration files are never edited",
        advice,
        line,
        match.end() + 1,
    )
