# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tf_keras

from compat_lossscale import LossScaleOptimizer, experimental, optimizers
from compat_lossscale.core import DynamicLossScale
from compat_lossscale.optimizers import base
from tests.support import NAN, Family

pytestmark = pytest.mark.grid(2)

FORMATS = ["model.h5", "model.keras", "saved"]
X, Y = np.ones((4, 1), np.float32), np.zeros((4, 1), np.float32)


@pytest.fixture
def legacy_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "old_names_are_installed", True)


def model_of(optimizer: Any) -> Any:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
    model.compile(optimizer, "mse")
    model.set_weights([np.array([[1.0]])])
    return model


def test_serializing_and_deserializing_gives_our_class(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(0.5), initial_scale=8, dynamic_growth_steps=3)
    made = tf_keras.optimizers.deserialize(tf_keras.optimizers.serialize(opt))
    assert type(made) == LossScaleOptimizer  # noqa: E721  # how the old programs asked
    assert isinstance(made, family.base)
    assert made.get_config() == opt.get_config()


def test_the_serialized_name_is_tf_keras_own(family: Family) -> None:
    ours = tf_keras.optimizers.serialize(LossScaleOptimizer(family.sgd(0.5)))
    theirs = tf_keras.optimizers.serialize(
        tf_keras.mixed_precision.LossScaleOptimizer(family.sgd(0.5))
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "name", ["LossScaleOptimizer", "LossScaleOptimizerV1", "LossScaleOptimizerV3"]
)
def test_every_recorded_class_name_gives_our_class(name: str, family: Family) -> None:
    config = LossScaleOptimizer(family.sgd(0.5), initial_scale=8).get_config()
    made = tf_keras.optimizers.deserialize({"class_name": name, "config": config})
    assert isinstance(made, LossScaleOptimizer)
    assert made.loss_scale == 8


def test_the_form_of_tensorflow_2_3_gives_the_experimental_class(family: Family) -> None:
    opt = experimental.LossScaleOptimizer(family.sgd(), DynamicLossScale(8, 3, 4))
    made = tf_keras.optimizers.deserialize(tf_keras.optimizers.serialize(opt))
    assert isinstance(made, experimental.LossScaleOptimizer)
    assert made.loss_scale.multiplier == 4


def test_every_form_gives_the_experimental_class_in_a_legacy_program(
    family: Family, legacy_program: None
) -> None:
    opt = LossScaleOptimizer(family.sgd(), initial_scale=8)
    made = tf_keras.optimizers.deserialize(tf_keras.optimizers.serialize(opt))
    assert isinstance(made, experimental.LossScaleOptimizer)
    assert made.loss_scale() == 8


def test_the_names_can_be_taken_out_and_put_back() -> None:
    objects = tf_keras.utils.get_custom_objects()
    optimizers.keras_patches.replace(())
    try:
        assert not [name for name in objects if "lossscale" in name.lower()]
    finally:
        optimizers.keras_patches.add(optimizers.PATCHES)
    assert objects["LossScaleOptimizer"] is optimizers.experimental.SavedLossScaleOptimizer


def test_an_own_subclass_comes_back_by_custom_objects(family: Family) -> None:
    class Own(LossScaleOptimizer):
        pass

    opt = Own(family.sgd(), initial_scale=8)
    made = tf_keras.optimizers.deserialize(
        tf_keras.optimizers.serialize(opt), custom_objects={"Own": Own}
    )
    assert type(made) == Own  # noqa: E721  # how the old programs asked


@pytest.mark.sampled(5)
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("kind", ["public", "experimental"])
def test_a_loaded_model_has_our_class_and_trains_on(
    family: Family, tmp_path: Path, suffix: str, kind: str
) -> None:
    inner = family.adam(0.1)
    opt = {
        "public": lambda: LossScaleOptimizer(inner, initial_scale=8, dynamic_growth_steps=3),
        "experimental": lambda: experimental.LossScaleOptimizer(inner, DynamicLossScale(8, 3)),
    }[kind]()
    model = model_of(opt)
    model.fit(X, Y, verbose=0)
    path = str(tmp_path / suffix)
    model.save(path)
    loaded = tf_keras.models.load_model(path)
    assert isinstance(loaded.optimizer, LossScaleOptimizer)
    assert isinstance(loaded.optimizer, family.base)
    assert loaded.optimizer.get_config() == opt.get_config()
    assert loaded.optimizer.loss_scale == 8
    loaded.fit(X, Y, verbose=0)
    model.fit(X, Y, verbose=0)
    np.testing.assert_allclose(loaded.get_weights()[0], model.get_weights()[0], rtol=1e-5)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_saved_model_keeps_scale_counter_and_iterations(
    family: Family, tmp_path: Path, suffix: str
) -> None:
    opt = LossScaleOptimizer(family.adam(0.1), initial_scale=8, dynamic_growth_steps=2)
    model = model_of(opt)
    model.fit(X, Y, epochs=3, verbose=0)
    model.save(str(tmp_path / suffix))
    loaded = tf_keras.models.load_model(str(tmp_path / suffix)).optimizer
    assert float(loaded.loss_scale) == float(opt.loss_scale) == 16
    assert int(loaded.dynamic_counter) == int(opt.dynamic_counter) == 1
    assert int(loaded.iterations) == 3


def test_a_model_saved_by_tf_keras_own_wrapper_loads_as_ours(
    family: Family, tmp_path: Path
) -> None:
    stock = tf_keras.mixed_precision.LossScaleOptimizer
    model = model_of(stock(family.sgd(0.25), initial_scale=8))
    model.fit(X, Y, verbose=0)
    for suffix in FORMATS:
        path = str(tmp_path / suffix)
        model.save(path)
        assert isinstance(tf_keras.models.load_model(path).optimizer, LossScaleOptimizer), suffix


@pytest.mark.parametrize("era", ["2.3", "2.4"])
def test_an_h5_file_of_an_old_version_loads(tmp_path: Path, era: str) -> None:
    """The optimizer's config is put into the file as the old versions wrote it."""
    path = str(tmp_path / "model.h5")
    model = model_of(Family("legacy").adam(0.1))
    model.fit(X, Y, verbose=0)
    model.save(path)
    with h5py.File(path, "r+") as file:
        training = json.loads(file.attrs["training_config"])
        inner = training["optimizer_config"]
        inner.pop("registered_name", None)
        inner.pop("module", None)
        if era == "2.3":
            loss_scale = {
                "class_name": "DynamicLossScale",
                "config": {"initial_loss_scale": 8.0, "increment_period": 3, "multiplier": 2.0},
            }
            wrapper = {
                "class_name": "LossScaleOptimizer",
                "config": {"optimizer": inner, "loss_scale": loss_scale},
            }
        else:
            wrapper = {
                "class_name": "LossScaleOptimizerV1",
                "config": {
                    "inner_optimizer": inner,
                    "dynamic": True,
                    "initial_scale": 8.0,
                    "dynamic_growth_steps": 3,
                },
            }
        training["optimizer_config"] = wrapper
        file.attrs["training_config"] = json.dumps(training).encode()
    loaded = tf_keras.models.load_model(path)
    assert isinstance(loaded.optimizer, LossScaleOptimizer)
    assert loaded.optimizer.loss_scale == 8
    assert loaded.optimizer.dynamic_growth_steps == 3
    assert int(loaded.optimizer.iterations) == 1
    loaded.fit(X * NAN, Y, verbose=0)
    assert loaded.optimizer.loss_scale == 4


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_loaded_model_with_a_fixed_scale_trains_on(
    family: Family, tmp_path: Path, suffix: str
) -> None:
    opt = experimental.LossScaleOptimizer(family.adam(0.1), 8)
    model = model_of(opt)
    model.fit(X, Y, verbose=0)
    path = str(tmp_path / suffix)
    model.save(path)
    loaded = tf_keras.models.load_model(path)
    assert isinstance(loaded.optimizer, LossScaleOptimizer)
    assert loaded.optimizer.get_config() == opt.get_config()
    assert loaded.optimizer.loss_scale == 8
    loaded.fit(X, Y, verbose=0)
    model.fit(X, Y, verbose=0)
    np.testing.assert_allclose(loaded.get_weights()[0], model.get_weights()[0], rtol=1e-5)
