# SPDX-License-Identifier: Apache-2.0
"""Loss scaling that Keras adds itself under mixed_float16 is found, though no config states it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.formats import Artefact, hdf5, keras_archive, read
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import SGD, import_tf_keras
from tests.support import run_code

SAVE = """
import sys
import numpy as np
from {package} import Sequential, layers, mixed_precision, optimizers
from {package}.models import load_model

# Small enough for no gradient to overflow at the initial scale.
x, y = np.full((4, 2), 1 / 64, "float32"), np.zeros((4, 1), "float32")
def save(name, optimizer, policy="mixed_float16", **arguments):
    mixed_precision.{set_policy}(policy)
    model = Sequential([layers.Input((2,)), layers.Dense(1)])
    model.compile(optimizer, "mse", **arguments)
    bad = x * np.float32("inf")
    for batch in (x, x, bad, x):
        model.train_on_batch(batch, y)
    for ending in ("keras", "h5", "weights.h5"):
        (model.save_weights if ending == "weights.h5" else model.save)(f"{{name}}.{{ending}}")
"""
KERAS3 = SAVE.format(package="keras", set_policy="set_dtype_policy")
TF_KERAS = SAVE.format(package="tf_keras", set_policy="set_global_policy")


@pytest.fixture(scope="module")
def keras3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Keras 3 saves of optimizers that it wrapped, that a user wrapped, and others."""
    import_tf_keras()
    folder = tmp_path_factory.mktemp("keras3")
    calls = """
save("adam", "adam")
save("sgd", optimizers.SGD(0.5))
save("momentum", optimizers.LossScaleOptimizer(optimizers.SGD(0.5, 0.5), initial_scale=64.0))
save("not_wrapped", "sgd", auto_scale_loss=False)
save("float32", "sgd", policy="float32")
"""
    run_code(KERAS3 + calls, cwd=folder, tensorflow_may_be_imported=True)
    return folder


@pytest.fixture(scope="module")
def tf_keras(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stock tf-keras saves of optimizers of both families that it wrapped."""
    import_tf_keras()
    folder = tmp_path_factory.mktemp("tf_keras")
    calls = """
save("adam", "adam")
save("legacy", optimizers.legacy.SGD(0.5))
"""
    run_code(
        TF_KERAS + calls,
        cwd=folder,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    return folder


def state_of(artefact: Artefact) -> tuple[Any, ...]:
    (state,) = artefact.states
    return (state.loss_scale, state.good_steps, state.iterations, state.slots)


@pytest.mark.parametrize(
    ("name", "state"), [("adam", (16384.0, 1, 3, 4)), ("sgd", (16384.0, 1, 3, 0))]
)
@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_an_optimizer_that_keras_3_wrapped_has_the_default_loss_scale_and_its_state(
    name: str, state: tuple[Any, ...], ending: str, keras3: Path
) -> None:
    artefact = read(keras3 / f"{name}.{ending}")
    (config,) = artefact.configs
    assert (config.generation, config.spec) == (Generation.KERAS3, LossScaleSpec())
    assert config.automatic == (ending == "keras")
    assert state_of(artefact) == state
    said = " ".join(artefact.missing)
    assert ("only if the policy is mixed_float16 when the model is loaded" in said) == (
        ending == "keras"
    )


@pytest.mark.parametrize(
    ("name", "state"), [("sgd", (16384.0, 1, 3, 0)), ("momentum", (32.0, 1, 3, 2))]
)
def test_weights_of_keras_3_hold_the_state_and_no_config(
    name: str, state: tuple[Any, ...], keras3: Path
) -> None:
    artefact = read(keras3 / f"{name}.weights.h5")
    assert (artefact.format, artefact.layout, artefact.configs) == (
        hdf5.WEIGHTS_FORMAT,
        "Keras 3",
        (),
    )
    assert state_of(artefact) == state
    assert artefact.missing == (hdf5.NO_CONFIG,)


@pytest.mark.parametrize("name", ["not_wrapped", "float32"])
@pytest.mark.parametrize("ending", ["keras", "h5", "weights.h5"])
def test_an_optimizer_that_was_not_wrapped_has_no_loss_scale(
    name: str, ending: str, keras3: Path
) -> None:
    assert verify_artefact(str(keras3 / f"{name}.{ending}")).status is ArtefactStatus.NO_LOSS_SCALE


def test_a_copy_that_states_the_config_is_wrapped_under_any_policy(
    keras3: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "stated.keras"
    write_converted(read(keras3 / "adam.keras"), Generation.KERAS3, str(copy))
    artefact = read(copy)
    assert not artefact.configs[0].automatic
    assert artefact.missing == ()
    printed = run_code(
        f"""
        from keras.models import load_model
        optimizers = [load_model(p).optimizer for p in {[str(keras3 / "adam.keras"), str(copy)]!r}]
        print(hasattr(optimizers[0], "dynamic_scale"), float(optimizers[1].dynamic_scale))
        """,
        cwd=tmp_path,
        tensorflow_may_be_imported=True,
    )
    assert printed.split() == ["False", "16384.0"]


def test_a_copy_that_states_the_config_is_wrapped_by_tf_keras_under_any_policy(
    tf_keras: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "stated.keras"
    write_converted(read(tf_keras / "adam.keras"), Generation.TF_KERAS, str(copy))
    optimizer = import_tf_keras().models.load_model(copy).optimizer
    assert type(optimizer).__name__ == "LossScaleOptimizerV3"
    assert (float(optimizer.loss_scale), int(optimizer.iterations)) == (32768.0, 4)


@pytest.mark.parametrize(
    ("name", "module", "iterations"),
    [("adam", "keras.optimizers", 4), ("legacy", "keras.optimizers.legacy", None)],
)
def test_an_optimizer_that_tf_keras_wrapped_has_the_default_loss_scale_in_its_archive(
    name: str, module: str, iterations: int | None, tf_keras: Path
) -> None:
    artefact = read(tf_keras / f"{name}.keras")
    (config,) = artefact.configs
    assert (config.generation, config.spec) == (Generation.TF_KERAS, LossScaleSpec())
    assert config.config["config"]["inner_optimizer"]["module"] == module
    assert [state.iterations for state in artefact.states] == ([iterations] if iterations else [])
    assert "the current loss scale" in " ".join(artefact.missing)


def test_weights_of_tf_keras_say_that_they_do_not_hold_the_scale(tf_keras: Path) -> None:
    artefact = read(tf_keras / "adam.weights.h5")
    assert (artefact.layout, state_of(artefact)) == ("tf-keras", (None, None, 4, 4))
    assert "no place for them" in artefact.missing[1]


POLICY = {"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}
MODEL = {"layers": [{"class_name": "Dense", "config": {"dtype": POLICY}}]}


def archive(path: Path, optimizer: Any, version: str, model: Any = MODEL) -> Artefact:
    with zipfile.ZipFile(path, "w") as file:
        tree = {"config": model, "compile_config": {"optimizer": optimizer}}
        file.writestr(keras_archive.CONFIG, json.dumps(tree))
        file.writestr(keras_archive.METADATA, json.dumps({"keras_version": version}))
    return read(path)


@pytest.mark.parametrize(
    ("version", "generation"), [("3.0.0", Generation.KERAS3), ("2.15.0", Generation.TF_KERAS)]
)
@pytest.mark.parametrize("optimizer", [SGD, "sgd"], ids=["a config", "a name"])
def test_without_variables_the_policy_and_the_version_decide(
    optimizer: Any, version: str, generation: Generation, tmp_path: Path
) -> None:
    (config,) = archive(tmp_path / "model.keras", optimizer, version).configs
    assert (config.generation, config.automatic) == (generation, True)
    assert config.config["config"]["inner_optimizer"]["class_name"] == "SGD"


@pytest.mark.parametrize(
    ("optimizer", "model"),
    [(SGD, {"dtype": "float32"}), (None, MODEL), (3, MODEL), ({"class_name": "SGD"}, MODEL)],
)
def test_without_the_policy_or_an_optimizer_nothing_is_wrapped(
    optimizer: Any, model: Any, tmp_path: Path
) -> None:
    assert archive(tmp_path / "model.keras", optimizer, "3.0.0", model).configs == ()
