# SPDX-License-Identifier: Apache-2.0
"""The process that reads HDF5 files is asked about the same files that the caller means."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

from compat_lossscale.formats import isolated


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
