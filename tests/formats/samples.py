# SPDX-License-Identifier: Apache-2.0
"""Sample configs and models, the folder of artefacts, and hypothesis strategies for configs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import pytest
from hypothesis import strategies as st

from compat_lossscale.formats.artefact import UnreadableArtefactError
from compat_lossscale.formats.conversion import convert
from compat_lossscale.formats.reading import read_in_this_process
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.conftest import _make_two_logical_devices

ARTEFACTS = Path(__file__).resolve().parent.parent / "artefacts"
VERSIONS = sorted(path.parent.name for path in ARTEFACTS.glob("*/not_written.json"))

SGD = {
    "class_name": "SGD",
    "config": {
        "name": "SGD",
        "learning_rate": 0.5,
        "decay": 0.0,
        "momentum": 0.75,
        "nesterov": True,
    },
}
FTRL = {"class_name": "Ftrl", "config": {"name": "Ftrl", "learning_rate": 0.5, "beta": 0.0}}
ADAM = {
    "class_name": "Adam",
    "config": {
        "name": "Adam",
        "learning_rate": {
            "class_name": "ExponentialDecay",
            "config": {
                "initial_learning_rate": 0.5,
                "decay_steps": 10,
                "decay_rate": 0.5,
                "staircase": False,
                "name": None,
            },
        },
        "decay": 0.0,
        "beta_1": 0.75,
        "beta_2": 0.875,
        "epsilon": 1e-6,
        "amsgrad": False,
    },
}
NADAM = {
    "class_name": "Nadam",
    "config": {
        "name": "Nadam",
        "learning_rate": 0.5,
        "decay": 0.004,
        "beta_1": 0.75,
        "beta_2": 0.875,
        "epsilon": 1e-6,
    },
}
OTHERS = [
    {"class_name": name, "config": {"name": name, "learning_rate": 0.5, "decay": 0.0}}
    for name in ("RMSprop", "Adagrad", "Adadelta", "Adamax", "Ftrl")
]


def import_tf_keras() -> Any:
    """Imports tf-keras in the middle of a test, or skips the test."""
    tf_keras = pytest.importorskip("tf_keras", reason="needs the tf extra")
    # Only possible before the first operation.
    _make_two_logical_devices()
    return tf_keras


def import_keras() -> Any:
    """Imports Keras 3 beside tf-keras, or skips the test."""
    import_tf_keras()
    return pytest.importorskip("keras", minversion="3", reason="needs Keras 3")


def tf23(inner: dict[str, Any], spec: LossScaleSpec) -> dict[str, Any]:
    """A config as TensorFlow 2.0 to 2.3 serialize it."""
    config = {"optimizer": inner, **spec.to_config(Generation.TF23)}
    return {"class_name": "LossScaleOptimizer", "config": config}


def emitted() -> dict[str, dict[str, Any]]:
    """What we write for each generation, by the generation and the sample's name."""
    sources = {
        "sgd default": tf23(SGD, LossScaleSpec()),
        "sgd dynamic": tf23(SGD, LossScaleSpec(initial_scale=64, growth_steps=4)),
        "sgd fixed": tf23(SGD, LossScaleSpec.fixed(8)),
        "sgd multiplier": tf23(SGD, LossScaleSpec(multiplier=4)),
        "adam schedule": tf23(ADAM, LossScaleSpec()),
        "nadam": tf23(NADAM, LossScaleSpec()),
        **{other["class_name"].lower(): tf23(other, LossScaleSpec()) for other in OTHERS},
    }
    recorded = json.loads((ARTEFACTS / "2.21" / "configs.json").read_text(encoding="utf-8"))
    keras3 = json.loads((ARTEFACTS / "keras3" / "configs.json").read_text(encoding="utf-8"))
    sources["adam of tf-keras"] = recorded["artefact"]["adam-dynamic"]["serialize"]
    sources["adam of keras3"] = keras3["artefact"]["adam-dynamic"]["serialize"]
    result: dict[str, dict[str, Any]] = {}
    for generation in Generation:
        written = {name: convert(source, generation) for name, source in sources.items()}
        result[generation.value] = {
            name: conversion.config
            for name, conversion in written.items()
            if conversion.config is not None and not conversion.lost
        }
    return result


numbers = st.floats(min_value=2**-20, max_value=2**40, width=32)
periods = st.integers(min_value=1, max_value=2**40)
doubling = st.builds(LossScaleSpec, initial_scale=numbers, growth_steps=periods)
fixed = st.builds(LossScaleSpec.fixed, st.floats(min_value=1, max_value=2**40, width=32))
multiplied = st.builds(
    LossScaleSpec, initial_scale=numbers, growth_steps=periods, multiplier=numbers
)
inner_optimizers = st.builds(
    lambda name, rate, options: {
        "class_name": name,
        "config": {"name": name, "learning_rate": rate, **options},
    },
    st.sampled_from(["SGD", "Adam", "RMSprop", "Adagrad", "Ftrl", "Package>Own"]),
    numbers,
    st.fixed_dictionaries(
        {"decay": st.just(0.0)},
        optional={"momentum": numbers, "epsilon": numbers, "beta_1": numbers},
    ),
)
"""Wrapped optimizers of the legacy family that every generation can say."""


CONFIG = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
COMPILED = {"compile_config": {"optimizer": {"class_name": "LossScaleOptimizer", "config": CONFIG}}}


def archive(path: Path, **files: str | bytes) -> Path:
    """A `.keras` archive of the given files; `__` in their names stands for a dot."""
    with zipfile.ZipFile(path, "w") as target:
        for name, content in files.items():
            target.writestr(name.replace("__", "."), content)
    return path


def model(path: Path) -> Any:
    """An open HDF5 model whose optimizer's state a test puts in."""
    file = h5py.File(path, "w")
    training = {"optimizer_config": {"class_name": "LossScaleOptimizer", "config": CONFIG}}
    file.attrs["training_config"] = json.dumps(training)
    file.create_group("optimizer_weights")
    return file


def reason(path: Path | str) -> str:
    """Why something is unreadable; fails if it is readable."""
    result = verify_artefact(str(path))
    assert result.status is ArtefactStatus.UNREADABLE, result
    return result.error


def reason_here(path: Path | str) -> str:
    """Why something is unreadable, of a reader in this process, whose limits a test can change."""
    with pytest.raises(UnreadableArtefactError) as caught:
        read_in_this_process(str(path))
    return str(caught.value)


def later(inner: dict[str, Any], **settings: Any) -> dict[str, Any]:
    inner = {**inner, "config": {**inner["config"], **settings}}
    return {"inner_optimizer": inner, **LossScaleSpec().to_config("tf2.4")}


def converted(config: dict[str, Any], target: Generation) -> dict[str, Any]:
    conversion = convert(config, target)
    assert conversion.config is not None
    assert not conversion.lost
    return conversion.config
