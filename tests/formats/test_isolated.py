# SPDX-License-Identifier: Apache-2.0
"""The process that reads HDF5 files is asked about the same files that the caller means."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

from compat_lossscale.formats import isolated, read
from tests.formats.samples import ARTEFACTS, model, reason


def test_a_relative_path_is_relative_to_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / "file.h5", "w") as file:
            file.attrs["training_config"] = name
        monkeypatch.chdir(tmp_path / name)
        described = isolated.call("describe", "file.h5")
        assert described["attributes"]["training_config"] == name


def test_a_file_on_which_the_library_hangs_is_unreadable_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "TIMEOUT", 0.5)
    with model(tmp_path / "model.h5"):
        pass
    isolated.stop()
    monkeypatch.setattr(isolated, "_START", "import time; time.sleep(60)")
    assert "longer than 0.5 seconds" in reason(tmp_path / "model.h5")
    monkeypatch.undo()
    assert read(tmp_path / "model.h5").has_loss_scale


def test_a_file_on_which_the_library_crashes_is_unreadable_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model(tmp_path / "model.h5"):
        pass
    isolated.stop()
    monkeypatch.setattr(isolated, "_START", "import os; os.abort()")
    assert "crashed" in reason(tmp_path / "model.h5")
    monkeypatch.undo()
    assert read(tmp_path / "model.h5").has_loss_scale


def test_without_h5py_models_say_what_to_install_and_archives_still_give_their_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    isolated.stop()
    without = isolated._START.replace(";", "; sys.modules['h5py'] = None;", 1)
    monkeypatch.setattr(isolated, "_START", without)
    assert "pip install h5py" in reason(ARTEFACTS / "2.21" / "model.h5")
    artefact = read(ARTEFACTS / "2.21" / "model.keras")
    assert artefact.configs[0].spec.initial_scale == 64.0
    assert "was not read" in artefact.missing[0]
    isolated.stop()
