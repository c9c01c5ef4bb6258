# SPDX-License-Identifier: Apache-2.0
"""Reads the config dictionaries of loss-scale optimizers of every generation."""

from __future__ import annotations

import ctypes
import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.formats.bounded import MAX_JSON_DEPTH, is_too_deep
from compat_lossscale.spec import Generation, LossScaleSpec, others_in
from compat_lossscale.spec.configs import (
    FACTOR,
    INNER_KEYS,
    KEYS_OF_LOSS_SCALES,
    LOSS_SCALES,
    POLICIES,
    WRAPPERS,
    unwrapped,
)

MAX_GROWTH_STEPS = 2**63 - 1
"""The largest number that the counter of good steps can be compared with."""


def refuse_impossible(spec: LossScaleSpec) -> None:
    """Refuses a loss scale with which no generation takes a good step.

    Args:
        spec: The loss scale that a config states.

    Raises:
        LossScaleArgumentError: It cannot train. The message says why.
    """
    scale = _float32(spec.initial_scale)
    if math.isinf(scale):
        raise LossScaleArgumentError(
            f"A loss scale of {spec.initial_scale:g} is infinite as float32, so no step is ever "
            "good. Use a smaller one."
        )
    if scale == 0 and not spec.dynamic:
        raise LossScaleArgumentError(
            f"A fixed loss scale of {spec.initial_scale:g} is zero as float32, so every gradient "
            "is NaN. Use 1 for no scaling."
        )
    if spec.growth_steps is not None and spec.growth_steps > MAX_GROWTH_STEPS:
        raise LossScaleArgumentError(
            f"{spec.growth_steps} good steps before growth exceed the 64-bit integer of the "
            "counter, so no step can be taken. Use a smaller number."
        )


def lost_numbers(spec: LossScaleSpec, source: Generation, target: Generation) -> dict[str, str]:
    """Returns the fields with another meaning in another generation, each with the reason."""
    if not spec.dynamic or not _crosses(source, target):
        return {}
    reasons = {}
    if _float32(spec.initial_scale) == 0:
        reasons["initial_scale"] = (
            "a loss scale of 0 stays 0 in Keras 3, and makes every gradient NaN; TensorFlow and "
            "tf-keras skip the first step and continue with 1"
        )
    if _grows_always(spec):
        reasons["growth_steps"] = (
            "with it Keras 3 never grows the loss scale; TensorFlow and tf-keras grow it after "
            "every good step"
        )
    return reasons


def noted_numbers(spec: LossScaleSpec, source: Generation, target: Generation) -> dict[str, str]:
    """Returns odd fields that keep their meaning, each with the reason."""
    if not spec.dynamic or source is target:
        return {}
    reasons = {}
    scale = _float32(spec.initial_scale)
    if _crosses(source, target):
        if scale < 1 and scale != 0:
            reasons["initial_scale"] = (
                "it is below 1: when a gradient overflows, Keras 3 halves it, and TensorFlow and "
                "tf-keras set it to 1"
            )
        return reasons
    if scale == 0:
        reasons["initial_scale"] = (
            "the first step is skipped in both, and the scale continues with 1"
        )
    if _grows_always(spec):
        reasons["growth_steps"] = "the scale grows after every good step, in both"
    return reasons


def _crosses(source: Generation, target: Generation) -> bool:
    return (source is Generation.KERAS3) != (target is Generation.KERAS3)


def _grows_always(spec: LossScaleSpec) -> bool:
    return spec.growth_steps is not None and spec.growth_steps < 1


def _float32(value: float) -> float:
    return ctypes.c_float(value).value


_OF_KERAS_3 = ("name", "count_skipped_steps")
"""What only the configs of wrappers for Keras 3 have."""
_STATING_KEYS = (
    {"optimizer", "loss_scale"},
    {"inner_optimizer"},
    {"dynamic", "initial_scale"},
    {"initial_scale", "dynamic_growth_steps"},
    {"loss_scale_value"},
    {"initial_loss_scale"},
)


_REFUSE_WRAPPERS = (Generation.TF24, Generation.TF_KERAS)
"""The generations whose wrapper refuses another wrapper. In the others, both scale."""


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

    Returns:
        Its parts.

    Raises:
        ConfigFormatError: It states no loss scale, or a value has a wrong type.
        LossScaleArgumentError: It states an invalid loss scale.
    """
    if not isinstance(config, Mapping):
        raise ConfigFormatError(f"A config must be a dictionary, but got {type(config).__name__}.")
    if is_too_deep(config):
        raise ConfigFormatError(
            f"The config has more than {MAX_JSON_DEPTH} levels, or contains itself."
        )
    bare, class_name = unwrapped(config)
    _refuse_own_loss_scale(config)
    spec = LossScaleSpec.from_config(config)
    refuse_impossible(spec)
    if _states_factor(bare):
        return _without_wrapper(config, bare, spec)
    if isinstance(bare.get("optimizer"), Mapping) and "loss_scale" in bare:
        inner: Any = bare["optimizer"]
        generation = Generation.TF23
    elif "inner_optimizer" in bare:
        inner = bare["inner_optimizer"]
        generation = _generation_of_later_form(config, bare)
    elif "dynamic" in bare or "initial_scale" in bare or "dynamic_growth_steps" in bare:
        inner = None
        generation = _generation_of_later_form(config, bare)
    else:
        inner, generation = None, Generation.TF23
    if inner is not None and not (
        isinstance(inner, Mapping)
        and isinstance(inner.get("class_name"), str)
        and isinstance(inner.get("config"), Mapping)
    ):
        raise ConfigFormatError(
            'The wrapped optimizer must be a dictionary {"class_name": ..., "config": {...}}, but '
            f"the config has {_shortened(inner)}."
        )
    if generation in _REFUSE_WRAPPERS and inner is not None and is_wrapper(inner):
        raise ConfigFormatError(
            f"It wraps a {_shortened(inner['class_name'])}, which scales the loss itself; "
            f"{generation.title} refuses that."
        )
    is_optimizer = inner is not None
    return WrapperConfig(
        generation=generation,
        spec=spec,
        inner=inner,
        name=_name(bare) if is_optimizer else None,
        class_name=class_name,
        others={k: v for k, v in others_in(bare).items() if k not in _OF_KERAS_3}
        if is_optimizer
        else {},
        counts_skipped_steps=bare.get("count_skipped_steps") is True,
    )


def _states_factor(bare: Mapping[str, Any]) -> bool:
    return bare.get(FACTOR) is not None and bare.keys().isdisjoint(INNER_KEYS)


def _without_wrapper(
    config: Mapping[str, Any], bare: Mapping[str, Any], spec: LossScaleSpec
) -> WrapperConfig:
    """Takes apart the config of an optimizer of Keras 3 that scales the loss itself."""
    if bare is config:
        # What `get_config()` returns, without the class.
        return WrapperConfig(Generation.KERAS3, spec, None, is_wrapper=False)
    inner = {**config, "config": {key: value for key, value in bare.items() if key != FACTOR}}
    return WrapperConfig(
        Generation.KERAS3, spec, inner, class_name="LossScaleOptimizer", is_wrapper=False
    )


def own_loss_scale(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the loss scale of a config if it is of a class of the user's own.

    Args:
        config: The config of a loss-scale optimizer, of a policy or of a loss scale.

    Returns:
        Its `{"class_name", "config"}`; `None` if the class is TensorFlow's, or there is none.
    """
    bare, class_name = unwrapped(config)
    stated = bare.get("loss_scale")
    if isinstance(stated, Mapping):
        name = stated.get("class_name")
        return None if isinstance(name, str) and name in LOSS_SCALES else stated
    is_own = class_name is not None and class_name not in (*LOSS_SCALES, *WRAPPERS, *POLICIES)
    return config if is_own and bare.keys() & KEYS_OF_LOSS_SCALES else None


def _refuse_own_loss_scale(config: Mapping[str, Any]) -> None:
    own = own_loss_scale(config)
    if own is not None:
        raise ConfigFormatError(
            f"Its loss scale is of the class {_shortened(own.get('class_name'))}, which is "
            "neither FixedLossScale nor DynamicLossScale: its rule is in the code of that "
            "class, not in the config."
        )


def _generation_of_later_form(config: Mapping[str, Any], bare: Mapping[str, Any]) -> Generation:
    inner = bare.get("inner_optimizer")
    settings = inner.get("config") if isinstance(inner, Mapping) else None
    # This package's wrapper for Keras 3 has "dynamic", too, if the scale is fixed.
    is_keras3 = isinstance(settings, Mapping) and FACTOR in settings
    if "dynamic" not in bare or "count_skipped_steps" in bare or is_keras3:
        return Generation.KERAS3
    has_module = "module" in config or (isinstance(inner, Mapping) and "module" in inner)
    return Generation.TF_KERAS if has_module else Generation.TF24


def _name(bare: Mapping[str, Any]) -> str | None:
    name = bare.get("name")
    return name if isinstance(name, str) else None


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def states_loss_scale(config: Mapping[str, Any]) -> bool:
    """Whether a dictionary looks like a config that states a loss scale.

    `read_wrapper_config` checks whether it is valid.
    """
    return is_wrapper(config) or _states_factor(unwrapped(config)[0])


def is_wrapper(config: Mapping[str, Any]) -> bool:
    """Whether a dictionary looks like such a config, apart from Keras 3's `loss_scale_factor`."""
    bare, class_name = unwrapped(config)
    if class_name in WRAPPERS or class_name in LOSS_SCALES:
        return True
    if class_name in POLICIES:
        return bare.get("loss_scale") is not None
    if class_name is None and "name" in bare and bare.keys() <= {"name", "loss_scale"}:
        return bare.get("loss_scale") is not None
    return any(keys <= bare.keys() for keys in _STATING_KEYS)
