# SPDX-License-Identifier: Apache-2.0
"""A model of tf-keras that is converted to Keras 3 trains on there as it does in tf-keras."""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compat_lossscale.errors import ConversionError
from compat_lossscale.formats import UnreadableArtefactError, Verdict, read
from compat_lossscale.formats.config import read_wrapper_config
from compat_lossscale.formats.state_mapping import NEARLY, SAME, keras3_numbers
from compat_lossscale.formats.verification import verify_artefact
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation
from tests.formats.samples import ARTEFACTS, import_keras, import_tf_keras

STEPS_BEFORE, STEPS_AFTER = 6, 20
SETTINGS = [
    *((name, {}) for name in sorted(SAME | NEARLY)),
    ("SGD", {"momentum": 0.75, "nesterov": True}),
    ("Adam", {"amsgrad": True, "use_ema": True, "ema_overwrite_frequency": 4}),
    ("RMSprop", {"momentum": 0.75, "centered": True}),
]


def gradients(step: int) -> list[Any]:
    random = np.random.default_rng(step)
    return [random.normal(size=shape).astype("float32") for shape in ((3, 2), (2,))]


def model_of(keras: Any, optimizer: Any) -> Any:
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2, name="dense")])
    model.compile(optimizer, "mse")
    optimizer.build(model.trainable_variables)
    return model


def wrapped(keras: Any, name: str, settings: dict[str, Any]) -> Any:
    inner = getattr(keras.optimizers, name)(0.125, **settings)
    return keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=64.0)


def train(model: Any, steps: range) -> list[Any]:
    import tensorflow as tf

    for step in steps:
        values = [tf.constant(value) for value in gradients(step)]
        model.optimizer.inner_optimizer.apply_gradients(
            zip(values, model.trainable_variables, strict=True)
        )
    return [np.array(variable) for variable in model.get_weights()]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_training_goes_on_in_keras_3_as_it_does_in_tf_keras(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    tf_keras, keras = import_tf_keras(), import_keras()
    old = model_of(tf_keras, wrapped(tf_keras, name, settings))
    train(old, range(STEPS_BEFORE))
    path, copy = tmp_path / "old.keras", tmp_path / "new.keras"
    old.save(path)
    write_converted(read(path), Generation.KERAS3, str(copy))

    (state,) = read(copy).states
    assert (state.loss_scale, state.good_steps, state.iterations) == (64.0, 0, STEPS_BEFORE)
    new = model_of(keras, wrapped(keras, name, settings))
    new.load_weights(copy)
    assert int(new.optimizer.iterations) == STEPS_BEFORE
    steps = range(STEPS_BEFORE, STEPS_BEFORE + STEPS_AFTER)
    expected, found = train(old, steps), train(new, steps)
    for one, other in zip(expected, found, strict=True):
        tolerance = 1e-6 if name in SAME else 1e-4
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance / 100)


@pytest.mark.parametrize(
    ("artefact", "verdict", "reason"),
    [
        ("2.21/model.keras", Verdict.KEPT, ""),
        ("2.15/model.keras", Verdict.KEPT, ""),
        ("2.21/model.h5", Verdict.LOST, "nothing of the wrapped optimizer"),
        ("2.21/model-legacy.h5", Verdict.LOST, "other variables than the legacy family"),
        ("2.3/model.h5", Verdict.LOST, "other variables than the legacy family"),
        ("keras3/model.keras", Verdict.LOST, "reads the variables of the other family"),
    ],
)
def test_the_iterations_and_slots_are_kept_where_they_are_mapped(
    artefact: str, verdict: Verdict, reason: str
) -> None:
    target = Generation.TF_KERAS if "keras3" in artefact else Generation.KERAS3
    result = verify_artefact(str(ARTEFACTS / artefact), targets=[target])
    ((_, (conversion,)),) = result.conversions
    fields = {field.name: field for field in conversion.fields}
    for name in ("state.iterations", "state.slots"):
        assert fields[name].verdict is verdict
        assert reason in fields[name].reason


def test_what_is_not_mapped_says_what_stands_in_the_way(tmp_path: Path) -> None:
    tf_keras = import_tf_keras()
    for name, reason in (("Nadam", "momentum schedule"), ("Adafactor", "different variables")):
        path = tmp_path / f"{name}.keras"
        model_of(tf_keras, wrapped(tf_keras, name, {})).save(path)
        result = verify_artefact(str(path), targets=[Generation.KERAS3])
        (lost, *_) = (f for f in result.conversions[0][1][0].fields if f.name == "state.iterations")
        assert (lost.verdict, reason in lost.reason) == (Verdict.LOST, True)
        write_converted(read(path), Generation.KERAS3, str(tmp_path / "copy.keras"), overwrite=True)


def test_a_learning_rate_schedule_has_no_variable_in_keras_3_either(tmp_path: Path) -> None:
    tf_keras, keras = import_tf_keras(), import_keras()
    decays = [k.optimizers.schedules.ExponentialDecay(0.125, 4, 0.5) for k in (tf_keras, keras)]
    old, new = (
        model_of(k, k.mixed_precision.LossScaleOptimizer(k.optimizers.Adam(decay)))
        for k, decay in zip((tf_keras, keras), decays, strict=True)
    )
    train(old, range(STEPS_BEFORE))
    path, copy = tmp_path / "old.keras", tmp_path / "new.keras"
    old.save(path)
    write_converted(read(path), Generation.KERAS3, str(copy))
    new.load_weights(copy)
    steps = range(STEPS_BEFORE, STEPS_BEFORE + STEPS_AFTER)
    for one, other in zip(train(old, steps), train(new, steps), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


def test_the_scale_and_the_counter_that_this_package_saved_are_kept_in_keras_3(
    tmp_path: Path,
) -> None:
    import tensorflow as tf

    import compat_lossscale

    tf_keras, keras = import_tf_keras(), import_keras()
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.Adam(0.125), initial_scale=64.0, dynamic_growth_steps=4
    )
    old = model_of(tf_keras, optimizer)
    for step in range(5):
        values = [tf.constant(value) for value in gradients(step)]
        optimizer.apply_gradients(zip(values, old.trainable_variables, strict=True))
    path, copy = tmp_path / "old.keras", tmp_path / "new.keras"
    old.save(path)
    result = verify_artefact(str(path), targets=[Generation.KERAS3])
    assert result.conversions[0][1][0].lost == ()
    write_converted(read(path), Generation.KERAS3, str(copy))
    assert read(copy).states == read(path).states
    new = model_of(keras, wrapped(keras, "Adam", {}))
    new.load_weights(copy)
    assert (float(new.optimizer.dynamic_scale), int(new.optimizer.step_counter)) == (128.0, 1)


def test_a_learning_rate_beyond_any_float_is_refused() -> None:
    artefact = read(ARTEFACTS / "2.21" / "model.keras")
    parts = read_wrapper_config(artefact.configs[0].config)
    assert parts.inner is not None
    settings = {**parts.inner["config"], "learning_rate": 10**400}
    parts = dataclasses.replace(parts, inner={**parts.inner, "config": settings})
    with pytest.raises(ConversionError, match="larger than any float"):
        keras3_numbers(parts, artefact)


Change = Callable[[Any, Path], None]


def without_the_iterations(weights: Any, folder: Path) -> None:
    del folder
    del weights["optimizer/inner_optimizer/vars/0"]
    weights["optimizer/inner_optimizer/vars/x"] = 6


def with_a_link_to_another_file(weights: Any, folder: Path) -> None:
    import h5py

    other = folder / "other.h5"
    with h5py.File(other, "w") as file:
        weights.copy("optimizer/inner_optimizer", file)
    del weights["optimizer/inner_optimizer"]
    weights["optimizer/inner_optimizer"] = h5py.ExternalLink(str(other), "inner_optimizer")


@pytest.mark.parametrize("change", [without_the_iterations, with_a_link_to_another_file])
def test_variables_that_tf_keras_did_not_number_are_not_numbered_anew(
    change: Change, tmp_path: Path
) -> None:
    h5py = pytest.importorskip("h5py")
    path, copy = tmp_path / "old.keras", tmp_path / "new.keras"
    with (
        zipfile.ZipFile(ARTEFACTS / "2.21" / "model.keras") as old,
        zipfile.ZipFile(path, "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            if name == "model.weights.h5":
                weights = tmp_path / "weights.h5"
                weights.write_bytes(content)
                with h5py.File(weights, "r+") as file:
                    change(file, tmp_path)
                content = weights.read_bytes()
            new.writestr(name, content)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(UnreadableArtefactError):
        write_converted(read(path), Generation.KERAS3, str(copy))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
