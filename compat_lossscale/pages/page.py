# SPDX-License-Identifier: Apache-2.0
"""Fills in a template, with the style sheet and the script inside, and writes the page.

The chart of a page is one line over steps, with marks, as the geometry of an inline SVG.
"""

from __future__ import annotations

import base64
import dataclasses
import difflib
import functools
import hashlib
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from compat_lossscale._atomic_file import replacing
from compat_lossscale._version import __version__

_TEMPLATES = Path(__file__).parent / "templates"


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("compat_lossscale.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(prose=prose, shown=shown, number="{:,}".format)
    return made


def render(template: str, **values: Any) -> str:
    """Returns a page."""
    style, script = ((_TEMPLATES / one).read_text("utf-8") for one in ("page.css", "page.js"))
    return (
        _environment()
        .get_template(template)
        .render(
            values,
            version=__version__,
            style=Markup(style),  # our own file
            script=Markup(script),  # our own file
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def _hash(text: str) -> str:
    """Returns the hash of a text for a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def write(path: Path, page: str) -> None:
    """Writes a page completely or not at all."""
    with replacing(path) as file:
        file.write_bytes(page.encode("utf-8", "replace"))


Span: TypeAlias = tuple[int, int]
"""A range of characters of a line: the first one, and the one after the last."""

MAX_LINE = 400
"""The number of characters of a line that are shown. Longer lines are generated code or data."""

# Control characters, and those that make text appear in a different order than it runs in
# (https://trojansource.codes).
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def lines_of(text: str) -> list[str]:
    """Returns the lines of a text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def as_html(line: str, marked: Iterable[Span] = ()) -> Markup:
    """Returns a line as HTML, cut off if it is too long, with ranges marked that do not overlap."""
    out, position = Markup(), 0
    for start, end in marked:
        out += shown(line[position : min(start, MAX_LINE)])
        if start < MAX_LINE:
            out += Markup("<mark>{}</mark>").format(shown(line[start : min(end, MAX_LINE)]))
        position = end
    out += shown(line[position:MAX_LINE])
    if len(line) > MAX_LINE:
        more = f"{len(line) - MAX_LINE:,}"
        out += Markup('<span class="cut"> … {} more characters</span>').format(more)
    return out


def shown(text: str) -> Markup:
    """Returns escaped text, with invisible characters spelled out."""
    out, position = Markup(), 0
    for match in _HIDDEN.finditer(text):
        out += escape(text[position : match.start()])
        out += Markup('<span class="hidden">U+{:04X}</span>').format(ord(match.group()))
        position = match.end()
    return out + escape(text[position:])


def prose(text: str) -> Markup:
    """Returns a sentence with text between backticks as code, and addresses as links."""
    out = Markup()
    for index, part in enumerate(text.split("`")):
        if index % 2:
            out += Markup("<code>{}</code>").format(shown(part))
            continue
        for number, word in enumerate(re.split(r"(https://[\w./#?=&%~+-]*[\w/])", part)):
            link = Markup('<a href="{0}">{0}</a>').format(word)
            out += link if number % 2 else shown(word)
    return out


CONTEXT = 3
"""Lines shown before and after a change."""
_ALIKE = 0.35
"""Changed words are marked only in lines that are at least this similar."""


@dataclasses.dataclass(frozen=True)
class Line:
    """A line with its number, from 1."""

    number: int
    html: Markup


@dataclasses.dataclass(frozen=True)
class Row:
    """A row: the old and the new line. A side is `None` if only the other version has a line."""

    left: Line | None
    right: Line | None
    changed: bool


def hunks(before: str, after: str) -> list[list[Row]]:
    """Returns the places where two texts differ, each as rows from top to bottom."""
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new)
    blocks = []
    for group in matcher.get_grouped_opcodes(CONTEXT):
        rows: list[Row] = []
        for tag, i1, i2, j1, j2 in group:
            pairs = itertools.zip_longest(range(i1, i2), range(j1, j2))
            rows += [_row(old, new, i, j, changed=tag != "equal") for i, j in pairs]
        blocks.append(rows)
    return blocks


def _row(old: list[str], new: list[str], i: int | None, j: int | None, *, changed: bool) -> Row:
    marked: tuple[list[Span], list[Span]] = ([], [])
    if changed and i is not None and j is not None:
        marked = _changed_words(old[i], new[j])
    return Row(
        None if i is None else Line(i + 1, as_html(old[i], marked[0])),
        None if j is None else Line(j + 1, as_html(new[j], marked[1])),
        changed,
    )


def _changed_words(before: str, after: str) -> tuple[list[Span], list[Span]]:
    old, new = (re.findall(r"\w+|\s+|.", text) for text in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [], []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [_span(old, i1, i2) for _, i1, i2, _, _ in changes if i1 < i2],
        [_span(new, j1, j2) for _, _, _, j1, j2 in changes if j1 < j2],
    )


def _span(words: list[str], first: int, last: int) -> Span:
    start = sum(map(len, words[:first]))
    return start, start + sum(map(len, words[first:last]))


WIDTH, HEIGHT = 900, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 32, 14, 34
_TICKS = 6
"""About so many grid lines each way."""
Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Tick:
    """A grid line: where it is, and its label."""

    at: float
    label: str


@dataclasses.dataclass(frozen=True)
class Mark:
    """A mark on the line, and the text that a pointer on it shows."""

    x: float
    y: float
    title: str


@dataclasses.dataclass(frozen=True)
class LineChart:
    """A line chart of `WIDTH` by `HEIGHT`.

    Attributes:
        path: The line, as the `d` of a path.
        marks: The marks, at most one for each unit of width.
        rows: The grid lines of the values.
        columns: The grid lines of the places.
        other: A second line, as the `d` of a path; empty if there is none.
        box: The left, right, top and bottom edges of what is plotted.
    """

    path: str
    marks: list[Mark]
    rows: list[Tick]
    columns: list[Tick]
    other: str = ""
    box: tuple[int, int, int, int] = (_LEFT, WIDTH - _RIGHT, _TOP, HEIGHT - _BOTTOM)


def line_chart(
    places: Sequence[float],
    values: Sequence[float],
    marks: Iterable[tuple[int, str]] = (),
    *,
    stepped: bool,
    label: Callable[[float], str] = "{:g}".format,
    other: tuple[Sequence[float], Sequence[float]] = ((), ()),
) -> LineChart:
    """Plots values over places, on a logarithmic axis of base 2 if all are above 0.

    The places are in order, and the values finite. `marks` has the index of each value to mark, and
    a text. If the chart is `stepped`, a value holds until the next place. `label` gives the label
    of a value. `other` has the places and values of a second line, on the same axes.
    """
    every_value, every_place = [*values, *other[1]], [*places, *other[0]]
    logarithmic = min(every_value) > 0

    def scale(value: float) -> float:
        return math.log2(value) if logarithmic else value

    scaled = [scale(value) for value in values]
    low, high = scale(min(every_value)), scale(max(every_value))
    low, high = (low - 1, high + 1) if low == high else (low, high)
    first, last = min(every_place), max(every_place)
    x = _linear(first, last, _LEFT, WIDTH - _RIGHT)
    y = _linear(low, high, HEIGHT - _BOTTOM, _TOP)
    second = [(x(place), y(scale(value))) for place, value in zip(*other, strict=True)]
    points = [(x(place), y(value)) for place, value in zip(places, scaled, strict=True)]
    # One for each unit of width: more cannot be distinguished.
    shown = {round(points[index][0]): (index, title) for index, title in marks}
    return LineChart(
        _path(_thinned(points), stepped=stepped),
        [Mark(*points[index], title) for index, title in shown.values()],
        [Tick(y(at), label(2.0**at if logarithmic else at)) for at in _ticks(low, high)],
        [Tick(x(at), f"{at:,.0f}") for at in _ticks(first, last)],
        _path(_thinned(second), stepped=stepped) if second else "",
    )


def _linear(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = (high - low) or 1.0
    return lambda value: start + (end - start) * (value - low) / span


def _ticks(low: float, high: float) -> list[float]:
    """Whole numbers between two numbers, a few of them, evenly spaced."""
    rough = max(1.0, (high - low) / _TICKS)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = max(1.0, next(unit * n for n in (1, 2, 5, 10) if unit * n >= rough))
    first = math.ceil(low / step)
    return [step * n for n in range(first, math.floor(high / step) + 1)] or [low]


def _thinned(points: Sequence[Point]) -> list[Point]:
    """The first, last, highest and lowest point of each unit of width."""
    columns: dict[int, list[Point]] = {}
    for point in points:
        columns.setdefault(int(point[0]), []).append(point)
    kept = []
    for column in columns.values():
        ends = {0, len(column) - 1}
        for pick in (min, max):
            ends.add(pick(range(len(column)), key=lambda i: column[i][1]))
        kept += [column[i] for i in sorted(ends)]
    return kept


def _path(points: Sequence[Point], *, stepped: bool) -> str:
    (x, y), *rest = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for new_x, new_y in rest:
        if stepped:
            parts.append(f"H{new_x:.1f}")
            if new_y != y:
                parts.append(f"V{new_y:.1f}")
        else:
            parts.append(f"L{new_x:.1f} {new_y:.1f}")
        y = new_y
    return "".join(parts)
