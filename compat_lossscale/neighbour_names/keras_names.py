# SPDX-License-Identifier: Apache-2.0
"""Names of Keras that are gone: its private package in TensorFlow, and what Keras 3 lacks.

`tf.keras` was implemented in `tensorflow.python.keras` up to TensorFlow 2.5. TensorFlow keeps a
copy of that package for itself. Its classes are none of `tf.keras`' any more: layers of the one
cannot be used in models of the other.

What Keras 3 has no more of the Keras of TensorFlow 2.0 to 2.10, and cannot have exactly, is in
`MEMBERS`, `HOOKS`, `MODEL_MEMBERS`, `GONE` and `GONE_V1`. `compat-lossscale run --keras3` says so
where one of these is used, and serves what Keras 3 has elsewhere. `doctor` and the codemod look
them up.
"""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import TABLES, neighbours

PRIVATE = "tensorflow.python.keras"
"""Where Keras was up to TensorFlow 2.5."""

MODULES = neighbours("keras")
"""Modules of `tensorflow.python.keras`, with what is below them."""

ELSEWHERE: dict[str, str] = TABLES["keras_private"]["elsewhere"]
"""Names that are public in `compat.v1` alone, or under another name, by their private place."""
_HOMES: dict[str, list[str]] = TABLES["keras_private"]["homes"]


def homes(module: str) -> tuple[str, ...]:
    """Returns where below `tf.keras` the names of a private module can be, the likeliest first."""
    above = module
    while above:
        if above in _HOMES:
            return tuple(_HOMES[above])
        above = above.rpartition(".")[0]
    parents = module.split(".")
    return tuple(".".join(parents[:end]) for end in range(len(parents), 0, -1)) if module else ("",)


_KERAS_3 = TABLES["keras_3"]
MEMBERS: dict[str, str] = _KERAS_3["optimizer_members"]
"""Members that programs call, and what to use instead."""
HOOKS: dict[str, str] = _KERAS_3["optimizer_hooks"]
"""Methods that subclasses of OptimizerV2 define or call, and what Keras 3 has in their place."""
MODEL_MEMBERS: dict[str, str] = _KERAS_3["model_members"]
"""Members of models and layers, and what to use instead."""
GONE = frozenset(_KERAS_3["gone"])
"""Public names of tf-keras that `tf.keras` lacks; models of `applications` are left out."""
GONE_V1 = frozenset(_KERAS_3["gone_v1"])
"""The same of tf-keras' `tf.compat.v1.keras`, which is Keras 3 too."""
DECAY = (
    "a schedule as the learning rate: keras.optimizers.schedules.InverseTimeDecay(learning_rate, "
    "decay_steps=1, decay_rate=decay)"
)
"""What takes the place of `decay=`, which divided the learning rate by `1 + decay * iterations`."""

_ELSEWHERE = "what https://keras.io/guides/migrating_to_keras_3/ says"


def instead_of(below: str) -> str:
    """Returns what to use instead of a name that Keras 3 lacks."""
    said: str = _KERAS_3["instead"].get(below, _ELSEWHERE)
    return said


MODULES_ON_KERAS_3: dict[str, str] = _KERAS_3["modules"]
"""The modules that have the names of modules that `tf.keras` lacks on Keras 3."""
ON_KERAS_3 = {
    below: new.removeprefix("tf.keras.")
    for below in GONE | GONE_V1
    if (new := instead_of(below)).startswith("tf.keras.")
}
"""Where `tf.keras` has other names that it lacks there."""
