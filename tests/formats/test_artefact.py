# SPDX-License-Identifier: Apache-2.0
"""Every artefact that a real TensorFlow wrote is read, and says what its writer had."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.formats import Artefact, checkpoint, hdf5, keras_archive, read, saved_model
from compat_lossscale.formats.reading import find
from compat_lossscale.spec import LossScaleSpec
from tests.formats.samples import ARTEFACTS, VERSIONS
from tests.support import run_code

DYNAMIC = LossScaleSpec(initial_scale=64.0, growth_steps=4)
NAMES = {
    "model": hdf5.FORMAT,
    "saved_model": saved_model.FORMAT,
    "weights": checkpoint.FORMAT,
    "checkpoint": checkpoint.FORMAT,
}


def artefacts(*kinds: str) -> list[Any]:
    """The artefacts of these kinds: their path and what their writer had when it saved them."""
    found = []
    for version in VERSIONS:
        for state in sorted((ARTEFACTS / version).glob("*.json")):
            kind = state.name.removesuffix(".json").replace("-legacy", "")
            if kind in kinds:
                path = state.with_suffix("")
                path = Path(f"{path}-1") if "checkpoint" in kind else path
                saved = json.loads(state.read_text())["saved"]
                found.append(pytest.param(path, saved, id=f"{version}-{state.stem}"))
    assert found
    return found


def without_state(artefact: Artefact) -> bool:
    return all(state.loss_scale is None for state in artefact.states)


@pytest.mark.parametrize(("path", "saved"), artefacts("checkpoint", "weights", "saved_model"))
def test_checkpoints_and_saved_models_hold_the_whole_live_state(
    path: Path, saved: dict[str, Any]
) -> None:
    (state,) = read(path).states
    assert (state.where, state.loss_scale, state.good_steps, state.iterations) == (
        "optimizer",
        saved["loss_scale"],
        saved["good_steps"],
        saved["iterations"],
    )
    assert state.slots == 4


@pytest.mark.parametrize(("path", "saved"), artefacts("saver"))
def test_name_based_checkpoints_hold_the_whole_live_state(
    path: Path, saved: dict[str, Any]
) -> None:
    (state,) = read(path).states
    assert (state.where, state.loss_scale, state.good_steps, state.iterations) == (
        "current_loss_scale",
        saved["current_loss_scale"],
        saved["good_steps"],
        saved["global_step"],
    )


@pytest.mark.parametrize(("path", "saved"), artefacts("fixed-checkpoint"))
def test_a_checkpoint_holds_no_fixed_loss_scale_and_says_so_where_it_can_tell(
    path: Path, saved: dict[str, Any]
) -> None:
    artefact = read(path)
    assert without_state(artefact)
    if "base_optimizer" in artefact.layout:
        assert "fixed loss scale" in " ".join(artefact.missing)
        assert artefact.states[0].iterations == saved["iterations"]


@pytest.mark.parametrize(("path", "saved"), artefacts("model.h5", "model.keras"))
def test_models_hold_the_config_and_what_state_their_writer_put_in(
    path: Path, saved: dict[str, Any]
) -> None:
    artefact = read(path)
    (config,) = artefact.configs
    assert config.spec == DYNAMIC
    if path.parent.name == "keras3":
        (state,) = artefact.states
        assert (state.loss_scale, state.good_steps) == (saved["loss_scale"], saved["good_steps"])
        assert artefact.missing == ()
    else:
        assert without_state(artefact)
        assert "current loss scale" in artefact.missing[0]
    if path.name == "model-legacy.keras":
        # tf-keras saves nothing of a legacy optimizer into an archive.
        assert artefact.states == ()
        assert "iterations and slots" in artefact.missing[1]
    else:
        (state,) = artefact.states
        assert (state.iterations, state.slots) == (saved["iterations"], 4)


@pytest.mark.parametrize(("path", "saved"), artefacts("saved_model"))
def test_saved_models_hold_the_config_and_the_version_that_wrote_them(
    path: Path, saved: dict[str, Any]
) -> None:
    artefact = read(path)
    (config,) = artefact.configs
    assert config.spec == DYNAMIC
    assert artefact.writer is not None
    assert artefact.writer.startswith(f"TensorFlow {path.parent.name}")
    assert saved["loss_scale"] == artefact.states[0].loss_scale
    assert read(path / "saved_model.pb").configs[0].spec == DYNAMIC


@pytest.mark.parametrize(
    ("version", "layout"),
    [
        ("1.14", "base_optimizer"),
        ("1.15", "base_optimizer"),
        ("2.0", "base_optimizer"),
        ("2.2", "base_optimizer"),
        ("2.3", "legacy family"),
        ("2.10", "legacy family"),
        ("2.15", "new family"),
        ("2.21", "new family"),
    ],
)
def test_checkpoints_name_the_generations_that_lay_them_out_so(version: str, layout: str) -> None:
    assert layout in read(ARTEFACTS / version / "checkpoint-1.index").layout


def test_a_checkpoint_can_be_named_by_its_prefix_and_by_each_of_its_files() -> None:
    prefix = ARTEFACTS / "2.3" / "checkpoint-1"
    states = {read(f"{prefix}{suffix}").states for suffix in ("", ".index", ".data-00000-of-00001")}
    assert len(states) == 1


def test_an_hdf5_model_in_a_file_named_keras_is_told_by_its_content(tmp_path: Path) -> None:
    copy = tmp_path / "model.keras"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", copy)
    artefact = read(copy)
    assert (artefact.format, artefact.configs[0].spec) == (hdf5.FORMAT, DYNAMIC)


def test_an_archive_of_compressed_files_is_read_all_the_same(tmp_path: Path) -> None:
    import zipfile

    source, copy = ARTEFACTS / "keras3" / "model.keras", tmp_path / "model.keras"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    artefact = read(copy)
    assert artefact.format == keras_archive.FORMAT
    assert artefact.states == read(source).states


def test_every_artefact_in_the_folder_is_found_once() -> None:
    found = list(find(str(ARTEFACTS / "2.3")))
    assert str(ARTEFACTS / "2.3" / "saved_model") in found
    assert len(found) == len(set(found))
    assert sum(path.endswith(".index") for path in found) == 4
    assert not any("variables" in path for path in found)


@pytest.mark.parametrize("family", ["legacy", "new"])
def test_what_this_package_saves_holds_the_whole_state_in_every_format(
    family: str, tmp_path: Path
) -> None:
    run_code(
        f"""
        import numpy as np
        import tf_keras
        from compat_lossscale import LossScaleOptimizer

        layer = tf_keras.layers.Dense(1, input_shape=(2,))
        model = tf_keras.Sequential([layer])
        optimizers = tf_keras.optimizers.legacy if {family!r} == "legacy" else tf_keras.optimizers
        inner = optimizers.Adam(0.5)
        model.compile(LossScaleOptimizer(inner, initial_scale=8.0, dynamic_growth_steps=2), "mse")
        for _ in range(3):
            model.train_on_batch(np.ones((1, 2)), np.ones((1, 1)))
        model.save("model.h5")
        model.save("model.keras")
        model.save("saved_model", save_format="tf")
        model.save_weights("weights")
        """,
        cwd=tmp_path,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    for name in ("model.h5", "model.keras", "saved_model", "weights"):
        artefact = read(tmp_path / name)
        (state,) = artefact.states
        assert (state.loss_scale, state.good_steps) == (16.0, 1), name
        assert (state.iterations, state.slots) == (3, 4), name
        assert artefact.missing == () or name == "weights"


def test_reading_every_format_imports_neither_tensorflow_nor_h5py_nor_numpy() -> None:
    folder = ARTEFACTS / "2.21"
    run_code(
        f"""
        import sys
        from pathlib import Path
        from compat_lossscale.formats import read

        folder = Path({str(folder)!r})
        for name in ("configs.json", "model.h5", "model.keras", "saved_model", "checkpoint-1"):
            assert read(folder / name).has_loss_scale, name
        heavy = {{"tensorflow", "tf_keras", "keras", "h5py", "numpy", "pickle"}}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        """
    )
