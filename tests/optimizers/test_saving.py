# SPDX-License-Identifier: Apache-2.0
"""Saved and resumed training goes on as if it had never stopped, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import experimental
from compat_lossscale.formats import reading
from compat_lossscale.optimizers import stock
from tests.loss_scales import CappedLossScale, RenamedLossScale
from tests.support import NAN, Family, run_code

pytestmark = pytest.mark.grid(2)

INPUTS = np.random.RandomState(0).randn(16, 3).astype(np.float32)
TARGETS = INPUTS[:, :1] * 2
BAD_INPUTS = np.full_like(INPUTS, NAN)
FORMATS = (".h5", ".keras", "")
KINDS = ("public", "experimental", "multiplier 4")


def make_optimizer(kind: str, family: Family) -> Any:
    inner = family.adam(0.05)
    if kind == "public":
        return compat_lossscale.LossScaleOptimizer(inner, initial_scale=64, dynamic_growth_steps=3)
    multiplier = 4.0 if kind == "multiplier 4" else 2.0
    loss_scale = experimental.DynamicLossScale(64, 3, multiplier)
    return experimental.LossScaleOptimizer(inner, loss_scale)


def make_model(kind: str, family: Family) -> Any:
    tf_keras.utils.set_random_seed(1)
    layers = [tf_keras.layers.Dense(3, "tanh", input_shape=(3,)), tf_keras.layers.Dense(1)]
    model = tf_keras.Sequential(layers)
    model.compile(make_optimizer(kind, family), "mse")
    return model


def train(model: Any, good_steps: int) -> None:
    for _ in range(good_steps):
        model.train_on_batch(INPUTS, TARGETS)


def train_first_half(model: Any) -> None:
    """Grows once, skips a step, and stops between two growths: nothing is at its initial value."""
    train(model, 4)
    model.train_on_batch(BAD_INPUTS, TARGETS)
    train(model, 4)


def live_state(model: Any) -> dict[str, Any]:
    optimizer = model.optimizer
    inner = optimizer.inner_optimizer.variables
    inner = inner() if callable(inner) else inner
    return {
        "scale": float(optimizer.loss_scale),
        "counter": int(optimizer.dynamic_counter),
        "iterations": int(optimizer.iterations),
        "weights": [weight.tolist() for weight in model.get_weights()],
        # Which of two slots is made first depends on what made them.
        "inner": sorted(repr(variable.numpy().tolist()) for variable in inner),
    }


@pytest.mark.parametrize("suffix", FORMATS, ids=["h5", "keras", "SavedModel"])
@pytest.mark.parametrize("cls", [CappedLossScale, RenamedLossScale])
@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_a_users_subclass_of_a_known_loss_scale_stays_what_it_is(
    cls: Any, suffix: str, family: Family, tmp_path: Path
) -> None:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(3,))])
    model.compile(experimental.LossScaleOptimizer(family.sgd(0.01), cls(32.0)), "mse")
    train(model, 4)
    assert float(model.optimizer.loss_scale) == 32
    path = str(tmp_path / f"model{suffix}")
    model.save(path)
    loaded = tf_keras.models.load_model(path, custom_objects={cls.__name__: cls}).optimizer
    assert type(loaded.loss_scale) is cls
    assert loaded.loss_scale.get_config() == model.optimizer.loss_scale.get_config()
    assert float(loaded.loss_scale) == 32
    with pytest.raises(ValueError, match=cls.__name__):
        tf_keras.models.load_model(path)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("suffix", FORMATS, ids=["h5", "keras", "SavedModel"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_loaded_model_trains_on_as_the_saved_one(
    kind: str, family: Family, suffix: str, tmp_path: Path
) -> None:
    model = make_model(kind, family)
    train_first_half(model)
    path = str(tmp_path / f"model{suffix}")
    model.save(path)
    loaded = tf_keras.models.load_model(path)
    assert isinstance(loaded.optimizer, compat_lossscale.LossScaleOptimizer)
    assert live_state(loaded) == live_state(model)
    assert live_state(loaded)["counter"] > 0
    train(model, 5)
    train(loaded, 5)
    assert live_state(loaded) == live_state(model)


@pytest.mark.parametrize("name", ["weights", "model.weights.h5"], ids=["checkpoint", "weights.h5"])
def test_saved_weights_bring_the_loss_scale_along(
    name: str, family: Family, tmp_path: Path
) -> None:
    model, resumed = make_model("public", family), make_model("public", family)
    train_first_half(model)
    model.save_weights(str(tmp_path / name))
    if family.name == "new":
        resumed.optimizer.build(resumed.trainable_variables)
    resumed.load_weights(str(tmp_path / name))
    train(model, 5)
    train(resumed, 5)
    assert live_state(resumed) == live_state(model)


def test_checkpoint_manager_resumes_training(family: Family, tmp_path: Path) -> None:
    model, resumed = make_model("experimental", family), make_model("experimental", family)
    train_first_half(model)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1).save()
    restored = tf.train.Checkpoint(model=resumed, optimizer=resumed.optimizer)
    status = restored.restore(tf.train.latest_checkpoint(str(tmp_path)))
    train(model, 5)
    train(resumed, 5)
    status.assert_existing_objects_matched()
    assert live_state(resumed) == live_state(model)


class InterruptionError(Exception):
    pass


class Interrupt(tf_keras.callbacks.Callback):  # type: ignore[misc]  # TensorFlow has no types
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise InterruptionError


def test_backup_and_restore_equals_training_uninterrupted(family: Family, tmp_path: Path) -> None:
    data = {"x": INPUTS, "y": TARGETS, "epochs": 4, "batch_size": 4, "shuffle": False, "verbose": 0}
    straight = make_model("public", family)
    straight.fit(**data)

    def backup() -> Any:
        return tf_keras.callbacks.BackupAndRestore(str(tmp_path / "backup"))

    with pytest.raises(InterruptionError):
        make_model("public", family).fit(**data, callbacks=[backup(), Interrupt()])
    resumed = make_model("public", family)
    resumed.fit(**data, callbacks=[backup()])
    assert live_state(resumed) == live_state(straight)


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_what_is_saved_loads_in_plain_tf_keras(family: Family, tmp_path: Path) -> None:
    model = make_model("public", family)
    train(model, 2)
    for suffix in FORMATS:
        model.save(str(tmp_path / f"model{suffix}"))
    # What tf-keras alone restores of its own files: see the documentation's compatibility page.
    program = f"""
        import sys, tf_keras
        for suffix in {FORMATS!r}:
            optimizer = tf_keras.models.load_model({str(tmp_path / "model")!r} + suffix).optimizer
            print(suffix, float(optimizer.loss_scale), optimizer.dynamic_growth_steps)
        assert not any(name.startswith("compat_lossscale") for name in sys.modules)
    """
    printed = run_code(program, tensorflow_may_be_imported=True)
    assert printed.splitlines() == [f"{suffix} 64.0 3" for suffix in FORMATS]


@pytest.mark.parametrize("suffix", FORMATS, ids=["h5", "keras", "SavedModel"])
@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_what_tf_keras_saved_loads_as_our_class(
    suffix: str, family: Family, tmp_path: Path
) -> None:
    model = make_model("public", family)
    inner = family.adam(0.05)
    model.compile(stock.BaseLossScaleOptimizer(inner, initial_scale=64), "mse")
    assert not isinstance(model.optimizer, compat_lossscale.LossScaleOptimizer)
    train(model, 2)
    model.save(str(tmp_path / f"model{suffix}"))
    loaded = tf_keras.models.load_model(str(tmp_path / f"model{suffix}"))
    assert type(loaded.optimizer) == compat_lossscale.LossScaleOptimizer  # noqa: E721  # as users do
    assert loaded.optimizer.initial_scale == 64


def test_models_without_loss_scaling_are_saved_as_ever(family: Family, tmp_path: Path) -> None:
    model = make_model("public", family)
    model.compile(family.sgd(0.1), "mse")
    train(model, 2)
    model.save(str(tmp_path / "model.keras"))
    loaded = tf_keras.models.load_model(str(tmp_path / "model.keras"))
    assert type(loaded.optimizer) is type(model.optimizer)


@pytest.mark.parametrize("suffix", [".h5", ".keras"])
@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")
def test_the_verifier_finds_the_state_that_is_saved(
    suffix: str, family: Family, tmp_path: Path
) -> None:
    model = make_model("public", family)
    train_first_half(model)
    path = str(tmp_path / f"model{suffix}")
    model.save(path)
    (state,) = reading.read(path).states
    assert (state.loss_scale, state.good_steps) == (128.0, 1)
    assert state.iterations == 9
