# SPDX-License-Identifier: Apache-2.0
"""One line over steps, with marks, as the geometry of an inline SVG."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence

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

    Args:
        places: The places, in order.
        values: A finite value for each place.
        marks: The index of each value to mark, and a text.
        stepped: Whether a value holds until the next place. Otherwise the line is straight.
        label: Gives the label of a value.
        other: The places and values of a second line, on the same axes.
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
