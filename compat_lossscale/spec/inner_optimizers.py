# SPDX-License-Identifier: Apache-2.0
"""The wrapped optimizer's config: what each family of Keras optimizers can express.

All families have the same update rules for the classes that they share, but for Nadam, gradients of
single rows, and where `epsilon` is added. They differ in the options that all their classes have,
and in how configs name classes. The tables are from the constructors of `OptimizerV2` (TensorFlow
2.0 to 2.10, `optimizers.legacy` since), of tf-keras' `Optimizer` (2.11 and later) and of Keras 3's
`Optimizer`.
"""

from __future__ import annotations

import ctypes
import enum
import math
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from compat_lossscale.spec.configs import Generation


class Family(enum.Enum):
    """The families of Keras optimizers."""

    LEGACY = "legacy"
    """`OptimizerV2`: TensorFlow 2.0 to 2.10, and `tf.keras.optimizers.legacy` since."""
    NEW = "new"
    """`Optimizer` of TensorFlow 2.11 and later and of tf-keras."""
    KERAS3 = "keras3"
    """`keras.optimizers.Optimizer` of Keras 3."""


MARKERS = frozenset({"is_legacy_optimizer", "jit_compile"})
"""Keys that state the family or how the optimizer runs, and do not change results."""

CLIPPING: dict[str, Any] = {"clipnorm": None, "clipvalue": None, "global_clipnorm": None}
"""The options that clip gradients."""
_NEW: dict[str, Any] = {
    **CLIPPING,
    "weight_decay": None,
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
}
_KERAS3: dict[str, Any] = {**_NEW, "loss_scale_factor": None, "gradient_accumulation_steps": None}
OPTIONS: Mapping[Family, Mapping[str, Any]] = {
    Family.LEGACY: {**CLIPPING, "decay": 0.0},
    Family.NEW: _NEW,
    Family.KERAS3: _KERAS3,
}
"""The options of every class of a family, with the values that do nothing."""

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

SCHEDULES = frozenset(
    {
        *("CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay"),
        *("PiecewiseConstantDecay", "PolynomialDecay"),
    }
)
"""Keras' own learning-rate schedules, which every family has."""
_OWN_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    # The legacy Nadam has the constant of its momentum schedule under this name.
    "Nadam": {"decay": 0.004},
    "Ftrl": {"beta": 0.0},
}


_BEFORE_2_3 = {"lr": "learning_rate", "schedule_decay": "decay"}


def class_name(inner: Mapping[str, Any]) -> str:
    """Returns the name of a wrapped optimizer's class, in Keras' spelling for Keras' own.

    A custom class has the name under which it is registered: the old form has no other.
    """
    name = str(inner.get("registered_name") or inner.get("class_name", ""))
    # SavedModels of TensorFlow 2.11 and later name Keras' own classes so.
    return CANONICAL.get(name.lower().removeprefix("custom>"), name)


def serialized(compiled: Any) -> dict[str, Any] | None:
    """Returns `{"class_name", "config"}` of an optimizer that a model is compiled with.

    A file says it, or the name that `compile` of tf-keras was given.
    """
    if isinstance(compiled, str):
        return {"class_name": CANONICAL.get(compiled.lower(), compiled), "config": {}}
    if not isinstance(compiled, Mapping) or not isinstance(compiled.get("class_name"), str):
        return None
    config = compiled.get("config")
    if not isinstance(config, Mapping):
        return None
    # Keras before 2.3 has other names for two settings, and `None` for the usual epsilon.
    config = {_BEFORE_2_3.get(key, key): value for key, value in config.items()}
    if config.get("epsilon", 0) is None:
        config["epsilon"] = 1e-7
    return {**compiled, "config": config}


def is_known(inner: Mapping[str, Any]) -> bool:
    """Whether an optimizer is one of Keras' own, and not custom."""
    module = inner.get("module")
    of_keras = not module or str(module).split(".", 1)[0] in ("keras", "tf_keras", "tensorflow")
    return of_keras and class_name(inner) in CLASSES


def family(inner: Mapping[str, Any], generation: Generation) -> Family:
    """Returns the family of a wrapped optimizer's config."""
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


def is_default(inner: Mapping[str, Any], key: str, value: Any) -> bool:
    """Whether a value has the same meaning as a missing key."""
    defaults = {**ALL_OPTIONS, **_OWN_DEFAULTS.get(class_name(inner), {})}
    if key not in defaults:
        return False  # It is no option of all classes, but a parameter of this one.
    expected = defaults[key]
    if isinstance(value, float) and isinstance(expected, float):
        return math.isclose(value, expected, rel_tol=1e-6)  # TensorFlow 2 stores it as float32.
    return bool(value == expected or (value is None and expected in (0.0, None)))


def with_schedule(inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a wrapped optimizer's config with its `decay` as a learning-rate schedule.

    The legacy family has `decay` besides the learning rate, and no other family has it. Nadam's is
    something else.
    """
    config: Mapping[str, Any] = inner["config"]
    decay, rate = config.get("decay"), config.get("learning_rate")
    numbers = all(isinstance(n, int | float) and not isinstance(n, bool) for n in (decay, rate))
    if not numbers or not decay or class_name(inner) == "Nadam":
        return config
    schedule = {
        "class_name": "InverseTimeDecay",
        "config": {
            "initial_learning_rate": rate,
            "decay_steps": 1,
            "decay_rate": decay,
            "staircase": False,
        },
    }
    return {**config, "learning_rate": schedule, "decay": 0.0}


def with_epsilon(inner: Mapping[str, Any], stored: Family, wanted: Family) -> dict[str, Any]:
    """Returns a wrapped optimizer with its `epsilon` as another family counts it.

    The legacy Adagrad, and RMSprop without momentum, add it to a root; the others below the root.
    """
    config, name = inner["config"], class_name(inner)
    epsilon = config.get("epsilon")
    to_root = name == "Adagrad" or (name == "RMSprop" and not config.get("momentum"))
    changes = stored is not wanted and Family.LEGACY in (stored, wanted)
    if to_root and changes and isinstance(epsilon, float) and epsilon > 0:
        other = epsilon * epsilon if stored is Family.LEGACY else math.sqrt(epsilon)
        return {**inner, "config": {**config, "epsilon": other}}
    return dict(inner)


def settings(inner: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the keys and values of a wrapped optimizer's config that differ from the defaults."""
    config = inner.get("config")
    if not isinstance(config, Mapping):
        return
    config = with_schedule(inner)
    for key, value in sorted(((str(key), config[key]) for key in config), key=itemgetter(0)):
        if key not in MARKERS and not is_default(inner, key, value):
            yield key, plain(value)


def plain(value: Any) -> Any:
    """Returns a value that is independent of its form.

    Serialized objects lose `module`, `registered_name` and `build_config`, and numbers are rounded
    to float32, because the legacy family stores them as float32.
    """
    if isinstance(value, Mapping):
        if "class_name" in value and "config" in value:
            name = value["class_name"]
            return {
                "class_name": name,
                "config": _without_default_name(name, plain(value["config"])),
            }
        return {str(key): plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [plain(child) for child in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return ctypes.c_float(value).value
    except OverflowError:
        return value


def _without_default_name(class_name: Any, settings: Any) -> Any:
    """Leaves out a schedule's default name: none in tf-keras, and that of the class in Keras 3."""
    if not isinstance(settings, Mapping):
        return settings
    is_schedule = isinstance(class_name, str) and class_name in SCHEDULES
    if settings.get("name", "") not in ((None, class_name) if is_schedule else (None,)):
        return settings
    return {key: value for key, value in settings.items() if key != "name"}


def respell(value: Any, *, with_modules: bool) -> Any:
    """Writes a config's value in the old form, or in that of Keras' new serialization."""
    if isinstance(value, list | tuple):
        return [respell(child, with_modules=with_modules) for child in value]
    if not isinstance(value, Mapping):
        return value
    respelled = {str(k): respell(child, with_modules=with_modules) for k, child in value.items()}
    if not ("class_name" in value and "config" in value):
        return respelled
    if not with_modules:
        return {key: respelled[key] for key in ("class_name", "config")}
    # The only objects of Keras itself in an optimizer's config are schedules.
    respelled.setdefault("module", "keras.optimizers.schedules")
    respelled.setdefault("registered_name", None)
    return respelled
