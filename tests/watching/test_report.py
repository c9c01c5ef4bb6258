# SPDX-License-Identifier: Apache-2.0
"""The report on a run: its figures and advice, as values, text, a dictionary and a page."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tf_keras

import compat_lossscale
from compat_lossscale import LossScaleRule, errors, loss_scale_report
from compat_lossscale.callbacks import LossScaleLogger
from tests.messages import says
from tests.pages.reading import Page
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
        "- Begin lower: `initial_scale=2.0**22`.",
        "  The first 8 steps of the run were skipped, until the loss scale was 2^22.",
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
    logger = LossScaleLogger(every=1)
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
    assert report.advice[0].why.startswith("1 step was skipped with the loss scale at 4")


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


# %% What is advised, and the figures that each piece of advice states


def advice(history: dict[str, Any], rule: LossScaleRule = RULE) -> list[tuple[str, str]]:
    return [(one.what, one.why) for one in loss_scale_report(history, rule=rule).advice]


@pytest.mark.parametrize(
    "finite",
    [
        skipping(50),
        skipping(1000, *range(150, 1000, 150)),  # where the loss scale has grown
        skipping(1000, range(3)),  # it finds its value
    ],
)
def test_a_healthy_run_has_nothing_to_do(finite: list[bool]) -> None:
    assert advice(history_of(finite)) == []


def test_skips_at_the_floor_are_not_the_loss_scales_fault() -> None:
    ((what, why), *_) = advice(history_of(skipping(40, range(30, 40)), initial_scale=16.0))
    assert what.startswith("Lower the learning rate, clip the gradients")
    assert what.endswith("The loss scale is not the reason.")
    assert says(
        why,
        "6 steps were skipped with the loss scale at 1 before and after, where it cannot shrink.",
    )


def test_a_loss_scale_that_begins_too_high() -> None:
    ((what, why),) = advice(history_of(skipping(200, range(8)), initial_scale=2.0**30))
    assert what == "Begin lower: `initial_scale=2.0**22`."
    assert says(why, "The first 8 steps of the run were skipped, until the loss scale was 2^22.")


def test_many_skips_ask_for_a_lower_learning_rate() -> None:
    rng = random.Random(0)
    bad = [number for number in range(10, 1000) if rng.random() < 0.1]
    rows = advice(history_of(skipping(1000, *bad), initial_scale=2.0**120))
    assert rows[-1][0] == "Lower the learning rate, or clip the gradients by their norm."
    assert f"{len(bad)} steps were skipped, {len(bad) / 1000:.1%} of 1,000." in rows[-1][1]
    assert "about one step in 100." in rows[-1][1]


def test_a_loss_scale_at_its_cap_may_not_be_needed() -> None:
    ((what, why),) = advice(history_of(skipping(500), initial_scale=2.0**125))
    assert what.startswith("Look whether the gradients are all zero")
    assert "The loss scale was at 2^127" in why
    assert "in 60% of the time" in why


def test_a_cap_that_a_rule_states_is_no_reason_to_do_anything() -> None:
    rule = RULE.replace(max_scale=2.0**16)
    assert advice(history_of(skipping(500), rule=rule), rule) == []


def test_a_loss_that_is_not_finite() -> None:
    dynamic = {"loss": [1.0, float("nan")], "loss_scale": [4.0, 4.0], "good_steps": [1, 2]}
    ((what, why),) = advice(dynamic)
    assert what.startswith("Lower the learning rate, or look for a NaN")
    assert says(why, "The loss was not finite in 1 of 2 rows of the log, the last one included.")


def test_a_fixed_scale_with_a_loss_that_is_not_finite() -> None:
    fixed = {"loss": [1.0, float("nan")], "loss_scale": [128.0, 128.0]}
    ((what, _),) = [(one.what, one.why) for one in loss_scale_report(fixed).advice]
    assert what.startswith("Use a dynamic loss scale")
    assert loss_scale_report({"loss": [1.0], "loss_scale": [128.0]}).advice == ()


# %% The page, read without a browser


def page_of(history: dict[str, list[Any]]) -> Page:
    return Page(loss_scale_report(history).to_html())


def test_the_page_of_a_run_with_trouble_says_what_to_do_and_why() -> None:
    history = history_of(skipping(400, range(8), 100), initial_scale=2.0**30)
    page = page_of(history)
    assert [one.text for one in page.all("h1")] == ["Loss scale report"]
    assert "What to do" in [one.text for one in page.all("h2")]
    (rule,) = page.all("article", "rule")
    assert "Begin lower: initial_scale=2.0**22." in rule.text
    assert "The first 8 steps of the run were skipped" in rule.text
    titles = [one.text for one in page.all("title")]
    assert "step 101: 1 step was skipped" in titles


def test_the_page_of_a_healthy_run_has_nothing_to_do() -> None:
    page = page_of(history_of(skipping(50)))
    assert "Nothing to do" in [one.text for one in page.all("h2")]
    assert page.all("article") == []


def test_the_page_shows_a_fixed_scale_too() -> None:
    page = page_of({"loss_scale": [0.0, 0.0]})
    assert "A fixed loss scale: no step was skipped." in page.all("p", "lead")[0].text


def test_the_page_loads_and_runs_nothing() -> None:
    page = page_of(history_of(skipping(3, 1)))
    assert page.loaded() == []
    assert page.handlers() == []


def test_a_long_run_makes_a_small_page() -> None:
    finite = skipping(50_000, *range(0, 50_000, 7))
    assert len(loss_scale_report(history_of(finite)).to_html()) < 300_000
