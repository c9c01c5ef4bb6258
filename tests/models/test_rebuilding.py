# SPDX-License-Identifier: Apache-2.0
"""A model that `verify` converts loads in the other Keras and trains on with the same values.

tf-keras saves no loss scale in archives; this package does, so the scale is compared with it.
"""

from __future__ import annotations

import fcntl
import os
import pickle
from typing import Any

import numpy as np
import pytest

from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.spec import Generation
from tests.models import running
from tests.models.running import MOMENTUM, SETTINGS, Case, Outcome

TF_KERAS, KERAS3 = Generation.TF_KERAS, Generation.KERAS3
BOTH = (TF_KERAS, KERAS3)
FLOAT16, FLOAT32 = 2e-2, 2e-5
"""How far values may be apart after the last step, in absolute terms: they are around 1."""
MODELS = (
    "built when called",
    "convolutions 1d",
    "convolutions 2d",
    "normalizations",
    "recurrent",
    "bidirectional",
    "encoder and decoder",
    "attention",
    "nested",
    "policies per layer",
)
ONE_WAY = ("several ends", "merges", "activations", "regularized", "slashes", "lookups")
"""Models that are converted to Keras 3 only, to save time."""
RANDOM = ("augmentations", "random recurrent")
"""Models whose training draws random numbers, which each Keras draws differently."""
OPTIMIZERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SGD", {**MOMENTUM, "nesterov": True}),
    ("Adam", {**SETTINGS, "amsgrad": True}),
    ("AdamW", SETTINGS),
    ("RMSprop", {**MOMENTUM, "centered": True}),
    ("Adagrad", SETTINGS),
    ("Adadelta", SETTINGS),
    ("Adamax", SETTINGS),
    ("Ftrl", SETTINGS),
)
TRAINED = [
    *(Case(source, model) for source in BOTH for model in MODELS),
    *(Case(TF_KERAS, model) for model in ONE_WAY),
    *(Case(source, "dense", *one) for source in BOTH for one in OPTIMIZERS),
    *(Case(source, "dense", scale="fixed") for source in BOTH),
    *(Case(source, "dense", "Adam", SETTINGS, scale="fixed", ours=True) for source in BOTH),
    *(Case(source, "dense", "Adam", SETTINGS, ours=True) for source in BOTH),
    *(Case(source, "dense", "Adam", SETTINGS, ours=True, ours_on_keras3=True) for source in BOTH),
    *(Case(source, "dense", scale="fixed", ours_on_keras3=True) for source in BOTH),
    *(Case(source, "dense", scale="none", policy="float32") for source in BOTH),
    *(Case(source, "dense", policy="mixed_bfloat16", scale="none") for source in BOTH),
    Case(TF_KERAS, "dense", "Adam", SETTINGS, family="legacy", ours=True),
    Case(TF_KERAS, "dense", "Lion", SETTINGS),
    Case(TF_KERAS, "dense", "Adafactor", SETTINGS),
]
RULES = [Case(source, "dense", scale="rule", ours=True, ours_on_keras3=True) for source in BOTH]
NADAM = [Case(source, "dense", "Nadam", SETTINGS) for source in BOTH]
LEGACY = Case(TF_KERAS, "dense", "Adam", SETTINGS, family="legacy")
AT_FIRST = [Case(TF_KERAS, model) for model in RANDOM]
UNSAVED = Case(TF_KERAS, MODELS[0])
ALWAYS = [LEGACY, UNSAVED]
"""The cases of tests that are not parametrized."""
Outcomes = dict[str, Outcome | Exception]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """What came of the cases of all tests that are selected."""
    cases = {case.name: case for case in ALWAYS}
    for item in request.session.items:
        if isinstance(item, pytest.Function) and item.path == request.path:
            case = item.callspec.params["case"] if hasattr(item, "callspec") else LEGACY
            cases[case.name] = case
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return running.run(list(cases.values()), tmp_path_factory.mktemp("models"))
    # The first worker runs them for all workers.
    shared = tmp_path_factory.getbasetemp().parent / "converted_models.pickle"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            found = running.run(list(cases.values()), tmp_path_factory.mktemp("models"))
            shared.write_bytes(pickle.dumps(found))
    found = pickle.loads(shared.read_bytes())
    assert isinstance(found, dict)
    return found


def outcome_of(case: Case, outcomes: Outcomes) -> Outcome:
    outcome = outcomes[case.name]
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def compare(outcome: Outcome, kinds: tuple[str, ...], tolerance: float, prefix: str = "") -> None:
    """Compares all values of some kinds, such as `slot`, at `now` or a step."""
    names = [
        name
        for name in outcome.before
        if name.startswith(prefix) and any(f" {kind}" in f" {name}" for kind in kinds)
    ]
    assert names
    for name in names:
        before, after = outcome.before[name], outcome.after[name]
        np.testing.assert_allclose(after, before, rtol=tolerance, atol=tolerance, err_msg=name)


def is_narrow(case: Case) -> bool:
    return "16" in case.policy


# The tests of the command convert a file of TensorFlow 2.0 for every change.
@pytest.mark.nightly
@pytest.mark.parametrize("case", TRAINED, ids=lambda case: case.name)
def test_a_converted_model_has_the_same_values_and_trains_on_as_before(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcome_of(case, outcomes)
    assert outcome.conversion.lost == ()
    # The families list their slots in other orders; further steps show that they are right.
    kinds = ("weight",) if case.family else ("weight", "slot")
    compare(outcome, (*kinds, "iterations"), 0, "now")
    compare(outcome, ("output",), FLOAT16 if is_narrow(case) else FLOAT32)
    compare(outcome, kinds, FLOAT16 if is_narrow(case) else FLOAT32, "step")
    # The last step is skipped with a dynamic scale; tf-keras counts it and Keras 3 does not.
    compare(outcome, ("iterations",), 0, "step 3")
    compare(outcome, ("iterations",), 0, "step 4")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "case", [case for case in TRAINED if case.scale == "fixed" or case.ours], ids=lambda c: c.name
)
def test_the_scale_and_its_counter_are_the_same_and_move_the_same_way(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcome_of(case, outcomes)
    compare(outcome, ("scale", "counter"), 0)
    scales = [float(outcome.after[f"{when} scale"]) for when in ("now", "step 4", "step 5")]
    assert scales == ([128.0] * 3 if case.scale == "fixed" else [32.0, 64.0, 32.0])


def test_a_scale_that_tf_keras_did_not_save_starts_again_in_keras_3(outcomes: Outcomes) -> None:
    outcome = outcome_of(UNSAVED, outcomes)
    assert (float(outcome.before["now scale"]), float(outcome.after["now scale"])) == (32.0, 64.0)


@pytest.mark.parametrize("case", RULES, ids=lambda case: case.name)
def test_a_model_with_a_rule_is_not_converted_and_the_reason_names_the_rule(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcomes[case.name]
    assert isinstance(outcome, InexpressibleLossScaleError), outcome
    assert "rule.hysteresis" in str(outcome)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", NADAM, ids=lambda case: case.name)
def test_the_product_of_nadams_momentum_schedule_is_reported_as_lost(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcome_of(case, outcomes)
    assert [field.name for field in outcome.conversion.lost] == ["state.momentum_product"]
    compare(outcome, ("weight", "slot", "iterations"), 0, "now")


def test_a_legacy_optimizer_becomes_one_of_keras_3_without_the_state_that_is_not_saved(
    outcomes: Outcomes,
) -> None:
    outcome = outcome_of(LEGACY, outcomes)
    compare(outcome, ("weight",), 0, "now")
    assert int(outcome.after["now iterations"]) == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", AT_FIRST, ids=lambda case: case.name)
def test_a_model_with_random_layers_has_the_same_weights_and_outputs(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcome_of(case, outcomes)
    compare(outcome, ("weight",), 0, "now")
    compare(outcome, ("output",), FLOAT16)
    assert outcome.after["step 3 iterations"] == outcome.before["step 3 iterations"]
