# SPDX-License-Identifier: Apache-2.0
"""Reading HDF5 models and files of weights."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import LiveState, hdf5, read
from tests.formats.samples import ARTEFACTS, model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["model.h5", "model.keras", "model"])
def test_a_model_is_recognized_by_its_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", path)
    assert hdf5.matches(str(path))
    assert read(path).format == hdf5.FORMAT


def test_a_damaged_model_is_recognized_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    path.write_bytes(b"no HDF5")
    assert hdf5.matches(str(path))
    assert not hdf5.matches(str(path.with_suffix(".txt")))


def test_a_model_holds_its_config_the_optimizers_state_and_its_writer() -> None:
    artefact = read(ARTEFACTS / "2.3" / "model.h5")
    assert [config.where for config in artefact.configs] == ["training_config.optimizer_config"]
    assert [(state.iterations, state.slots) for state in artefact.states] == [(6, 4)]
    assert (artefact.writer or "").startswith("Keras 2")
    assert "the current loss scale" in artefact.missing[0]


def test_a_model_whose_optimizer_was_never_used_has_no_state(tmp_path: Path) -> None:
    model(tmp_path / "model.h5").close()
    artefact = read(tmp_path / "model.h5")
    assert artefact.states == ()
    assert artefact.has_loss_scale


def test_files_of_weights_hold_no_config(tmp_path: Path) -> None:
    path = tmp_path / "model.weights.h5"
    file = model(path)
    del file.attrs["training_config"]
    file.close()
    artefact = read(path)
    assert artefact.format == hdf5.WEIGHTS_FORMAT
    assert artefact.configs == ()
    assert LiveState("optimizer") not in artefact.states
