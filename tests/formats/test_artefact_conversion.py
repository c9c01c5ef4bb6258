# SPDX-License-Identifier: Apache-2.0
"""Converting a model as a whole: what is named as lost, and that no part of a file is written."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest

from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.formats import read
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation
from tests.formats.samples import ARTEFACTS

MODEL = ARTEFACTS / "2.21" / "model.keras"


def copy_of_model(
    path: Path,
    change_config: Callable[[Any], None] = lambda _: None,
    change_weights: Callable[[Any, Path], None] = lambda *_: None,
) -> Path:
    """Writes a changed copy of a model of tf-keras."""
    with zipfile.ZipFile(MODEL) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "config.json":
                config = json.loads(content)
                change_config(config)
                content = json.dumps(config).encode()
            elif name == "model.weights.h5":
                weights = path.with_name("weights.h5")
                weights.write_bytes(content)
                with h5py.File(weights, "r+") as file:
                    change_weights(file, path.parent)
                content = weights.read_bytes()
            new.writestr(name, content)
    return path


def with_layers(config: Any) -> None:
    config["config"]["layers"] += [
        {
            "module": "keras.layers",
            "class_name": "ThresholdedReLU",
            "config": {"name": "sharp", "dtype": "float32", "theta": 1.0},
            "registered_name": None,
        },
        {
            "module": None,
            "class_name": "Gate",
            "config": {"name": "gate", "dtype": "float32"},
            "registered_name": "mine>Gate",
        },
    ]


def test_a_layer_that_keras_3_lacks_is_named_with_what_to_use_instead(tmp_path: Path) -> None:
    path, copy = copy_of_model(tmp_path / "old.keras", with_layers), tmp_path / "new.keras"
    conversion = write_converted(read(path), Generation.KERAS3, str(copy))
    (field,) = (field for field in conversion.lost if "sharp" in field.name)
    assert field.name == "layer sharp"
    assert "Keras 3 has no ThresholdedReLU; ReLU(threshold=theta)" in field.reason


def test_a_layer_of_your_own_is_named_and_carried_as_it_is(tmp_path: Path) -> None:
    path, copy = copy_of_model(tmp_path / "old.keras", with_layers), tmp_path / "new.keras"
    conversion = write_converted(read(path), Generation.KERAS3, str(copy))
    (field,) = (field for field in conversion.fields if field.value == "Gate")
    assert "custom_objects" in field.reason
    with zipfile.ZipFile(copy) as written:
        layers = json.loads(written.read("config.json"))["config"]["layers"]
    assert layers[-1]["config"] == {"name": "gate", "dtype": "float32"}


def test_nothing_is_written_if_something_is_lost_and_that_is_not_wanted(tmp_path: Path) -> None:
    path, copy = copy_of_model(tmp_path / "old.keras", with_layers), tmp_path / "new.keras"
    with pytest.raises(InexpressibleLossScaleError, match="sharp"):
        write_converted(read(path), Generation.KERAS3, str(copy), lossy=False)
    assert not copy.exists()


def with_a_link_to_another_file(weights: Any, folder: Path) -> None:
    other = folder / "other.h5"
    with h5py.File(other, "w") as file:
        weights.copy("optimizer/inner_optimizer", file)
    del weights["optimizer/inner_optimizer"]
    weights["optimizer/inner_optimizer"] = h5py.ExternalLink(str(other), "inner_optimizer")


def without_the_iterations(weights: Any, folder: Path) -> None:
    del folder
    del weights["optimizer/inner_optimizer/vars/0"]
    weights["optimizer/inner_optimizer/vars/x"] = 6


@pytest.mark.parametrize("change", [with_a_link_to_another_file, without_the_iterations])
def test_variables_that_are_not_where_tf_keras_saves_them_are_lost_with_the_reason(
    change: Callable[[Any, Path], None], tmp_path: Path
) -> None:
    path, copy = (
        copy_of_model(tmp_path / "old.keras", change_weights=change),
        tmp_path / "new.keras",
    )
    before = path.read_bytes()
    conversion = write_converted(read(path), Generation.KERAS3, str(copy))
    reasons = {field.name: field.reason for field in conversion.lost}
    assert reasons.keys() == {"state.iterations", "state.slots"}
    assert "where its Keras saves them" in reasons["state.slots"]
    assert read(copy).states == ()
    assert path.read_bytes() == before


def test_a_converted_model_says_what_it_was_converted_from(tmp_path: Path) -> None:
    copy, back = tmp_path / "new.keras", tmp_path / "back.keras"
    write_converted(read(MODEL), Generation.KERAS3, str(copy))
    write_converted(read(copy), Generation.TF_KERAS, str(back))
    assert [stated.generation for stated in read(copy).configs] == [Generation.KERAS3]
    assert [stated.generation for stated in read(back).configs] == [Generation.TF_KERAS]
    with zipfile.ZipFile(MODEL) as old, zipfile.ZipFile(copy) as new:
        before = json.loads(old.read("metadata.json"))["keras_version"]
        assert before in json.loads(new.read("metadata.json")).values()
