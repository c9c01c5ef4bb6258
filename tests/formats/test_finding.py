# SPDX-License-Identifier: Apache-2.0
"""Configs are found wherever they are, and what cannot be read of one is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from compat_lossscale.cli.verify import verify
from compat_lossscale.errors import UnreadableArtefactError
from compat_lossscale.formats.artefact import find_configs
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from tests.formats.samples import SGD


def test_configs_are_found_at_any_depth_with_the_way_to_them() -> None:
    wrapper = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
    tree = {"a": [1, {"b": wrapper}], "c": {"loss_scale_value": 2}, "d": {"optimizer": SGD}}
    found = {config.where: config.keys for config in find_configs(tree)[0]}
    assert found == {"a.1.b": ("a", 1, "b"), "c": ("c",)}


@pytest.mark.parametrize(("auto_scale_loss", "is_noted"), [(True, True), (False, False)])
def test_a_fixed_scale_that_compile_of_keras_3_drops_is_noted(
    auto_scale_loss: bool, is_noted: bool
) -> None:
    optimizer = {**SGD, "config": {**SGD["config"], "loss_scale_factor": 8.0}}
    compiled = {"compile_config": {"optimizer": optimizer, "auto_scale_loss": auto_scale_loss}}
    ((found,), _) = find_configs(compiled)
    assert ("compile() of Keras 3 drops" in found.note) is is_noted


def test_a_wrapper_is_not_dropped() -> None:
    ((found,), _) = find_configs({"inner_optimizer": SGD, "initial_scale": 8.0})
    assert found.note == ""


def test_a_config_that_looks_right_and_is_wrong_is_an_error_that_says_where() -> None:
    with pytest.raises(UnreadableArtefactError, match=r"the config at x\.y "):
        find_configs({"x": {"y": {"inner_optimizer": SGD, "dynamic": "yes"}}})


OWN = {"class_name": "mine>Slow", "config": {"patience": 7}}


@pytest.mark.parametrize(
    "config",
    [
        {"optimizer": SGD, "loss_scale": {"class_name": "mine>Slow", "config": {}}},
        {"class_name": "mine>Own", "config": {"initial_loss_scale": 8.0}},
    ],
)
def test_of_a_loss_scale_of_a_users_own_class_is_said_what_can_be_read_and_what_cannot(
    config: Any, tmp_path: Path
) -> None:
    path = tmp_path / "own.json"
    known = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
    path.write_text(json.dumps({"a": config, "b": known}))
    result = verify_artefact(str(path))
    assert result.status is ArtefactStatus.LOSSY
    (lost,) = result.lost
    assert "the loss scale at a: it is of the class mine>" in lost
    assert "whose rule is in the code of that class" in lost
    assert [stated.where for stated, _ in result.conversions] == ["b"]


def test_the_settings_and_the_optimizer_of_such_a_loss_scale_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"optimizer": SGD, "loss_scale": OWN}))
    result = CliRunner().invoke(verify, [str(path)])
    assert 'Its config says {"patience": 7}, around SGD' in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize("class_name", [[], {}, 3, None])
def test_a_class_name_that_is_no_text_is_said_as_it_is(class_name: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    own = {"class_name": class_name, "config": {}}
    path.write_text(json.dumps({"optimizer": SGD, "loss_scale": own}))
    (lost,) = verify_artefact(str(path)).lost
    assert f"of the class {class_name}," in lost
