# SPDX-License-Identifier: Apache-2.0
"""The presets move as the systems whose names they have; see `record`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale import LossScaleRule
from compat_lossscale.spec import ScaleState, next_state
from tests.goldens.rules.steps import STEPS, changes, random_steps

HERE = Path(__file__).parent
RULES: dict[str, Callable[..., LossScaleRule]] = {
    "torch": LossScaleRule.torch,
    "deepspeed": LossScaleRule.deepspeed,
    "deepspeed-without-zero": lambda scale_window, min_loss_scale, scale_factor: (
        LossScaleRule.deepspeed(
            scale_window=scale_window,
            min_scale=min_loss_scale,
            scale_factor=scale_factor,
            delayed_shift=1,
            raise_error_at_min_scale=False,
        )
    ),
    "megatron": LossScaleRule.megatron,
    "apex": LossScaleRule.apex,
    "tf-keras": lambda dynamic_growth_steps: LossScaleRule.tensorflow(
        increment_period=dynamic_growth_steps
    ),
    "keras3": LossScaleRule.keras3,
    # These have no preset: docs/rule.md says how to write them.
    "fairseq": lambda scale_window, threshold, min_loss_scale: LossScaleRule(
        growth_steps=scale_window, min_scale=threshold
    ),
    "jmp": lambda period, min_loss_scale, factor=2: LossScaleRule.tensorflow(
        increment_period=period, multiplier=factor
    ).replace(min_scale=min_loss_scale),
    "flax": lambda growth_interval, minimum_scale, growth_factor=2.0: LossScaleRule(
        growth_steps=growth_interval + 1,
        growth_factor=growth_factor,
        min_scale=minimum_scale,
        max_scale=3.4028234663852886e38,
    ),
}
RUNS = [
    pytest.param(name, run, id=f"{name}-{run['seed']}")
    for name in RULES
    for run in json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))["runs"]
]


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_a_rule_moves_as_the_original_did(name: str, run: dict[str, Any]) -> None:
    settings = dict(run["settings"])
    initial = settings.pop("initial")
    rule = RULES[name](**settings)
    state = ScaleState(initial, 0, rule.hysteresis if rule.hysteresis > 1 else None)
    scales = []
    for finite in random_steps(run["seed"]):
        state = next_state(state, finite, rule.numbers)
        scales.append(state.scale)
    assert len(scales) == STEPS
    recorded = run["changes"]
    # Keras 3 grows to infinity and stays there, which the rule does not copy.
    infinite = [step for step, scale in recorded if math.isinf(scale)]
    assert bool(infinite) == (name == "keras3")
    end = infinite[0] if infinite else STEPS
    assert len(recorded) > 100
    assert changes(scales[:end], initial) == [one for one in recorded if one[0] < end]
