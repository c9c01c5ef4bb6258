# SPDX-License-Identifier: Apache-2.0
"""What the readers of models conclude from what they find in a file."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import LiveState, UnreadableArtefactError, read
from compat_lossscale.formats.readers import (
    checkpoint,
    config_json,
    keras_archive,
    saved_model,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_the_weights_of_a_model_without_a_loss_scale_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(keras_archive.CONFIG, json.dumps({"class_name": "Sequential"}))
        archive.writestr(keras_archive.WEIGHTS, b"no HDF5")
    artefact = read(path)
    assert (artefact.configs, artefact.states, artefact.missing) == ((), (), ())


class Bundle:
    """A checkpoint of scalar variables."""

    def __init__(self, **variables: float) -> None:
        self.entries = variables
        self.number = variables.get


def described(**variables: float) -> tuple[tuple[LiveState, ...], tuple[str, ...]]:
    bundle = Bundle(**variables)
    _, states, missing = checkpoint.describe(bundle)  # type: ignore[arg-type]  # a stand-in
    return states, missing


@pytest.mark.parametrize("graph", [{}, {"_CHECKPOINTABLE_OBJECT_GRAPH": 0.0}])
def test_a_checkpoint_without_a_loss_scale_misses_nothing(graph: dict[str, float]) -> None:
    assert described(global_step=3.0, **graph) == ((), ())


def test_a_counter_has_the_number_of_its_loss_scale() -> None:
    variables = {
        "current_loss_scale": 8.0,
        "good_steps": 1.0,
        "current_loss_scale_1": 16.0,
        "good_steps_1": 2.0,
        "tower/current_loss_scale_1": 32.0,
        "tower/good_steps_1": 3.0,
    }
    states, missing = described(**variables)
    assert missing == (checkpoint.NO_CONFIG,)
    assert [(s.where, s.loss_scale, s.good_steps) for s in states] == [
        ("current_loss_scale", 8.0, 1),
        ("current_loss_scale_1", 16.0, 2),
        ("tower/current_loss_scale_1", 32.0, 3),
    ]


def test_as_many_optimizers_are_read_as_is_said() -> None:
    scales = {f"current_loss_scale_{n}": 8.0 for n in range(checkpoint.MAX_OPTIMIZERS)}
    assert len(described(**scales)[0]) == checkpoint.MAX_OPTIMIZERS
    with pytest.raises(UnreadableArtefactError, match="more than 100 loss scales"):
        described(current_loss_scale=8.0, **scales)


@pytest.mark.parametrize("start", [b"{", b"[", b"\n  {", b"\xef\xbb\xbf{", b"\xef\xbb\xbf \n["])
def test_json_is_known_by_its_first_character(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "config"
    path.write_bytes(start)
    assert config_json.matches(str(path))
    path.write_bytes(b"x" + start)
    assert not config_json.matches(str(path))


def test_metadata_is_bounded_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    value = b'{"loss_scale": 1}'
    monkeypatch.setattr(saved_model, "MAX_METADATA_BYTES", 2 * len(value))
    metadata = saved_model._Metadata()
    for _ in range(2):
        metadata.add("x.pb", iter([memoryview(value), memoryview(b"a layer's")]))
    assert metadata.found == [("x.pb", value)] * 2
    with pytest.raises(UnreadableArtefactError, match=r"in x\.pb is absurdly large"):
        metadata.add("x.pb", iter([memoryview(value)]))
