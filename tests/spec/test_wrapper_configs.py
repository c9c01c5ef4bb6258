# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import Any

import pytest

from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.formats.conversion import meaning
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.wrapper_configs import read_wrapper_config, states_loss_scale
from tests.formats.samples import ARTEFACTS, SGD, VERSIONS

KINDS = {
    "default": LossScaleSpec(),
    "dynamic": LossScaleSpec(initial_scale=64.0, growth_steps=4),
    "fixed": LossScaleSpec.fixed(8.0),
    "multiplier": LossScaleSpec(initial_scale=64.0, growth_steps=4, multiplier=4.0),
}


def recorded() -> list[Any]:
    """Every config that a real TensorFlow returned."""
    found = []
    for version in VERSIONS:
        for path in sorted((ARTEFACTS / version).glob("configs*.json")):
            for name, of_name in json.loads(path.read_text())["artefact"].items():
                kind = name.rpartition("-")[2]
                if "error" in of_name or name.startswith("policy"):
                    continue
                found += [
                    pytest.param(version, kind, config, id=f"{version}-{path.stem}-{name}-{form}")
                    for form, config in of_name.items()
                    if "error" not in config
                ]
    return found


@pytest.mark.parametrize(("version", "kind", "config"), recorded())
def test_every_config_that_a_real_tensorflow_returned_is_read(
    version: str, kind: str, config: dict[str, Any]
) -> None:
    parts = read_wrapper_config(config)
    assert parts.spec == KINDS[kind]
    assert parts.inner is not None
    assert parts.inner["class_name"] in ("SGD", "Adam")
    if version in ("2.0", "2.1", "2.2", "2.3"):
        expected = {Generation.TF23}
    elif version in ("2.4", "2.5", "2.10"):
        expected = {Generation.TF24}
    elif version == "2.15":
        # It writes both forms.
        expected = {Generation.TF24, Generation.TF_KERAS}
    else:
        expected = {Generation.KERAS3 if version == "keras3" else Generation.TF_KERAS}
    assert parts.generation in expected


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3", "2.4", "2.5"])
def test_a_policy_with_a_loss_scale_is_read_and_one_without_states_none(version: str) -> None:
    path = ARTEFACTS / version / "configs.json"
    policies = json.loads(path.read_text())["artefact"]
    assert read_wrapper_config(policies["policy-fixed"]).spec == LossScaleSpec.fixed(8)
    assert not states_loss_scale(policies["policy-default"])


@pytest.mark.parametrize(
    ("config", "generation", "spec"),
    [
        (LossScaleSpec().to_loss_scale_config(), Generation.TF23, LossScaleSpec()),
        ({"loss_scale_value": 4}, Generation.TF23, LossScaleSpec.fixed(4)),
        ({"dynamic": False, "initial_scale": 4.0}, Generation.TF24, LossScaleSpec.fixed(4)),
        ({"initial_scale": 4.0}, Generation.KERAS3, LossScaleSpec(initial_scale=4)),
    ],
)
def test_a_bare_loss_scale_is_a_config_without_an_optimizer(
    config: dict[str, Any], generation: Generation, spec: LossScaleSpec
) -> None:
    parts = read_wrapper_config(config)
    assert (parts.generation, parts.spec, parts.inner) == (generation, spec, None)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ([], "must be a dictionary"),
        ({"learning_rate": 1}, "states no loss scale"),
        (
            {"inner_optimizer": "SGD", "dynamic": True, "initial_scale": 1.0},
            'must be a dictionary {"class_name"',
        ),
        ({"inner_optimizer": {**SGD, "config": 3}, "dynamic": True}, "must be a dictionary"),
        (
            {"optimizer": SGD, "loss_scale": {"class_name": "Mine", "config": {}}},
            "of a class of its own, 'Mine'",
        ),
        ({"inner_optimizer": SGD, "dynamic": 1}, "must be of type bool"),
        ({"optimizer": SGD, "loss_scale": 10**400}, "larger than any float"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused_with_the_reason(config: Any, message: str) -> None:
    with pytest.raises((ConfigFormatError, LossScaleArgumentError)) as caught:
        read_wrapper_config(config)
    assert message in str(caught.value)


def test_settings_whose_names_are_no_text_are_read() -> None:
    inner = {**SGD, "config": {**SGD["config"], 1: 2.0}}
    assert meaning({"inner_optimizer": inner, "dynamic": True})["optimizer.1"] == 2.0
