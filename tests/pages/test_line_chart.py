# SPDX-License-Identifier: Apache-2.0
"""The geometry of a chart."""

from __future__ import annotations

import re

import pytest

from compat_lossscale.pages.page import WIDTH, line_chart


def test_a_stepped_line_holds_its_value_until_the_next_place() -> None:
    chart = line_chart([0, 1, 2], [8.0, 8.0, 2.0], [(2, "a mark")], stepped=True)
    left, right, top, bottom = chart.box
    middle = (left + right) / 2
    assert chart.path == f"M{left:.1f} {top:.1f}H{middle:.1f}H{right:.1f}V{bottom:.1f}"
    assert [(one.x, one.y, one.title) for one in chart.marks] == [(right, bottom, "a mark")]


def test_a_straight_line_goes_from_value_to_value() -> None:
    chart = line_chart([1, 2], [1.0, 2.0], stepped=False)
    left, right, top, bottom = chart.box
    assert chart.path == f"M{left:.1f} {bottom:.1f}L{right:.1f} {top:.1f}"


def test_values_above_0_have_grid_lines_at_powers_of_2() -> None:
    labels = [tick.label for tick in line_chart([0, 1], [1.0, 16.0], stepped=True).rows]
    assert labels == ["1", "2", "4", "8", "16"]
    zeros = [tick.label for tick in line_chart([0, 1], [0.0, 4.0], stepped=True).rows]
    assert zeros == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("places", [[5], [5, 5], [0, 1], [1, 123_456_789]])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0, 2.0**-140, 2.0**127])
def test_whatever_is_plotted_stays_in_the_box(places: list[int], value: float) -> None:
    chart = line_chart(places, [value] * len(places), stepped=True)
    left, right, top, bottom = chart.box
    assert all(left <= tick.at <= right for tick in chart.columns)
    assert all(top <= tick.at <= bottom for tick in chart.rows)
    assert chart.rows
    assert chart.columns
    assert all(0 <= float(number) <= WIDTH for number in re.findall(r"[\d.]+", chart.path))


def test_a_long_line_keeps_its_peaks_and_not_its_points() -> None:
    values = [1.0] * 100_000
    values[50_000], values[70_000] = 4.0, 0.25
    chart = line_chart(range(100_000), values, [(n, "") for n in range(100_000)], stepped=True)
    top, bottom = chart.box[2:]
    assert f"V{top:.1f}" in chart.path
    assert f"V{bottom:.1f}" in chart.path
    assert len(chart.path) < 40_000
    assert len(chart.marks) <= WIDTH
