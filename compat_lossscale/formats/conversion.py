# SPDX-License-Identifier: Apache-2.0
"""Converts a loss-scale config from one generation's form to another's, and lists what is lost.

Of an artefact as a whole, it says what becomes of its layers and of its live state too. Models are
converted by `compat_lossscale.models`, with the libraries' own loaders; this needs none of them.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib.resources
import json
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from compat_lossscale.errors import (
    CompatLossScaleError,
    ConversionError,
    InexpressibleLossScaleError,
)
from compat_lossscale.formats import hdf5, keras_archive, saved_model
from compat_lossscale.formats.artefact import Artefact, LiveState, StatedConfig, is_of_layers
from compat_lossscale.formats.bounded import parse_json
from compat_lossscale.spec import Generation, LossScaleSpec, inner_optimizers, wrapper_configs
from compat_lossscale.spec.configs import LOSS_SCALES, POLICIES, WRAPPERS
from compat_lossscale.spec.inner_optimizers import CLASSES, SCHEDULES, Family, class_name, is_known
from compat_lossscale.spec.wrapper_configs import WrapperConfig, read_wrapper_config

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
    """

    source: Generation
    target: Generation
    config: dict[str, Any] | None
    fields: tuple[Field, ...]

    @property
    def lost(self) -> tuple[Field, ...]:
        """The fields that are lost."""
        return tuple(field for field in self.fields if field.verdict is Verdict.LOST)

    @property
    def changes_family(self) -> bool:
        """Whether the family of the wrapped optimizer changes."""
        return any(field.name == "family" for field in self.fields)


def meaning(config: Mapping[str, Any] | WrapperConfig) -> dict[str, Any]:
    """Returns the fields of a config, independent of the form of its generation.

    It has the loss scale's four fields, those of its rule as `rule.<name>`, the class of a wrapped
    optimizer as `optimizer` and each setting that is not the default as `optimizer.<name>`: its
    `epsilon` as the legacy family counts it.
    """
    parts = config if isinstance(config, WrapperConfig) else read_wrapper_config(config)
    fields: dict[str, Any] = parts.spec.fields
    if parts.inner is not None:
        fields["optimizer"] = inner_optimizers.class_name(parts.inner)
        stored = inner_optimizers.family(parts.inner, parts.generation)
        inner = inner_optimizers.with_epsilon(parts.inner, stored, Family.LEGACY)
        for key, value in inner_optimizers.settings(inner):
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
    reasons: dict[str, str] = {}
    converted: dict[str, Any] | None = None
    try:
        converted = wrapper_configs.write_config(parts, target, reasons)
    except InexpressibleLossScaleError as error:
        reasons |= dict.fromkeys(_inexpressible_fields(parts.spec, target), str(error))
    back = stated if converted is None else _there_and_back(converted, parts.generation)
    reasons |= {name: _OWN_WRAPPER for name in stated if name.startswith("wrapper.")}

    def field(name: str, value: Any) -> Field:
        if name in reasons:
            return Field(name, Verdict.LOST, value, reasons[name])
        if name not in back or back[name] != value:
            return Field(name, Verdict.LOST, value, f"it comes back as {back.get(name)!r}")
        return Field(name, Verdict.KEPT, value)

    fields = [field(name, value) for name, value in stated.items()]
    return Conversion(parts.generation, target, converted, (*fields, *_notes(parts, target)))


def _there_and_back(converted: Mapping[str, Any], source: Generation) -> dict[str, Any]:
    there = read_wrapper_config(converted)
    try:
        return meaning(wrapper_configs.write_config(there, source, {}))
    except InexpressibleLossScaleError:
        # A config can state a value that its own generation refuses, such as a fixed scale below 1.
        return meaning(there)


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
    is_fixed = parts.inner is not None and parts.is_wrapper and not parts.spec.dynamic
    if is_fixed and target is Generation.KERAS3 and parts.generation is not target:
        notes.append(Field("wrapper", Verdict.NOTED, parts.class_name, _NO_WRAPPER))
    if parts.name is not None and target is not Generation.KERAS3:
        reason = "only Keras 3 names the wrapper; the name has no influence on training"
        notes.append(Field("name", Verdict.NOTED, parts.name, reason))
    if parts.inner is not None and parts.class_name not in (None, *WRAPPERS):
        reason = "it is a custom class, and the converted config names Keras' own class instead"
        notes.append(Field("wrapper", Verdict.NOTED, parts.class_name, reason))
    name = class_name(parts.inner or {})
    if parts.inner is not None and not is_known(parts.inner):
        reason = "it is a custom class; its config is passed on unchanged"
        notes.append(Field("own class", Verdict.NOTED, name, reason))
    elif parts.inner is not None:
        stored = inner_optimizers.family(parts.inner, parts.generation)
        wanted = wrapper_configs.wanted_family(stored, parts.generation, target)
        if name == "Nadam" and stored is not wanted and Family.LEGACY in (stored, wanted):
            notes.append(Field("optimizer.schedule", Verdict.LOST, stored.value, _NADAM))
        if stored is not wanted:
            rounding = "most classes round the same in both, RMSprop and Ftrl do not"
            if Family.LEGACY in (stored, wanted):
                rounding = "long runs differ by more than 1e-5"
            if inner_optimizers.with_epsilon(parts.inner, stored, wanted) != parts.inner:
                rounding += f"; its epsilon is written as {name} of that family counts it"
            reason = f"the optimizer changes to the family {wanted.value}; {rounding}"
            notes.append(Field("family", Verdict.NOTED, stored.value, reason))
    return notes


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
_KERAS_NAMES = json.loads((importlib.resources.files(__package__) / "keras_names.json").read_text())
"""What tf-keras and Keras 3 have: layers and models, without their dimensions; losses and metrics;
and other objects in configs, such as activations. All but layers are in small letters, without
underscores."""
_VARIANT = re.compile("[123]D(?=Transpose$|$)|V[12]$")
COMPILE_KEYS = ("loss", "metrics", "weighted_metrics", "loss_weights")
OPTIMIZER_KEYS = ("optimizer_config", "optimizer")
OF_FUNCTION = "MeanMetricWrapper"
"""As which TensorFlow stores a metric that is a function, such as "accuracy", since 2.4."""
_OF_LAYERS = {"trainable", "layers"}
_LOOKUPS = ("IntegerLookup", "StringLookup", "TextVectorization")
NO_VOCABULARY = (
    "the vocabulary is not in their configs; build the model in Keras 3 with it, and load its "
    "weights there. If adapt() learned it in TensorFlow 2.10, compat-lossscale run can load the "
    "SavedModel and save it as .keras, which is converted"
)
_UNKNOWN = (
    "{} has no such classes, or does not make them of what a file holds: the model is not "
    "converted as a whole; build it there, and load its weights"
)
_OWN = (
    "{} knows nothing of your own classes and functions: the model is not converted as a whole; "
    "build it there, and load its weights"
)
OWN_COMPILED = (
    "{} has none of this name: if it is your own, compile the model again with the optimizer that "
    "it has"
)
SIGMOID = "tf-keras computes clip(0.2 * x + 0.5, 0, 1), and Keras 3 relu6(x + 3) / 6"
_ROWS = (
    "on TensorFlow, Keras 3 squares the gradients of a row that a batch looks up twice before it "
    "adds them up, so it trains otherwise; with compat_lossscale.keras3 imported, after it"
)
_BY_ROWS = ("Adadelta", "Adamax", "Ftrl")
_OTHER_ROWS = (
    "of an Embedding, the legacy family moves only the rows that a batch looks up, and Keras 3 all"
)
_PROBABILITY = (
    "where it is an output in float16 and a label's probability rounds to 0, Keras 3 skips each "
    "step; TensorFlow uses the logits. Give the layer dtype='float32'"
)
_IF_ROWS = "if the model has an Embedding: "
_VARIANCE = "of images, it moves by the variance with n - 1 in tf-keras, and with n in Keras 3"
INFERENCE = "the layer is called with training=False; in Keras 3, fit() trains it all the same"
_NAMES = ("loss_scale", "good_steps", "hysteresis_left", "iterations", "slots")
_Fates = Mapping[str, tuple[Verdict, str]]
_MODELS = (hdf5.FORMAT, keras_archive.FORMAT, saved_model.FORMAT)


def is_whole(format_: str, source: Generation, target: Generation) -> bool:
    """Whether a model is converted as a whole: to Keras 3, or from its archives to tf-keras."""
    if source is Generation.KERAS3:
        return format_ == keras_archive.FORMAT and target is Generation.TF_KERAS
    return format_ in _MODELS and target is Generation.KERAS3


def convert_artefact(
    artefact: Artefact, stated: StatedConfig, target: Generation, *, as_archive: bool = True
) -> Conversion:
    """Converts one of an artefact's configs, and says what becomes of the model in which it stands.

    It becomes a `.keras` archive if it is converted as a whole, unless `as_archive` is false. See
    `convert` for the errors.
    """
    conversion = convert(stated.config, target)
    is_model = artefact.format in _MODELS and not is_of_layers(stated, artefact)
    parts = read_wrapper_config(stated.config)
    if not is_model or stated.generation is target:
        fields = [
            dataclasses.replace(field, verdict=Verdict.NOTED, reason=f"{_IF_ROWS}{field.reason}")
            for field in _trained_otherwise(("Embedding",), parts, target)
            if field.verdict is Verdict.LOST
        ]
    elif as_archive and is_whole(artefact.format, stated.generation, target):
        conversion = with_state(parts, conversion, artefact)
        fields = unconverted(artefact, target, parts) + _further_fields(parts, conversion, artefact)
    else:
        fields = [
            *_copied_layers(conversion, artefact),
            *_copied_state(parts, conversion, artefact),
        ]
    return dataclasses.replace(conversion, fields=(*conversion.fields, *fields))


def _trained_otherwise(
    layers: Container[str], parts: WrapperConfig, target: Generation
) -> list[Field]:
    """Says what Keras 3 trains otherwise with an optimizer as its config tells it."""
    if parts.inner is None or target is not Generation.KERAS3:
        return []
    is_legacy = inner_optimizers.family(parts.inner, parts.generation) is Family.LEGACY
    return trained_otherwise(layers, parts.inner, is_legacy)


def trained_otherwise(
    layers: Container[str], inner: Mapping[str, Any], is_legacy: bool
) -> list[Field]:
    """Says what Keras 3 trains otherwise: some layers that are trained, some with an optimizer."""
    fields, name = [], class_name(inner)
    if "BatchNormalization" in layers:
        fields.append(Field("layers.moving_variance", Verdict.NOTED, None, _VARIANCE))
    has_momentum = name in ("SGD", "RMSprop") and inner["config"].get("momentum")
    if "Embedding" in layers and is_legacy and (has_momentum or name in _BY_ROWS):
        fields.append(Field("optimizer.rows", Verdict.LOST, name, _OTHER_ROWS))
    elif "Embedding" in layers and name != "SGD":
        fields.append(Field("optimizer.rows", Verdict.NOTED, name, _ROWS))
    return fields


def unconverted(
    artefact: Artefact, target: Generation, parts: WrapperConfig | None = None
) -> list[Field]:
    """Says what of a model is not converted, or computes something else, as its configs tell."""
    try:
        model, compiled = model_and_compiled(artefact)
    except CompatLossScaleError as error:
        return [Field("layers", Verdict.LOST, None, str(error))]
    nodes = [*_layers(model)]
    layers = [(node["class_name"], node["config"]) for node in nodes]
    unknown = [name for name, _ in layers if _VARIANT.sub("", name) not in _KERAS_NAMES["layers"]]
    learned = [name for name, config in layers if name in _LOOKUPS and not config.get("vocabulary")]
    if artefact.format == keras_archive.FORMAT:
        learned = []
    own = [*own_names([model, *map(compiled.get, OPTIMIZER_KEYS)])]
    title = target.title
    lost: list[tuple[str, Any, str]] = [
        (f"compile.{key}", name, OWN_COMPILED)
        for key in COMPILE_KEYS
        for name in names_in(compiled.get(key))
        if not is_compiled(name)
    ]
    for node in nodes:
        place, settings = f"layer {node['config'].get('name')}", node["config"].items()
        if target is not Generation.KERAS3:
            lost += [
                (f"{place}.{key}", value, SIGMOID)
                for key, value in settings
                if key.endswith("activation") and value == "hard_sigmoid"
            ]
        calls = json.dumps(node.get("inbound_nodes")) if target is Generation.KERAS3 else ""
        if '"training": false' in calls and trains_otherwise(node):
            lost.append((f"{place}.training", False, INFERENCE))
    for names, reason in ((unknown, _UNKNOWN), (learned, NO_VOCABULARY), (own, _OWN)):
        if names:
            lost.append(("objects" if names is own else "layers", [*dict.fromkeys(names)], reason))
    fields = [Field(name, Verdict.LOST, value, why.format(title)) for name, value, why in lost]
    if parts is not None:
        trained = {name for name, config in layers if config.get("trainable", True)}
        fields += _trained_otherwise(trained, parts, target)
    losses = "".join(names_in(compiled.get("loss"))).replace("_", "").lower()
    for name, config in layers if target is Generation.KERAS3 and "crossentropy" in losses else ():
        is_softmax = name == "Softmax" or config.get("activation") == "softmax"
        if is_softmax and re.search('"(mixed_)?float16"', json.dumps(config.get("dtype"))):
            place = f"layer {config.get('name')}.softmax"
            fields.append(Field(place, Verdict.NOTED, None, _PROBABILITY))
    return fields


def _layers(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the layers in a config, with their classes, configs and calls."""
    if isinstance(tree, Mapping):
        if _is_layer(tree):
            yield tree
        tree = [*tree.values()]
    for child in tree if isinstance(tree, list) else ():
        yield from _layers(child)


def trains_otherwise(tree: Any) -> bool:
    """Whether a layer or one in it does otherwise in training; BatchNormalization if not frozen."""
    for layer in _layers(tree):
        name, config = layer["class_name"], layer["config"]
        is_random = re.search("Dropout|Noise|^Random", name) is not None
        if is_random or config.get("dropout") or config.get("recurrent_dropout"):
            return True
        if name == "BatchNormalization" and config.get("trainable", True):
            return True
    return False


def _is_layer(node: Mapping[str, Any]) -> bool:
    name, config = node.get("class_name"), node.get("config")
    is_object = isinstance(name, str) and isinstance(config, Mapping)
    return is_object and bool({*config} & _OF_LAYERS)  # type: ignore[misc]  # a mapping


def own_names(tree: Any) -> Iterator[str]:
    """Yields the classes and functions in a config that are not Keras' own, beside layers."""
    if isinstance(tree, list):
        tree = dict(enumerate(tree))
    if not isinstance(tree, Mapping):
        return
    name, config = tree.get("class_name"), tree.get("config")
    if name == "function" and isinstance(config, str):
        name = config
    elif not isinstance(config, Mapping) or _is_layer(tree):
        name = None
    if isinstance(name, str) and _plain(name) not in _KNOWN:
        yield name
    for key, child in tree.items():
        is_activation = str(key).endswith("activation") and isinstance(child, str)
        if is_activation and _plain(child) not in _KNOWN:
            yield child
        yield from own_names(child)


def names_in(value: Any) -> Iterator[str]:
    """Yields the names of losses or metrics in what a model is compiled with."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and value.get("class_name") == "function":
        yield str(value.get("config"))
    elif isinstance(value, Mapping) and value.get("class_name") == OF_FUNCTION:
        config = value.get("config")
        yield from names_in(config.get("fn") if isinstance(config, Mapping) else None)
    elif isinstance(value, Mapping) and "class_name" in value:
        yield str(value["class_name"])
    elif isinstance(value, Mapping | list):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from names_in(child)


def is_compiled(name: str) -> bool:
    """Whether both libraries have a loss or a metric of a name."""
    return _plain(name) in _KERAS_NAMES["compiled"]


def _plain(name: str) -> str:
    return _VARIANT.sub("", name).removeprefix("Custom>").replace("_", "").lower()


_NAMED = (*_KERAS_NAMES["layers"], *CLASSES, *SCHEDULES, *WRAPPERS, *POLICIES, *LOSS_SCALES)
_KNOWN = {*_KERAS_NAMES["objects"], *map(_plain, _NAMED)}


def model_and_compiled(artefact: Artefact) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Reads the config of a model, and that with which it was compiled, if it was."""
    if artefact.format == hdf5.FORMAT:
        attributes = hdf5.describe(artefact.path).attributes
        names = ("model_config", "training_config")
        model, compiled = (parse_json(attributes.get(name, "{}"), name) for name in names)
    elif artefact.format == saved_model.FORMAT:
        metadata = saved_model.read_model(artefact.path)
        model, compiled = metadata["model_config"], metadata.get("training_config")
    else:
        model = keras_archive.read_config(artefact.path)
        compiled = model.pop("compile_config", None) if isinstance(model, dict) else None
    if not isinstance(model, Mapping):
        raise ConversionError("its config is not that of a model")
    return model, compiled if isinstance(compiled, Mapping) else {}


def with_state(parts: WrapperConfig, conversion: Conversion, artefact: Artefact) -> Conversion:
    """Adds to a conversion what becomes of the state of a model that is converted as a whole."""
    fields = _state_fields(artefact.states, _fates_of_state(parts, conversion, artefact))
    return dataclasses.replace(conversion, fields=(*conversion.fields, *fields))


def _fates_of_state(parts: WrapperConfig, conversion: Conversion, artefact: Artefact) -> _Fates:
    """Returns the verdict on each value of a state, and the reason."""
    target = conversion.target
    if parts.inner is not None and not is_known(parts.inner):
        name = class_name(parts.inner)
        reason = f"{name} is a class of the user's own, with variables of its own"
        return dict.fromkeys(_NAMES, (Verdict.LOST, reason))
    fates = dict.fromkeys(_NAMES, (Verdict.KEPT, ""))
    fates["hysteresis_left"] = (Verdict.LOST, _NO_HYSTERESIS.format(target.title))
    if parts.spec.dynamic and target is Generation.KERAS3:
        is_old_checkpoint = "(base_optimizer)" in artefact.layout
        if not (is_old_checkpoint or (artefact.writer or "").startswith(_BEFORE_2_3)):
            fates["iterations"] = (Verdict.NOTED, _COUNTED_BEFORE)
    elif parts.spec.dynamic:
        if not parts.counts_skipped_steps:
            fates["iterations"] = (Verdict.NOTED, _COUNTED_FROM_HERE.format(target.title))
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


def _state_fields(states: tuple[LiveState, ...], fates: _Fates) -> list[Field]:
    """Returns the fields of live states, with what becomes of them."""
    return [
        Field(f"state.{name}", verdict, value, reason)
        for state in states
        for name, (verdict, reason) in fates.items()
        if (value := getattr(state, name)) is not None and (name, value) != ("slots", 0)
    ]


def _copied_layers(conversion: Conversion, artefact: Artefact) -> list[Field]:
    """Says what is lost of layers whose configs are copied as they are."""
    source, target = conversion.source, conversion.target
    is_archive = artefact.format == keras_archive.FORMAT
    if Generation.KERAS3 not in (source, target):
        if not is_archive or target is Generation.TF_KERAS:
            return []
        reason = _LATER_ARCHIVE if target is Generation.TF24 else _NO_ARCHIVE
    elif source is Generation.KERAS3:
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
    return _state_fields(artefact.states, fates)
