# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 lacks, or has otherwise: the plain data of `keras_3.toml`, and its names by path."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from compat_lossscale.neighbour_names import successor_of
from compat_lossscale.neighbour_names.keras_names import GONE, GONE_V1, PRIVATE, instead_of
from lossscale_codemods.tables import optimizer_families
from lossscale_codemods.tables.names import Meaning, OldName, canonical

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""What the file says."""
NAMES = {key: frozenset(names) for key, names in DATA["names"].items()}
"""Its lists of names."""
ONLY_IN_KERAS = frozenset(
    below for below in GONE if below == "saving" or instead_of(below).startswith("tf.keras.")
)
"""Names that `keras` has, and `tf.keras` lacks or has under another name on Keras 3."""
GONE_FROM_KERAS = frozenset(
    f"{module}.{name}" for module, names in DATA["gone_from_keras"].items() for name in names
)
"""Names that `tf.keras` has on Keras 3, and `keras` lacks, outside of the backend."""
PREPROCESSING = "layers.experimental.preprocessing"
"""A module whose layers are in `layers` now."""
NOT_IN_LAYERS = frozenset({"CategoryCrossing", "PreprocessingLayer"})
"""What it had besides."""
OLD_MODULE = re.compile(
    r"keras\.(?:engine|objectives|optimizer_v[12]|utils\.\w+_utils|layers\.(?:advanced_activations|core"
    r"|convolutional|embeddings|merge|noise|normalization|pooling|preprocessing|recurrent|wrappers))"
)
"""Modules of the package `keras` up to 2.12 that were never public, and that programs import."""
LOGS = frozenset({"history", "logs"})
"""What training writes its values into."""
LOG_THE_RATE = frozenset({"ReduceLROnPlateau", "LearningRateScheduler"})
"""Callbacks that write the learning rate there."""
SIZES = {
    **dict.fromkeys(
        ("Dense", "GRU", "GRUCell", "LSTM", "LSTMCell", "SimpleRNN", "SimpleRNNCell"), ("units",)
    ),
    "Embedding": ("input_dim", "output_dim"),
}
"""Layers of Keras 3 that take no other sizes than ints, and their first parameters."""
WEIGHT = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
"""What `Layer.add_weight` takes in tf-keras, in this order."""
LOSSES = {
    "huber_loss": "huber", "kullback_leibler_divergence": "kl_divergence", "logcosh": "log_cosh",
}  # fmt: skip
"""Names of losses, as texts, that Keras 3 has under others."""
INDEXED = {"tensorflow.gather": 1, "tensorflow.one_hot": 0}
"""Functions that need integers, with the place of these."""
_HOME = re.compile(r"^(?:tensorflow\.(?:compat\.v1\.|python\.)?)?keras\.")

MEMBERS_GONE = frozenset(name for row in DATA["members_gone"] for name in row["names"])
"""Members of optimizers that are not there as they were."""
ONLY_OF_OPTIMIZERS = MEMBERS_GONE - {
    "add_weight", "decay", "get_weights", "set_weights", "variables", "weights",
}  # fmt: skip
"""Those of them that nothing else has."""
OF_LEGACY = MEMBERS_GONE - {"_serialize_hyperparameter", "set_weights", "variables"}
"""Those of them that the new optimizers of tf-keras lack as well."""
AGGREGATION = ("experimental_aggregate_gradients", "skip_gradients_aggregation")
"""Arguments of `apply_gradients` that say whether replicas sum their gradients."""


class OptimizerClass(NamedTuple):
    """One class of optimizers.

    Attributes:
        positional: The first arguments, as far as both have them in this order.
        learning_rate: The default, as it is written.
        computes: How Keras 3's computes another result of the same gradients, if it does.
    """

    positional: list[str]
    learning_rate: str = "0.001"
    computes: str = ""


CLASSES = {name: OptimizerClass(**one) for name, one in DATA["classes"].items()}
"""The classes by their names; `Optimizer` itself is only inherited from and tested for."""
REFUSED = frozenset(NAMES["refused"])
"""Arguments that have no successor."""
CLIPS = frozenset({"clipnorm", "clipvalue", "global_clipnorm"})
"""Arguments of which Keras 3 takes one at a time."""
MOVES_ALL_ROWS = frozenset({"Adadelta", "Adagrad", "Adam"})
"""Classes that leave rows without a gradient what they were left in TensorFlow."""

_LATER = {"legacy", "experimental"}


def gone_at(path: str) -> str | None:
    """Returns the name below `tf.keras` that a path leads to, if Keras 3 lacks it."""
    below = below_keras(path)
    if below in ONLY_IN_KERAS and path.startswith(("keras.", "tensorflow.python.")):
        return None
    return below if below in GONE or below in GONE_V1 else None


def moved_name(path: str) -> OldName | None:
    """Returns a name that Keras 3 has elsewhere, or `tf.keras` under another name alone."""
    if path == "keras.backend" or gone_from_keras(path) not in (None, "losses.Reduction"):
        return OldName(path, Meaning.NEIGHBOUR, (f"tensorflow.{path}",))
    full, below = canonical(path), below_keras(path)
    module, _, name = below.rpartition(".")
    new = instead_of(below if module == "experimental" else gone_at(path) or "")
    if below == PREPROCESSING or (module == PREPROCESSING and name not in NOT_IN_LAYERS):
        new = f"tf.keras.layers{below.removeprefix(PREPROCESSING)}"
    if OLD_MODULE.match(path.rpartition(".")[0]):
        new = successor_of(f"{PRIVATE}.{below}").replace("tensorflow", "tf")
    if not new.startswith("tf.keras."):
        return None
    home = full.removesuffix(below)
    return OldName(path, Meaning.NEIGHBOUR, (home + new.removeprefix("tf.keras."),))


def gone_from_keras(path: str) -> str | None:
    """Returns the name below `keras` that a path leads to, if `tf.keras` alone has it."""
    below = path.removeprefix("keras.")
    module, _, name = below.partition(".")
    if below == path or below in GONE:
        return None
    if module == "backend":
        return below if name and "." not in name and name not in NAMES["backend_of_keras"] else None
    return below if below in GONE_FROM_KERAS else None


def below_keras(path: str) -> str:
    """Returns what a path is below `tf.keras`; an empty text if it is elsewhere."""
    below, count = _HOME.subn("", canonical(path))
    return below if count else ""


def class_at(path: str) -> str | None:
    """Returns the name of the class of optimizers at a path, if Keras 3 has it as well.

    Args:
        path: A path in `tf.keras.optimizers`, of either family, in `keras.optimizers`, or in
            TensorFlow's private copy of Keras.
    """
    public = optimizer_families.public_class(path)
    home, _, name = canonical(public or path).rpartition(".")
    above, _, last = home.rpartition(".")
    home = above if last in _LATER else home
    is_home = home == "keras.optimizers" or optimizer_families.is_home(home)
    return name if is_home and name in optimizer_families.CLASSES else None


def without_family(path: str) -> str | None:
    """Returns the path in Keras 3 of a class, or a module, of one family alone; else nothing."""
    parts = path.split(".")
    for family in _LATER & set(parts):
        place = parts.index(family)
        home = ".".join(parts[:place])
        if home == "keras.optimizers" or optimizer_families.is_home(home):
            return ".".join([home, *parts[place + 1 :]])
    return None
