# SPDX-License-Identifier: Apache-2.0
"""`.keras` archives: ZIP files that TensorFlow 2.12 and later, tf-keras and Keras 3 write.

Reading the configs needs only the standard library. Reading the optimizer's state needs h5py.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

from compat_lossscale.errors import MissingExtraError
from compat_lossscale.formats import hdf5
from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    StatedConfig,
    UnreadableArtefactError,
    find_configs,
    is_keras3,
    layout_of,
)
from compat_lossscale.formats.bounded import open_regular, parse_json, read_start
from compat_lossscale.formats.hdf5 import Description
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.inner_optimizers import serialized
from compat_lossscale.spec.wrapper_configs import WrapperConfig, read_wrapper_config, write_config

POLICY = "mixed_float16"
"""The policy under which Keras wraps the optimizer."""
NOT_STATED = (
    "the loss scale's config: Keras itself wrapped the optimizer, and wraps it again only if the "
    "policy is mixed_float16 when the model is loaded; otherwise it trains without loss scaling. "
    "Set the policy before loading, or state the config: --to {} --output FILE"
)
_KEYS = ("compile_config", "optimizer")


def _optimizer_to_wrap(model: Any) -> dict[str, Any] | None:
    """Returns the optimizer of a model, if the policy for which Keras wraps it is there."""
    node = model
    for key in _KEYS:
        node = node.get(key) if isinstance(node, Mapping) else None
    return serialized(node) if f'"{POLICY}"' in json.dumps(model) else None


def _config_of(
    optimizer: dict[str, Any], version: str | None, description: Description
) -> tuple[StatedConfig, ...]:
    """Returns the config that would state the loss scale with which Keras wraps an optimizer.

    Nothing if the variables are those of an optimizer that is not wrapped.
    """
    wrapper = hdf5.wrapper_of(description)
    if wrapper is None and (description.scalars or description.arrays):
        return ()
    generation = wrapper or (Generation.KERAS3 if is_keras3(version) else Generation.TF_KERAS)
    if not optimizer["config"]:
        is_legacy = hdf5.is_legacy_wrapper(description)
        module = "keras.optimizers.legacy" if is_legacy else "keras.optimizers"
        optimizer = {"module": module, **optimizer}
    spec = LossScaleSpec()
    parts = WrapperConfig(generation, spec, optimizer, class_name="LossScaleOptimizer")
    config = write_config(parts, generation, {})
    place = ".".join((CONFIG, *_KEYS))
    return (StatedConfig(place, generation, spec, config, _KEYS, automatic=True),)


FORMAT = "Keras archive (.keras)"
SUFFIXES = (".keras",)
CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
_LOCAL_HEADER = 30


def matches(path: str) -> bool:
    """Recognizes the first bytes."""
    return read_start(path, 4) in (b"PK\x03\x04", b"PK\x05\x06")


def read(path: str) -> Artefact:
    """Reads the configs and the optimizer's state from a `.keras` archive."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive:
        config = config_in(archive)
        found, lost = find_configs(config, CONFIG)
        configs, optimizer = tuple(found), _optimizer_to_wrap(config)
        version = _version(archive)
        description = Description()
        note: tuple[str, ...] = ()
        is_stated = bool(configs or lost)
        if is_stated or optimizer is not None:
            description, note = _described(file, archive)
    if optimizer and (not is_stated or _is_wrapped_besides(configs, description)):
        configs = _config_of(optimizer, version, description) or configs
    artefact = Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"Keras {version}" if version else None,
        configs=configs,
        missing=note,
        lost=tuple(lost),
    )
    if note or not (configs or lost):
        # Without h5py. The configs, which are most important, do not need it.
        return artefact
    state = hdf5.live_state(description, WEIGHTS)
    not_stated = [NOT_STATED.format(c.generation.value) for c in configs if c.automatic]
    return dataclasses.replace(
        artefact,
        states=() if state == LiveState(WEIGHTS) else (state,),
        missing=(*not_stated, *hdf5.missing(configs, state, description)),
    )


def _described(file: BinaryIO, archive: zipfile.ZipFile) -> tuple[Description, tuple[str, ...]]:
    """Returns the content of the weights, and why they were not read, if they were not."""
    if WEIGHTS not in archive.namelist():
        return Description(), ()
    info = archive.getinfo(WEIGHTS)
    is_plain = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1
    weights = _window(file, info) if is_plain else io.BytesIO(archive.read(WEIGHTS))
    try:
        return hdf5.describe(weights, f"{WEIGHTS} in the archive"), ()
    except MissingExtraError as error:
        return Description(), (f"the optimizer's state, which was not read: {error}",)


def _window(file: BinaryIO, info: zipfile.ZipInfo) -> hdf5.Window:
    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise UnreadableArtefactError("its header is damaged")
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return hdf5.Window(file, info.header_offset + _LOCAL_HEADER + names, info.file_size)


def config_in(archive: zipfile.ZipFile, name: str = CONFIG) -> Any:
    """Reads the config of an archive's model, or another file of JSON in it."""
    if name not in archive.namelist():
        raise UnreadableArtefactError(
            f"it has no {name}, so it is a ZIP archive but not a Keras model"
        )
    return parse_json(archive.read(name), f"{name} in the archive")


def _version(archive: zipfile.ZipFile) -> str | None:
    if METADATA not in archive.namelist():
        return None
    metadata = config_in(archive, METADATA)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else None


def _is_wrapped_besides(configs: tuple[StatedConfig, ...], description: Description) -> bool:
    """Whether Keras 3 has wrapped an optimizer that has a `loss_scale_factor` already."""
    if not configs or hdf5.wrapper_of(description) is not Generation.KERAS3:
        return False
    return all(not read_wrapper_config(stated.config).is_wrapper for stated in configs)


def read_config(path: str) -> Any:
    """Reads a model's config from a `.keras` archive."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive:
        return config_in(archive)
