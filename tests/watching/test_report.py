# SPDX-License-Identifier: Apache-2.0
"""The report on a run: its figures, as values, as text and as a dictionary."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tf_keras

import compat_lossscale
from compat_lossscale import LossScaleRule, errors, loss_scale_report
from compat_lossscale.callbacks import LossScaleLogger
from tests.support import NAN, python
from tests.watching.histories import RULE, history_of, skipping


def test_the_figures_of_a_run_of_which_every_step_is_logged() -> None:
    report = loss_scale_report(
        history_of(skipping(300, 20, range(50, 54)), initial_scale=8.0), rule=RULE
    )
    assert (report.steps, report.skipped, report.skipped_share) == (300, 5, 5 / 300)
    assert (report.longest_skip, report.longest_skip_is_exact) == (4, True)
    # 8, 4 from step 21, then 2, and 1 from step 52 on until it has grown after 100 good ones.
    assert report.at_floor == 153 - 52 + 1
    assert report.at_cap == 0
    assert (report.growths, report.backoffs) == (2, 3)
    assert (report.first_scale, report.last_scale) == (8.0, 4.0)
    assert (report.lowest_scale, report.highest_scale) == (1.0, 8.0)


def test_rows_of_several_steps_tell_the_least_that_is_sure() -> None:
    rows = {
        "step": [10, 20, 30, 40],
        "loss_scale": [8.0, 1.0, 1.0, 1.0],
        "skipped_steps": [0, 10, 20, 22],
    }
    report = loss_scale_report(rows)
    assert (report.longest_skip, report.longest_skip_is_exact) == (20, False)
    assert report.at_floor == 30
    spread = {"step": [10], "loss_scale": [8.0], "skipped_steps": [7]}
    assert loss_scale_report(spread).longest_skip == 2  # 3 good steps between, at best
    assert "Longest run of skips: at least 2" in str(loss_scale_report(spread))


def test_epochs_are_counted_where_steps_are_not_known() -> None:
    report = loss_scale_report({"loss_scale": [1.0, 2.0], "skipped_steps": [1, 1]})
    assert (report.unit, report.steps, report.time, report.at_floor) == ("epoch", None, 2, 1)
    assert report.skipped_share is None
    assert "Logged:               2 epochs" in str(report)


def test_a_fixed_scale_has_no_skips() -> None:
    report = loss_scale_report({"loss_scale": [1.0, 1.0]})
    assert (report.at_floor, report.at_cap, report.skipped) == (0, 0, None)
    assert str(report).splitlines() == [
        "Loss scale: fixed",
        "Logged:     2 epochs",
        "Value:      1 first, 1 last, 1 to 1",
        "",
        "Nothing to do.",
    ]


def test_the_text_states_the_figures_and_the_advice() -> None:
    history = history_of(skipping(200, range(8)), initial_scale=2.0**30)
    history["overflow_variable"] = ["out/bias"] * 8 + [None] * 192
    history["overflow_share"] = [0.5] * 8 + [0.0] * 192
    assert str(loss_scale_report(history, rule=RULE)).splitlines() == [
        "Loss scale:           dynamic",
        "Steps:                200",
        "Value:                2^29 first, 2^23 last, 2^22 to 2^29",
        "Moves:                1 up, 7 down",
        "Skipped steps:        8, 4.00%",
        "Longest run of skips: 8",
        "At the floor, 1:      0 steps, 0.0%",
        "At the cap, 2^127:    0 steps, 0.0%",
        "",
        "Which gradient overflowed first:",
        "  out/bias: 8 times, first at step 1, up to 50.00% of its elements",
        "",
        "- Begin lower: `initial_scale=2.0**22`.",
        "  The first 8 steps of the run were skipped, until the loss scale was 2^22.",
        '- Compute the layer `out` in float32, with `dtype="float32"`.',
        (
            "  The gradient of `out/bias` overflowed first in 8 of 8 overflows that were looked "
            "at, up to 50.0% of its elements."
        ),
    ]


def test_it_can_be_stored_as_json() -> None:
    report = loss_scale_report(history_of(skipping(200, range(8)), initial_scale=2.0**30))
    stored = json.loads(json.dumps(report.to_dict()))
    assert stored["skipped"] == 8
    assert stored["skipped_share"] == 0.04
    assert stored["advice"][0]["what"] == "Begin lower: `initial_scale=2.0**22`."
    assert "run" not in stored


def test_a_logger_knows_the_rule_and_what_came_before() -> None:
    layer = tf_keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(1,))
    model = tf_keras.Sequential([layer])
    rule = LossScaleRule(growth_steps=2, min_scale=4.0, max_scale=16.0)
    model.compile(
        compat_lossscale.LossScaleOptimizer(
            tf_keras.optimizers.SGD(0.0), initial_scale=8.0, rule=rule
        ),
        "mae",
    )
    logger = LossScaleLogger(every=1, gradients=True)
    for batches in ([NAN, 1.0], [1.0, 1.0, 1.0, NAN, NAN, NAN]):
        x = np.array(batches, "f")[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.LossScaleStuckWarning)
            model.fit(x, x, batch_size=1, shuffle=False, verbose=0, callbacks=[logger])
    report = loss_scale_report(logger)
    # The run before is not counted: 4 (one good step), 8, 8, 8, 4, 4, 4.
    assert logger.history["loss_scale"] == [8.0, 8.0, 16.0, 8.0, 4.0, 4.0]
    assert (report.steps, report.skipped, report.longest_skip) == (6, 3, 3)
    assert (report.floor, report.cap) == (4.0, 16.0)
    assert (report.at_floor, report.at_cap, report.growths) == (2, 1, 2)
    (row,) = report.overflows
    assert (row.variable, row.times, row.place) == (f"{layer.name}/bias", 3, 6)
    assert report.advice[0].why.startswith("1 step was skipped with the loss scale at 4")
    last = report.advice[-1]
    assert last.what.endswith("and the loss from its float32 output.")


def test_a_history_without_a_loss_scale_is_refused() -> None:
    with pytest.raises(
        errors.LossScaleArgumentError, match="no loss_scale in this SimpleNamespace"
    ):
        loss_scale_report(SimpleNamespace(history={"loss": [1.0]}))


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    report = loss_scale_report(history_of(skipping(10)), path)
    assert path.read_text() == report.to_html()
    with pytest.raises(OSError, match="missing"):
        loss_scale_report(history_of(skipping(10)), tmp_path / "missing" / "report.html")
    assert list(tmp_path.iterdir()) == [path]


def test_reporting_needs_no_tensorflow_and_no_matplotlib(tmp_path: Path) -> None:
    code = (
        "from compat_lossscale import loss_scale_report\n"
        f"loss_scale_report({{'loss_scale': [1.0]}}, {str(tmp_path / 'report.html')!r})"
    )
    done = python("-X", "importtime", "-c", code)
    assert done.returncode == 0, done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "jinja2" in imported
    assert not imported & {"tensorflow", "tf_keras", "keras", "numpy", "matplotlib"}
