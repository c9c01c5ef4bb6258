# SPDX-License-Identifier: Apache-2.0
"""HDF5: models and weights in `.h5` files of all generations, and what is in `.keras`. Needs h5py.

TensorFlow 2.0 to 2.11 also write this format into files named `.keras`, so the content decides.
`.weights.h5` files of tf-keras and Keras 3 are HDF5 too. They hold an optimizer's state, and no
config.

Only attributes, names and scalars are read, so the size of the weights does not matter. Links to
other files, data in other files, and filters are never followed or run. A damaged file can crash
the HDF5 library, so this module is used in a separate process only: see `isolated`.

Model files of HDF5 name the variables of an optimizer; `.keras` archives and `.weights.h5` number
them.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from compat_lossscale.errors import MissingExtraError, UnreadableArtefactError
from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    StatedConfig,
    find_configs,
    layout_of,
    put_config,
    whole,
)
from compat_lossscale.formats.bounded import open_regular, parse_json, read_start
from compat_lossscale.spec import Generation

FORMAT = "HDF5 model (.h5)"
SUFFIXES = (".h5", ".hdf5")
WEIGHTS_FORMAT = "HDF5 weights (.weights.h5)"
NO_CONFIG = "the config (initial scale, growth steps): files of weights hold variables only"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_LARGEST_NUMBER = 8
"""In bytes. Keras does not write larger ones, which JSON cannot express."""


@dataclasses.dataclass
class Description:
    """The content of one file.

    Attributes:
        attributes: The text attributes of the root.
        scalars: The numbers below `optimizer` groups, by their path.
        arrays: The paths of arrays there.
        unread: The paths of scalars there that are not plain numbers.
    """

    attributes: dict[str, str] = dataclasses.field(default_factory=dict)
    scalars: dict[str, float | int] = dataclasses.field(default_factory=dict)
    arrays: list[str] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)

    def count(self, place: str) -> int:
        """Counts the variables below a place."""
        return sum(path.startswith(place) for path in (*self.scalars, *self.arrays))


class Window(io.RawIOBase):
    """Part of a file, as a file: a file that a ZIP archive stores uncompressed."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self._size, self._position = file, start, size, 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to an offset in the part."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Reads into a buffer, up to the end of the part."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), max(0, self._size - self._position))
        self._file.seek(self._start + self._position)
        data = self._file.read(wanted)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)


def describe(file: str | BinaryIO | Window, what: str = "it") -> Description:
    """Reads everything about loss scaling from an HDF5 file, which an error calls `what`.

    Raises:
        UnreadableArtefactError: It is not an HDF5 file, or is damaged.
        MissingExtraError: h5py is not installed.
    """
    h5py = _h5py()
    description = Description()
    try:
        with h5py.File(file, "r") as opened:
            for name in ("keras_version", "training_config", "model_config"):
                text = _text_attribute(opened, name)
                if text is not None:
                    description.attributes[name] = text
            for name in ("optimizer_weights", "optimizer", "_optimizer"):
                # No link, for example to another file.
                is_own = isinstance(opened.get(name, getlink=True), h5py.HardLink)
                if is_own and isinstance(opened[name], h5py.Group):
                    _describe_group(h5py, opened[name], name, description)
    except MemoryError:
        raise
    except Exception as error:
        # h5py raises many kinds of errors for damaged files.
        reason = f"{type(error).__name__}: {error}"
        raise UnreadableArtefactError(f"{what} is not a readable HDF5 file: {reason}") from None
    return description


def _h5py() -> Any:
    # Untyped, and only the separate process needs it.
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise MissingExtraError("reading HDF5 files needs h5py: pip install h5py") from None


def _describe_group(h5py: Any, group: Any, path: str, description: Description) -> None:
    def add(name: str, child: Any) -> None:
        child_path = f"{path}/{name}"
        if not isinstance(child, h5py.Dataset):
            return
        if child.ndim > 0:
            description.arrays.append(child_path)
        elif _is_plain_number(child):
            description.scalars[child_path] = child[()].item()
        else:
            description.unread.append(child_path)

    # It follows no links, and visits each object once: a group can contain itself.
    group.visititems(add)


def _is_plain_number(dataset: Any) -> bool:
    """Whether a dataset is one number that is stored in the file without a filter."""
    return (
        dataset.shape == ()
        and dataset.dtype.kind in "iuf"
        and dataset.dtype.itemsize <= _LARGEST_NUMBER
        and dataset.chunks is None
        and not dataset.external
        and not dataset.is_virtual
    )


def _text_attribute(holder: Any, name: str) -> str | None:
    if name not in holder.attrs or holder.attrs.get_id(name).shape != ():
        return None
    value = holder.attrs[name]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    # A numpy string, or an array of something other than text.
    return str(value) if isinstance(value, str) else None


def replace_config(path: str, keys: list[str | int], config: dict[str, Any]) -> None:
    """Writes another config into the `training_config` of a file, in the place of these keys.

    The file must be a copy: an error may leave it half-written.
    """
    with _h5py().File(path, "r+") as opened:
        training = json.loads(opened.attrs["training_config"])
        put_config(training, keys, config)
        # TensorFlow 2.0 to 2.2 look for it, and later versions do not.
        training.setdefault("sample_weight_mode", None)
        opened.attrs["training_config"] = json.dumps(training).encode("utf-8")


ITERATIONS = ("iter", "iteration", "iterations")
"""The names of the number of steps in different versions."""
NO_STATE = (
    "the current loss scale and its counter: {} has no place for them, so training continues "
    "with the initial scale"
)
UNREAD = "{}: it is not a number of the kind that Keras writes, and was not read"
KERAS3_OWN = 4
"""The number of variables of Keras 3's wrapper before those of the wrapped optimizer.

They are its step count and learning rate, which nothing uses, the counter and the scale.
"""
_OWN = "optimizer/vars/"
_INNER = "optimizer/inner_optimizer/vars/"
_KERAS3_NAMES = ("dynamic_scale", "step_counter")
_SCALES = ("current_loss_scale", "dynamic_scale")
_COUNTERS = ("good_steps", "step_counter")
_HYSTERESIS = "hysteresis_left"


def live_state(description: Description, where: str) -> LiveState:
    """Reads an optimizer's state from the numbers below an optimizer's group."""
    state, scalars = _named_state(description, where), description.scalars
    # Some variables are saved under a number instead of a name. The wrapped optimizer's first
    # variable is its iterations; around a legacy optimizer, the wrapper's are the same. Of Keras
    # 3's wrapper, the third is the counter, the fourth the scale.
    inner = _INNER if isinstance(scalars.get(f"{_INNER}0"), int) else _OWN
    if not isinstance(scalars.get(f"{inner}0"), int):
        return state
    slots = sum(path.startswith(inner) for path in description.arrays)
    state = dataclasses.replace(state, iterations=int(scalars[f"{inner}0"]), slots=slots)
    if wrapper_of(description) is not Generation.KERAS3:
        return state
    counter, scale = scalars[f"{_OWN}2"], scalars[f"{_OWN}3"]
    # Of this package's wrapper with a rule that tolerates bad steps, the fifth is what is left.
    left = scalars.get(f"{_OWN}{KERAS3_OWN}") if _has_hysteresis(description) else None
    return dataclasses.replace(
        state,
        loss_scale=float(scale),
        good_steps=whole(counter, "its counter"),
        hysteresis_left=None if left is None else int(left),
    )


def _named_state(description: Description, where: str) -> LiveState:
    scalars = description.scalars
    # Keras 3's wrapper also has a step count, which stays at zero.
    wrappers = {path.rpartition("/")[0] for path in scalars if _name(path) in _KERAS3_NAMES}
    scale = counter = iterations = left = None
    for path, value in scalars.items():
        name = _name(path)
        if name in _SCALES:
            scale = float(value)
        elif name in _COUNTERS:
            counter = whole(value, path)
        elif name == _HYSTERESIS:
            left = whole(value, path)
        elif name in ITERATIONS and iterations is None and path.rpartition("/")[0] not in wrappers:
            iterations = whole(value, path)
    slots = len(description.arrays)
    return LiveState(where, scale, counter, iterations, slots, hysteresis_left=left)


def wrapper_of(description: Description) -> Generation | None:
    """Finds the generation of the loss-scale optimizer that numbered variables belong to."""
    own, inner = description.count(_OWN), description.count(_INNER)
    if inner:
        numbers = [description.scalars.get(f"{_OWN}{number}") for number in range(KERAS3_OWN)]
        is_keras3 = [isinstance(number, int) for number in numbers] == [True, False, True, False]
        # tf-keras' wrapper has only the variables of the wrapped optimizer.
        count = KERAS3_OWN + _has_hysteresis(description)
        has_own = own == count + inner and None not in numbers
        return Generation.KERAS3 if is_keras3 and has_own else Generation.TF_KERAS
    return Generation.TF_KERAS if is_legacy_wrapper(description) else None


def _has_hysteresis(description: Description) -> bool:
    """Whether Keras 3's wrapper has one variable more than Keras' own class, and it is a count."""
    is_one_more = description.count(_OWN) == KERAS3_OWN + 1 + description.count(_INNER)
    return is_one_more and isinstance(description.scalars.get(f"{_OWN}{KERAS3_OWN}"), int)


def is_legacy_wrapper(description: Description) -> bool:
    """Whether numbered variables belong to a wrapper around a legacy optimizer.

    Only this package saves them.
    """
    return description.count("optimizer/loss_scale/") > 0 and not description.count(_INNER)


def _name(path: str) -> str:
    # A program that builds several models without eager execution numbers their variables.
    return re.sub(r"(_\d+)?(:0)?$", "", path.rpartition("/")[2])


def missing(
    configs: Sequence[StatedConfig], state: LiveState, description: Description
) -> tuple[str, ...]:
    """Returns what the loss scale of a model needs and its file does not hold."""
    # Variables of the loss scale in a form that is not read.
    odd = map(_name, (*description.unread, *description.arrays))
    strange = {*odd} & {*_SCALES, *_COUNTERS}
    names = [UNREAD.format(name) for name in sorted(strange)]
    dynamic = any(config.spec.dynamic for config in configs)
    if dynamic and state.loss_scale is None and not strange:
        names.append(NO_STATE.format("this file"))
    if configs and state.iterations is None:
        names.append("the optimizer's iterations and slots: the file holds none")
    return tuple(names)


def matches(path: str) -> bool:
    """Recognizes the first bytes, or the suffix."""
    start = read_start(path, len(_SIGNATURE))
    return start == _SIGNATURE or (start != b"" and path.endswith(SUFFIXES))


def read(path: str) -> Artefact:
    """Reads the configs and the optimizer's state from an HDF5 model."""
    with open_regular(path):
        pass
    description = describe(path)
    attributes = description.attributes
    configs: list[StatedConfig] = []
    lost: list[str] = []
    for name in ("training_config", "model_config"):
        if name in attributes:
            stated, of_own_classes = find_configs(parse_json(attributes[name], name), name)
            configs += stated
            lost += of_own_classes
    if not configs and not attributes.keys() & {"training_config", "model_config"}:
        return _weights(path, description)
    version = attributes.get("keras_version")
    state = live_state(description, "optimizer_weights")
    return Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"Keras {version}" if version else None,
        configs=tuple(configs),
        states=() if state == LiveState("optimizer_weights") else (state,),
        missing=missing(configs, state, description),
        lost=tuple(lost),
    )


def _weights(path: str, description: Description) -> Artefact:
    wrapper = wrapper_of(description)
    state = live_state(description, "optimizer")
    missing_: tuple[str, ...] = ()
    if wrapper is not None:
        is_restarted = wrapper is Generation.TF_KERAS and state.loss_scale is None
        missing_ = (NO_CONFIG, *([NO_STATE.format("this file")] if is_restarted else []))
    return Artefact(
        path=path,
        format=WEIGHTS_FORMAT,
        layout="no loss scale" if wrapper is None else wrapper.title,
        states=() if state == LiveState("optimizer") else (state,),
        missing=missing_,
    )
