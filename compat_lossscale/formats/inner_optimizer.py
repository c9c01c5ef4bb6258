# SPDX-License-Identifier: Apache-2.0
"""The wrapped optimizer's config: what each family of Keras optimizers has words for.

Every family has the same update rules for the classes they share; they differ in the options that
all their classes take, and in how a config names a class. Read off the constructors of
`OptimizerV2` (TensorFlow 2.0 to 2.10, `optimizers.legacy` since), tf-keras' `Optimizer` (2.11 and
later) and Keras 3's.
"""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from compat_lossscale.spec import Generation


class Family(enum.Enum):
    """The families of Keras optimizers."""

    LEGACY = "legacy"
    """`OptimizerV2`: TensorFlow 2.0 to 2.10, and `tf.keras.optimizers.legacy` since."""
    NEW = "new"
    """`Optimizer` of TensorFlow 2.11 and later and of tf-keras."""
    KERAS3 = "keras3"
    """`keras.optimizers.Optimizer` of Keras 3."""


MARKERS = frozenset({"is_legacy_optimizer", "jit_compile"})
"""Keys that say which family, or how it runs, and change no result."""

CLIPPING: dict[str, Any] = {"clipnorm": None, "clipvalue": None, "global_clipnorm": None}
"""The options that clip gradients."""
_NEW: dict[str, Any] = {
    **CLIPPING,
    "weight_decay": None,
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
}
_KERAS3: dict[str, Any] = {
    **_NEW,
    "loss_scale_factor": None,
    "gradient_accumulation_steps": None,
}
OPTIONS: Mapping[Family, Mapping[str, Any]] = {
    Family.LEGACY: {**CLIPPING, "decay": 0.0},
    Family.NEW: _NEW,
    Family.KERAS3: _KERAS3,
}
"""The options that every class of a family takes, with the values that mean nothing is done."""

ALL_OPTIONS: Mapping[str, Any] = {**_KERAS3, "decay": 0.0}

_EVERY = frozenset(Family)
_NOT_LEGACY = frozenset({Family.NEW, Family.KERAS3})
CLASSES: Mapping[str, frozenset[Family]] = {
    **dict.fromkeys(
        ("SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl"), _EVERY
    ),
    **dict.fromkeys(("AdamW", "Adafactor", "Lion"), _NOT_LEGACY),
    **dict.fromkeys(("Lamb", "Muon", "ScheduleFreeAdamW"), frozenset({Family.KERAS3})),
}
"""Keras' own optimizers, and the families that have them."""
CANONICAL = {name.lower(): name for name in CLASSES}

_OWN_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    # The legacy Nadam keeps the constant of its momentum schedule under this name.
    "Nadam": {"decay": 0.004},
    "Ftrl": {"beta": 0.0},
}


def class_name(inner: Mapping[str, Any]) -> str:
    """Returns the name of a wrapped optimizer's class.

    Args:
        inner: Its `{"class_name", "config"}`.

    Returns:
        For Keras' own, the class' name in its own spelling; for a user's, the name that it is
        registered under: the old form has no other.
    """
    name = str(inner.get("registered_name") or inner.get("class_name", ""))
    # As which SavedModels of TensorFlow 2.11 and later have Keras' own.
    return CANONICAL.get(name.lower().removeprefix("custom>"), name)


def is_known(inner: Mapping[str, Any]) -> bool:
    """Whether it is an optimizer of Keras' own, not a user's."""
    module = inner.get("module")
    of_keras = not module or str(module).split(".", 1)[0] in ("keras", "tf_keras", "tensorflow")
    return of_keras and class_name(inner) in CLASSES


def family(inner: Mapping[str, Any], generation: Generation) -> Family:
    """Tells to which family a wrapped optimizer's config belongs.

    Args:
        inner: Its `{"class_name", "config"}`.
        generation: Of the config it is in.

    Returns:
        The family.
    """
    if generation is Generation.KERAS3:
        return Family.KERAS3
    if generation is Generation.TF23:
        return Family.LEGACY
    module = str(inner.get("module") or "")
    config = inner.get("config")
    if "legacy" in module or "optimizer_v2" in module:
        return Family.LEGACY
    if isinstance(config, Mapping) and (config.keys() & {*MARKERS, *(_NEW.keys() - CLIPPING)}):
        return Family.NEW
    return Family.NEW if module else Family.LEGACY


def default(inner: Mapping[str, Any], key: str) -> Any:
    """Returns the value of an option that means it does nothing.

    Raises:
        KeyError: `key` is no option of all classes but a parameter of this one.
    """
    own = _OWN_DEFAULTS.get(class_name(inner), {})
    return own[key] if key in own else ALL_OPTIONS[key]


def is_default(inner: Mapping[str, Any], key: str, value: Any) -> bool:
    """Whether a value says no more than leaving the key out would."""
    try:
        expected = default(inner, key)
    except KeyError:
        return False
    return bool(value == expected or (value is None and expected in (0.0, None)))


def settings(inner: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields what a wrapped optimizer's config says beyond the defaults, one key at a time."""
    config = inner.get("config")
    if not isinstance(config, Mapping):
        return
    for key, value in sorted(((str(key), config[key]) for key in config), key=itemgetter(0)):
        if key not in MARKERS and not is_default(inner, key, value):
            yield key, plain(value)


def plain(value: Any) -> Any:
    """Returns a value without what only says how it is written down.

    Serialized objects lose `module`, `registered_name` and `build_config`, and numbers are rounded
    to float32: the legacy family stores them so.
    """
    if isinstance(value, Mapping):
        if "class_name" in value and "config" in value:
            return {"class_name": value["class_name"], "config": _named(plain(value["config"]))}
        return {str(key): plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [plain(child) for child in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return ctypes.c_float(value).value
    except OverflowError:
        return value


def _named(settings: Any) -> Any:
    """Leaves out a schedule's name where it has none."""
    if not isinstance(settings, Mapping) or settings.get("name", "") is not None:
        return settings
    return {key: value for key, value in settings.items() if key != "name"}


def respell(value: Any, *, with_modules: bool) -> Any:
    """Writes a config's value in the old form, or in that of Keras' new serialization.

    Args:
        value: Anything JSON can say. Serialized objects in it are dictionaries with `class_name`
            and `config`.
        with_modules: Whether serialized objects are to have `module` and `registered_name`.

    Returns:
        The value in that form.
    """
    if isinstance(value, list | tuple):
        return [respell(child, with_modules=with_modules) for child in value]
    if not isinstance(value, Mapping):
        return value
    respelled = {str(k): respell(child, with_modules=with_modules) for k, child in value.items()}
    if not ("class_name" in value and "config" in value):
        return respelled
    if not with_modules:
        return {key: respelled[key] for key in ("class_name", "config")}
    # The only objects in an optimizer's config that Keras itself makes are schedules.
    respelled.setdefault("module", "keras.optimizers.schedules")
    respelled.setdefault("registered_name", None)
    return respelled
