# SPDX-License-Identifier: Apache-2.0
"""Optimizers and loss scales are found by who holds whom, not by the names of variables."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.cli.verify import text_of
from compat_lossscale.errors import UnreadableArtefactError
from compat_lossscale.formats import LiveState, checkpoint, read
from compat_lossscale.formats.tensor_bundle import ObjectGraph
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from tests.formats.samples import ARTEFACTS
from tests.support import run_code


def dynamic(scale: float = 128.0, **others: Any) -> Any:
    """What a wrapper of TensorFlow 2.3 and later holds."""
    variables = {"current_loss_scale": tf.Variable(scale), "good_steps": tf.Variable(3, tf.int64)}
    return tf.train.Checkpoint(**variables, **others)


def optimizer(**others: Any) -> Any:
    """An optimizer of the legacy family, without slots."""
    variables = {"iter": tf.Variable(7, tf.int64), "learning_rate": tf.Variable(0.5)}
    return tf.train.Checkpoint(**variables, **others)


def states(folder: Path, **held: Any) -> list[tuple[Any, ...]]:
    path = tf.train.Checkpoint(**held).write(str(folder / "saved"))
    return [(s.where, s.loss_scale, s.good_steps, s.iterations) for s in read(path).states]


def test_a_loss_scale_that_stands_beside_its_optimizer_is_the_optimizers(tmp_path: Path) -> None:
    scale = dynamic()
    held = {"loss_scale": scale, "optimizer": optimizer(loss_scale=scale)}
    assert states(tmp_path, **held) == [("optimizer", 128.0, 3, 7)]


def test_a_loss_scale_alone_is_shown_under_its_own_path(tmp_path: Path) -> None:
    assert states(tmp_path, ls=dynamic(), optimizer=optimizer()) == [
        ("optimizer", None, None, 7),
        ("ls", 128.0, 3, None),
    ]


def test_an_optimizer_that_is_the_attribute_of_a_module_is_found(tmp_path: Path) -> None:
    trainer = tf.Module()
    trainer.inside = tf.Module()
    trainer.inside.opt = optimizer(loss_scale=dynamic())
    assert states(tmp_path, trainer=trainer) == [("trainer/inside/opt", 128.0, 3, 7)]


def test_the_oldest_wrapper_and_the_optimizer_in_it_are_one(tmp_path: Path) -> None:
    wrapper = tf.train.Checkpoint(base_optimizer=optimizer(), loss_scale=dynamic())
    assert states(tmp_path, optimizer=wrapper) == [("optimizer", 128.0, 3, 7)]
    (note,) = read(tmp_path / "saved").notes
    assert "stock tf-keras restores the iterations as 0" in note
    assert "compat-lossscale run" in note


def test_newer_checkpoints_have_no_such_note() -> None:
    assert read(ARTEFACTS / "2.3" / "checkpoint-1").notes == ()
    assert read(ARTEFACTS / "2.2" / "saved_model").notes


@pytest.mark.parametrize("version", ["1.15", "2.2", "2.3", "2.10", "2.21"])
def test_the_iterations_and_slots_of_a_fixed_wrapper_are_shown(version: str) -> None:
    artefact = read(ARTEFACTS / version / "fixed-checkpoint-1")
    recorded = json.loads((ARTEFACTS / version / "fixed-checkpoint.json").read_text())["saved"]
    (state,) = artefact.states
    assert (state.iterations, state.slots) == (recorded["iterations"], 4)
    # The optimizers of 2.11 and later do not show that they are wrapped.
    assert (checkpoint.NOT_A_VARIABLE in artefact.missing) is (version != "2.21")


@pytest.mark.parametrize("scale", [math.inf, math.nan])
def test_a_live_scale_with_which_nothing_goes_on_is_said_on_every_path(
    scale: float, tmp_path: Path
) -> None:
    path = tf.train.Checkpoint(a=tf.train.Checkpoint(b=dynamic(scale))).write(str(tmp_path / "c"))
    result = verify_artefact(path)
    assert result.status is ArtefactStatus.LOSSY
    assert any(
        f"lost: the loss scale of a/b: it is {scale:g}" in line for line in text_of([result])
    )


@pytest.mark.parametrize("ours", [True, False])
def test_the_loss_scale_of_keras_3_is_read(ours: bool, tmp_path: Path) -> None:
    wrapper = "compat_lossscale.keras3" if ours else "keras.optimizers"
    run_code(
        f"""
        import keras
        import numpy as np
        import tensorflow as tf
        import compat_lossscale.keras3
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        inner = keras.optimizers.Adam(0.5)
        model.compile({wrapper}.LossScaleOptimizer(inner, initial_scale=64.0), "mse")
        for target in (1.0, np.nan, 1.0):
            model.train_on_batch(np.ones((2, 3)), np.full((2, 2), target))
        tf.train.Checkpoint(model=model, opt=model.optimizer).write("both")
        tf.train.Checkpoint(model).write("model")
        """,
        cwd=tmp_path,
        tensorflow_may_be_imported=True,
    )
    for name, where in (("both", "opt"), ("model", "optimizer")):
        artefact = read(tmp_path / name)
        assert artefact.layout == checkpoint.KERAS3
        assert artefact.states == (LiveState(where, 32.0, 1, 2, 4),)
    assert verify_artefact(str(tmp_path / "both")).status is ArtefactStatus.LOSSLESS


def test_a_damaged_graph_is_refused() -> None:
    child = b"\x0a\x04\x0a\x02\x08\x05"
    with pytest.raises(UnreadableArtefactError, match="object graph is damaged"):
        ObjectGraph(child)
