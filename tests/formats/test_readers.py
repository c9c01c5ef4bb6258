# SPDX-License-Identifier: Apache-2.0
"""What the readers of models conclude from what they find in a file."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import LiveState, StatedConfig, read
from compat_lossscale.formats.readers import h5, keras_archive
from compat_lossscale.spec import Generation, LossScaleSpec

if TYPE_CHECKING:
    from pathlib import Path

DYNAMIC = StatedConfig("training_config", Generation.TF24, LossScaleSpec(), {})
FIXED = dataclasses.replace(
    DYNAMIC, spec=LossScaleSpec(False, 8.0, growth_steps=None, multiplier=None)
)


def test_only_a_dynamic_loss_scale_has_state_that_can_be_missing() -> None:
    state = LiveState("optimizer_weights", iterations=3)
    assert h5.missing([DYNAMIC], state) == (h5.NO_STATE.format("this file"),)
    assert h5.missing([DYNAMIC], dataclasses.replace(state, loss_scale=8.0)) == ()
    assert h5.missing([FIXED], state) == ()
    assert h5.missing([], LiveState("optimizer_weights")) == ()


def test_iterations_can_be_missing_whatever_the_loss_scale() -> None:
    (what,) = h5.missing([FIXED], LiveState("optimizer_weights"))
    assert what.startswith("the optimizer's iterations and slots")


def test_the_weights_of_a_model_without_a_loss_scale_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(keras_archive.CONFIG, json.dumps({"class_name": "Sequential"}))
        archive.writestr(keras_archive.WEIGHTS, b"no HDF5")
    artefact = read(path)
    assert (artefact.configs, artefact.states, artefact.missing) == ((), (), ())


@pytest.mark.parametrize("is_keras3", [False, True])
def test_only_keras_3_numbers_its_scale_and_its_counter(is_keras3: bool) -> None:
    scalars = {f"optimizer/vars/{n}": value for n, value in enumerate([3, 0.5, 7, 16.0])}
    description = {"attributes": {}, "scalars": scalars, "arrays": [], "truncated": False}
    state = keras_archive._with_numbered(LiveState("weights"), description, is_keras3)
    known = (16.0, 7) if is_keras3 else (None, None)
    assert (state.loss_scale, state.good_steps, state.iterations) == (*known, 3)


def test_a_first_variable_that_is_no_count_is_not_taken_for_the_iterations() -> None:
    scalars = {"optimizer/vars/0": 0.5}
    description = {"attributes": {}, "scalars": scalars, "arrays": [], "truncated": False}
    state = LiveState("weights")
    assert keras_archive._with_numbered(state, description, is_keras3=True) == state
