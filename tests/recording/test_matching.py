# SPDX-License-Identifier: Apache-2.0
"""Variables, slots and optimizers are matched across generations."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.recording.matching import family_of, match, slot_kind
from compat_lossscale.recording.reading import RecordedOptimizer, read
from tests.recording.recordings_by_hand import optimizer, seen, write


def made(
    path: Path, names: list[str], shapes: list[list[int]], firsts: object = None
) -> RecordedOptimizer:
    digests = firsts or [None] * len(names)
    line = optimizer([1.0], names=names, shapes=shapes, digests=digests)
    return read(write(path / "a.lsr", line)).optimizers[0]


@pytest.mark.parametrize(
    ("names", "family"),
    [
        (("Adam", "AdamOptimizer", "AdamV2"), "adam"),
        (("SGD", "MomentumOptimizer", "GradientDescentOptimizer"), "sgd"),
        (("RMSprop", "RMSPropOptimizer"), "rmsprop"),
    ],
)
def test_a_family_has_many_names(names: tuple[str, ...], family: str) -> None:
    assert {family_of(name) for name in names} == {family}


def test_slots_have_other_names_in_each_generation() -> None:
    seconds = {slot_kind(name, "adam") for name in ("v", "rms", "_velocities")}
    assert seconds == {"second moment"}
    assert {slot_kind(name, "sgd") for name in ("momentum", "Momentum", "momentums")} == {
        "momentum"
    }
    assert slot_kind("_momentums", "rmsprop") == "momentum"
    assert slot_kind("m", "adam") == slot_kind("_momentums", "adam") == "first moment"


def test_variables_in_the_same_order_are_the_same(tmp_path: Path) -> None:
    one = made(tmp_path, ["dense/kernel", "dense/bias"], [[2, 3], [3]])
    other = made(tmp_path, ["sequential/dense_4/kernel", "sequential/dense_4/bias"], [[2, 3], [3]])
    assert match(one, other) == ([(0, 0), (1, 1)], [], [])


def test_variables_in_another_order_are_matched_by_names(tmp_path: Path) -> None:
    one = made(tmp_path, ["a/kernel", "a/bias", "b/kernel"], [[3, 3], [3], [3, 3]])
    other = made(tmp_path, ["m/b/kernel", "m/a/kernel", "m/a/bias"], [[3, 3], [3, 3], [3]])
    assert match(one, other) == ([(0, 1), (1, 2), (2, 0)], [], [])


def test_variables_without_names_are_matched_by_what_they_begin_with(tmp_path: Path) -> None:
    values = [seen([1.0, 2.0]), seen([3.0, 4.0])]
    one = made(tmp_path, ["x", "y"], [[2], [2]], values)
    other = made(tmp_path, ["p", "q"], [[2], [2]], values[::-1])
    assert match(one, other) == ([(0, 1), (1, 0)], [], [])


def test_a_variable_that_is_left_out_has_no_partner(tmp_path: Path) -> None:
    one = made(tmp_path, ["a/kernel", "a/bias"], [[3, 3], [3]])
    other = made(tmp_path, ["a/kernel"], [[3, 3]])
    assert match(one, other) == ([(0, 0)], [1], [])
