# SPDX-License-Identifier: Apache-2.0
"""Converts a loss-scale config from any generation's form to any other's, and says what is lost."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.formats import inner as inner_optimizer
from compat_lossscale.formats.config import WRAPPERS, WrapperConfig, read_config
from compat_lossscale.formats.inner import Family
from compat_lossscale.spec import Generation, LossScaleSpec

_MODULES = {
    Family.LEGACY: "keras.optimizers.legacy",
    Family.NEW: "keras.optimizers",
    Family.KERAS3: "keras.optimizers",
}
_TF_KERAS_MODULE = "tf_keras.src.mixed_precision.loss_scale_optimizer"
_OWN_WRAPPER = "Keras' own LossScaleOptimizer takes no such setting"
_HAVE_MODULES = (Generation.TF_KERAS, Generation.KERAS3)


class Verdict(enum.Enum):
    """What becomes of one field of a config."""

    KEPT = "kept"
    """It comes back the same after there and back."""
    LOST = "lost"
    """The other form has no words for it."""
    NOTED = "noted"
    """It changes, and training does not."""


@dataclasses.dataclass(frozen=True)
class Field:
    """What becomes of one field.

    Attributes:
        name: `initial_scale`, or `optimizer.learning_rate`, and so on.
        verdict: Kept, lost or noted.
        value: What the config says.
        reason: Why it is not kept; empty if it is.
    """

    name: str
    verdict: Verdict
    value: Any
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Conversion:
    """A config in another generation's form, and what became of each of its fields.

    Attributes:
        source: The generation that it was of.
        target: The generation that it is of now.
        config: The converted config. `None` if the loss scale itself cannot be said.
        fields: One for each thing that the config says beyond the defaults.
        changes_family: Whether the wrapped optimizer becomes one of another family.
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
    """Returns what a config says, field by field, apart from how its generation writes it.

    Args:
        config: A loss-scale config of any generation.

    Returns:
        The loss scale's four fields; and, if there is a wrapped optimizer, its class as
        `optimizer` and each setting that is not the default as `optimizer.<name>`.
    """
    parts = config if isinstance(config, WrapperConfig) else read_config(config)
    fields: dict[str, Any] = dataclasses.asdict(parts.spec)
    if parts.inner is not None:
        fields["optimizer"] = inner_optimizer.class_name(parts.inner)
        for key, value in inner_optimizer.settings(parts.inner):
            fields[f"optimizer.{key}"] = value
        # Early versions of Keras 3 list options there that do nothing.
        for key, value in inner_optimizer.settings({"config": parts.others}):
            fields[f"wrapper.{key}"] = value
    return fields


def convert(config: Mapping[str, Any], target: Generation) -> Conversion:
    """Converts a config, and back again to see what has become of it.

    Args:
        config: A loss-scale config of any generation, bare or in `{"class_name", "config"}`.
        target: The generation whose form is wanted.

    Returns:
        The conversion. It is also made if something is lost, as long as the loss scale itself can
        be said.

    Raises:
        ConfigFormatError: `config` is no config of a loss scale.
        LossScaleArgumentError: It states one that cannot be.
    """
    parts = read_config(config)
    said = meaning(parts)
    reasons: dict[str, str] = {}
    converted: dict[str, Any] | None
    try:
        converted = _write(parts, target, reasons)
    except InexpressibleLossScaleError as error:
        converted = None
        reasons[_inexpressible_field(parts.spec, target)] = str(error)
    back = said if converted is None else _there_and_back(converted, parts.generation)
    reasons |= {name: _OWN_WRAPPER for name in said if name.startswith("wrapper.")}
    fields = [_field(name, value, back, reasons) for name, value in said.items()]
    notes = _notes(parts, target)
    return Conversion(
        source=parts.generation,
        target=target,
        config=converted,
        fields=(*fields, *notes),
        changes_family=any(note.name == "family" for note in notes),
    )


def _there_and_back(converted: Mapping[str, Any], source: Generation) -> dict[str, Any]:
    there = read_config(converted)
    try:
        return meaning(_write(there, source, {}))
    except InexpressibleLossScaleError:
        # A config can state what its own generation refuses, such as a fixed scale below 1.
        return meaning(there)


def _field(name: str, value: Any, back: Mapping[str, Any], reasons: Mapping[str, str]) -> Field:
    if name in reasons:
        return Field(name, Verdict.LOST, value, reasons[name])
    if name in back and _equal(back[name], value):
        return Field(name, Verdict.KEPT, value)
    return Field(name, Verdict.LOST, value, f"it comes back as {back.get(name)!r}")


def _equal(a: Any, b: Any) -> bool:
    # A NaN, which JSON of Python's writing may have, is no number but equals itself here.
    return bool(a == b) or (a != a and b != b)  # noqa: PLR0124


def _inexpressible_field(spec: LossScaleSpec, target: Generation) -> str:
    if spec.dynamic:
        return "multiplier"
    return "initial_scale" if target is Generation.TF23 else "dynamic"


def _notes(parts: WrapperConfig, target: Generation) -> list[Field]:
    notes = []
    if parts.name is not None and target is not Generation.KERAS3:
        reason = "only Keras 3 names the wrapper; the name has no influence on training"
        notes.append(Field("name", Verdict.NOTED, parts.name, reason))
    if parts.inner is not None and parts.class_name not in (None, *WRAPPERS):
        reason = "it is a class of the user's own, in place of which Keras' own is named"
        notes.append(Field("wrapper", Verdict.NOTED, parts.class_name, reason))
    if parts.inner is not None and not inner_optimizer.is_known(parts.inner):
        reason = "it is a class of the user's own; its config is passed on as it is"
        name = inner_optimizer.class_name(parts.inner)
        notes.append(Field("own class", Verdict.NOTED, name, reason))
    elif parts.inner is not None:
        found = inner_optimizer.family(parts.inner, parts.generation)
        wanted = _wanted_family(found, parts.generation, target)
        if found is not wanted:
            reason = (
                f"the optimizer becomes one of the family {wanted.value}; the families round "
                "differently, so that long runs drift apart by more than 1e-5"
            )
            notes.append(Field("family", Verdict.NOTED, found.value, reason))
    return notes


def _write(parts: WrapperConfig, target: Generation, reasons: dict[str, str]) -> dict[str, Any]:
    """Writes a config in a generation's form, and into `reasons` what that form can't say."""
    stated = parts.spec.to_config(target)
    if parts.inner is None:
        return stated
    found = inner_optimizer.family(parts.inner, parts.generation)
    family = _wanted_family(found, parts.generation, target)
    inner = _write_inner(parts.inner, found, family, target, reasons)
    key = "optimizer" if target is Generation.TF23 else "inner_optimizer"
    bare: dict[str, Any] = {key: inner, **stated}
    if target is Generation.KERAS3 and parts.name is not None:
        bare["name"] = parts.name
    if parts.class_name is None:
        return bare
    return _wrap(bare, family, target)


def _wanted_family(found: Family, source: Generation, target: Generation) -> Family:
    if target is Generation.KERAS3:
        return Family.KERAS3
    if target is Generation.TF_KERAS:
        # It has both families, so that nothing needs to change its own.
        return Family.LEGACY if found is Family.LEGACY else Family.NEW
    # TensorFlow 2.4 to 2.10 have no other; 2.11 to 2.15 have both.
    return found if source is target else Family.LEGACY


def _wrap(bare: dict[str, Any], family: Family, target: Generation) -> dict[str, Any]:
    if target is Generation.KERAS3:
        return {
            "module": "keras.optimizers",
            "class_name": "LossScaleOptimizer",
            "config": bare,
            "registered_name": None,
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
    found: Family,
    family: Family,
    target: Generation,
    reasons: dict[str, str],
) -> dict[str, Any]:
    if not inner_optimizer.is_known(inner):
        return _write_own_class(inner, target)
    with_modules = target in _HAVE_MODULES
    name = inner_optimizer.class_name(inner)
    if family not in inner_optimizer.CLASSES[name]:
        reasons["optimizer"] = f"{TITLES[target]} has no optimizer {name}"
    config: dict[str, Any] = {}
    for key, value in inner["config"].items():
        is_default = inner_optimizer.is_default(inner, key, value)
        if found is not family and (is_default or key in inner_optimizer.MARKERS):
            continue
        reason = _why_lost(name, key, family, target)
        if reason is None:
            config[key] = inner_optimizer.respell(value, with_modules=with_modules)
        elif not is_default:
            reasons[f"optimizer.{key}"] = reason
    if family is Family.NEW:
        # Without this key, tf-keras takes an optimizer of the same name from the legacy family.
        config.setdefault("is_legacy_optimizer", False)
    written: dict[str, Any] = {"class_name": name, "config": config}
    if with_modules:
        return {"module": _MODULES[family], **written, "registered_name": None}
    return written


def _write_own_class(inner: Mapping[str, Any], target: Generation) -> dict[str, Any]:
    """Writes the config of a user's own optimizer, of which nothing is known, as it is."""
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
    """Why a setting of Keras' own optimizers cannot be said; `None` if it can."""
    if target is Generation.TF23 and (name, key) == ("Ftrl", "beta"):
        return "Ftrl has no beta before TensorFlow 2.3"
    if target is Generation.TF23 and key in inner_optimizer.CLIPPING:
        return f"{TITLES[target]} refuse to wrap an optimizer that clips gradients"
    if key not in inner_optimizer.ALL_OPTIONS or key in inner_optimizer.OPTIONS[family]:
        return None
    if key == "decay":
        return (
            f"the optimizers of {TITLES[target]} have no decay; the same is said by learning_rate="
            "InverseTimeDecay(learning_rate, decay_steps=1, decay_rate=decay)"
        )
    return f"the optimizers of {TITLES[target]} have no {key}"


TITLES = {
    Generation.TF23: "TensorFlow 2.0-2.3",
    Generation.TF24: "TensorFlow 2.4-2.15",
    Generation.TF_KERAS: "tf-keras",
    Generation.KERAS3: "Keras 3",
}
"""The generations by the names that their users know them by."""
