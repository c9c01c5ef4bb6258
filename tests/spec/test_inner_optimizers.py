# SPDX-License-Identifier: Apache-2.0
"""The class and the family of a wrapped optimizer, and the options that do nothing."""

from __future__ import annotations

from typing import Any

import pytest

from compat_lossscale.spec import Generation
from compat_lossscale.spec.inner_optimizers import (
    Family,
    class_name,
    family,
    is_default,
    is_known,
    serialized,
)


def optimizer(name: str = "Adam", module: str | None = None, **config: Any) -> dict[str, Any]:
    given = {"class_name": name, "config": config}
    return given if module is None else {**given, "module": module}


@pytest.mark.parametrize("name", ["RMSprop", "rmsprop", "Custom>RMSprop", "RMSPROP"])
def test_the_name_of_a_keras_class_is_in_keras_spelling(name: str) -> None:
    assert class_name(optimizer(name)) == "RMSprop"
    assert is_known(optimizer(name))


def test_a_custom_class_has_its_registered_name() -> None:
    own = {**optimizer("Mine", "my.code"), "registered_name": "Package>Mine"}
    assert class_name(own) == "Package>Mine"
    assert not is_known(own)


def test_a_class_of_another_package_is_custom_whatever_its_name() -> None:
    assert not is_known(optimizer("Adam", "my.code"))


@pytest.mark.parametrize(
    ("inner", "generation", "expected"),
    [
        (optimizer(), Generation.TF23, Family.LEGACY),
        (optimizer(), Generation.TF24, Family.LEGACY),
        (optimizer(jit_compile=True), Generation.TF24, Family.NEW),
        (optimizer(use_ema=False), Generation.TF24, Family.NEW),
        (optimizer(clipnorm=1.0), Generation.TF24, Family.LEGACY),
        (optimizer(module="keras.optimizers"), Generation.TF_KERAS, Family.NEW),
        (optimizer(module="keras.optimizers.legacy"), Generation.TF_KERAS, Family.LEGACY),
        (optimizer(module="keras.optimizers"), Generation.KERAS3, Family.KERAS3),
    ],
)
def test_the_family_shows_in_the_config(
    inner: dict[str, Any], generation: Generation, expected: Family
) -> None:
    assert family(inner, generation) is expected


def test_some_classes_have_defaults_of_their_own() -> None:
    assert is_default(optimizer("Nadam"), "decay", 0.004)
    assert is_default(optimizer("Nadam"), "decay", 0.004000000189989805)
    assert not is_default(optimizer("Nadam"), "decay", 0.0)
    assert is_default(optimizer("SGD"), "decay", 0.0)
    assert not is_default(optimizer("SGD"), "decay", 0.004)


def test_a_parameter_of_one_class_has_no_default() -> None:
    assert not is_default(optimizer("SGD"), "momentum", 0.0)


def test_configs_of_keras_before_2_3_have_todays_names() -> None:
    old = {"lr": 0.5, "epsilon": None, "schedule_decay": 0.004, "beta_1": 0.75}
    assert serialized({"class_name": "Nadam", "config": old}) == {
        "class_name": "Nadam",
        "config": {"learning_rate": 0.5, "epsilon": 1e-7, "decay": 0.004, "beta_1": 0.75},
    }
