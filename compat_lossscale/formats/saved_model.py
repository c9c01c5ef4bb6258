# SPDX-License-Identifier: Apache-2.0
"""SavedModel folders of Keras models, without TensorFlow.

The config is in the metadata of the saved objects: in `saved_model.pb` up to TensorFlow 2.4, and in
`keras_metadata.pb` since. The optimizer's variables are in the checkpoint `variables/variables`.
The graph, and any code in it, is not read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from compat_lossscale.formats import checkpoint
from compat_lossscale.formats.artefact import (
    Artefact,
    StatedConfig,
    UnreadableArtefactError,
    find_configs,
    layout_of,
)
from compat_lossscale.formats.bounded import open_part, parse_json
from compat_lossscale.formats.hdf5 import NO_STATE
from compat_lossscale.formats.tensor_bundle import TensorBundle, messages, text

FORMAT = "SavedModel"
SUFFIXES = ()  # It is a folder.
GRAPH, KERAS_METADATA = "saved_model.pb", "keras_metadata.pb"
_MODELS = ("Sequential", "Functional", "Model")
_SCALES = (b"loss_scale", b"LossScale", b"inner_optimizer")
"""The words of which metadata that states a loss scale has one."""
# Field numbers, from saved_model.proto, meta_graph.proto, saved_object_graph.proto and
# saved_metadata.proto.
_META_GRAPHS, _META_INFO, _OBJECT_GRAPH, _TF_VERSION = 2, 1, 7, 5
_NODES, _USER_OBJECT, _METADATA = 1, 4, 3
_KERAS_NODES, _KERAS_METADATA = 1, 5


def matches(path: str) -> bool:
    """Recognizes a folder with the file `saved_model.pb`, or that file."""
    return (_folder(path) / GRAPH).is_file()


def _folder(path: str) -> Path:
    return Path(path).parent if Path(path).name == GRAPH else Path(path)


def read(path: str) -> Artefact:
    """Reads the configs, the optimizer's state and the writer's version from a SavedModel."""
    folder = _folder(path)
    version, metadata = _stored(folder, _SCALES)
    configs, lost = _stated(metadata)
    prefix = folder / "variables" / "variables"
    described = Artefact(path, FORMAT, "")
    if Path(f"{prefix}.index").exists():
        described = checkpoint.describe(TensorBundle(str(prefix), str(folder)), path)
    missing = described.missing
    has_state = any(state.loss_scale is not None for state in described.states)
    if any(config.spec.dynamic for config in configs) and not has_state:
        missing = (*missing, NO_STATE.format("this SavedModel"))
    return dataclasses.replace(
        described,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"TensorFlow {version}" if version else None,
        configs=tuple(configs),
        missing=missing,
        lost=tuple(lost),
    )


def read_model(path: str) -> dict[str, Any]:
    """Returns the `model_config` of a SavedModel and, if it was compiled, its `training_config`.

    Raises:
        UnreadableArtefactError: It is damaged, or has no config of a model.
    """
    _, metadata = _stored(_folder(path), (b'"model_config"',))
    # The root comes first; models that are layers of it have metadata, too.
    for place, data in metadata[:1]:
        value = parse_json(data, place)
        model = value.get("model_config") if isinstance(value, dict) else None
        # Since TensorFlow 2.5, models of the user's own classes have a config that says nothing.
        if isinstance(model, dict) and model.get("class_name") in _MODELS and "config" in model:
            return cast("dict[str, Any]", value)
    raise UnreadableArtefactError(
        "it holds no config of its model, as those of models of your own classes; pass --model "
        "SCRIPT:FUNCTION, which builds it of Keras' layers under the same attributes (model.NAME = "
        "layer), and the checkpoint variables/variables in it"
    )


def _stated(metadata: list[tuple[str, bytes]]) -> tuple[list[StatedConfig], list[str]]:
    """Finds the configs in metadata. Every layer repeats its model's training config."""
    configs: dict[str, StatedConfig] = {}
    lost: dict[str, None] = {}
    for place, data in metadata:
        found, of_own_classes = find_configs(parse_json(data, place), place)
        for config in found:
            configs.setdefault(json.dumps(config.config, sort_keys=True), config)
        lost |= dict.fromkeys(of_own_classes)
    return list(configs.values()), list(lost)


def _stored(folder: Path, words: tuple[bytes, ...]) -> tuple[str | None, list[tuple[str, bytes]]]:
    """Reads the version of TensorFlow that wrote a SavedModel, and metadata with the words in it.

    Each object's metadata has the name of its file with it.
    """
    version: str | None = None
    found: list[tuple[str, bytes]] = []

    def add(place: str, values: Iterator[memoryview]) -> None:
        copies = map(bytes, values)
        found.extend((place, copy) for copy in copies if any(word in copy for word in words))

    with _mapped(folder / GRAPH, folder) as data:
        for value in messages(data, _META_GRAPHS, _META_INFO, _TF_VERSION):
            version = text(value)
        objects = (_META_GRAPHS, _OBJECT_GRAPH, _NODES, _USER_OBJECT, _METADATA)
        add(GRAPH, messages(data, *objects))
    if (folder / KERAS_METADATA).exists():
        with _mapped(folder / KERAS_METADATA, folder) as data:
            add(KERAS_METADATA, messages(data, _KERAS_NODES, _KERAS_METADATA))
    return version, found


@contextlib.contextmanager
def _mapped(path: Path, folder: Path) -> Iterator[memoryview]:
    """Opens a file whose bytes are read as they are asked for."""
    with open_part(str(path), str(folder)) as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise UnreadableArtefactError(
                f"{path.name} is empty: whatever wrote it did not finish"
            ) from None
        # The map closes itself when its last view is deleted.
        yield memoryview(mapped)
