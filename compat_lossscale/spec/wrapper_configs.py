# SPDX-License-Identifier: Apache-2.0
"""The codec of loss-scale optimizers' configs: reads those of every generation, and writes each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.spec import configs, inner_optimizers
from compat_lossscale.spec.configs import Generation, others_in
from compat_lossscale.spec.inner_optimizers import Family
from compat_lossscale.spec.loss_scale_spec import LossScaleSpec
from compat_lossscale.spec.update_rule import PYTHON

MAX_GROWTH_STEPS = 2**63 - 1
"""The largest number that the counter of good steps can be compared with."""


def refuse_impossible(spec: LossScaleSpec) -> None:
    """Refuses a loss scale with which nothing is trained, or in each generation another way."""
    scale = PYTHON.float32(spec.initial_scale)
    if math.isinf(scale) or scale == 0:
        raise LossScaleArgumentError(
            f"A loss scale of {spec.initial_scale:g} is {scale:g} as float32, with which nothing "
            "is trained. Use 1 for no scaling."
        )
    if spec.growth_steps is not None and not 1 <= spec.growth_steps <= MAX_GROWTH_STEPS:
        raise LossScaleArgumentError(
            f"There are {spec.growth_steps} good steps before growth, and there must be at least 1 "
            "and at most 2 ** 63 - 1, which the counter can reach."
        )


_OF_KERAS_3 = ("name", "count_skipped_steps")
"""What only the configs of wrappers for Keras 3 have."""
_OF_LATER_FORMS = {"inner_optimizer", "dynamic", "initial_scale", "dynamic_growth_steps"}
_STATING_KEYS = (
    {"optimizer", "loss_scale"},
    {"inner_optimizer"},
    {"dynamic", "initial_scale"},
    {"initial_scale", "dynamic_growth_steps"},
    {"loss_scale_value"},
    {"initial_loss_scale"},
)


@dataclasses.dataclass(frozen=True)
class WrapperConfig:
    """The parts of a loss-scale optimizer's config.

    Attributes:
        generation: The generation of its form.
        spec: The loss scale.
        inner: The wrapped optimizer's `{"class_name", "config"}`; `None` for the config of a bare
            loss scale or of a policy.
        name: The wrapper's name, which only Keras 3 has.
        class_name: The wrapper's class; `None` if the config is bare, as `get_config()` returns it.
        others: Other keys of the wrapper's config, which a custom subclass may have.
        is_wrapper: Whether the config is that of a wrapper. If not, it is the optimizer's own, and
            `class_name` is that of the wrapper which other generations have instead.
        counts_skipped_steps: Whether it says that the iterations count skipped steps, which only
            this package's wrapper for Keras 3 does.
    """

    generation: Generation
    spec: LossScaleSpec
    inner: Mapping[str, Any] | None
    name: str | None = None
    class_name: str | None = None
    others: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    is_wrapper: bool = True
    counts_skipped_steps: bool = False


def read_wrapper_config(config: Mapping[str, Any]) -> WrapperConfig:
    """Reads a loss-scale optimizer's config of any generation.

    Args:
        config: The result of `get_config()` or `tf.keras.optimizers.serialize()`. The config of a
            LossScale, or of a Policy with a loss scale, is read as one without an optimizer.

    Raises:
        ConfigFormatError: It states no loss scale, or a value has a wrong type.
        LossScaleArgumentError: It states an invalid loss scale.
    """
    try:
        inner_optimizers.plain(config)  # It comes to all that is in it.
    except RecursionError:
        raise ConfigFormatError("This config has itself in it, or is nested too deeply.") from None
    spec = LossScaleSpec.from_config(config)
    refuse_impossible(spec)
    bare, class_name = configs.unwrapped(config)
    if _states_factor(bare):
        # The config of an optimizer of Keras 3 that scales the loss itself.
        if bare is config:
            # What `get_config()` returns, without the class.
            return WrapperConfig(Generation.KERAS3, spec, None, is_wrapper=False)
        settings = {key: value for key, value in bare.items() if key != configs.FACTOR}
        optimizer = {**config, "config": settings}
        return WrapperConfig(
            Generation.KERAS3, spec, optimizer, class_name="LossScaleOptimizer", is_wrapper=False
        )
    inner: Any = None
    generation = Generation.TF23
    if isinstance(bare.get("optimizer"), Mapping) and "loss_scale" in bare:
        inner = bare["optimizer"]
    elif bare.keys() & _OF_LATER_FORMS:
        inner = bare.get("inner_optimizer")
        generation = _generation_of_later_form(config, bare)
    if inner is not None and not (
        isinstance(inner, Mapping)
        and isinstance(inner.get("class_name"), str)
        and isinstance(inner.get("config"), Mapping)
    ):
        raise ConfigFormatError(
            'The wrapped optimizer must be a dictionary {"class_name": ..., "config": {...}}, but '
            f"the config has {inner!r:.80}."
        )
    if inner is not None and is_wrapper(inner):
        raise ConfigFormatError(
            f"It wraps a {inner['class_name']!r:.80}, which scales the loss itself: wrap the "
            "innermost optimizer once."
        )
    is_optimizer = inner is not None
    return WrapperConfig(
        generation=generation,
        spec=spec,
        inner=inner,
        name=bare.get("name") if is_optimizer and isinstance(bare.get("name"), str) else None,
        class_name=class_name,
        others={k: v for k, v in others_in(bare).items() if k not in _OF_KERAS_3}
        if is_optimizer
        else {},
        counts_skipped_steps=bare.get("count_skipped_steps") is True,
    )


def _states_factor(bare: Mapping[str, Any]) -> bool:
    return bare.get(configs.FACTOR) is not None and bare.keys().isdisjoint(configs.INNER_KEYS)


def _generation_of_later_form(config: Mapping[str, Any], bare: Mapping[str, Any]) -> Generation:
    inner = bare.get("inner_optimizer")
    settings = inner.get("config") if isinstance(inner, Mapping) else None
    # This package's wrapper for Keras 3 has "dynamic", too, if the scale is fixed.
    is_keras3 = isinstance(settings, Mapping) and configs.FACTOR in settings
    if "dynamic" not in bare or "count_skipped_steps" in bare or is_keras3:
        return Generation.KERAS3
    has_module = "module" in config or (isinstance(inner, Mapping) and "module" in inner)
    return Generation.TF_KERAS if has_module else Generation.TF24


def states_loss_scale(config: Mapping[str, Any]) -> bool:
    """Whether a dictionary looks like a config that states a loss scale.

    `read_wrapper_config` checks whether it is valid.
    """
    return is_wrapper(config) or _states_factor(configs.unwrapped(config)[0])


def is_wrapper(config: Mapping[str, Any]) -> bool:
    """Whether a dictionary looks like such a config, apart from Keras 3's `loss_scale_factor`."""
    bare, class_name = configs.unwrapped(config)
    if class_name in configs.WRAPPERS or class_name in configs.LOSS_SCALES:
        return True
    if class_name in configs.POLICIES:
        return bare.get("loss_scale") is not None
    if class_name is None and "name" in bare and bare.keys() <= {"name", "loss_scale"}:
        return bare.get("loss_scale") is not None
    return any(keys <= bare.keys() for keys in _STATING_KEYS)


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

    `reasons` gets the reason for each field that this form cannot express, by its name.

    Raises:
        InexpressibleLossScaleError: The form cannot express the loss scale itself.
    """
    # This package's wrapper for Keras 3 takes a fixed loss scale too.
    is_ours = parts.inner is not None and parts.is_wrapper and not parts.spec.dynamic
    keeps_wrapper = is_ours and parts.generation is target is Generation.KERAS3
    stated = parts.spec.to_config(Generation.TF24 if keeps_wrapper else target)
    if parts.inner is None:
        return stated
    inner = write_optimizer(parts.inner, parts.generation, target, reasons)
    if configs.FACTOR in stated:
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
    # Where this package is imported, its own class loads from Keras 3's; elsewhere Keras' does.
    module, name = "keras.optimizers", "LossScaleOptimizer"
    if target is not Generation.KERAS3:
        module = _TF_KERAS_MODULE
        stored = inner_optimizers.family(parts.inner, parts.generation)
        if wanted_family(stored, parts.generation, target) is Family.NEW:
            name = "LossScaleOptimizerV3"
    written = {"class_name": name, "config": bare}
    if target not in _HAVE_MODULES:
        return written
    return {"module": module, **written, "registered_name": name}


def wanted_family(stored: Family, source: Generation, target: Generation) -> Family:
    """Returns the family of an optimizer after a conversion to another generation."""
    if target is Generation.KERAS3:
        return Family.KERAS3
    if target is Generation.TF_KERAS:
        # It has both families, so the family does not change.
        return Family.LEGACY if stored is Family.LEGACY else Family.NEW
    # TensorFlow 2.4 to 2.10 have no other; 2.11 to 2.15 have both.
    return stored if source is target else Family.LEGACY


def write_optimizer(
    inner: Mapping[str, Any], source: Generation, target: Generation, reasons: dict[str, str]
) -> dict[str, Any]:
    """Writes the config of an optimizer itself, without its wrapper; see `write_config`."""
    if not inner_optimizers.is_known(inner):
        return _write_own_class(inner, target)
    stored_family = inner_optimizers.family(inner, source)
    family = wanted_family(stored_family, source, target)
    with_modules = target in _HAVE_MODULES
    name = inner_optimizers.class_name(inner)
    if family not in inner_optimizers.CLASSES[name]:
        reasons["optimizer"] = f"{target.title} has no optimizer {name}"
    config: dict[str, Any] = {}
    inner = inner_optimizers.with_epsilon(inner, stored_family, family)
    has_decay = "decay" in inner_optimizers.OPTIONS[family]
    stored = inner["config"] if has_decay else inner_optimizers.with_schedule(inner)
    for key, value in stored.items():
        is_default = inner_optimizers.is_default(inner, key, value)
        if stored_family is not family and (is_default or key in inner_optimizers.MARKERS):
            continue
        reason = _why_lost(name, key, family, target)
        if reason is None:
            config[key] = inner_optimizers.respell(value, with_modules=with_modules)
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
    config = inner_optimizers.respell(inner["config"], with_modules=with_modules)
    name = inner_optimizers.class_name(inner)
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
    if target is Generation.TF23 and key in inner_optimizers.CLIPPING:
        return f"{target.title} refuse to wrap an optimizer that clips gradients"
    if key not in inner_optimizers.ALL_OPTIONS or key in inner_optimizers.OPTIONS[family]:
        return None
    if key == "decay":
        return f"the optimizers of {target.title} have no decay besides a learning-rate schedule"
    return f"the optimizers of {target.title} have no {key}"
