# SPDX-License-Identifier: Apache-2.0
"""Reading HDF5 files: links, other files, odd types and sizes."""

from __future__ import annotations

import io
import re
import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from compat_lossscale.formats import read
from tests.formats.samples import model


def test_data_that_an_hdf5_file_keeps_in_another_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(struct.pack("<q", 1234567))
    path = tmp_path / "model.h5"
    with model(path) as file:
        group = file["optimizer_weights"]
        group.create_dataset("iter:0", (1,), "i8", external=[(str(secret), 0, 8)])
    assert all(state.iterations is None for state in read(path).states)


def test_links_from_an_hdf5_file_to_another_are_not_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["iter:0"] = 1234567
    path = tmp_path / "model.h5"
    with model(path) as file:
        file["optimizer_weights/iter:0"] = h5py.ExternalLink("secret.h5", "/iter:0")
        file["optimizer_weights/good_steps"] = h5py.SoftLink("/elsewhere")
    assert read(path).states == ()


def test_a_scalar_that_claims_a_huge_chunk_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with model(path) as file:
        group = file["optimizer_weights"]
        group.create_dataset("iter:0", (1,), "i8", chunks=(2**24,), maxshape=(None,), compression=9)
    assert all(state.iterations is None for state in read(path).states)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(np.longdouble(64), id="long double"),
        pytest.param(np.longdouble("1e4000"), id="a long double beyond all floats"),
        pytest.param(np.complex64(64), id="complex"),
        pytest.param(np.bool_(True), id="bool"),
        pytest.param(np.bytes_(b"64"), id="bytes"),
        pytest.param("64", id="text"),
        pytest.param(np.void(b"64"), id="opaque"),
        pytest.param(np.zeros((), [("a", "f4")]), id="compound"),
        pytest.param(h5py.Empty("f4"), id="empty"),
        pytest.param(np.zeros((2, 2), "f4"), id="array"),
    ],
)
@pytest.mark.parametrize("name", ["current_loss_scale:0", "good_steps"])
def test_a_state_of_a_strange_type_is_not_read_and_that_is_said(
    tmp_path: Path, name: str, value: Any
) -> None:
    with model(tmp_path / "model.h5") as file:
        file[f"optimizer_weights/{name}"] = value
        file["optimizer_weights/iter:0"] = 3
    artefact = read(tmp_path / "model.h5")
    assert artefact.states[0].loss_scale is artefact.states[0].good_steps is None
    (said,) = artefact.missing
    assert re.match(f"{name.removesuffix(':0')}: .* was not read$", said)


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4", "i1", "<u8", ">i4"])
def test_a_state_of_any_plain_type_is_read(tmp_path: Path, kind: str) -> None:
    with model(tmp_path / "model.h5") as file:
        file["optimizer_weights/current_loss_scale:0"] = np.array(64, kind)
    assert read(tmp_path / "model.h5").states[0].loss_scale == 64.0


def test_names_that_a_graph_has_numbered_are_known(tmp_path: Path) -> None:
    with model(tmp_path / "model.h5") as file:
        group = file["optimizer_weights"]
        for name, number in {
            "iterations_2:0": 7,
            "good_steps_1": 3,
            "current_loss_scale_1:0": 8,
        }.items():
            group[f"training/Adam/{name}"] = np.array(number, "i8")
    (state,) = read(tmp_path / "model.h5").states
    assert (state.iterations, state.good_steps, state.loss_scale) == (7, 3, 8.0)


def test_groups_that_contain_themselves_end(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with model(path) as file:
        file["optimizer_weights/again"] = file["optimizer_weights"]
        file["optimizer_weights/once_more"] = file["optimizer_weights"]
        file["optimizer_weights/iter:0"] = 3
    assert read(path).states[0].iterations == 3


def test_windows_into_a_file_end_where_they_should() -> None:
    from compat_lossscale.formats.hdf5 import Window

    window = Window(io.BytesIO(b"0123456789"), 2, 5)
    assert (window.read(3), window.tell(), window.read()) == (b"234", 3, b"56")
    assert (window.seek(-1, io.SEEK_END), window.read()) == (4, b"6")
    assert (window.seek(99), window.read()) == (99, b"")
