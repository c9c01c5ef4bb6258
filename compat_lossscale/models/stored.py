# SPDX-License-Identifier: Apache-2.0
"""What a file says of its model, and what becomes of its optimizer's config."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import (
    CompatLossScaleError,
    ConversionError,
    InexpressibleLossScaleError,
)
from compat_lossscale.formats import checkpoint, hdf5, keras_archive, saved_model
from compat_lossscale.formats.artefact import Artefact
from compat_lossscale.formats.bounded import parse_json
from compat_lossscale.formats.conversion import (
    Conversion,
    Field,
    Verdict,
    convert,
    convert_artefact,
    with_state,
)
from compat_lossscale.formats.hdf5 import describe
from compat_lossscale.formats.reading import read_in_this_process
from compat_lossscale.formats.writing import only_config
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.inner_optimizers import Family, class_name, family, serialized
from compat_lossscale.spec.wrapper_configs import (
    WrapperConfig,
    is_wrapper,
    read_wrapper_config,
    write_optimizer,
)

_OPTIMIZERS = ("optimizer_config", "optimizer")
_CODE = ("Lambda", "__lambda__")
_ROOTS = ("keras", "tf_keras")
_PARTS = frozenset(
    {
        *("layers", "initializers", "regularizers", "constraints", "losses", "metrics"),
        *("activations", "optimizers", "mixed_precision", "engine", "models", "dtype_policies"),
        *("src", "legacy", "schedules"),
    }
)
"""The parts of Keras that have layers and their like: nothing there runs what a file says."""


@dataclasses.dataclass
class StoredModel:
    """A model in a file.

    Attributes:
        artefact: The file's content.
        target: The generation to convert it to.
        function: `SCRIPT:FUNCTION` that builds the model; `None` if its config is in the file.
        is_legacy: Whether its optimizer is one of tf-keras' legacy family.
        model: The model's config.
        compiled: What it was compiled with.
        conversion: What becomes of its optimizer; `None` as long as that is not known, and if
            there is none.
    """

    artefact: Artefact
    target: Generation
    function: str | None = None
    is_legacy: bool = False
    model: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    compiled: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    conversion: Conversion | None = None

    @property
    def config(self) -> dict[str, Any] | None:
        """The optimizer's config in the other Keras' form."""
        return None if self.conversion is None else self.conversion.config

    def loading_config(self) -> dict[str, Any] | None:
        """Returns the optimizer's config in the form in which tf-keras reads it."""
        optimizer = _optimizer(self.compiled)
        if optimizer is None:
            return None
        if is_wrapper(optimizer):
            return convert(optimizer, Generation.TF_KERAS).config
        return write_optimizer(optimizer, Generation.TF24, Generation.TF_KERAS, {})

    def take(self, optimizer: Mapping[str, Any], compiled: Mapping[str, Any]) -> None:
        """Takes the optimizer, and what the model is compiled with, from a model that was built."""
        self.compiled = compiled
        if is_wrapper(optimizer):
            parts = read_wrapper_config(optimizer)
            self.conversion = with_state(parts, convert(optimizer, self.target), self.artefact)
        else:
            self.conversion = _unscaled(self.artefact, optimizer, Generation.TF_KERAS, self.target)

    def finished(self) -> Conversion:
        """Returns the conversion, of a model without an optimizer too."""
        if self.conversion is not None:
            return self.conversion
        source = Generation.KERAS3 if self.artefact.is_of_keras3 else Generation.TF_KERAS
        return Conversion(source, self.target, {}, ())


def read_stored(path: str, target: Generation, function: str | None) -> StoredModel:
    """Reads what a file says of its model.

    Raises:
        ConversionError: It has code of the user's own, or several loss-scale configs.
        UnreadableArtefactError: It is damaged.
        InexpressibleLossScaleError: The target cannot express its loss scale.
    """
    artefact = read_in_this_process(path)
    stored = StoredModel(artefact, target, function)
    if artefact.format == checkpoint.FORMAT:
        stored.is_legacy = "new family" not in artefact.layout
        return stored
    stored.model, stored.compiled = _model_and_compiled(artefact)
    _refuse_code(stored.model)
    _refuse_code(stored.compiled)
    optimizer = _optimizer(stored.compiled)
    # Without an optimizer, only policies of layers can state a loss scale.
    stated = only_config(artefact) if artefact.configs and optimizer is not None else None
    inner = None if stated is None else read_wrapper_config(stated.config).inner
    if stated is not None and inner is not None:
        stored.conversion = convert_artefact(artefact, stated, target)
        if stored.config is None:
            reasons = "; ".join(f"{f.name}: {f.reason}" for f in stored.conversion.lost)
            raise InexpressibleLossScaleError(
                f"nothing is written, because this would be lost: {reasons}"
            )
        stored.is_legacy = family(inner, stated.generation) is Family.LEGACY
    elif optimizer is not None:
        source = Generation.KERAS3 if stored.artefact.is_of_keras3 else Generation.TF24
        stored.conversion = _unscaled(artefact, optimizer, source, target)
        stored.is_legacy = family(optimizer, source) is Family.LEGACY
    return stored


def _model_and_compiled(artefact: Artefact) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if artefact.format == hdf5.FORMAT:
        attributes = describe(artefact.path).attributes
        model, compiled = (
            parse_json(attributes.get(name, "{}"), name)
            for name in ("model_config", "training_config")
        )
    elif artefact.format == saved_model.FORMAT:
        metadata = saved_model.read_model(artefact.path)
        model, compiled = metadata["model_config"], metadata.get("training_config")
    else:
        model = keras_archive.read_config(artefact.path)
        compiled = model.get("compile_config") if isinstance(model, Mapping) else None
    if not isinstance(model, Mapping):
        raise ConversionError("its config is not that of a model")
    return model, compiled if isinstance(compiled, Mapping) else {}


def _optimizer(compiled: Mapping[str, Any]) -> dict[str, Any] | None:
    return serialized(next((compiled[key] for key in _OPTIMIZERS if compiled.get(key)), None))


def _unscaled(
    artefact: Artefact, optimizer: Mapping[str, Any], source: Generation, target: Generation
) -> Conversion:
    """Converts the config of an optimizer without a loss scale."""
    reasons: dict[str, str] = {}
    try:
        written = write_optimizer(optimizer, source, target, reasons)
    except CompatLossScaleError as error:
        raise ConversionError(f"its optimizer is not valid: {error}") from None
    settings = optimizer["config"]
    fields = [
        Field(name, Verdict.LOST, settings.get(name.partition(".")[2], class_name(optimizer)), why)
        for name, why in reasons.items()
    ]
    parts = WrapperConfig(source, LossScaleSpec.fixed(1), optimizer, is_wrapper=False)
    return with_state(parts, Conversion(source, target, written, tuple(fields)), artefact)


def _refuse_code(tree: Any) -> None:
    """Refuses configs that make a loader run code that is in the file, or that it names."""
    if isinstance(tree, list):
        for child in tree:
            _refuse_code(child)
    if not isinstance(tree, Mapping):
        return
    name, module = tree.get("class_name"), tree.get("module")
    if name in _CODE:
        raise ConversionError(
            "it has a function in it, stored as Python bytecode (Lambda), which is not run: write "
            "a layer instead"
        )
    if isinstance(name, str) and isinstance(module, str) and not _is_of_keras(module):
        own = f"an object of a class of your own, {name} of the module {module}"
        if name == "function":
            own = f"a function of your own, {tree.get('config')}"
        raise ConversionError(
            f"it has {own}: build the model in the other library, and load its weights there"
        )
    for child in tree.values():
        _refuse_code(child)


def _is_of_keras(module: str) -> bool:
    root, *parts = module.split(".")
    return root in _ROOTS and (not parts or parts[0] in _PARTS)
