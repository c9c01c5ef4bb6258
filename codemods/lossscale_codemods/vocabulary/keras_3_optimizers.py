# SPDX-License-Identifier: Apache-2.0
"""What Keras 3's optimizers do otherwise than those that TensorFlow had up to 2.10: plain data.

Measured on Keras 3.15 beside `tf.keras.optimizers.legacy` of tf-keras 2.21;
`tests/codemods/vocabulary/test_keras_3_optimizers.py` measures it again.
"""

from __future__ import annotations

from typing import NamedTuple

from lossscale_codemods.vocabulary import optimizer_families
from lossscale_codemods.vocabulary.paths import canonical


class OptimizerClass(NamedTuple):
    """One class of optimizers.

    Attributes:
        positional: The first arguments, as far as both have them in this order.
        learning_rate: The default, as it is written.
        computes: How Keras 3's computes another result of the same gradients, if it does.
    """

    positional: tuple[str, ...]
    learning_rate: str = "0.001"
    computes: str = ""


_ADAM = ("learning_rate", "beta_1", "beta_2", "epsilon")
CLASSES = {
    "Adadelta": OptimizerClass(("learning_rate", "rho", "epsilon")),
    "Adagrad": OptimizerClass(("learning_rate", "initial_accumulator_value", "epsilon")),
    "Adam": OptimizerClass((*_ADAM, "amsgrad")),
    "Adamax": OptimizerClass(_ADAM),
    "Ftrl": OptimizerClass(
        (
            "learning_rate",
            "learning_rate_power",
            "initial_accumulator_value",
            "l1_regularization_strength",
            "l2_regularization_strength",
        )
    ),
    "Nadam": OptimizerClass(
        _ADAM, computes="Keras 3's Nadam lets its momentum grow by another schedule"
    ),
    "RMSprop": OptimizerClass(
        ("learning_rate", "rho", "momentum", "epsilon", "centered"),
        computes="without momentum, Keras 3's RMSprop adds epsilon under the root, so that small "
        "gradients move the weights less",
    ),
    "SGD": OptimizerClass(("learning_rate", "momentum", "nesterov"), "0.01"),
}
"""The classes by their names; `Optimizer` itself is only inherited from and tested for."""
REFUSED = frozenset({"gradient_aggregator", "gradient_transformers", "schedule_decay"})
"""Arguments that have no successor."""
CLIPS = frozenset({"clipnorm", "clipvalue", "global_clipnorm"})
"""Arguments of which Keras 3 takes one at a time."""
HYPERPARAMETERS = frozenset(
    {"amsgrad", "beta_1", "beta_2", "centered", "initial_accumulator_value", "momentum"}
    | {"nesterov", "rho", "l1_regularization_strength", "l2_regularization_strength"}
    | {"l2_shrinkage_regularization_strength", "learning_rate_power", "beta"}
    | CLIPS
)
"""Attributes that TensorFlow 2.4's LossScaleOptimizer had of the optimizer that it wraps."""
SCHEDULE = "InverseTimeDecay"
"""The schedule that is what `decay` was, with a step of 1."""
SPARSE = frozenset(
    {"Embedding", "IndexedSlices", "embedding_lookup", "embedding_lookup_sparse", "gather"}
    | {"gather_nd", "safe_embedding_lookup_sparse"}
)
"""What makes gradients that hold some rows of a variable alone."""

_LATER = {"legacy", "experimental"}


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
    """Returns the path in Keras 3 of a class, or a module, of one family alone.

    Args:
        path: The path.

    Returns:
        The path; nothing if the path says no family.
    """
    parts = path.split(".")
    for family in _LATER & set(parts):
        place = parts.index(family)
        home = ".".join(parts[:place])
        if home == "keras.optimizers" or optimizer_families.is_home(home):
            return ".".join([home, *parts[place + 1 :]])
    return None
