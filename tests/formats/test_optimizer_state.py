# SPDX-License-Identifier: Apache-2.0
"""Which variables of an HDF5 file are the scale, the counter and the steps."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from compat_lossscale.formats import LiveState, StatedConfig
from compat_lossscale.formats.hdf5 import NO_STATE, Description, live_state, missing, wrapper_of
from compat_lossscale.spec import Generation, LossScaleSpec

DYNAMIC = StatedConfig("training_config", Generation.TF24, LossScaleSpec(), {})
FIXED = dataclasses.replace(
    DYNAMIC, spec=LossScaleSpec(False, 8.0, growth_steps=None, multiplier=None)
)
OWN = {f"optimizer/vars/{n}": value for n, value in enumerate([0, 0.0, 7, 16.0])}


def described(scalars: dict[str, Any], *arrays: str) -> Description:
    return Description(scalars=scalars, arrays=list(arrays))


def numbered(place: str, *values: float) -> dict[str, float]:
    return {f"optimizer/{place}{n}": value for n, value in enumerate(values)}


def test_only_a_dynamic_loss_scale_has_state_that_can_be_missing() -> None:
    state = LiveState("optimizer_weights", iterations=3)
    assert missing([DYNAMIC], state, Description()) == (NO_STATE.format("this file"),)
    assert missing([DYNAMIC], dataclasses.replace(state, loss_scale=8.0), Description()) == ()
    assert missing([FIXED], state, Description()) == ()
    assert missing([], LiveState("optimizer_weights"), Description()) == ()


def test_iterations_can_be_missing_whatever_the_loss_scale() -> None:
    (what,) = missing([FIXED], LiveState("optimizer_weights"), Description())
    assert what.startswith("the optimizer's iterations and slots")


@pytest.mark.parametrize("first", ["wrapper", "sgd"])
def test_the_steps_are_those_of_the_wrapped_optimizer_not_the_wrappers_unused_count(
    first: str,
) -> None:
    wrapper = {"iteration": 0, "learning_rate": 0.0, "step_counter": 2, "dynamic_scale": 8.0}
    scalars = {
        **{f"{first}/{name}": value for name, value in wrapper.items()},
        "rmsprop/iteration": 5,
        "rmsprop/learning_rate": 0.5,
    }
    for order in (scalars, dict(reversed(scalars.items()))):
        state = live_state(described(order), "weights")
        assert (state.loss_scale, state.good_steps, state.iterations) == (8.0, 2, 5)


def test_a_wrappers_unused_count_alone_is_no_number_of_steps() -> None:
    scalars = {"a/iteration": 0, "a/dynamic_scale": 8.0}
    assert live_state(described(scalars), "weights").iterations is None


def test_of_keras_3s_numbered_variables_the_third_is_the_counter_and_the_fourth_the_scale() -> None:
    inner = numbered("inner_optimizer/vars/", 3, 0.5)
    again = {f"optimizer/vars/{n + 4}": value for n, value in enumerate(inner.values())}
    slots = ["optimizer/inner_optimizer/vars/2", "optimizer/vars/6"]
    description = described({**OWN, **inner, **again}, *slots)
    assert wrapper_of(description) is Generation.KERAS3
    assert live_state(description, "weights") == LiveState("weights", 16.0, 7, 3, slots=1)


def test_tf_keras_wrapper_numbers_only_what_the_wrapped_optimizer_has() -> None:
    scalars = {
        **numbered("vars/", 3, 0.5, 7, 16.0),
        **numbered("inner_optimizer/vars/", 3, 0.5, 7, 16.0),
    }
    description = described(scalars)
    assert wrapper_of(description) is Generation.TF_KERAS
    assert live_state(description, "weights") == LiveState("weights", iterations=3)


def test_an_optimizer_that_is_not_wrapped_has_no_scale_whatever_its_numbers_look_like() -> None:
    description = described(numbered("vars/", 3, 0.5, 7, 16.0))
    assert wrapper_of(description) is None
    assert live_state(description, "weights") == LiveState("weights", iterations=3)


def test_a_first_variable_that_is_no_count_is_not_taken_for_the_iterations() -> None:
    description = described({"optimizer/vars/0": 0.5})
    assert live_state(description, "weights") == LiveState("weights")
