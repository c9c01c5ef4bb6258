# SPDX-License-Identifier: Apache-2.0
"""The two families of Keras optimizers, and where a program names one without saying which.

Up to TensorFlow 2.10, `tf.keras.optimizers.Adam` was an `OptimizerV2`. From 2.11 on it is another
class, and the old one is `tf.keras.optimizers.legacy.Adam`:
https://github.com/tensorflow/tensorflow/releases/tag/v2.11.0. `compat-lossscale run` gives old
programs the old classes under the old names. In `compat.v1`, the names kept their classes.
"""

from __future__ import annotations

import re

from lossscale_codemods.tables.names import canonical

CLASSES = frozenset(
    {"Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD"}
)
"""The names that are in both families."""
KEYWORDS = {
    "get": "use_legacy_optimizer",
    "deserialize": "use_legacy_optimizer",
    "serialize": "use_legacy_format",
}
"""Functions that choose a family, each with the argument that has them choose the legacy one."""
ONLY_LEGACY = frozenset({"decay", "gradient_aggregator", "gradient_transformers", "lr"})
"""Arguments that the new family refuses, or, as `lr`, takes no notice of."""
METHODS = frozenset({"_create_slots", "_resource_apply_dense", "_resource_apply_sparse"})
"""Methods of subclasses that the new family does not call."""
LOSS_SCALING = ("LossScaleOptimizer", "set_global_policy")
"""What a program of TensorFlow 2.4 to 2.10 names for loss scaling."""
DEFAULT = "RMSprop"
"""What `Model.compile` takes if it is given no optimizer."""
HOME = "tensorflow.keras.optimizers"

_HOMES = frozenset({HOME, "tensorflow.optimizers"})
_V1_HOME = "tensorflow.compat.v1.keras.optimizers"
_IN_STRING = re.compile(
    rf"(?:.*\.)?optimizers\.(?:{'|'.join(sorted(CLASSES))})\b\S*"
    r"|(?:tf|tensorflow(?:\.compat\.v2)?)(?:\.keras)?\.optimizers\.?"
)
_BY_NAME = {name.lower(): name for name in CLASSES - {"Optimizer"}}
_PRIVATE_HOME = "tensorflow.python.keras.optimizer_v2."
_PRIVATE = re.compile(r"^tensorflow\.python\.keras\.optimizer(?:s|_v1|_v2)(?:\.|$)")
_PRIVATE_FUNCTION = re.compile(r"^tensorflow\.python\.keras\.optimizer_v2\.\w+\.[a-z_]\w*$")
_MAKES = frozenset({"deserialize", "get"})
_PRIVATE_CLASSES = {
    **{f"{name.lower()}.{name}": name for name in CLASSES - {"Optimizer", "SGD"}},
    "gradient_descent.SGD": "SGD",
    "optimizer_v2.OptimizerV2": "Optimizer",
}
_PRIVATE_SCHEDULES = "learning_rate_schedule."
_SCHEDULES = frozenset(
    {"CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay"}
    | {"LearningRateSchedule", "PiecewiseConstantDecay", "PolynomialDecay"}
)


def is_home(path: str) -> bool:
    """Whether a path is the module whose classes were of the legacy family once."""
    return canonical(path) in _HOMES


def legacy_class(path: str) -> str | None:
    """Returns the path of the legacy class that a path to a class once stood for."""
    module, _, name = path.rpartition(".")
    if name not in CLASSES or not is_home(module):
        return None
    root = module.removesuffix("optimizers").rstrip(".")
    # There is no module `tensorflow.optimizers` to import from.
    return f"{module if root.endswith('keras') else HOME}.legacy.{name}"


def public_class(path: str) -> str | None:
    """Returns the public path of what a path in TensorFlow's private copy of Keras stood for."""
    path = canonical(path)
    if not path.startswith(_PRIVATE_HOME):
        return None
    below = path.removeprefix(_PRIVATE_HOME)
    if below in _PRIVATE_CLASSES:
        return f"{HOME}.legacy.{_PRIVATE_CLASSES[below]}"
    name = below.removeprefix(_PRIVATE_SCHEDULES)
    return f"{HOME}.schedules.{name}" if name != below and name in _SCHEDULES else None


def is_private(path: str) -> bool:
    """Whether a path is of the private copy's modules of optimizers, but for helper functions."""
    last = path.rpartition(".")[2]
    is_made = last[:1].isupper() or last in _MAKES
    return is_private_module(path) and (is_made or not _PRIVATE_FUNCTION.match(path))


def is_private_module(path: str) -> bool:
    """Whether a path is of one of the private copy's modules of optimizers, or below one."""
    return bool(_PRIVATE.match(canonical(path)))


def is_class(path: str) -> bool:
    """Whether a path is that of a class of either family."""
    return legacy_class(path) is not None or is_chosen(path)


def is_chosen(path: str) -> bool:
    """Whether a path is that of a class whose family the program has chosen itself."""
    module, _, name = path.rpartition(".")
    return name in CLASSES and is_chosen_module(module)


def is_chosen_module(path: str) -> bool:
    """Whether a path is the module of one family alone."""
    home, _, family = path.rpartition(".")
    return family in {"legacy", "experimental"} and is_home(home)


def chooses_family(path: str) -> str | None:
    """Returns the keyword by which a function at a path is told to choose the legacy family."""
    module, _, name = path.rpartition(".")
    home = canonical(module)
    return KEYWORDS.get(name) if home in _HOMES or home == _V1_HOME else None


def class_of(text: str) -> str | None:
    """Returns the class that a string means where Keras expects an optimizer."""
    return _BY_NAME.get(text.lower())


def is_spelled_in(text: str) -> bool:
    """Whether a string spells the path of a class of both families, or of their module."""
    return _IN_STRING.fullmatch(text) is not None
