# SPDX-License-Identifier: Apache-2.0
"""Writes a loss-scale config in the form of any generation, and lists what it cannot express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats import inner_optimizer
from compat_lossscale.formats.config import WrapperConfig
from compat_lossscale.formats.inner_optimizer import Family
from compat_lossscale.spec import Generation
from compat_lossscale.spec.configs import FACTOR

_MODULES = {
    Family.LEGACY: "keras.optimizers.legacy",
    Family.NEW: "keras.optimizers",
    Family.KERAS3: "keras.optimizers",
}
_TF_KERAS_MODULE = "tf_keras.src.mixed_precision.loss_scale_optimizer"
_HAVE_MODULES = (Generation.TF_KERAS, Generation.KERAS3)


def write_config(
    parts: WrapperConfig, target: Generation, reasons: dict[str, str]
) -> dict[str, Any]:
    """Writes a config in a generation's form.

    Args:
        parts: The parts of the config.
        target: The generation.
        reasons: Gets the reason for each field that this form cannot express, by its name.

    Returns:
        The config, without the fields that the form cannot express.

    Raises:
        InexpressibleLossScaleError: The form cannot express the loss scale itself.
    """
    if is_fixed_wrapper(parts) and target is Generation.KERAS3:
        stated = parts.spec.to_config(Generation.TF24)
    else:
        stated = parts.spec.to_config(target)
    if parts.inner is None:
        return stated
    stored_family = inner_optimizer.family(parts.inner, parts.generation)
    family = wanted_family(stored_family, parts.generation, target)
    inner = _write_inner(parts.inner, stored_family, family, target, reasons)
    if FACTOR in stated:
        # The optimizer itself has the fixed scale, and no wrapper.
        inner["config"].update(stated)
        return inner
    key = "optimizer" if target is Generation.TF23 else "inner_optimizer"
    bare: dict[str, Any] = {key: inner, **stated}
    if target is Generation.KERAS3:
        bare |= {"name": parts.name} if parts.name is not None else {}
        bare |= {"count_skipped_steps": True} if parts.counts_skipped_steps else {}
    if parts.class_name is None:
        return bare
    return _wrap(bare, family, target)


def write_optimizer(
    optimizer: Mapping[str, Any], source: Generation, target: Generation, reasons: dict[str, str]
) -> dict[str, Any]:
    """Writes the config of an optimizer without a loss scale; see `write_config`.

    Args:
        optimizer: Its `{"class_name", "config"}`.
        source: Its generation.
        target: The generation.
        reasons: As for `write_config`.
    """
    stored = inner_optimizer.family(optimizer, source)
    family = wanted_family(stored, source, target)
    return _write_inner(optimizer, stored, family, target, reasons)


def is_fixed_wrapper(parts: WrapperConfig) -> bool:
    """Whether a config is that of this package's wrapper for Keras 3, with a fixed scale."""
    is_keras3 = parts.generation is Generation.KERAS3
    return is_keras3 and parts.is_wrapper and parts.inner is not None and not parts.spec.dynamic


def wanted_family(stored: Family, source: Generation, target: Generation) -> Family:
    """Returns the family of an optimizer after a conversion to another generation.

    Args:
        stored: The optimizer's family.
        source: Its config's generation.
        target: The generation that it is converted to.
    """
    if target is Generation.KERAS3:
        return Family.KERAS3
    if target is Generation.TF_KERAS:
        # It has both families, so the family does not change.
        return Family.LEGACY if stored is Family.LEGACY else Family.NEW
    # TensorFlow 2.4 to 2.10 have no other; 2.11 to 2.15 have both.
    return stored if source is target else Family.LEGACY


def _wrap(bare: dict[str, Any], family: Family, target: Generation) -> dict[str, Any]:
    if target is Generation.KERAS3:
        return {
            "module": "keras.optimizers",
            "class_name": "LossScaleOptimizer",
            "config": bare,
            # Where this package is imported, its own class loads; elsewhere Keras' class does.
            "registered_name": "LossScaleOptimizer",
        }
    name = "LossScaleOptimizerV3" if family is Family.NEW else "LossScaleOptimizer"
    if target is Generation.TF_KERAS:
        return {
            "module": _TF_KERAS_MODULE,
            "class_name": name,
            "config": bare,
            "registered_name": name,
        }
    return {"class_name": name, "config": bare}


def _write_inner(
    inner: Mapping[str, Any],
    stored_family: Family,
    family: Family,
    target: Generation,
    reasons: dict[str, str],
) -> dict[str, Any]:
    if not inner_optimizer.is_known(inner):
        return _write_own_class(inner, target)
    with_modules = target in _HAVE_MODULES
    name = inner_optimizer.class_name(inner)
    if family not in inner_optimizer.CLASSES[name]:
        reasons["optimizer"] = f"{target.title} has no optimizer {name}"
    config: dict[str, Any] = {}
    has_decay = "decay" in inner_optimizer.OPTIONS[family]
    stored = inner["config"] if has_decay else inner_optimizer.with_schedule(inner)
    for key, value in stored.items():
        is_default = inner_optimizer.is_default(inner, key, value)
        if stored_family is not family and (is_default or key in inner_optimizer.MARKERS):
            continue
        reason = _why_lost(name, key, family, target)
        if reason is None:
            config[key] = inner_optimizer.respell(value, with_modules=with_modules)
            if target is Generation.KERAS3:
                config[key] = _named(config[key])
        elif not is_default:
            reasons[f"optimizer.{key}"] = reason
    if family is Family.NEW:
        # Without this key, tf-keras takes an optimizer of the same name from the legacy family.
        config.setdefault("is_legacy_optimizer", False)
    written: dict[str, Any] = {"class_name": name, "config": config}
    if with_modules:
        return {"module": _MODULES[family], **written, "registered_name": None}
    return written


def _named(schedule: Any) -> Any:
    """Leaves out a schedule's name where it has none: Keras 3 refuses `None`."""
    settings = schedule.get("config") if isinstance(schedule, Mapping) else None
    if not isinstance(settings, Mapping) or settings.get("name", "") is not None:
        return schedule
    return {**schedule, "config": {k: v for k, v in settings.items() if k != "name"}}


def _write_own_class(inner: Mapping[str, Any], target: Generation) -> dict[str, Any]:
    """Writes the config of a custom optimizer, of which nothing is known, unchanged."""
    with_modules = target in _HAVE_MODULES
    config = inner_optimizer.respell(inner["config"], with_modules=with_modules)
    name = inner_optimizer.class_name(inner)
    if not with_modules:
        return {"class_name": name, "config": config}
    return {
        "module": inner.get("module"),
        "class_name": name.rpartition(">")[2],
        "config": config,
        "registered_name": name,
    }


def _why_lost(name: str, key: str, family: Family, target: Generation) -> str | None:
    """Why a setting of Keras' own optimizers cannot be expressed; `None` if it can."""
    if target is Generation.TF23 and (name, key) == ("Ftrl", "beta"):
        return "Ftrl has no beta before TensorFlow 2.3"
    if target is Generation.TF23 and key in inner_optimizer.CLIPPING:
        return f"{target.title} refuse to wrap an optimizer that clips gradients"
    if key not in inner_optimizer.ALL_OPTIONS or key in inner_optimizer.OPTIONS[family]:
        return None
    if key == "decay":
        return f"the optimizers of {target.title} have no decay besides a learning-rate schedule"
    return f"the optimizers of {target.title} have no {key}"
