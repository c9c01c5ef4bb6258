# SPDX-License-Identifier: Apache-2.0
"""Results of verifying: valid JSON, and nothing that controls a terminal."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest
import tensorflow as tf

from compat_lossscale.cli.verify import text_of
from compat_lossscale.formats import LiveState, StatedConfig
from compat_lossscale.formats.verification import (
    ArtefactStatus,
    as_json,
    describe_config,
    describe_state,
    printable,
    verify_artefact,
)
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ARTEFACTS, SGD


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_an_infinite_multiplier_is_valid_json_in_the_report(number: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f'{{"initial_loss_scale": 8, "multiplier": {number}}}')
    json.dumps(as_json([verify_artefact(str(path))]), allow_nan=False)


def test_a_name_that_is_half_a_character_is_printed_escaped(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    inner = {**SGD, "config": {"\udce1\x1b[2J": 1}}
    path.write_text(json.dumps({"inner_optimizer": inner, "dynamic": True}))
    lines = list(text_of([verify_artefact(str(path))]))
    assert all(line.isprintable() for line in lines)
    assert any(r"\udce1\x1b[2J" in line for line in lines)


def test_what_is_printed_of_a_file_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2J\n\u202eb") == r"a\x1b[2J\n\u202eb"
    assert len(printable("x" * 10_000)) == 600


def archive_with_scale(scale: float, folder: Path) -> Path:
    """A model that Keras 3 saved, with another loss scale."""
    path, weights = folder / "model.keras", "model.weights.h5"
    with zipfile.ZipFile(ARTEFACTS / "keras3" / "model.keras") as saved:
        content = {name: saved.read(name) for name in saved.namelist()}
    (folder / weights).write_bytes(content[weights])
    with h5py.File(folder / weights, "r+") as file:
        file["optimizer/vars/3"][()] = scale
    content[weights] = (folder / weights).read_bytes()
    with zipfile.ZipFile(path, "w") as target:
        for name, data in content.items():
            target.writestr(name, data)
    return path


def checkpoint_with_scale(scale: float, folder: Path) -> Path:
    """A checkpoint as an optimizer of TensorFlow 2.3 and later has one."""
    variables = {"current_loss_scale": tf.Variable(scale), "good_steps": tf.Variable(0, tf.int64)}
    optimizer = tf.train.Checkpoint(loss_scale=tf.train.Checkpoint(**variables))
    return Path(tf.train.Checkpoint(optimizer=optimizer).write(str(folder / "checkpoint")))


@pytest.mark.parametrize("made", [archive_with_scale, checkpoint_with_scale])
@pytest.mark.parametrize("scale", [math.inf, math.nan, 0.0, -2.0])
def test_a_loss_scale_with_which_nothing_goes_on_is_reported(
    made: Callable[[float, Path], Path], scale: float, tmp_path: Path
) -> None:
    result = verify_artefact(str(made(scale, tmp_path)))
    assert result.status is ArtefactStatus.LOSSY
    (lost,) = result.lost
    assert f": it is {scale:g}, and must be positive and finite" in lost
    assert any(f"lost: {lost}" in line for line in text_of([result]))
    json.dumps(as_json([result]), allow_nan=False)


@pytest.mark.parametrize("made", [archive_with_scale, checkpoint_with_scale])
def test_any_other_loss_scale_is_not(made: Callable[[float, Path], Path], tmp_path: Path) -> None:
    assert verify_artefact(str(made(0.5, tmp_path))).lost == ()


def stated(spec: LossScaleSpec, **attributes: Any) -> StatedConfig:
    config = {"inner_optimizer": SGD, **spec.to_config(Generation.TF24)}
    return StatedConfig("optimizer_config", Generation.TF24, spec, config, **attributes)


@pytest.mark.parametrize(
    ("spec", "facts"),
    [
        (LossScaleSpec(initial_scale=64, growth_steps=4), ["dynamic", "64", "2", "4 good steps"]),
        (LossScaleSpec.fixed(128), ["fixed", "128"]),
    ],
)
def test_a_config_is_its_place_its_loss_scale_and_its_optimizer(
    spec: LossScaleSpec, facts: list[str]
) -> None:
    text = describe_config(stated(spec))
    assert text.startswith("optimizer_config: ")
    for fact in (*facts, "SGD"):
        assert fact in text
    assert "Keras itself" not in text
    assert "Keras itself" in describe_config(stated(spec, automatic=True))


@pytest.mark.parametrize(
    ("has_model", "status"), [(False, ArtefactStatus.LOSSY), (True, ArtefactStatus.LOSSLESS)]
)
def test_a_checkpoint_loses_nothing_where_a_function_builds_its_model(
    has_model: bool, status: ArtefactStatus
) -> None:
    path, targets = str(ARTEFACTS / "2.3" / "weights"), [Generation.KERAS3]
    result = verify_artefact(path, targets=targets, has_model=has_model)
    assert (result.status, bool(result.lost)) == (status, not has_model)


def test_a_state_is_what_is_known_of_it() -> None:
    whole = describe_state(LiveState("opt", 32.0, 3, 6, 4))
    assert whole == "state of opt: loss scale 32, good steps 3, iterations 6, 4 slots"
    assert describe_state(LiveState("opt", iterations=6)) == "state of opt: iterations 6, 0 slots"


def test_names_from_a_file_are_escaped() -> None:
    assert "\x1b" not in describe_state(LiveState("\x1b[2J"))
