# SPDX-License-Identifier: Apache-2.0
"""SavedModel folders of Keras models, without TensorFlow.

The config is in the metadata of the saved objects: in `saved_model.pb` up to TensorFlow 2.4, and in
`keras_metadata.pb` since. The optimizer's variables are in the checkpoint `variables/variables`.
The graph, and any code in it, is not read.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat_lossscale.formats import checkpoint
from compat_lossscale.formats.artefact import (
    Artefact,
    ConfigSearch,
    LiveState,
    UnreadableArtefactError,
    layout_of,
)
from compat_lossscale.formats.bounded import MAX_JSON_BYTES, decode, open_part, parse_json
from compat_lossscale.formats.hdf5 import NO_STATE
from compat_lossscale.formats.tensor_bundle import Budget, TensorBundle, messages, text

FORMAT = "SavedModel"
SUFFIXES = ()  # It is a folder.
GRAPH, KERAS_METADATA = "saved_model.pb", "keras_metadata.pb"
_SCALES = (b"loss_scale", b"LossScale", b"inner_optimizer")
"""The words of which metadata that states a loss scale has one."""
MAX_METADATA_BYTES = 2 * MAX_JSON_BYTES
"""The largest size of the metadata of all objects of a model that may state a loss scale."""
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
    metadata = _Metadata()
    version = _read_saved_model(folder, metadata)
    _read_keras_metadata(folder, metadata)
    found = _search(metadata)
    configs = found.configs
    prefix = folder / "variables" / "variables"
    states: tuple[LiveState, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if Path(f"{prefix}.index").exists():
        described = checkpoint.describe(TensorBundle(str(prefix), str(folder)))
        states, missing = described.states, described.missing
        notes = described.notes
    if any(c.spec.dynamic for c in configs) and not any(s.loss_scale is not None for s in states):
        missing = (*missing, NO_STATE.format("this SavedModel"))
    return Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"TensorFlow {version}" if version else None,
        configs=tuple(configs),
        states=states,
        missing=missing,
        lost=tuple(found.lost),
        notes=notes,
    )


def read_model(path: str) -> dict[str, Any]:
    """Returns what a SavedModel of Keras says of its model.

    Returns:
        The metadata of the model: its `model_config` and, if it was compiled, its
        `training_config`.

    Raises:
        UnreadableArtefactError: It is damaged, or has no config of a model.
    """
    metadata = _Metadata((b'"model_config"',))
    _read_saved_model(_folder(path), metadata)
    _read_keras_metadata(_folder(path), metadata)
    for place, data in metadata.copies:
        value = parse_json(decode(data, place), place)
        if isinstance(value, dict) and isinstance(value.get("model_config"), dict):
            return value
    raise UnreadableArtefactError(
        "it holds no config of its model, as those of models of your own classes; pass --model "
        "SCRIPT:FUNCTION, which builds it, and the checkpoint variables/variables in it"
    )


class _Metadata:
    """Copies of the objects' metadata that have one of some words, with their places."""

    def __init__(self, words: tuple[bytes, ...] = _SCALES) -> None:
        self.copies: list[tuple[str, bytes]] = []
        self._words, self._size = words, 0

    def add(self, place: str, values: Iterator[memoryview]) -> None:
        """Copies the values that have one of the words."""
        for value in values:
            copied = bytes(value[: MAX_JSON_BYTES + 1])
            if not any(word in copied for word in self._words):
                continue
            self._size += len(copied)
            if len(copied) > MAX_JSON_BYTES or self._size > MAX_METADATA_BYTES:
                raise UnreadableArtefactError(f"the metadata in {place} is too large")
            self.copies.append((place, copied))


def _search(metadata: _Metadata) -> ConfigSearch:
    found, known = ConfigSearch(), set()
    for place, data in metadata.copies:
        search = ConfigSearch().search(parse_json(decode(data, place), place), place)
        for config in search.configs:
            # Every layer repeats its model's training config.
            key = json.dumps(config.config, sort_keys=True)
            if key not in known:
                known.add(key)
                found.add(config)
        found.lost += [lost for lost in search.lost if lost not in found.lost]
    return found


def _read_saved_model(folder: Path, metadata: _Metadata) -> str | None:
    version, budget = None, Budget()
    with _mapped(folder / GRAPH, folder) as data:
        for meta_graph in messages(data, _META_GRAPHS, budget):
            for info in messages(meta_graph, _META_INFO, budget):
                version = next((text(v) for v in messages(info, _TF_VERSION, budget)), version)
            for graph in messages(meta_graph, _OBJECT_GRAPH, budget):
                for node in messages(graph, _NODES, budget):
                    for user_object in messages(node, _USER_OBJECT, budget):
                        metadata.add(GRAPH, messages(user_object, _METADATA, budget))
    return version


def _read_keras_metadata(folder: Path, metadata: _Metadata) -> None:
    path, budget = folder / KERAS_METADATA, Budget()
    if not path.exists():
        return
    with _mapped(path, folder) as data:
        for node in messages(data, _KERAS_NODES, budget):
            metadata.add(KERAS_METADATA, messages(node, _KERAS_METADATA, budget))


class _mapped:  # noqa: N801  # used like a function
    """A context manager for the bytes of a file that does not read all of it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._folder = path, folder

    def __enter__(self) -> memoryview:
        self._file = open_part(str(self._path), str(self._folder))
        try:
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            self._file.close()
            raise UnreadableArtefactError(f"{self._path.name} cannot be read: {error}") from None
        except ValueError:
            self._file.close()
            raise UnreadableArtefactError(
                f"{self._path.name} is empty: whatever wrote it did not finish"
            ) from None
        return memoryview(self._map)

    def __exit__(self, *_: object) -> None:
        # The map closes itself when its last view is deleted.
        self._file.close()
