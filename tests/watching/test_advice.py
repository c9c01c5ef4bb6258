# SPDX-License-Identifier: Apache-2.0
"""What is advised, and the figures that each piece of advice states."""

from __future__ import annotations

import random
from typing import Any

import pytest

from compat_lossscale import LossScaleRule, loss_scale_report
from tests.messages import says
from tests.watching.histories import RULE, history_of, skipping


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
    history = history_of(finite)
    # Also when its rare overflows begin at one gradient.
    history["overflow_variable"] = [None if good else "dense/kernel" for good in finite]
    history["overflow_share"] = [0.0 if good else 1.0 for good in finite]
    assert advice(history) == []


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


def test_a_long_run_of_skips_asks_for_a_higher_floor() -> None:
    history = history_of(skipping(1000, range(300, 306)))
    ((what, why),) = advice(history)
    assert what.startswith("Raise the floor: `LossScaleRule(min_scale=2.0**12)`")
    assert says(
        why,
        "6 steps in a row were skipped from step 301 on, and the loss scale fell to 2^12. Half of "
        "the time it was at least 2^15. It took 300 steps to come back to that.",
    )
    before = history["loss_scale"][305]
    assert before == 2.0**12
    assert history["loss_scale"][305 + 300] == 2.0**15 > history["loss_scale"][305 + 299]


def test_a_run_of_skips_that_ends_the_run_did_not_come_back() -> None:
    ((_, why),) = advice(history_of(skipping(400, range(394, 400))))
    assert why.endswith("It did not come back to that in this run.")


def test_many_skips_ask_for_a_lower_learning_rate() -> None:
    rng = random.Random(0)
    bad = [number for number in range(10, 1000) if rng.random() < 0.1]
    rows = advice(history_of(skipping(1000, *bad), initial_scale=2.0**120))
    assert rows[-1][0] == "Lower the learning rate, or clip the gradients by their norm."
    assert f"{len(bad)} steps were skipped, {len(bad) / 1000:.1%} of 1,000." in rows[-1][1]
    assert "about one step in 100." in rows[-1][1]


def with_overflows(history: dict[str, Any], variable: str) -> dict[str, Any]:
    before = 0
    names: list[str | None] = []
    for skipped in history["skipped_steps"]:
        names.append(variable if skipped > before else None)
        before = skipped
    share = [0.5 if name else 0.0 for name in names]
    return {**history, "overflow_variable": names, "overflow_share": share}


def test_a_layer_that_overflows_first_again_and_again_is_named() -> None:
    history = with_overflows(history_of(skipping(1000, range(300, 306))), "block/dense/kernel")
    assert advice(history)[-1] == (
        'Compute the layer `block/dense` in float32, with `dtype="float32"`.',
        (
            "The gradient of `block/dense/kernel` overflowed first in 6 of 6 overflows that were "
            "looked at, up to 50.0% of its elements."
        ),
    )


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
