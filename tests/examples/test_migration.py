# SPDX-License-Identifier: Apache-2.0
"""Tests of the demo's second part, the comparison of a program before and after migration."""

from __future__ import annotations

import migration
import pytest

OLD = [
    "digits: 1797 images",
    "step 0 loss_scale 64",
    "step 20 loss 1.5 loss_scale 128",
    "final 0.9",
]


def test_only_steps_with_a_loss_scale_are_compared() -> None:
    assert migration.logged_steps(OLD) == OLD[1:3]


def test_equal_logs_have_no_difference() -> None:
    assert migration.first_difference(OLD, list(OLD)) is None


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ([*OLD[:2], "step 20 loss 1.6 loss_scale 128", OLD[3]], "loss 1.6"),
        (OLD[:2], "4 logged steps became 2"),
    ],
)
def test_a_difference_is_told(new: list[str], said: str) -> None:
    difference = migration.first_difference(OLD, new)
    assert difference is not None
    assert said in difference


@pytest.mark.parametrize("one", migration.MIGRATIONS, ids=lambda one: one.program.stem)
def test_only_a_tensorflow_1_program_still_needs_the_command(one: migration.Migration) -> None:
    assert "compat_lossscale" in one.command(one.program, migrated=False)
    assert ("compat_lossscale" in one.command(one.program, migrated=True)) == one.stays_tf1
