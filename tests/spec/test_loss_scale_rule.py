# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import dataclasses
import json
import random
from typing import Any

import pytest

from compat_lossscale import LossScaleRule, LossScaleSpec
from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.spec import RuleNumbers, ScaleState, next_state

PRESETS = {
    "tensorflow": LossScaleRule.tensorflow(),
    "keras3": LossScaleRule.keras3(),
    "torch": LossScaleRule.torch(),
    "deepspeed": LossScaleRule.deepspeed(),
    "apex": LossScaleRule.apex(),
    "megatron": LossScaleRule.megatron(),
}


@pytest.mark.parametrize(
    ("field", "value", "bound"),
    [
        ("growth_steps", 0, "from 1"),
        ("growth_steps", 1.5, "whole number"),
        ("growth_steps", True, "whole number"),
        ("growth_steps", float("nan"), "whole number"),
        ("growth_factor", 1, "greater than 1"),
        ("growth_factor", 1e39, "finite in float32"),
        ("backoff_factor", 0.0, "greater than 0 and less than 1"),
        ("backoff_factor", 1, "greater than 0 and less than 1"),
        ("min_scale", -1, "at least 0"),
        ("min_scale", "1", "a number"),
        ("max_scale", 0.5, "at least min_scale, which is 1.0"),
        ("hysteresis", 0, "from 1"),
        ("consecutive_hysteresis", 1, "a bool"),
        ("on_floor", "stop", '"warn", "raise" and "ignore"'),
        ("floor_steps", 0, "from 1"),
        ("growth_delay", -1, "from 0"),
    ],
)
def test_a_field_out_of_its_bounds_is_refused_by_name_and_bound(
    field: str, value: Any, bound: str
) -> None:
    with pytest.raises(LossScaleArgumentError, match=f'"{field}" .*{bound}'):
        LossScaleRule(**{field: value})


@pytest.mark.parametrize("rule", PRESETS.values(), ids=PRESETS)
def test_configs_say_what_differs_from_the_default(rule: LossScaleRule) -> None:
    config = json.loads(json.dumps(rule.to_config()))
    assert LossScaleRule.from_config(config) == rule
    assert all(getattr(LossScaleRule(), name) != value for name, value in config.items())


@pytest.mark.parametrize("config", [{"growth": 2}, "torch", 5])
def test_a_config_of_another_form_is_refused(config: Any) -> None:
    with pytest.raises(ConfigFormatError, match="rule"):
        LossScaleRule.from_config(config)


def test_a_replaced_field_is_checked_and_the_value_is_frozen() -> None:
    rule = LossScaleRule().replace(max_scale=8)
    assert rule.max_scale == 8
    with pytest.raises(LossScaleArgumentError, match="max_scale"):
        rule.replace(min_scale=16.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rule.max_scale = 4.0  # type: ignore[misc]  # the mistake that is tested


@pytest.mark.parametrize("multiplier", [1.5, 2.0, 3.0, 7.3, 10.0])
def test_what_one_factor_says_is_no_rule_in_a_spec(multiplier: float) -> None:
    rule = LossScaleRule.tensorflow(increment_period=7, multiplier=multiplier)
    spec = LossScaleSpec(rule=rule)
    assert spec == LossScaleSpec(growth_steps=7, multiplier=multiplier)
    assert spec.whole_rule == rule
    assert spec.numbers == RuleNumbers.of_multiplier(7, multiplier)


def run(rule: LossScaleRule, initial: float, history: str) -> list[float]:
    """The scales after steps that are good, `+`, or bad, `-`."""
    state = ScaleState(initial, 0, rule.hysteresis if rule.hysteresis > 1 else None)
    scales = []
    for step in history:
        state = next_state(state, step == "+", rule.numbers)
        scales.append(state.scale)
    return scales


def test_the_scale_stays_between_its_floor_and_its_cap() -> None:
    rule = LossScaleRule(growth_steps=1, growth_factor=4.0, min_scale=3.0, max_scale=20.0)
    assert run(rule, 4.0, "+++---") == [16, 20, 20, 10, 5, 3]


def test_hysteresis_tolerates_bad_steps_until_growth() -> None:
    rule = LossScaleRule(growth_steps=2, hysteresis=2)
    assert run(rule, 8.0, "--+-++--") == [8, 4, 4, 2, 2, 4, 4, 2]


def test_consecutive_hysteresis_tolerates_bad_steps_again_after_each_good_one() -> None:
    rule = LossScaleRule(hysteresis=2, consecutive_hysteresis=True)
    assert run(rule, 8.0, "-+-+--") == [8, 8, 8, 8, 8, 4]


def test_a_growth_delay_counts_after_the_start_and_after_a_bad_step() -> None:
    rule = LossScaleRule(growth_steps=2, growth_delay=1)
    assert run(rule, 8.0, "+++++-+++") == [8, 8, 16, 16, 32, 16, 16, 16, 32]


def test_without_a_floor_the_scale_falls_below_one() -> None:
    assert run(LossScaleRule.torch(), 1.0, "--") == [0.5, 0.25]


def float32(number: float) -> float:
    return ctypes.c_float(number).value


def after_5000_steps(rule: LossScaleRule, share: float, seed: int) -> list[float]:
    """Loss scales by the rule, by GradScaler's arithmetic, which is float64's, and by flax'."""
    chance, state = random.Random(seed), ScaleState(65536.0, 0)
    scaler = flax = 65536.0
    for _ in range(5000):
        finite = chance.random() >= share
        grows = finite and state.good_steps + 1 == rule.growth_steps
        state = next_state(state, finite, rule.numbers)
        if grows or not finite:
            factor = rule.growth_factor if grows else rule.backoff_factor
            scaler, flax = float32(scaler * factor), float32(flax * float32(factor))
    return [state.scale, scaler, flax]


@pytest.mark.parametrize(
    ("growth", "backoff", "interval", "share", "beside_scaler", "beside_flax"),
    [
        (1.001, 0.999, 1, 0.5, 1.3e-4, 2.9e-5),
        (1.01, 0.99, 1, 0.5, 1.1e-4, 1.0e-4),
        (1.1, 0.9, 10, 0.08, 1.5e-5, 8.9e-6),
        (1.3, 0.7, 200, 0.005, 1.3e-6, 4.4e-7),
        (2.0, 0.5, 1, 0.5, 0.0, 0.0),
    ],
)
def test_the_last_bits_add_up_to_what_the_documentation_says(
    growth: float,
    backoff: float,
    interval: int,
    share: float,
    beside_scaler: float,
    beside_flax: float,
) -> None:
    rule = LossScaleRule.torch(
        growth_factor=growth, backoff_factor=backoff, growth_interval=interval
    )
    runs = [after_5000_steps(rule, share, seed) for seed in range(5)]
    assert max(abs(ours / theirs - 1) for ours, theirs, _ in runs) == pytest.approx(
        beside_scaler, rel=0.05
    )
    assert max(abs(ours / theirs - 1) for ours, _, theirs in runs) == pytest.approx(
        beside_flax, rel=0.05
    )
