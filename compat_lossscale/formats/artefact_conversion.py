# SPDX-License-Identifier: Apache-2.0
"""What becomes of an artefact as a whole: of its config, of its layers and of its live state."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import MissingExtraError
from compat_lossscale.formats.artefact import Artefact, LiveState, StatedConfig
from compat_lossscale.formats.automatic import is_keras3
from compat_lossscale.formats.config import WrapperConfig, read_wrapper_config
from compat_lossscale.formats.config_writing import write_optimizer
from compat_lossscale.formats.conversion import Conversion, Field, Verdict, convert
from compat_lossscale.formats.inner_optimizer import class_name, family, is_known
from compat_lossscale.formats.models.objects import is_object
from compat_lossscale.formats.models.optimizer_plan import (
    OptimizerForm,
    plan_optimizer,
    why_unmapped,
)
from compat_lossscale.formats.models.translate import ModelConversion, convert_model
from compat_lossscale.formats.models.weights import (
    OPTIMIZER,
    VariablePlan,
    plan_layers,
    trained_shapes,
)
from compat_lossscale.formats.readers import h5, keras_archive, saved_model
from compat_lossscale.spec import Generation, LossScaleSpec

COMPILED_OPTIMIZER = ("compile_config", "optimizer")
"""Where a `.keras` archive has the optimizer."""
_OTHER_ARCHIVE = (
    "they stay as {} writes them, which {} does not read; convert to tf-keras, whose archives are "
    "those of TensorFlow 2.12 to 2.15"
)
_OTHER_H5 = (
    "they stay as {} writes them, and {} does not read their dtype policies; load the .h5 where it "
    "is from, save it as .keras and convert that"
)
_NO_SAVED_MODEL = (
    "{} loads no SavedModel; load it with the library that saved it, save a .keras archive and "
    "convert that"
)
_COUNTED_BEFORE = (
    "skipped steps are counted in it, and from here on they are not, as Keras 3 does not count them"
)
_COUNTED_FROM_HERE = (
    "skipped steps are not counted in it, and from here on they are, as {} counts them"
)
_PRODUCT_COMPUTED = (
    "the product of Nadam's momentum schedule, which tf-keras does not save, is computed from them"
)
_PRODUCT_LOST = (
    "{} restores no product of Nadam's momentum schedule{} and begins with 1 again: the next steps "
    "are of another size"
)
_NOT_LOADED = (
    "tf-keras cannot load a loss-scale optimizer around {}, not even its own; load the model with "
    "compile=False"
)
_NOT_LOADABLE = frozenset({"Lion", "Adafactor"})
_NO_HYSTERESIS = "{} has no hysteresis: it shrinks the scale at each step that is not finite"
_RESTORED_HERE = "this package restores it; stock {} does not look for it"


@dataclasses.dataclass(frozen=True)
class ArtefactConversion:
    """An artefact in another generation's form.

    Attributes:
        conversion: The config's conversion, with what becomes of the layers and of the state.
        model: The whole model's config; `None` if no more than the optimizer's changes.
        plan: What becomes of the variables; `None` if they stay as they are.
    """

    conversion: Conversion
    model: dict[str, Any] | None = None
    plan: VariablePlan | None = None


def convert_artefact(
    artefact: Artefact, stated: StatedConfig, target: Generation
) -> ArtefactConversion:
    """Converts one of an artefact's configs, and the model in which it stands.

    Args:
        artefact: The artefact.
        stated: The config.
        target: The generation.

    Returns:
        The conversion.

    Raises:
        UnreadableArtefactError: The model cannot be read.
        ConfigFormatError: The config is no config of a loss scale.
        LossScaleArgumentError: It states one that cannot be.
    """
    conversion = convert(stated.config, target)
    if artefact.format == saved_model.FORMAT and target is Generation.KERAS3:
        return ArtefactConversion(_with(conversion, _not_loaded(conversion, artefact)))
    if artefact.format not in (h5.FORMAT, keras_archive.FORMAT) or stated.generation is target:
        return ArtefactConversion(conversion)
    if is_whole(artefact, stated.generation, target):
        return _convert_whole(artefact, stated, conversion)
    layers = _copied_layers(conversion, artefact)
    return ArtefactConversion(_with(conversion, [*layers, *_copied_state(conversion, artefact)]))


def convert_unscaled(artefact: Artefact, target: Generation) -> ArtefactConversion | None:
    """Converts a `.keras` archive of a model that is trained without a loss scale, or not at all.

    Args:
        artefact: The archive.
        target: tf-keras or Keras 3.

    Returns:
        The conversion; `None` if it is one of that Keras already, or no model.

    Raises:
        UnreadableArtefactError: The model cannot be read.
    """
    if target not in (Generation.TF_KERAS, Generation.KERAS3):
        return None
    is_new = is_keras3(keras_archive.read_version(artefact.path))
    source = Generation.KERAS3 if is_new else Generation.TF_KERAS
    if not is_whole(artefact, source, target):
        return None
    model, variables = _read_model(artefact)
    converted = convert_model(model, target)
    if converted is None:
        return None
    plan = plan_layers(variables, target)
    compiled = model.get(COMPILED_OPTIMIZER[0])
    optimizer = compiled.get(COMPILED_OPTIMIZER[1]) if isinstance(compiled, Mapping) else None
    fields: list[Field] = []
    if is_object(optimizer) and isinstance(optimizer["config"], Mapping):
        parts = WrapperConfig(source, LossScaleSpec.fixed(1), optimizer, is_wrapper=False)
        reasons: dict[str, str] = {}
        written = write_optimizer(optimizer, source, target, reasons)
        after = WrapperConfig(target, parts.spec, written, is_wrapper=False)
        fields = [
            Field(name, Verdict.LOST, _setting(optimizer, name), reason)
            for name, reason in reasons.items()
        ]
        state = _unscaled_state(artefact, variables)
        fields += _plan_state(plan, parts, after, state, model, variables)
        converted.config[COMPILED_OPTIMIZER[0]][COMPILED_OPTIMIZER[1]] = written
    conversion = Conversion(source, target, converted.config, (*converted.fields, *fields))
    return ArtefactConversion(conversion, converted.config, plan)


def _unscaled_state(artefact: Artefact, variables: Mapping[str, Any]) -> LiveState | None:
    if not any(path.startswith(f"{OPTIMIZER}/") for path in variables):
        return None
    return keras_archive.read_state(artefact.path)


def _setting(optimizer: Mapping[str, Any], name: str) -> Any:
    return optimizer["config"].get(name.partition(".")[2], class_name(optimizer))


def is_whole(artefact: Artefact, source: Generation, target: Generation) -> bool:
    """Whether the model is converted as a whole: between tf-keras and Keras 3, in an archive."""
    if artefact.format != keras_archive.FORMAT:
        return False
    if source is Generation.KERAS3:
        return target is Generation.TF_KERAS
    return target is Generation.KERAS3


def _with(conversion: Conversion, fields: list[Field]) -> Conversion:
    return dataclasses.replace(conversion, fields=(*conversion.fields, *fields))


def _convert_whole(
    artefact: Artefact, stated: StatedConfig, conversion: Conversion
) -> ArtefactConversion:
    model, variables = _read_model(artefact)
    converted = convert_model(model, conversion.target)
    layers = () if converted is None else converted.fields
    plan = plan_layers(variables, conversion.target)
    parts = read_wrapper_config(stated.config)
    state = artefact.states[0] if artefact.states else None
    fields: list[Field] = []
    if parts.inner is not None and stated.keys == COMPILED_OPTIMIZER and conversion.config:
        after = read_wrapper_config(conversion.config)
        fields = _plan_state(plan, parts, after, state, model, variables)
    return ArtefactConversion(
        _with(conversion, [*layers, *fields]),
        model=_with_optimizer(converted, stated, conversion),
        plan=plan,
    )


def _read_model(artefact: Artefact) -> tuple[Any, dict[str, list[int]]]:
    try:
        return keras_archive.read_model(artefact.path)
    except MissingExtraError:
        # What the archive's reader says of its state; writing it needs h5py.
        return keras_archive.read_config(artefact.path), {}


def _with_optimizer(
    model: ModelConversion | None, stated: StatedConfig, conversion: Conversion
) -> dict[str, Any] | None:
    """Puts the converted config in its place in the converted model."""
    if model is None or conversion.config is None:
        return None
    holder: Any = model.config
    for key in stated.keys[:-1]:
        holder = holder[key]
    holder[stated.keys[-1]] = conversion.config
    return model.config


def _plan_state(
    plan: VariablePlan,
    parts: WrapperConfig,
    after_parts: WrapperConfig,
    state: LiveState | None,
    model: Any,
    variables: dict[str, list[int]],
) -> list[Field]:
    """Plans what becomes of the optimizer's variables, and says what is kept of its state."""
    assert parts.inner is not None
    assert after_parts.inner is not None
    target = after_parts.generation
    before = OptimizerForm(
        parts.inner, family(parts.inner, parts.generation), is_wrapped=parts.is_wrapper
    )
    after = OptimizerForm(
        after_parts.inner, family(after_parts.inner, target), is_wrapped=after_parts.is_wrapper
    )
    trained = trained_shapes(model, variables)
    reason: str | None
    if not is_known(parts.inner):
        reason = (
            f"{class_name(parts.inner)} is a class of the user's own, with variables of its own"
        )
    else:
        reason = why_unmapped(before, after, variables, trained)
    if reason is not None:
        if any(path.startswith(f"{OPTIMIZER}/") for path in variables):
            plan.removed.append(OPTIMIZER)
        lost = (Verdict.LOST, reason)
        return _state_fields(state, dict.fromkeys(_NAMES, lost))
    plan_optimizer(plan, before, after, state, parts.spec, variables, trained)
    kept = (Verdict.KEPT, "")
    fates = dict.fromkeys(_NAMES, kept)
    fates["hysteresis_left"] = (Verdict.LOST, _NO_HYSTERESIS.format(target.title))
    if parts.spec.dynamic:
        fates["iterations"] = _fate_of_iterations(parts, target)
        if target is not Generation.KERAS3:
            noted = (Verdict.NOTED, _RESTORED_HERE.format(target.title))
            fates["loss_scale"] = fates["good_steps"] = noted
    return [*_state_fields(state, fates), *_further_fields(before, after, state, target)]


def _further_fields(
    before: OptimizerForm, after: OptimizerForm, state: LiveState | None, target: Generation
) -> list[Field]:
    """Says what single optimizers lose in one Keras or the other."""
    steps = None if state is None else state.iterations
    if before.name == "Nadam" and steps:
        if target is Generation.KERAS3 and not after.is_wrapped:
            return [Field("state.momentum_product", Verdict.NOTED, steps, _PRODUCT_COMPUTED)]
        where = " inside of a loss-scale optimizer" if target is Generation.KERAS3 else ""
        reason = _PRODUCT_LOST.format(target.title, where)
        return [Field("state.momentum_product", Verdict.LOST, steps, reason)]
    if before.name in _NOT_LOADABLE and after.is_wrapped and target is Generation.TF_KERAS:
        reason = _NOT_LOADED.format(before.name)
        return [Field("optimizer.loading", Verdict.LOST, before.name, reason)]
    return []


def _fate_of_iterations(parts: WrapperConfig, target: Generation) -> tuple[Verdict, str]:
    if target is Generation.KERAS3:
        return Verdict.NOTED, _COUNTED_BEFORE
    if parts.counts_skipped_steps:
        return Verdict.KEPT, ""
    return Verdict.NOTED, _COUNTED_FROM_HERE.format(target.title)


_NAMES = ("loss_scale", "good_steps", "hysteresis_left", "iterations", "slots")


def _state_fields(state: LiveState | None, fates: Mapping[str, tuple[Verdict, str]]) -> list[Field]:
    values = {} if state is None else {name: getattr(state, name) for name in _NAMES}
    return [
        Field(f"state.{name}", fates[name][0], value, fates[name][1])
        for name, value in values.items()
        if value is not None and (name, value) != ("slots", 0)
    ]


def _not_loaded(conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says that the other library does not load the artefact, whatever its config."""
    reason = _NO_SAVED_MODEL.format(conversion.target.title)
    layers = Field("layers", Verdict.LOST, conversion.source.title, reason)
    fates = dict.fromkeys(_NAMES, (Verdict.LOST, reason))
    return [layers, *(field for state in artefact.states for field in _state_fields(state, fates))]


def _copied_layers(conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says what is lost of layers whose configs are copied as they are."""
    source, target = conversion.source, conversion.target
    if Generation.KERAS3 not in (source, target):
        return []
    if artefact.format == keras_archive.FORMAT:
        reason = _OTHER_ARCHIVE
    elif source is Generation.KERAS3 or h5.has_policies(artefact.path):
        reason = _OTHER_H5
    else:
        return []
    return [Field("layers", Verdict.LOST, source.title, reason.format(source.title, target.title))]


def _copied_state(conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says what is kept of the state in a model file whose variables are copied as they are."""
    title = conversion.target.title
    variables = (Verdict.KEPT, "")
    if conversion.changes_family:
        variables = (Verdict.LOST, _why_not_copied(conversion, artefact))
    if Generation.KERAS3 in (conversion.source, conversion.target):
        scale = (Verdict.LOST, f"the model files of {title} have no such place for it")
    else:
        # This package has a place for it in files that are tf-keras' otherwise.
        scale = (Verdict.NOTED, _RESTORED_HERE.format(title))
    fates = dict(zip(_NAMES, (scale, scale, scale, variables, variables), strict=True))
    return [field for state in artefact.states for field in _state_fields(state, fates)]


def _why_not_copied(conversion: Conversion, artefact: Artefact) -> str:
    title = conversion.target.title
    if conversion.target is not Generation.KERAS3:
        return f"{title} reads the variables of the other family of optimizers differently"
    return (
        f"{title} restores the loss scale from such a file and nothing of the wrapped optimizer; "
        f"convert a .keras archive"
        if artefact.format == h5.FORMAT
        else f"{title} has other variables"
    )
