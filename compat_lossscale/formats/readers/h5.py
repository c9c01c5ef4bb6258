# SPDX-License-Identifier: Apache-2.0
"""HDF5 models, `.h5`: Keras' format of all generations. Needs h5py.

TensorFlow 2.0 to 2.11 also write this format into files named `.keras`, so the content decides.
`.weights.h5` files of tf-keras and Keras 3 are HDF5 too. They hold an optimizer's state, and no
config.
"""

from __future__ import annotations

from compat_lossscale.formats.artefact import (
    Artefact,
    ConfigSearch,
    LiveState,
    UnreadableArtefactError,
    layout_of,
)
from compat_lossscale.formats.bounded import decode, open_regular, parse_json, read_start
from compat_lossscale.formats.hdf5 import (
    NO_STATE,
    Description,
    describe,
    live_state,
    missing,
    wrapper_of,
)
from compat_lossscale.spec import Generation

FORMAT = "HDF5 model (.h5)"
SUFFIXES = (".h5", ".hdf5")
WEIGHTS_FORMAT = "HDF5 weights (.weights.h5)"
NO_CONFIG = "the config (initial scale, growth steps): files of weights hold variables only"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def matches(path: str) -> bool:
    """Recognizes the first bytes, or the suffix."""
    try:
        return read_start(path, len(_SIGNATURE)) == _SIGNATURE or path.endswith(SUFFIXES)
    except UnreadableArtefactError:
        return False


def read(path: str) -> Artefact:
    """Reads the configs and the optimizer's state from an HDF5 model."""
    with open_regular(path):
        pass
    description = describe(path)
    attributes = description["attributes"]
    found = ConfigSearch()
    for name in ("training_config", "model_config"):
        if name in attributes:
            found.search(parse_json(decode(attributes[name], name), name), name)
    configs = found.configs
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
        lost=tuple(found.lost),
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
