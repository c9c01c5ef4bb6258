# SPDX-License-Identifier: Apache-2.0
"""Saving by public names writes what saving by private names reads, and the other way round."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
import tf_keras

import compat_lossscale
from compat_lossscale import optimizers
from compat_lossscale._patching import FunctionPatches
from compat_lossscale.optimizers import saving, stock
from tests.optimizers.test_saving import (
    FORMATS,
    INPUTS,
    TARGETS,
    live_state,
    make_model,
    train,
    train_first_half,
)
from tests.support import Family


@contextlib.contextmanager
def by_public_names() -> Iterator[None]:
    private = optimizers.keras_patches.applied
    optimizers.keras_patches.replace(optimizers.experimental.REGISTERED)
    public = FunctionPatches()
    public.replace(saving.patches())
    try:
        yield
    finally:
        public.replace(())
        optimizers.keras_patches.replace(private)


@pytest.fixture(params=["public", "private"])
def writer(request: pytest.FixtureRequest) -> contextlib.AbstractContextManager[None]:
    return by_public_names() if request.param == "public" else contextlib.nullcontext()


@pytest.fixture
def reader(writer: contextlib.AbstractContextManager[None]) -> object:
    """The other one."""
    is_public = isinstance(writer, contextlib.nullcontext)
    return by_public_names() if is_public else contextlib.nullcontext()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("suffix", FORMATS, ids=["h5", "keras", "SavedModel"])
@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_what_one_way_saves_the_other_loads(
    family: Family, suffix: str, writer: object, reader: object, tmp_path: Path
) -> None:
    model = make_model("public", family)
    train_first_half(model)
    path = str(tmp_path / f"model{suffix}")
    with writer:  # type: ignore[attr-defined]
        model.save(path)
    with reader:  # type: ignore[attr-defined]
        loaded = tf_keras.models.load_model(path)
    assert live_state(loaded) == live_state(model)
    train(model, 5)
    train(loaded, 5)
    assert live_state(loaded) == live_state(model)


def test_what_one_way_saves_of_weights_the_other_loads(
    family: Family, writer: object, reader: object, tmp_path: Path
) -> None:
    model, resumed = make_model("public", family), make_model("public", family)
    train_first_half(model)
    path = str(tmp_path / "model.weights.h5")
    with writer:  # type: ignore[attr-defined]
        model.save_weights(path)
    if family.name == "new":
        resumed.optimizer.build(resumed.trainable_variables)
    with reader:  # type: ignore[attr-defined]
        resumed.load_weights(path)
    assert live_state(resumed) == live_state(model)


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_a_model_saved_without_its_optimizer_or_with_another_is_left_alone(tmp_path: Path) -> None:
    model = make_model("public", Family("new"))
    other = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(3,))])
    other.compile("sgd", "mse")
    other.fit(INPUTS, TARGETS, verbose=0)
    with by_public_names():
        model.save(tmp_path / "without.h5", include_optimizer=False)
        other.save(tmp_path / "other.keras")
        assert tf_keras.models.load_model(tmp_path / "without.h5").optimizer is None
        loaded = tf_keras.models.load_model(tmp_path / "other.keras")
    with h5py.File(tmp_path / "without.h5") as file:
        assert "optimizer_weights" not in file
    np.testing.assert_array_equal(loaded.get_weights()[0], other.get_weights()[0])


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_an_open_file_is_added_to_and_stays_open() -> None:
    model = make_model("public", Family("legacy"))
    train_first_half(model)
    with by_public_names(), h5py.File(io.BytesIO(), "w") as file:
        tf_keras.models.save_model(model, file, save_format="h5")
        loaded = tf_keras.models.load_model(file)
        assert file.id.valid
    assert live_state(loaded) == live_state(model)
    assert isinstance(loaded.optimizer, compat_lossscale.LossScaleOptimizer)


@pytest.mark.needs_private("without private names, the public functions are patched at import")
def test_every_name_of_the_public_functions_is_patched() -> None:
    names = [(tf_keras.models, "save_model"), (tf_keras.saving, "save_model")]
    names += [(tf_keras.models, "load_model"), (tf_keras.saving, "load_model")]
    names += [(stock.Model, "save_weights"), (stock.Model, "load_weights")]
    before = [getattr(owner, name) for owner, name in names]
    with by_public_names():
        for function, (owner, name) in zip(before, names, strict=True):
            assert getattr(owner, name) is not function, (owner, name)
    assert [getattr(owner, name) for owner, name in names] == before
