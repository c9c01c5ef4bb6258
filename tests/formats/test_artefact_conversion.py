# SPDX-License-Identifier: Apache-2.0
"""What becomes of a model is known without the libraries that convert it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest

from compat_lossscale.formats import read
from compat_lossscale.formats.conversion import (
    _KERAS_NAMES,
    _VARIANT,
    Conversion,
    Verdict,
    _plain,
    convert,
    convert_artefact,
    own_names,
    with_state,
)
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.wrapper_configs import read_wrapper_config
from tests.formats.samples import ARTEFACTS, FTRL, SGD, later, tf23

TF23, TF24, TF_KERAS, KERAS3 = Generation


def conversion(name: str, target: Generation, **changes: Any) -> Conversion:
    artefact = dataclasses.replace(read(ARTEFACTS / name), **changes)
    return convert_artefact(artefact, artefact.configs[0], target)


@pytest.mark.parametrize(
    "name", ["2.0/model.h5", "2.3/saved_model", "2.10/model.h5", "2.15/model.keras"]
)
def test_a_model_of_any_version_becomes_one_of_keras_3_with_its_state(name: str) -> None:
    made = conversion(name, KERAS3)
    assert made.lost == ()
    assert {"state.iterations", "state.slots"} <= {field.name for field in made.fields}


@pytest.mark.parametrize(
    ("layer", "unknown"),
    [
        ({"class_name": "Conv1DTranspose", "config": {"trainable": True}}, []),
        ({"class_name": "BatchNormalizationV1", "config": {"trainable": True}}, []),
        ({"class_name": "Dense", "config": {"trainable": True, "own": {"class_name": "Own"}}}, []),
        ({"class_name": "TFOpLambda", "config": {"trainable": True}}, ["TFOpLambda"]),
        ({"class_name": "Lambda", "config": {"trainable": True}}, ["Lambda"]),
        ({"class_name": "StringLookup", "config": {"trainable": True}}, ["StringLookup"]),
        ({"class_name": "StringLookup", "config": {"layers": 1, "vocabulary": ["a"]}}, []),
        ({"class_name": "Own>Net", "config": {"name": "net", "layers": []}}, ["Own>Net"]),
        (
            {
                "class_name": "RNN",
                "config": {
                    "trainable": True,
                    "cell": {"class_name": "OwnCell", "config": {"trainable": True}},
                },
            },
            ["OwnCell"],
        ),
    ],
)
def test_layers_that_are_not_converted_are_known_by_their_names(
    layer: dict[str, Any], unknown: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", path)
    with h5py.File(path, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        model["config"]["layers"].append(layer)
        file.attrs["model_config"] = json.dumps(model)
    artefact = read(path)
    (stated,) = artefact.configs
    lost = {field.name: field.value for field in convert_artefact(artefact, stated, KERAS3).lost}
    assert lost == ({"layers": unknown} if unknown else {})
    # As a copy, and for the versions that wrote it, the layers stay as they are.
    assert convert_artefact(artefact, stated, TF_KERAS).lost == ()


OWN_OPTIMIZER = {"class_name": "MyAdam", "config": {"name": "MyAdam", "learning_rate": 0.1}}
OWN_SCHEDULE = {"class_name": "Warmup", "config": {"base": 0.1}}
OWN_METRIC = {"class_name": "MeanMetricWrapper", "config": {"name": "mine", "fn": "mymetric"}}
MOMENTUM = {"class_name": "SGD", "config": {"learning_rate": 0.1, "momentum": 0.9}}
CALLED_FOR_INFERENCE = {"inbound_nodes": [[["input_1", 0, 0, {"training": False}]]]}


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({"optimizer": OWN_OPTIMIZER}, {"objects": ["MyAdam"]}),
        ({"learning_rate": OWN_SCHEDULE}, {"objects": ["Warmup"]}),
        ({"activation": "act"}, {"objects": ["act"]}),
        ({"kernel_initializer": {"class_name": "My", "config": {}}}, {"objects": ["My"]}),
        ({"loss": "myloss"}, {"compile.loss": "myloss"}),
        ({"metrics": ["accuracy", "mymetric"]}, {"compile.metrics": "mymetric"}),
        ({"metrics": [[OWN_METRIC]]}, {"compile.metrics": "mymetric"}),
        ({"activation": "hard_sigmoid"}, {}),
        ({"class_name": "Dropout", **CALLED_FOR_INFERENCE}, {"layer dense.training": False}),
        (
            {"class_name": "BatchNormalization", "trainable": True, **CALLED_FOR_INFERENCE},
            {"layer dense.training": False},
        ),
        # A frozen one does not train in Keras 3 either.
        ({"class_name": "BatchNormalization", "trainable": False, **CALLED_FOR_INFERENCE}, {}),
        (CALLED_FOR_INFERENCE, {}),
        ({"class_name": "Embedding", "optimizer": MOMENTUM}, {"optimizer.rows": "SGD"}),
        ({"class_name": "Embedding", "optimizer": MOMENTUM, "trainable": False}, {}),
        ({"class_name": "Embedding"}, {}),
        ({"optimizer": MOMENTUM}, {}),
        (
            {
                "learning_rate": {"class_name": "ExponentialDecay", "config": {"decay_rate": 0.5}},
                "activation": "relu",
                "kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.1, "l2": 0.1}},
                "loss": {"a": "mse", "b": {"class_name": "Huber", "config": {}}},
                "metrics": ["acc", "KLD", "sparse_top_k_categorical_accuracy"],
            },
            {},
        ),
    ],
)
def test_what_is_the_users_own_is_lost_without_an_output_too(
    changes: dict[str, Any], lost: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "model.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", path)
    with h5py.File(path, "r+") as file:
        model, training = (
            json.loads(file.attrs[f"{name}_config"]) for name in ("model", "training")
        )
        layer = model["config"]["layers"][-1]
        wrapper = training["optimizer_config"]["config"]
        for key, value in changes.items():
            if key in ("inbound_nodes", "class_name"):
                layer[key] = value
            elif key == "optimizer":
                wrapper[key] = value
            elif key == "learning_rate":
                wrapper["optimizer"]["config"][key] = value
            elif key in ("loss", "metrics"):
                training[key] = value
            else:
                layer["config"][key] = value
        file.attrs["model_config"] = json.dumps(model)
        file.attrs["training_config"] = json.dumps(training)
    artefact = read(path)
    (stated,) = artefact.configs
    made = {field.name: field.value for field in convert_artefact(artefact, stated, KERAS3).lost}
    assert {name: value for name, value in made.items() if "state." not in name} == lost


@pytest.mark.parametrize(
    ("inner", "said"),
    [(MOMENTUM, True), ({"class_name": "Adam", "config": {"learning_rate": 0.1}}, False)],
)
def test_a_config_without_a_model_says_what_an_embedding_would_lose(
    inner: dict[str, Any], said: bool, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(tf23(inner, LossScaleSpec())))
    artefact = read(path)
    for target in (TF24, TF_KERAS, KERAS3):
        made = convert_artefact(artefact, artefact.configs[0], target)
        fields = [one for one in made.fields if one.name == "optimizer.rows"]
        assert [(one.verdict, one.reason[:30]) for one in fields] == (
            [(Verdict.NOTED, "if the model has an Embedding:")] * (said and target is KERAS3)
        )


@pytest.mark.parametrize(
    ("dtype", "loss", "said"),
    [
        ("mixed_float16", "sparse_categorical_crossentropy", True),
        ("float16", {"class_name": "CategoricalCrossentropy", "config": {}}, True),
        ("mixed_bfloat16", "sparse_categorical_crossentropy", False),
        ("float32", "sparse_categorical_crossentropy", False),
        ("mixed_float16", "mse", False),
    ],
)
def test_an_output_of_softmax_in_float16_is_noted(
    dtype: str, loss: Any, said: bool, tmp_path: Path
) -> None:
    path = tmp_path / "model.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", path)
    with h5py.File(path, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        config = model["config"]["layers"][-1]["config"]
        policy = {"class_name": "Policy", "config": {"name": dtype}}
        config.update(activation="softmax", dtype=dtype if dtype == "float16" else policy)
        file.attrs["model_config"] = json.dumps(model)
        training = {**json.loads(file.attrs["training_config"]), "loss": loss}
        file.attrs["training_config"] = json.dumps(training)
    artefact = read(path)
    for target in (TF_KERAS, KERAS3):
        made = convert_artefact(artefact, artefact.configs[0], target)
        found = [
            one.verdict for one in made.fields if one.name == f"layer {config['name']}.softmax"
        ]
        assert found == [Verdict.NOTED] * (said and target is KERAS3)


@pytest.mark.slow
def test_the_objects_of_both_libraries_are_known() -> None:
    import keras
    import tf_keras

    for library in (keras, tf_keras):
        for part in ("initializers", "regularizers", "constraints", "activations"):
            for name, one in vars(getattr(library, part)).items():
                is_own = callable(one) and not name.startswith("_")
                if is_own and name not in ("get", "serialize", "deserialize", part[:-1].title()):
                    config = {"class_name": name, "config": {}}
                    assert not [*own_names([config, {"activation": name}])], name
    for part in ("losses", "metrics"):
        both = vars(getattr(keras, part)).keys() & vars(getattr(tf_keras, part)).keys()
        for name in both - {"get", "serialize", "deserialize", "Loss", "Metric"}:
            if not name.startswith("_") and callable(getattr(keras, part).__dict__[name]):
                assert _plain(name) in _KERAS_NAMES["compiled"], name


@pytest.mark.slow
def test_the_layers_that_both_libraries_have_are_known() -> None:
    import keras
    import tf_keras

    for name, old in vars(tf_keras.layers).items():
        is_layer = isinstance(old, type) and issubclass(old, tf_keras.layers.Layer)
        if not is_layer or name in ("Lambda", "Layer", "Wrapper") or name != old.__name__:
            continue
        known = _VARIANT.sub("", name) in _KERAS_NAMES["layers"]
        assert known is hasattr(keras.layers, name), name


@pytest.mark.parametrize(
    ("name", "counted"),
    [("2.0/model.h5", False), ("2.2/saved_model", False), ("2.3/model.h5", True)],
)
def test_whether_skipped_steps_are_counted_is_known_by_the_version(
    name: str, counted: bool
) -> None:
    (field,) = (f for f in conversion(name, KERAS3).fields if f.name == "state.iterations")
    assert ("skipped steps are counted in it" in field.reason) is counted


@pytest.mark.parametrize(
    ("writer", "target", "is_lost"),
    [
        ("Keras 2.4.0", KERAS3, True),
        ("Keras 2.4.0", TF_KERAS, True),
        ("Keras 2.3.0-tf", KERAS3, False),
        ("Keras 2.10.0", KERAS3, False),
        # It may be 2.4 or 2.10.
        ("Keras 2.10.0", TF24, True),
        (None, KERAS3, True),
    ],
)
def test_ftrl_with_shrinkage_of_tensorflow_2_3_to_2_5_trains_otherwise_elsewhere(
    writer: str | None, target: Generation, is_lost: bool
) -> None:
    settings = {"learning_rate": 0.5, "l2_shrinkage_regularization_strength": 0.25}
    config = tf23({**FTRL, "config": settings}, LossScaleSpec())
    artefact = read(ARTEFACTS / "2.3" / "model.h5")
    stated = dataclasses.replace(artefact.configs[0], config=config)
    artefact = dataclasses.replace(artefact, writer=writer)
    lost = {field.name: field.reason for field in convert_artefact(artefact, stated, target).lost}
    assert ("times the learning rate" in lost.get("state.slots", "")) is is_lost


def test_ftrl_without_shrinkage_does_not() -> None:
    artefact = read(ARTEFACTS / "2.3" / "model.h5")
    stated = dataclasses.replace(artefact.configs[0], config=later(FTRL))
    assert "state.slots" not in {f.name for f in convert_artefact(artefact, stated, KERAS3).lost}


@pytest.mark.parametrize(("version", "counted"), [("2.0", False), ("2.2", False), ("2.3", True)])
def test_so_it_is_for_a_checkpoint_by_its_layout(version: str, counted: bool) -> None:
    config = {"inner_optimizer": SGD, "dynamic": True}
    artefact = read(ARTEFACTS / version / "weights")
    made = with_state(read_wrapper_config(config), convert(config, KERAS3), artefact)
    (field,) = (f for f in made.fields if f.name == "state.iterations")
    assert field.verdict is (Verdict.NOTED if counted else Verdict.KEPT)


@pytest.mark.parametrize("target", [TF23, TF24])
def test_an_archive_is_nothing_for_versions_that_read_none(target: Generation) -> None:
    (layers,) = (
        f for f in conversion("2.15/model-legacy.keras", target).fields if f.name == "layers"
    )
    assert layers.verdict is Verdict.LOST
    assert ".keras archive" in layers.reason
