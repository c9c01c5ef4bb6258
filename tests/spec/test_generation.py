# SPDX-License-Identifier: Apache-2.0
"""What a spec writes, and that reading it gives the same spec."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale import Generation, LossScaleSpec
from compat_lossscale.errors import InexpressibleLossScaleError

numbers = st.floats(allow_nan=False, allow_infinity=False)
periods = st.integers(min_value=1, max_value=2**62)
fixed_specs = st.builds(LossScaleSpec.fixed, numbers)
doubling_specs = st.builds(LossScaleSpec, initial_scale=numbers, growth_steps=periods)
dynamic_specs = st.builds(
    LossScaleSpec, initial_scale=numbers, growth_steps=periods, multiplier=numbers
)
SGD = {"class_name": "SGD", "config": {"learning_rate": 0.5}}


@pytest.mark.parametrize(
    ("spec", "generation", "names"),
    [
        (LossScaleSpec(multiplier=4), Generation.TF24, "multiplier"),
        (LossScaleSpec(multiplier=4), Generation.TF_KERAS, "multiplier"),
        (LossScaleSpec(multiplier=4), Generation.KERAS3, "multiplier"),
        (LossScaleSpec.fixed(0.5), Generation.TF23, "below 1"),
    ],
)
def test_what_a_generation_has_no_words_for_is_an_error_that_says_so(
    spec: LossScaleSpec, generation: Generation, names: str
) -> None:
    with pytest.raises(InexpressibleLossScaleError, match=names):
        spec.to_config(generation)


def test_keras_3_has_a_fixed_scale_as_a_key_of_the_optimizer_itself() -> None:
    config = LossScaleSpec.fixed(8).to_config(Generation.KERAS3)
    assert config == {"loss_scale_factor": 8.0}
    assert LossScaleSpec.from_config(config) == LossScaleSpec.fixed(8)


def test_an_unknown_generation_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="tf1"):
        LossScaleSpec().to_config("tf1")


def test_the_configs_have_exactly_the_keys_of_their_generation() -> None:
    spec = LossScaleSpec()
    assert spec.to_config("tf2.3") == {
        "loss_scale": {
            "class_name": "DynamicLossScale",
            "config": {"initial_loss_scale": 32768.0, "increment_period": 2000, "multiplier": 2.0},
        }
    }
    expected = {"dynamic": True, "initial_scale": 32768.0, "dynamic_growth_steps": 2000}
    assert spec.to_config("tf2.4") == spec.to_config("tf-keras") == expected
    assert spec.to_config("keras3") == {"initial_scale": 32768.0, "dynamic_growth_steps": 2000}
    assert LossScaleSpec.fixed(8).to_config("tf2.4") == {
        "dynamic": False,
        "initial_scale": 8.0,
        "dynamic_growth_steps": None,
    }


@given(st.one_of(dynamic_specs, fixed_specs.filter(lambda spec: spec.initial_scale >= 1)))
def test_a_spec_survives_the_configs_of_tensorflow_2_3(spec: LossScaleSpec) -> None:
    assert LossScaleSpec.from_config({"optimizer": SGD, **spec.to_config("tf2.3")}) == spec


@given(st.one_of(doubling_specs, fixed_specs), st.sampled_from(["tf2.4", "tf-keras"]))
def test_a_spec_survives_the_configs_of_tensorflow_2_4_and_later(
    spec: LossScaleSpec, generation: str
) -> None:
    config = {"inner_optimizer": SGD, **spec.to_config(generation)}
    assert LossScaleSpec.from_config(config) == spec
    assert LossScaleSpec.from_config({"class_name": "LossScaleOptimizer", "config": config}) == spec


@given(doubling_specs)
def test_a_spec_survives_the_configs_of_keras_3(spec: LossScaleSpec) -> None:
    assert LossScaleSpec.from_config({"inner_optimizer": SGD, **spec.to_config("keras3")}) == spec


@given(st.one_of(dynamic_specs, fixed_specs))
def test_a_spec_survives_a_loss_scale_config(spec: LossScaleSpec) -> None:
    assert LossScaleSpec.from_config(spec.to_loss_scale_config()) == spec


@given(st.one_of(dynamic_specs, fixed_specs))
def test_what_can_be_said_in_a_generation_is_said_exactly_and_all_else_is_an_error(
    spec: LossScaleSpec,
) -> None:
    for generation in Generation:
        try:
            config = spec.to_config(generation)
        except InexpressibleLossScaleError:
            continue
        assert LossScaleSpec.from_config(config) == spec


def test_a_fixed_scale_of_one_is_the_least_that_tensorflow_2_3_takes() -> None:
    stated = LossScaleSpec.fixed(1).to_config("tf2.3")["loss_scale"]
    assert stated == {"class_name": "FixedLossScale", "config": {"loss_scale_value": 1.0}}
    with pytest.raises(InexpressibleLossScaleError, match="refuses a fixed loss scale below 1"):
        LossScaleSpec.fixed(0.99).to_config("tf2.3")
