# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tf_keras

from benchmarks import whole_steps
from benchmarks.measure import Spread
from benchmarks.whole_steps import CASES, LOOPS, SMOKE, ModelTraining, WholeStep

TRANSFORMER = SMOKE[1]


@pytest.mark.nightly
def test_a_smoke_run_measures_every_loop() -> None:
    results = whole_steps.run(smoke=True)
    assert {"machine", "steps"} == set(results)
    assert [row["case"] for row in results["steps"]] == [case.name for case in SMOKE]
    for row in results["steps"]:
        for loop in LOOPS:
            assert row[loop]["bare_ms"] > 0
            assert {"stock", "ours"} <= set(row[loop])


def test_every_model_is_measured_under_both_policies_and_in_both_families() -> None:
    assert len({(case.model, case.policy, case.family) for case in CASES}) == len(CASES) == 8


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
@pytest.mark.parametrize("candidate", ["bare", "stock", "ours"])
def test_fit_trains_with_the_loss_scaling_that_is_measured(policy: str, candidate: str) -> None:
    training = ModelTraining(
        WholeStep("Transformer", policy, "new", batch=2, size=4, depth=1), candidate
    )
    assert training.model.layers[1].compute_dtype == policy.removeprefix("mixed_")
    assert training.model.optimizer is training.optimizer
    is_wrapped = isinstance(training.optimizer, tf_keras.mixed_precision.LossScaleOptimizer)
    assert is_wrapped == (candidate != "bare")


@pytest.mark.nightly
def test_one_of_the_batches_before_a_measurement_is_skipped() -> None:
    training = ModelTraining(TRANSFORMER, "ours")
    for loop in LOOPS:
        applied = training.optimizer.iterations.numpy()
        training.train(loop)
        assert training.steps_before_last_skip() > applied
    assert all(np.isfinite(weight).all() for weight in training.model.get_weights())


@pytest.mark.nightly
def test_different_results_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrap(inner: Any, initial_scale: float) -> Any:
        return tf_keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=2 * initial_scale)

    monkeypatch.setitem(whole_steps.WRAPPERS, "ours", wrap)
    with pytest.raises(AssertionError, match="the results differ"):
        whole_steps.rounds_of(TRANSFORMER, {"fit": 1, "custom loop": 1})


@pytest.mark.nightly
def test_a_skipped_step_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_turns(calls: dict[str, Any], rounds: int, **_: Any) -> dict[str, list[float]]:
        for call in calls.values():
            call.__self__.step(float("inf"))
        return {name: [1.0] * rounds for name in calls}

    monkeypatch.setattr(whole_steps, "in_turns", in_turns)
    with pytest.raises(AssertionError, match="a step was skipped"):
        whole_steps.rounds_of(TRANSFORMER, {"fit": 1, "custom loop": 1})


def test_what_loss_scaling_adds_is_a_share_of_the_bare_step() -> None:
    rounds = {"bare": [1.0, 2.0, 4.0], "ours": [1.5, 2.0, 5.0]}
    assert whole_steps.added(rounds, "ours") == Spread(0.25, 0.125, 0.375)
