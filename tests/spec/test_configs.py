# SPDX-License-Identifier: Apache-2.0
"""What is no config; test_spec has what is read from configs of every generation."""

from __future__ import annotations

from typing import Any

import pytest

from compat_lossscale import LossScaleSpec
from compat_lossscale.errors import ConfigFormatError

SGD = {"class_name": "SGD", "config": {"learning_rate": 0.5}}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"learning_rate": 0.1},
        SGD,
        {"dynamic": "dynamic"},
        {"dynamic": True, "initial_scale": "8"},
        {"dynamic": True, "initial_scale": True},
        {"dynamic": True, "dynamic_growth_steps": 2.5},
        {"dynamic": True, "dynamic_growth_steps": float("inf")},
        {"initial_scale": 10**400},
        {"class_name": "FixedLossScale", "config": {}},
        "dynamic",
        None,
        {1: 2, "b": 3},
    ],
)
def test_a_config_that_states_no_loss_scale_is_an_error(config: Any) -> None:
    with pytest.raises(ConfigFormatError):
        LossScaleSpec.from_config(config)


@pytest.mark.parametrize(
    "config",
    [
        {"loss_scale": {"class_name": "Capped", "config": {"initial_loss_scale": 8.0}}},
        {"loss_scale": {"class_name": "Capped", "config": {"cap": 16}}},
        {"class_name": "Capped", "config": {"initial_loss_scale": 8.0, "cap": 16}},
        {"class_name": "Mine>Capped", "config": {"loss_scale_value": 8.0}},
    ],
)
def test_a_loss_scale_of_another_class_is_not_taken_for_a_known_one(config: Any) -> None:
    with pytest.raises(ConfigFormatError, match=r"class of its own, '.*Capped'"):
        LossScaleSpec.from_config(config)


def test_the_error_for_a_wrong_config_is_a_key_error_too_and_names_the_keys_found() -> None:
    with pytest.raises(KeyError) as caught:
        LossScaleSpec.from_config({"learning_rate": 0.1})
    assert str(caught.value).startswith("This config states no loss scale")
    assert "learning_rate" in str(caught.value)
