# SPDX-License-Identifier: Apache-2.0
"""Converts a loss-scale config from one generation's form to another's, and lists what is lost."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.spec import Generation, LossScaleSpec, inner_optimizers
from compat_lossscale.spec.configs import WRAPPERS
from compat_lossscale.spec.inner_optimizers import Family
from compat_lossscale.spec.wrapper_configs import (
    WrapperConfig,
    is_fixed_wrapper,
    is_wrapper,
    lost_numbers,
    noted_numbers,
    read_wrapper_config,
    wanted_family,
    write_config,
)

_OWN_WRAPPER = "Keras' own LossScaleOptimizer takes no such setting"
_NO_WRAPPER = (
    "a fixed loss scale is loss_scale_factor of the optimizer itself in Keras 3; compile() wraps "
    "it in a dynamic one all the same if the global policy is mixed_float16, so load the model "
    "under another: its layers keep theirs"
)
_NADAM = (
    "the momentum of Nadam follows 0.96 ** (0.004 * step) in the legacy family and 0.96 ** step in "
    "the others: its steps are of another size"
)
_TWO_WRAPPERS = (
    "only TensorFlow 2.0-2.2 and Keras 3 build a loss-scale optimizer around another, and "
    "the two scales multiply; wrap the innermost optimizer once"
)


class Verdict(enum.Enum):
    """What a conversion does with one field of a config."""

    KEPT = "kept"
    """It has the same value after a conversion and back."""
    LOST = "lost"
    """The other form cannot express it."""
    NOTED = "noted"
    """It changes, but training does not."""


@dataclasses.dataclass(frozen=True)
class Field:
    """One field of a config, and what a conversion does with it.

    Attributes:
        name: Its name, such as `initial_scale` or `optimizer.learning_rate`.
        verdict: Kept, lost or noted.
        value: Its value in the config.
        reason: Why it is not kept; empty if it is kept.
    """

    name: str
    verdict: Verdict
    value: Any
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Conversion:
    """A config in another generation's form, and the verdict on each of its fields.

    Attributes:
        source: The generation of the original config.
        target: The generation of the converted config.
        config: The converted config; `None` if the target cannot express the loss scale itself.
        fields: The fields of the config that differ from the defaults.
        changes_family: Whether the family of the wrapped optimizer changes.
    """

    source: Generation
    target: Generation
    config: dict[str, Any] | None
    fields: tuple[Field, ...]
    changes_family: bool = False

    @property
    def lost(self) -> tuple[Field, ...]:
        """The fields that are lost."""
        return tuple(field for field in self.fields if field.verdict is Verdict.LOST)


def meaning(config: Mapping[str, Any] | WrapperConfig) -> dict[str, Any]:
    """Returns the fields of a config, independent of the form of its generation.

    Args:
        config: A loss-scale config of any generation.

    Returns:
        The loss scale's four fields, and those of its rule as `rule.<name>`; and, if there is a
        wrapped optimizer, its class as
        `optimizer` and each setting that is not the default as `optimizer.<name>`.
    """
    parts = config if isinstance(config, WrapperConfig) else read_wrapper_config(config)
    fields: dict[str, Any] = parts.spec.fields
    if parts.inner is not None:
        fields["optimizer"] = inner_optimizers.class_name(parts.inner)
        for key, value in inner_optimizers.settings(parts.inner):
            fields[f"optimizer.{key}"] = value
        # Early versions of Keras 3 list options there that do nothing.
        for key, value in inner_optimizers.settings({"config": parts.others}):
            fields[f"wrapper.{key}"] = value
    return fields


def convert(config: Mapping[str, Any], target: Generation) -> Conversion:
    """Converts a config, and converts it back to find out what is lost.

    Args:
        config: A loss-scale config of any generation, bare or in `{"class_name", "config"}`.
        target: The generation to convert to.

    Returns:
        The conversion, even if something is lost.

    Raises:
        ConfigFormatError: `config` is not a config of a loss scale.
        LossScaleArgumentError: It states an invalid loss scale.
    """
    parts = read_wrapper_config(config)
    stated = meaning(parts)
    reasons = lost_numbers(parts.spec, parts.generation, target)
    converted: dict[str, Any] | None = None
    if parts.inner is not None and is_wrapper(parts.inner):
        reasons["optimizer"] = _TWO_WRAPPERS
    else:
        try:
            converted = write_config(parts, target, reasons)
        except InexpressibleLossScaleError as error:
            reasons |= dict.fromkeys(_inexpressible_fields(parts.spec, target), str(error))
    back = stated if converted is None else _there_and_back(converted, parts.generation)
    reasons |= {name: _OWN_WRAPPER for name in stated if name.startswith("wrapper.")}
    odd = noted_numbers(parts.spec, parts.generation, target)
    fields = [_field(name, value, back, reasons, odd) for name, value in stated.items()]
    notes = _notes(parts, target)
    return Conversion(
        source=parts.generation,
        target=target,
        config=converted,
        fields=(*fields, *notes),
        changes_family=any(note.name == "family" for note in notes),
    )


def _there_and_back(converted: Mapping[str, Any], source: Generation) -> dict[str, Any]:
    there = read_wrapper_config(converted)
    try:
        return meaning(write_config(there, source, {}))
    except InexpressibleLossScaleError:
        # A config can state a value that its own generation refuses, such as a fixed scale below 1.
        return meaning(there)


def _field(
    name: str,
    value: Any,
    back: Mapping[str, Any],
    reasons: Mapping[str, str],
    odd: Mapping[str, str],
) -> Field:
    if name in reasons:
        return Field(name, Verdict.LOST, value, reasons[name])
    if name in back and _equal(back[name], value):
        if name in odd:
            return Field(name, Verdict.NOTED, value, odd[name])
        return Field(name, Verdict.KEPT, value)
    return Field(name, Verdict.LOST, value, f"it comes back as {back.get(name)!r}")


def _equal(a: Any, b: Any) -> bool:
    # NaN, which JSON written by Python may have, equals itself here.
    return bool(a == b) or (a != a and b != b)  # noqa: PLR0124  # NaN is not itself


def _inexpressible_fields(spec: LossScaleSpec, target: Generation) -> list[str]:
    if spec.rule is not None:
        return [name for name in spec.fields if name.startswith("rule.")]
    if spec.dynamic:
        return ["multiplier"]
    return ["initial_scale" if target is Generation.TF23 else "dynamic"]


def _notes(parts: WrapperConfig, target: Generation) -> list[Field]:
    notes = []
    if parts.counts_skipped_steps and target is not Generation.KERAS3:
        reason = f"{target.title} always counts skipped steps, and does not say so"
        notes.append(Field("count_skipped_steps", Verdict.NOTED, True, reason))
    loses_wrapper = target is Generation.KERAS3 and parts.is_wrapper and not is_fixed_wrapper(parts)
    if loses_wrapper and parts.inner is not None and not parts.spec.dynamic:
        notes.append(Field("wrapper", Verdict.NOTED, parts.class_name, _NO_WRAPPER))
    if parts.name is not None and target is not Generation.KERAS3:
        reason = "only Keras 3 names the wrapper; the name has no influence on training"
        notes.append(Field("name", Verdict.NOTED, parts.name, reason))
    if parts.inner is not None and parts.class_name not in (None, *WRAPPERS):
        reason = "it is a custom class, and the converted config names Keras' own class instead"
        notes.append(Field("wrapper", Verdict.NOTED, parts.class_name, reason))
    if parts.inner is not None and not inner_optimizers.is_known(parts.inner):
        reason = "it is a custom class; its config is passed on unchanged"
        name = inner_optimizers.class_name(parts.inner)
        notes.append(Field("own class", Verdict.NOTED, name, reason))
    elif parts.inner is not None:
        stored = inner_optimizers.family(parts.inner, parts.generation)
        wanted = wanted_family(stored, parts.generation, target)
        if _is_nadam(parts.inner) and stored is not wanted and Family.LEGACY in (stored, wanted):
            notes.append(Field("optimizer.schedule", Verdict.LOST, stored.value, _NADAM))
        if stored is not wanted:
            rounding = _rounding(stored, wanted)
            reason = f"the optimizer changes to the family {wanted.value}; {rounding}"
            notes.append(Field("family", Verdict.NOTED, stored.value, reason))
    return notes


def _is_nadam(inner: Mapping[str, Any]) -> bool:
    return inner_optimizers.class_name(inner) == "Nadam"


def _rounding(stored: Family, wanted: Family) -> str:
    if Family.LEGACY not in (stored, wanted):
        return "most classes round the same in both, RMSprop and Ftrl do not"
    return "the families round differently, so long runs differ by more than 1e-5"
