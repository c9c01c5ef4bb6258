# SPDX-License-Identifier: Apache-2.0
"""The code cells of a Jupyter notebook: where each is in the file, and all as one program."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lossscale_codemods.source.reading import parsed, text_of
from lossscale_codemods.tables.names import mentions_of_old_names

JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SOURCE = re.compile(r'"source"[ \t\n\r]*:[ \t\n\r]*')
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python3", "%%python")
MARKER = "# compat-lossscale-cell "
"""What is in front of each cell, and its number behind it."""
_TARGET = r"\w[\w.]*(?:\[[^\]]*\])*"
_MAGIC = re.compile(
    rf"^(\s*)(?:[%!?]|{_TARGET}(?:\s*,\s*{_TARGET})*\s*=\s*[%!](?!=)|\S+\?\??\s*$|[/,;]\w)"
)
_SHELL = re.compile(
    r"^\s*(?:cat|cd|conda|cp|less|ll|ls|mamba|man|mkdir|more|mv|pip3?|pwd|rm|rmdir|uv)\s+[^\s=(.,]"
)
"""Magics that IPython takes without a `%`, where the line is no Python."""
_TIMED = re.compile(r"^(\s*%(?:time|timeit|prun|memit)\s+(?:-\w+\s+(?:\d+\s+)?)*)(?!-)(\S.*)$")
"""Magics of a line that run the Python behind them, with their options."""
PREFIXED = "  # behind magic "
_PROSE_CELL_MAGICS = ("%%html", "%%javascript", "%%js", "%%latex", "%%markdown", "%%svg")
_value_at = json.JSONDecoder().raw_decode
"""Returns the JSON value that starts at a position, and where it ends."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """A code cell.

    Attributes:
        number: Its place among all cells, from 1.
        start: Where its `source` value starts in the file's text.
        end: Where it ends.
        lines: Its lines, with their newlines.
    """

    number: int
    start: int
    end: int
    lines: tuple[str, ...]

    @property
    def first_line(self) -> str:
        """The first line that is not blank."""
        return next((line for line in self.lines if line.strip()), "")

    @property
    def is_python(self) -> bool:
        """Whether its lines are for Python, but for those that IPython or a shell gets."""
        first = self.first_line
        return not first.startswith("%%") or first.split(maxsplit=1)[0] in _PYTHON_CELL_MAGICS


class NotebookError(Exception):
    """The file is no notebook that can be read; the message says why."""


def code_cells(text: str) -> Iterator[Cell]:
    """Yields the code cells of a notebook.

    Raises:
        NotebookError: The text is no notebook.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotebookError(str(error)) from error
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        if isinstance(content, dict) and isinstance(content.get("worksheets"), list):
            raise NotebookError(
                "it has the old notebook format 3. Convert it with `jupyter nbconvert --to "
                "notebook --inplace`, then run again"
            )
        raise NotebookError("it has no list of cells")
    spans = dict(_cell_sources(text, content["cells"]))
    for index, cell in enumerate(content["cells"]):
        if not isinstance(cell, dict) or "cell_type" not in cell:
            raise NotebookError(f"cell {index + 1} has no cell_type")
        if cell["cell_type"] != "code" or index not in spans:
            continue
        source = cell["source"]
        if isinstance(source, list) and all(isinstance(part, str) for part in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise NotebookError(f"the source of cell {index + 1} is not text")
        # Jupyter also starts a new string where Python sees no new line: behind a form feed.
        yield Cell(index + 1, *spans[index], tuple(io.StringIO(source)))


def as_program(cells: Iterable[Cell]) -> tuple[str, dict[str, str]]:
    """Returns the cells as one program, and the lines that its masks stand for."""
    out: list[str] = []
    masked: dict[str, str] = {}
    for cell in cells:
        out.append(f"{MARKER}{cell.number}\n")
        # Without magics, `%` at the start of a line is an operator.
        text = "".join(cell.lines).encode("utf-8", "surrogatepass")
        if cell.is_python and parsed(text) is not None:
            out += [line.rstrip("\n") + "\n" for line in cell.lines]
            continue
        continued, indent = False, ""
        for line in cell.lines:
            body = line.rstrip("\n")
            indent = indent if continued else body[: len(body) - len(body.lstrip())]
            key = f"{cell.number}.{len(masked)}"
            timed = None if continued else _TIMED.match(body)
            if timed is not None and cell.is_python and parses(timed.group(2)):
                masked[PREFIXED + key] = timed.group(1).lstrip()
                out.append(f"{indent}{timed.group(2)}{PREFIXED}{key}\n")
                continue
            magic = not cell.is_python or continued or _is_magic(body)
            if magic:
                mask = _mask(body, key, cell, indent)
                masked[mask] = body
                out.append(mask + "\n")
            else:
                out.append(body + "\n")
            continued = magic and body.endswith("\\")
    return "".join(out), masked


def _is_magic(line: str) -> bool:
    """Whether a line is one for IPython, in a cell that has some."""
    if _MAGIC.match(line) is not None:
        return True
    return _SHELL.match(line) is not None and not parses(line.strip())


def _mask(line: str, key: str, cell: Cell, indent: str) -> str:
    """Returns a line of Python that stands for a magic, a shell line or one of no Python."""
    indent = indent if cell.is_python else ""
    is_prose = cell.first_line.startswith(_PROSE_CELL_MAGICS)
    if not is_prose and any(mentions_of_old_names(line)):
        # As IPython writes it, so that rules see the string.
        return f"{indent}get_ipython().system({line.strip()!r})  # masked {key}"
    return f"{indent}pass  # masked {key}"


def parses(statement: str) -> bool:
    """Whether a line is a statement of Python, without a comment."""
    return parsed(statement.encode("utf-8", "surrogatepass")) is not None and "#" not in statement


def texts_of(path: Path, source: bytes) -> dict[int | None, str]:
    """Returns the text of a file, or those of a notebook's code cells by their numbers."""
    text = text_of(source)
    if path.suffix != ".ipynb":
        return {None: text}
    try:
        return {cell.number: "".join(cell.lines) for cell in code_cells(text)}
    except NotebookError:
        return {}


def _cell_sources(text: str, cells: Sequence[Any]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yields where the `source` value of each cell is in the text."""
    found = _SOURCE.finditer(text)
    for index, cell in enumerate(cells):
        for match in found if isinstance(cell, dict) and "source" in cell else ():
            value, end = _value_at(text, match.end())
            if value == cell["source"]:
                yield index, (match.end(), end)
                break
