# SPDX-License-Identifier: Apache-2.0
"""Reading a run from whatever has logged it."""

from __future__ import annotations

from types import SimpleNamespace

from compat_lossscale import LossScaleRule
from compat_lossscale.watching.logged_run import LoggedRun
from tests.watching.histories import history_of, skipping

EPOCHS = {"loss": [2.0, 1.0], "loss_scale": [8.0, 4.0], "skipped_steps": [1, 3]}


def test_a_dictionary_of_steps_has_each_ones_skips() -> None:
    run = LoggedRun.of(history_of(skipping(5, 1, 2)))
    assert (run.unit, run.places) == ("step", (1, 2, 3, 4, 5))
    assert run.skips == (0, 1, 1, 0, 0)
    assert run.steps == (1,) * 5
    assert run.logs_every_step


def test_a_history_of_fit_knows_the_steps_of_an_epoch() -> None:
    run = LoggedRun.of(SimpleNamespace(history=EPOCHS, epoch=[0, 1], params={"steps": 50}))
    assert (run.unit, run.places, run.steps, run.skips) == ("epoch", (1, 2), (50, 50), (1, 2))
    assert run.losses == (2.0, 1.0)
    assert not run.logs_every_step


def test_steps_that_keras_3_does_not_count_are_added() -> None:
    run = LoggedRun.of(
        {"step": [1, 1, 2], "loss_scale": [8.0, 4.0, 4.0], "skipped_steps": [0, 1, 1]}
    )
    assert run.steps == (1, 1, 1)


def test_a_rule_that_is_given_says_where_the_floor_and_the_cap_are() -> None:
    run = LoggedRun.of(EPOCHS, LossScaleRule(min_scale=4.0, max_scale=64.0, growth_steps=7))
    setting = run.setting
    assert (setting.floor, setting.cap, setting.rule.growth_steps) == (4.0, 64.0, 7)
    assert LoggedRun.of(EPOCHS, LossScaleRule()).setting.cap == 2.0**127


def test_whether_the_scale_is_fixed_shows_in_the_values() -> None:
    assert LoggedRun.of(EPOCHS).setting.is_dynamic
    assert not LoggedRun.of({"loss_scale": [8.0, 8.0]}).setting.is_dynamic


def test_a_counter_that_begins_again_counts_from_there() -> None:
    run = LoggedRun.of({"loss_scale": [8.0, 4.0], "skipped_steps": [5, 1]})
    assert run.skips == (5, 1)
