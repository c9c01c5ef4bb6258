# SPDX-License-Identifier: Apache-2.0
"""What becomes of an artefact as a whole: of its config, of its layers and of its live state.

Models are converted by `compat_lossscale.models`, with the libraries' own loaders. This
module needs none of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from compat_lossscale.formats.artefact import Artefact, LiveState, StatedConfig
from compat_lossscale.formats.conversion import Conversion, Field, Verdict, convert
from compat_lossscale.formats.readers import h5, keras_archive, saved_model
from compat_lossscale.spec import Generation
from compat_lossscale.spec.inner_optimizers import class_name, is_known
from compat_lossscale.spec.wrapper_configs import WrapperConfig, read_wrapper_config

_OTHER_ARCHIVE = (
    "they stay as {} writes them, which {} does not read; convert to tf-keras, whose archives are "
    "those of TensorFlow 2.12 to 2.15"
)
_NO_ARCHIVE = "{1} reads no .keras archive; load it with tf-keras, save it as .h5 and convert that"
_LATER_ARCHIVE = (
    "TensorFlow 2.4 to 2.11 read no .keras archive, and 2.12 to 2.15 do not find the class of an "
    "optimizer in this form; load it with tf-keras, save it as .h5 and convert that"
)
_OTHER_FILE = (
    "this form of file stays as {} writes it, and {} does not read its layers or its optimizer; "
    "write a .keras archive: --output FILE.keras"
)
_KERAS3_H5 = (
    "Keras 3 does not restore its optimizer from .h5, not even from its own; load the .h5 there, "
    "save it as .keras and convert that"
)
_COUNTED_BEFORE = (
    "skipped steps are counted in it, and from here on they are not, as Keras 3 does not count them"
)
_COUNTED_FROM_HERE = (
    "skipped steps are not counted in it, and from here on they are, as {} counts them"
)
_PRODUCT_LOST = (
    "the product of Nadam's momentum schedule: this file does not hold it, or no such file of {} "
    "does, so it begins with 1 again, and the next steps are of another size"
)
_NOT_LOADED = (
    "tf-keras cannot load a loss-scale optimizer around {}, not even its own; load the model with "
    "compile=False"
)
_NOT_LOADABLE = frozenset({"Lion", "Adafactor"})
_FTRL = (
    "with an l2_shrinkage_regularization_strength, TensorFlow 2.3 to 2.5 keep Ftrl's slot linear "
    "times the learning rate, and others do not: it trains otherwise from here on"
)
_BEFORE_2_3 = (
    *("TensorFlow 2.0", "TensorFlow 2.1.", "TensorFlow 2.2."),
    *("Keras 2.2.", "Keras 2.3."),
)
"""The writers that do not count skipped steps, by how their names begin."""
_WITHOUT_RATE = (*_BEFORE_2_3, "TensorFlow 2.10", "TensorFlow 2.15", "Keras 2.10", "Keras 2.15")
"""The writers that surely do not keep it so."""
_NO_HYSTERESIS = "{} has no hysteresis: it shrinks the scale at each step that is not finite"
_RESTORED_HERE = "this package restores it; stock {} does not look for it"
_NAMES = ("loss_scale", "good_steps", "hysteresis_left", "iterations", "slots")
_Fates = Mapping[str, tuple[Verdict, str]]
_MODELS = (h5.FORMAT, keras_archive.FORMAT, saved_model.FORMAT)


def is_whole(format_: str, source: Generation, target: Generation) -> bool:
    """Whether a model is converted as a whole: to Keras 3, or from its archives to tf-keras.

    Args:
        format_: The artefact's format.
        source: The generation of its config.
        target: The generation that it is converted to.
    """
    if source is Generation.KERAS3:
        return format_ == keras_archive.FORMAT and target is Generation.TF_KERAS
    return format_ in _MODELS and target is Generation.KERAS3


def convert_artefact(
    artefact: Artefact, stated: StatedConfig, target: Generation, *, as_archive: bool = True
) -> Conversion:
    """Converts one of an artefact's configs, and says what becomes of the model in which it stands.

    Args:
        artefact: The artefact.
        stated: The config.
        target: The generation.
        as_archive: Whether the model becomes a `.keras` archive, if it is converted as a whole.

    Returns:
        The conversion.

    Raises:
        ConfigFormatError: The config is no config of a loss scale.
        LossScaleArgumentError: It states one that cannot be.
    """
    conversion = convert(stated.config, target)
    if artefact.format not in _MODELS or stated.generation is target:
        return conversion
    parts = read_wrapper_config(stated.config)
    if as_archive and is_whole(artefact.format, stated.generation, target):
        fates = fates_of_state(parts, conversion, artefact)
        fields = [
            *state_fields(artefact.states, fates),
            *_further_fields(parts, conversion, artefact),
        ]
    else:
        fields = [
            *_copied_layers(conversion, artefact),
            *_copied_state(parts, conversion, artefact),
        ]
    return dataclasses.replace(conversion, fields=(*conversion.fields, *fields))


def fates_of_state(parts: WrapperConfig, conversion: Conversion, artefact: Artefact) -> _Fates:
    """Says what becomes of the state of a model that is converted as a whole.

    Args:
        parts: The parts of the optimizer's config.
        conversion: What becomes of the config.
        artefact: The artefact.

    Returns:
        The verdict on each value of a state, and the reason.
    """
    target = conversion.target
    if parts.inner is not None and not is_known(parts.inner):
        name = class_name(parts.inner)
        reason = f"{name} is a class of the user's own, with variables of its own"
        return dict.fromkeys(_NAMES, (Verdict.LOST, reason))
    fates = dict.fromkeys(_NAMES, (Verdict.KEPT, ""))
    fates["hysteresis_left"] = (Verdict.LOST, _NO_HYSTERESIS.format(target.title))
    if parts.spec.dynamic:
        counted = not (artefact.writer or "").startswith(_BEFORE_2_3)
        fates["iterations"] = _fate_of_iterations(parts, target, counted=counted)
        if target is not Generation.KERAS3:
            noted = (Verdict.NOTED, _RESTORED_HERE.format(target.title))
            fates["loss_scale"] = fates["good_steps"] = noted
    if _scales_linear(parts, conversion, artefact):
        fates["slots"] = (Verdict.LOST, _FTRL)
    return fates


def _scales_linear(parts: WrapperConfig, conversion: Conversion, artefact: Artefact) -> bool:
    """Whether one side keeps Ftrl's slot `linear` times the learning rate, and the other may not.

    Tried with TensorFlow 2.0 to 2.5, 2.10, tf-keras 2.21 and Keras 3.15.
    """
    settings = (parts.inner or {}).get("config", {})
    shrinks = settings.get("l2_shrinkage_regularization_strength")
    if class_name(parts.inner or {}) != "Ftrl" or not shrinks:
        return False
    old = (Generation.TF23, Generation.TF24)
    if conversion.target in old:
        return True
    return parts.generation in old and not (artefact.writer or "").startswith(_WITHOUT_RATE)


def _fate_of_iterations(
    parts: WrapperConfig, target: Generation, *, counted: bool
) -> tuple[Verdict, str]:
    if target is Generation.KERAS3:
        return (Verdict.NOTED, _COUNTED_BEFORE) if counted else (Verdict.KEPT, "")
    if parts.counts_skipped_steps:
        return Verdict.KEPT, ""
    return Verdict.NOTED, _COUNTED_FROM_HERE.format(target.title)


def _further_fields(
    parts: WrapperConfig, conversion: Conversion, artefact: Artefact
) -> list[Field]:
    """Says what single optimizers lose in one Keras or the other."""
    name, target = class_name(parts.inner or {}), conversion.target
    # A checkpoint has it, and Keras 3 saves it where it is not that of a wrapped optimizer.
    has_product = artefact.format == saved_model.FORMAT and not parts.spec.dynamic
    if name == "Nadam" and not (has_product and target is Generation.KERAS3):
        return [
            Field("state.momentum_product", Verdict.LOST, None, _PRODUCT_LOST.format(target.title))
        ]
    if name in _NOT_LOADABLE and target is Generation.TF_KERAS:
        return [Field("optimizer.loading", Verdict.LOST, name, _NOT_LOADED.format(name))]
    return []


def state_fields(states: tuple[LiveState, ...], fates: _Fates) -> list[Field]:
    """Returns the fields of live states, with what becomes of them."""
    return [
        Field(f"state.{name}", *_of(fates[name], getattr(state, name)))
        for state in states
        for name in _NAMES
        if getattr(state, name) is not None and (name, getattr(state, name)) != ("slots", 0)
    ]


def _of(fate: tuple[Verdict, str], value: object) -> tuple[Verdict, object, str]:
    return fate[0], value, fate[1]


def _copied_layers(conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says what is lost of layers whose configs are copied as they are."""
    source, target = conversion.source, conversion.target
    is_archive = artefact.format == keras_archive.FORMAT
    if Generation.KERAS3 not in (source, target):
        if not is_archive or target is Generation.TF_KERAS:
            return []
        reason = _LATER_ARCHIVE if target is Generation.TF24 else _NO_ARCHIVE
        return [Field("layers", Verdict.LOST, source.title, reason.format("", target.title))]
    if source is Generation.KERAS3:
        reason = _OTHER_ARCHIVE if is_archive else _KERAS3_H5
    else:
        reason = _OTHER_FILE
    return [Field("layers", Verdict.LOST, source.title, reason.format(source.title, target.title))]


def _copied_state(parts: WrapperConfig, conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says what is kept of the state in a model file whose variables are copied as they are."""
    title = conversion.target.title
    variables = (Verdict.KEPT, "")
    if Generation.KERAS3 in (conversion.source, conversion.target):
        variables = (Verdict.LOST, f"{title} does not restore it from such a file")
        scale = slots = variables
    else:
        if conversion.changes_family:
            reason = f"{title} reads the variables of the other family of optimizers differently"
            variables = (Verdict.LOST, reason)
        slots = (Verdict.LOST, _FTRL) if _scales_linear(parts, conversion, artefact) else variables
        # This package has a place for it in files that are tf-keras' otherwise.
        scale = (Verdict.NOTED, _RESTORED_HERE.format(title))
    fates = dict(zip(_NAMES, (scale, scale, scale, variables, slots), strict=True))
    return state_fields(artefact.states, fates)
