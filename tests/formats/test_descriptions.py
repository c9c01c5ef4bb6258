# SPDX-License-Identifier: Apache-2.0
"""Configs and states in words."""

from __future__ import annotations

from typing import Any

import pytest

from compat_lossscale.formats import LiveState, StatedConfig
from compat_lossscale.formats.descriptions import describe_config, describe_state
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import SGD


def stated(spec: LossScaleSpec, **attributes: Any) -> StatedConfig:
    config = {"inner_optimizer": SGD, **spec.to_config(Generation.TF24)}
    return StatedConfig("optimizer_config", Generation.TF24, spec, config, **attributes)


@pytest.mark.parametrize(
    ("spec", "facts"),
    [
        (LossScaleSpec(initial_scale=64, growth_steps=4), ["dynamic", "64", "2", "4 good steps"]),
        (LossScaleSpec.fixed(128), ["fixed", "128"]),
    ],
)
def test_a_config_is_its_place_its_loss_scale_and_its_optimizer(
    spec: LossScaleSpec, facts: list[str]
) -> None:
    text = describe_config(stated(spec))
    assert text.startswith("optimizer_config: ")
    for fact in (*facts, "SGD"):
        assert fact in text
    assert "Keras itself" not in text
    assert "Keras itself" in describe_config(stated(spec, automatic=True))


def test_a_state_is_what_is_known_of_it() -> None:
    whole = describe_state(LiveState("opt", 32.0, 3, 6, 4))
    assert whole == "state of opt: loss scale 32, good steps 3, iterations 6, 4 slots"
    assert describe_state(LiveState("opt", iterations=6)) == "state of opt: iterations 6, 0 slots"


def test_names_from_a_file_are_escaped() -> None:
    assert "\x1b" not in describe_state(LiveState("\x1b[2J"))
