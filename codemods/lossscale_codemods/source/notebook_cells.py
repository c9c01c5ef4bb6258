# SPDX-License-Identifier: Apache-2.0
"""The code cells of a Jupyter notebook, and where each is in the text of the file."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from typing import TYPE_CHECKING, Any

from lossscale_codemods.source.reading import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SOURCE = re.compile(r'"source"[ \t\n\r]*:[ \t\n\r]*')
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python3", "%%python")
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


def texts_of(path: Path, source: bytes) -> dict[int | None, str]:
    """Returns the text of a file, or those of a notebook's code cells by their numbers.

    Args:
        path: The file.
        source: What is in it.
    """
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
