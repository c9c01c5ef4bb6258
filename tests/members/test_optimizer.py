# SPDX-License-Identifier: Apache-2.0
"""The config of a loss-scale optimizer, written and read."""

from __future__ import annotations

from typing import Any

import pytest
import tf_keras

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.errors import ConfigFormatError
from compat_lossscale.members.loss_scales import LossScaleConfigs, initial_scale_of, spec_of
from compat_lossscale.spec import LossScaleRule, LossScaleSpec, inner_in, others_in
from tests.loss_scales import CappedLossScale, HalvingLossScale, RenamedLossScale

INNER = {"class_name": "SGD", "config": {"learning_rate": 0.5}}
CONFIGS = LossScaleConfigs(tf_keras.utils.get_registered_name, tf_keras.utils.get_registered_object)


@pytest.mark.parametrize(
    ("loss_scale", "keys"),
    [
        (lambda: DynamicLossScale(8, 4), {"inner_optimizer", "dynamic", "initial_scale"}),
        (lambda: FixedLossScale(8), {"inner_optimizer", "dynamic", "initial_scale"}),
        (
            lambda: DynamicLossScale(8, rule=LossScaleRule(min_scale=2.0)),
            {"inner_optimizer", "dynamic", "initial_scale", "rule"},
        ),
        (lambda: DynamicLossScale(8, 4, 3.0), {"optimizer", "loss_scale"}),
    ],
)
def test_a_config_states_the_loss_scale_in_the_newest_form_that_can(
    loss_scale: Any, keys: set[str]
) -> None:
    made = loss_scale()
    config = CONFIGS.of_optimizer(made, INNER)
    assert config.keys() - {"dynamic_growth_steps"} == keys
    assert LossScaleSpec.from_optimizer_config(config) == spec_of(made) == made.spec
    assert inner_in(config) == INNER


def test_a_users_own_loss_scale_is_stated_by_its_class() -> None:
    loss_scale: LossScale = HalvingLossScale(16.0)
    assert spec_of(loss_scale) is None
    stated = {"class_name": "HalvingLossScale", "config": {"start": 16.0}}
    assert CONFIGS.of_optimizer(loss_scale, INNER) == {"optimizer": INNER, "loss_scale": stated}


@pytest.mark.parametrize(
    ("cls", "config"), [(CappedLossScale, {"cap": 32.0}), (RenamedLossScale, {"value": 32.0})]
)
def test_a_subclass_of_a_known_loss_scale_is_stated_by_its_own_class(
    cls: Any, config: dict[str, Any]
) -> None:
    loss_scale = cls(32.0)
    assert spec_of(loss_scale) is None
    stated = CONFIGS.of_optimizer(loss_scale, INNER)
    assert stated["loss_scale"] == {"class_name": cls.__name__, "config": config}
    again = CONFIGS.stated_in(stated, {cls.__name__: cls})
    assert type(again) is cls
    assert again.get_config() == config


def test_a_subclass_has_the_first_value_of_its_parent() -> None:
    assert initial_scale_of(CappedLossScale()) == 8
    assert initial_scale_of(RenamedLossScale(4.0)) == 4
    assert initial_scale_of(HalvingLossScale()) is None


def test_a_wrapped_optimizer_alone_has_the_default_loss_scale() -> None:
    assert LossScaleSpec.from_optimizer_config({"inner_optimizer": INNER}) == LossScaleSpec()


def test_a_config_of_something_else_is_refused() -> None:
    with pytest.raises(ConfigFormatError):
        LossScaleSpec.from_optimizer_config({"learning_rate": 0.5})


@pytest.mark.parametrize("key", ["inner_optimizer", "optimizer"])
def test_the_config_of_the_wrapped_optimizer_may_be_changed(key: str) -> None:
    config = {key: {"class_name": "SGD", "config": {"learning_rate": 0.5}}}
    inner_in(config)["config"].clear()
    assert config[key] == INNER


def test_a_wrapped_optimizer_that_is_one_is_given_as_it_is() -> None:
    optimizer = object()
    assert inner_in({"inner_optimizer": optimizer}) is optimizer


@pytest.mark.parametrize("config", [{}, {"loss_scale": 8}, {"dynamic": True, "initial_scale": 8}])
def test_a_config_without_an_optimizer_is_a_key_error_as_in_every_version(
    config: dict[str, Any],
) -> None:
    with pytest.raises(KeyError, match="no optimizer to wrap"):
        inner_in(config)
    with pytest.raises(ValueError, match="no optimizer to wrap"):
        inner_in(config)


def test_the_rest_is_for_a_constructor_of_a_subclass() -> None:
    config = CONFIGS.of_optimizer(DynamicLossScale(8, 4), INNER)
    assert others_in({**config, "accumulation_steps": 4}) == {"accumulation_steps": 4}
