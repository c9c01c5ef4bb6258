# SPDX-License-Identifier: Apache-2.0
"""Converts one model as a whole. It runs in a process of its own; see `models.write`."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import runpy
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from compat_lossscale.errors import (
    CompatLossScaleError,
    ConversionError,
    InexpressibleLossScaleError,
)
from compat_lossscale.formats import checkpoint, hdf5, keras_archive
from compat_lossscale.formats.artefact import Artefact
from compat_lossscale.formats.conversion import (
    COMPILE_KEYS,
    NO_VOCABULARY,
    OF_FUNCTION,
    OPTIMIZER_KEYS,
    OWN_COMPILED,
    Conversion,
    Field,
    Verdict,
    convert,
    convert_artefact,
    is_compiled,
    model_and_compiled,
    names_in,
    trained_otherwise,
    unconverted,
    with_state,
)
from compat_lossscale.formats.reading import read_in_this_process
from compat_lossscale.formats.tensor_bundle import KEY, ObjectGraph, TensorBundle
from compat_lossscale.formats.writing import only_config
from compat_lossscale.models.rebuilding import Rebuilding, flat, paired_weights, parameters
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.inner_optimizers import Family, class_name, family, serialized
from compat_lossscale.spec.wrapper_configs import (
    WrapperConfig,
    is_wrapper,
    read_wrapper_config,
    write_optimizer,
)

# --- what a file says of its model ---------------------------------------------------------------

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
    """A model in a file, and the generation to convert it to."""

    artefact: Artefact
    target: Generation
    function: str | None = None
    """`SCRIPT:FUNCTION` that builds it, if its config is not in the file."""
    is_legacy: bool = False
    """Whether its optimizer is one of tf-keras' legacy family."""
    model: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    compiled: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    conversion: Conversion | None = None
    """What becomes of its optimizer, if there is one and it is known."""

    @property
    def config(self) -> dict[str, Any] | None:
        """The optimizer's config in the other Keras' form."""
        return None if self.conversion is None else self.conversion.config


def read_stored(path: str, target: Generation, function: str | None) -> StoredModel:
    """Reads what a file says of its model, and refuses what is not converted."""
    artefact = read_in_this_process(path)
    stored = StoredModel(artefact, target, function)
    if artefact.format == checkpoint.FORMAT:
        stored.is_legacy = "new family" not in artefact.layout
        return stored
    stored.model, stored.compiled = model_and_compiled(artefact)
    _refuse_code(stored.model)
    _refuse_code(stored.compiled, compiled=True)
    for field in unconverted(artefact, target):
        if field.reason == NO_VOCABULARY:
            raise ConversionError(f"{', '.join(field.value)}: {NO_VOCABULARY}")
    optimizer = _stated_optimizer(stored.compiled)
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
        stored.conversion = _converted(artefact, optimizer, source, target)
        stored.is_legacy = family(optimizer, source) is Family.LEGACY
    return stored


def _stated_optimizer(compiled: Mapping[str, Any]) -> dict[str, Any] | None:
    return serialized(next((compiled[key] for key in OPTIMIZER_KEYS if compiled.get(key)), None))


def _converted(
    artefact: Artefact, optimizer: Mapping[str, Any], source: Generation, target: Generation
) -> Conversion:
    """Converts the config of an optimizer, with or without a loss scale."""
    if is_wrapper(optimizer):
        return with_state(read_wrapper_config(optimizer), convert(optimizer, target), artefact)
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


def _refuse_code(tree: Any, *, compiled: bool = False) -> None:
    """Refuses configs that make a loader run code that is in the file, or that it names.

    `compiled` functions have stand-ins if they are not Keras' own.
    """
    if isinstance(tree, list):
        for child in tree:
            _refuse_code(child, compiled=compiled)
    if not isinstance(tree, Mapping):
        return
    name, module = tree.get("class_name"), tree.get("module")
    if name in _CODE:
        raise ConversionError(
            "it has a function in it, stored as Python bytecode (Lambda), which is not run: write "
            "a layer instead"
        )
    is_own = isinstance(name, str) and isinstance(module, str) and not _is_of_keras(module)
    if is_own and not (compiled and (name, module) == ("function", "builtins")):
        own = f"an object of a class of your own, {name} of the module {module}"
        if name == "function":
            own = f"a function of your own, {tree.get('config')}"
        raise ConversionError(
            f"it has {own}: build the model in the other library, and load its weights there"
        )
    for child in tree.values():
        _refuse_code(child, compiled=compiled)


def _is_of_keras(module: str) -> bool:
    root, *parts = module.split(".")
    return root in _ROOTS and (not parts or parts[0] in _PARTS)


# --- the state of an optimizer --------------------------------------------------------------------

_ADAM = {"m": "momentums", "v": "velocities", "vhat": "velocity_hats"}
_LEGACY: Mapping[str, Mapping[str, str]] = {
    "SGD": {"momentum": "momentums"},
    "Adam": _ADAM,
    "Nadam": _ADAM,
    "Adamax": {"m": "m", "v": "u"},
    "Adagrad": {"accumulator": "accumulators"},
    "Adadelta": {"accum_grad": "accumulated_grads", "accum_var": "accumulated_delta_vars"},
    "RMSprop": {"rms": "velocities", "mg": "average_gradients", "momentum": "momentums"},
    "Ftrl": {"accumulator": "accumulators", "linear": "linears"},
}
"""The slots of each legacy optimizer, and what the others call them."""
_PRODUCT = "momentum_product"
"""Nadam's product of its momentum schedule."""
_SCALARS = ("iterations", "loss_scale", "good_steps", _PRODUCT)
"""What a state can have besides slots."""

State: TypeAlias = dict[str, list[Any]]
"""The values of an optimizer's variables: one of each scalar that it has, and one of each slot for
each trained variable."""


def read_state(optimizer: Any, trained: Sequence[Any]) -> State:
    """Reads the state of an optimizer of tf-keras or Keras 3, with or without a loss scale."""
    return {name: [*map(np.asarray, found)] for name, found in _places(optimizer, trained).items()}


def write_state(optimizer: Any, trained: Sequence[Any], state: State) -> list[Field]:
    """Gives an optimizer a state, and returns what it has no place for or is not given."""
    places, lost = _places(optimizer, trained), []
    kind = type(getattr(optimizer, "inner_optimizer", optimizer)).__name__
    # Where SGD has no momentum, tf-keras has slots for it all the same.
    unused = (*_SCALARS, *(("momentums",) if kind == "SGD" else ()))
    for name, values in state.items():
        if name not in places:
            if name not in unused and any(np.any(value) for value in values):
                lost.append(_lost(name, f"{kind} does not keep it"))
            continue
        for place, value in zip(places[name], values, strict=True):
            if tuple(place.shape) == value.shape:
                place.assign(value)
            elif value.size > 1 and np.prod(place.shape) > 1:
                lost.append(_lost(name, f"it has the shape {list(value.shape)}"))
    if state["iterations"][0]:
        new = [name for name in places if name not in (*state, *_SCALARS)]
        lost += [_lost(name, "the file does not hold it: it starts again") for name in new]
    return lost


def differences(before: State, after: State) -> list[str]:
    """Returns the names of what differs. A slot of one alone is zero, or noted already."""
    names = []
    for name in before.keys() & after.keys():
        both = zip(before[name], after[name], strict=True)
        pairs = [(one, other) for one, other in both if one.shape == other.shape]
        rounding = 1e-6 if name == _PRODUCT else 0.0
        if not all(np.allclose(one, other, rounding, 0.0, equal_nan=True) for one, other in pairs):
            names.append(name if name in _SCALARS else "slots")
    return sorted({*names})


def _lost(name: str, reason: str) -> Field:
    return Field(f"state.slots.{name}", Verdict.LOST, name, reason)


def _places(optimizer: Any, trained: Sequence[Any]) -> State:
    """Returns the variables of an optimizer, its slots by their names in the new families."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    found = {"iterations": [inner.iterations]}
    if inner is not optimizer and getattr(optimizer, "dynamic", True):
        if hasattr(optimizer, "dynamic_scale"):
            scale, counter = optimizer.dynamic_scale, optimizer.step_counter
        else:
            scale, counter = optimizer._loss_scale.current_loss_scale, optimizer.dynamic_counter
        found |= {"loss_scale": [scale], "good_steps": [counter]}
    if type(inner).__name__ == "Nadam" and "_u_product" in vars(inner):
        found[_PRODUCT] = [vars(inner)["_u_product"]]
    if hasattr(inner, "get_slot_names"):
        names = _LEGACY.get(type(inner).__name__, {})
        return found | {
            names.get(slot, slot): [inner.get_slot(variable, slot) for variable in trained]
            for slot in inner.get_slot_names()
        }
    own = {id(variable) for variable in trained}
    for name, value in vars(inner).items():
        if not isinstance(value, list) or len(value) != len(trained) or not value:
            continue
        is_slot = all(hasattr(one, "assign") and id(one) not in own for one in value)
        if is_slot and name.lstrip("_") not in ("variables", "trainable_variables"):
            found[name.lstrip("_")] = list(value)
    return found


FLOAT32, NARROW = 1e-4, 3e-2
"""How far outputs may be apart, beside the largest one; the latter where a layer computes in 16
bits."""
_NOT_LOADED = "the library that the file is for does not restore it"
_KERAS_1 = (
    "{} wrote it, whose layers tf-keras does not read: load it with Keras 2.2 (pip install "
    "keras==2.2.4), save it there, and convert that"
)
_NOT_COMPARED = "the outputs of the two models were not compared: {}"
_OLD_LAYERS = "_layer_checkpoint_dependencies"
"""Where a functional model has its layers in archives of TensorFlow 2.12 and 2.13."""
_OLD_NAMES = {
    "kullback_leibler_divergence": "kl_divergence",
    "logcosh": "log_cosh",
    "huber_loss": "huber",
    "cosine_proximity": "cosine_similarity",
}
"""Old names of losses and metrics, which only tf-keras knows."""


def convert_model(path: str, target: str, function: str | None, output: str) -> Conversion:
    """Converts a model for `models.write`, and returns what the libraries make of it."""
    stored = read_stored(path, Generation(target), function)
    source, other = _libraries(stored)
    old, optimizer = _loaded(stored, source)
    kinds = (
        Generation.KERAS3 if stored.artefact.is_of_keras3 else Generation.TF_KERAS,
        stored.target,
    )
    if stored.conversion is None and optimizer is not None:
        stored.compiled = old.get_compile_config()
        config = source.optimizers.serialize(optimizer)
        stored.conversion = _converted(stored.artefact, config, *kinds)
    rebuilding = Rebuilding(source, other)
    new = rebuilding.model(old)
    state: State = {}
    if stored.config is not None:
        made = _optimizer(stored.config, other)
        _compile(new, made, stored, rebuilding)
        if rebuilding.to_keras3:
            kinds_trained = {type(one).__name__ for one, _ in rebuilding.layers if one.trainable}
            inner = stored.config["config"].get("inner_optimizer", stored.config)
            rebuilding.fields += trained_otherwise(kinds_trained, inner, stored.is_legacy)
        # The old variables in the order in which the new model trains them.
        old_of = {id(b): a for layers in rebuilding.layers for a, b in paired_weights(*layers)}
        trained = [id(variable) for variable in new.trainable_variables]
        order = [old_of[variable] for variable in trained if variable in old_of]
        if optimizer is not None and len(order) == len(new.trainable_variables):
            state = read_state(optimizer, order)
            _make_variables(new.optimizer, new)
            rebuilding.fields += write_state(new.optimizer, new.trainable_variables, state)
        rebuilding.fields += _not_loaded(stored, state)
    new.save(output)
    loaded = other.models.load_model(output)
    fields = rebuilding.fields + _check(old, new, loaded, rebuilding)
    conversion = stored.conversion or Conversion(*kinds, {}, ())
    if state:
        _make_variables(loaded.optimizer, loaded)
        after = read_state(loaded.optimizer, loaded.trainable_variables)
        said = {field.name for field in conversion.lost}
        names = [f"state.{name}" for name in differences(state, after)]
        reason = f"{rebuilding.title} does not load it from the converted file"
        fields += [Field(name, Verdict.LOST, None, reason) for name in names if name not in said]
    lost = {field.name for field in fields if field.verdict is Verdict.LOST}
    kept = [one for one in conversion.fields if one.name not in lost and one not in fields]
    return dataclasses.replace(conversion, fields=(*kept, *fields))


def _not_loaded(stored: StoredModel, state: State) -> list[Field]:
    """Returns what the file holds and the library that loads it does not restore."""
    lost = []
    for known in stored.artefact.states[:1]:
        for name in ("loss_scale", "good_steps", "iterations", "slots"):
            value = getattr(known, name)
            is_there = state.get(name) == [value]
            if name == "slots":
                # Restored are all of them and the iterations, or nothing.
                slots = [one for name in state.keys() - _SCALARS for one in state[name]]
                is_there = any(map(np.any, slots))
                if known.iterations is not None:
                    is_there = bool(slots) and known.iterations in state.get("iterations", ())
            if value and not is_there:
                lost.append(Field(f"state.{name}", Verdict.LOST, value, _NOT_LOADED))
    return lost


def _libraries(stored: StoredModel) -> tuple[Any, Any]:
    import keras  # noqa: PLC0415  # Keras 3, before `install()` makes `import keras` mean tf-keras

    from compat_lossscale.legacy.install import install  # noqa: PLC0415  # TensorFlow

    neighbours = stored.function is not None
    install(legacy_optimizers=stored.is_legacy, neighbours=neighbours)
    import tf_keras  # noqa: PLC0415  # after TensorFlow

    legacy = tf_keras.optimizers.legacy
    # Its own leaves a learning-rate schedule as it is.
    legacy.Adagrad.from_config = classmethod(legacy.Optimizer.from_config.__func__)

    return (keras, tf_keras) if stored.artefact.is_of_keras3 else (tf_keras, keras)


# --- loading --------------------------------------------------------------------------------------


def _loaded(stored: StoredModel, source: Any) -> tuple[Any, Any]:
    """Returns the model and its optimizer, with their state."""
    writer = stored.artefact.writer or ""
    if writer.startswith(("Keras 0.", "Keras 1.")):
        raise ConversionError(_KERAS_1.format(writer))
    try:
        return _load(stored, source)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Old files name classes without modules: which are the user's own shows here first.
        for field in unconverted(stored.artefact, stored.target) if stored.model else ():
            if field.name in ("objects", "layers"):
                raise ConversionError(f"{', '.join(field.value)}: {field.reason}") from None
        name, reason = source.__name__.replace("_", "-"), f"{type(error).__name__}: {error}"
        raise ConversionError(f"{name} does not load it: {reason}") from error


def _load(stored: StoredModel, source: Any) -> tuple[Any, Any]:
    path = stored.artefact.path
    if stored.artefact.format in (hdf5.FORMAT, keras_archive.FORMAT):
        custom = {}
        of_tf_keras = not stored.artefact.is_of_keras3
        if of_tf_keras:
            # tf-keras does not find the latter two in a loss-scale optimizer, nor does it need to.
            later = {name: getattr(source.optimizers, name) for name in ("Lion", "Adafactor")}
            custom = {**_stand_ins(stored.compiled), **later}
        is_archive = of_tf_keras and stored.artefact.format == keras_archive.FORMAT
        with tempfile.TemporaryDirectory() as folder:
            file = _with_todays_names(path, folder) if is_archive else path
            model = source.models.load_model(file, custom_objects=custom)
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None and of_tf_keras:
            _make_variables(optimizer, model)
            if stored.artefact.format == hdf5.FORMAT and stored.is_legacy:
                _restore_by_names(path, getattr(optimizer, "inner_optimizer", optimizer))
        return model, optimizer
    if stored.function is not None:
        model = _built_by(stored.function)
        optimizer = getattr(model, "optimizer", None)
        prefix = checkpoint.prefix_of(path)
        objects = _objects_of_checkpoint(prefix, model, optimizer)
    else:
        model = source.models.model_from_json(json.dumps(stored.model))
        config, optimizer = _stated_optimizer(stored.compiled), None
        prefix = str(Path(path, "variables", "variables"))
        objects = {"root": model}
        if config is not None:
            kinds = (Generation.TF24, Generation.TF_KERAS)
            config = _converted(stored.artefact, config, *kinds).config
            optimizer = source.optimizers.deserialize(config)
            objects["optimizer"] = optimizer
    if optimizer is not None:
        _keep_settings(optimizer, prefix)
        # What a legacy one has no gradients for has no slots in the file: they are made after it.
        if not stored.is_legacy:
            _make_variables(optimizer, model)
    _restore(prefix, objects, stored.function)
    if optimizer is not None and stored.is_legacy:
        _make_variables(optimizer, model)
    for layer in model.submodules:
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()  # Normalization computes with what this makes of its weights.
    return model, optimizer


def _of_another(name: str) -> str | None:
    last = name.rpartition("/")[2]
    return name if "\\" in last or last == _OLD_LAYERS else None


def _number(layers: Any) -> None:
    """Numbers layers without gaps: old versions counted those with weights twice."""
    count: dict[str, int] = {}
    pattern = re.compile(r"(.*?)(?:_(\d+))?")
    parts = [(pattern.fullmatch(name), name) for name in layers]
    for kind, _, name in sorted((m[1], int(m[2] or 0), name) for m, name in parts if m):
        number = count[kind] = count.get(kind, -1) + 1
        today = f"{kind}_{number}" if number else kind
        if name != today:
            layers.move(name, today)


def _with_todays_names(path: str, folder: str) -> str:
    """Returns an archive whose weights are found here: Windows and old versions name them so."""
    import h5py  # noqa: PLC0415  # it is loaded by now

    with zipfile.ZipFile(path) as source:
        weights = io.BytesIO(source.read(keras_archive.WEIGHTS))
        with h5py.File(weights, "r+") as file:
            names = []
            while name := file.visit(_of_another):
                names.append(name)
                today = name.replace("\\", "/").replace(_OLD_LAYERS, "layers")
                if name.endswith(_OLD_LAYERS):
                    _number(file[name])
                file.move(name, today)
        if not names:
            return path
        written = str(Path(folder, "model.keras"))
        with zipfile.ZipFile(written, "w") as target:
            for name in {*source.namelist()} - {keras_archive.WEIGHTS}:
                target.writestr(name, source.read(name))
            target.writestr(keras_archive.WEIGHTS, weights.getvalue())
    return written


def _restore_by_names(path: str, inner: Any) -> None:
    """Restores what tf-keras does not from an `.h5` file: an optimizer that lacks some slots."""
    import h5py  # noqa: PLC0415  # it is loaded by now

    stored, found = hdf5.describe(path), {}
    weights = {weight.name: weight for weight in inner.weights}
    for name in (*stored.scalars, *stored.arrays):
        fitting = [one for one in weights if name.endswith(f"/{one}")]
        if fitting:
            found[max(fitting, key=len)] = name
    if len(found) == len(stored.arrays) + 1 < len(weights):
        with h5py.File(path) as file:
            for one, name in found.items():
                weights[one].assign(file[name][()])


def _keep_settings(optimizer: Any, prefix: str) -> None:
    """Makes no variables of settings that a checkpoint has none of.

    Up to TensorFlow 2.3 there is none for Ftrl's `beta`, and never for a rate that is a function.
    """
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    names = TensorBundle(prefix).entries
    for setting in ("beta", "learning_rate") if hasattr(inner, "get_slot_names") else ():
        value = inner.get_config().get(setting)
        is_there = any(
            one.replace("/iter/", f"/{setting}/") in names for one in names if "/iter/" in one
        )
        if isinstance(value, float) and not is_there:
            setattr(inner, setting, lambda value=value: value)


def _restore(prefix: str, objects: Mapping[str, Any], function: str | None) -> None:
    import tensorflow as tf  # noqa: PLC0415  # it is loaded by now

    builder = f"{function.rpartition(':')[2]}() builds" if function else "its config describes"
    try:
        status = tf.train.Checkpoint(**objects).read(prefix)
        status.expect_partial()
        status.assert_existing_objects_matched()
    except (AssertionError, ValueError) as error:
        raise ConversionError(
            f"the checkpoint does not fit the model that {builder}: {str(error)[:300]}"
        ) from None


def _built_by(function: str) -> Any:
    script, _, name = function.rpartition(":")
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        namespace = runpy.run_path(script)
    except OSError as error:
        raise ConversionError(f"{script} cannot be run: {error.strerror}") from None
    if not callable(namespace.get(name)):
        raise ConversionError(f"{script} has no function {name}")
    model = namespace[name]()
    if not getattr(model, "built", False) or not hasattr(model, "trainable_variables"):
        raise ConversionError(
            f"{name}() of {script} must return a model of tf.keras that is built: give its first "
            "layer an input shape, or call it once"
        )
    return model


_OF_SAVED_MODEL = "keras_api"
"""What each object of Keras has in a SavedModel, and in no other checkpoint."""


def _objects_of_checkpoint(prefix: str, model: Any, optimizer: Any) -> dict[str, Any]:
    """Returns the objects by the names that the checkpoint has them under."""
    bundle = TensorBundle(prefix)
    data = bundle.text(KEY)
    if data is None:
        raise ConversionError("it is name-based: restore it with tf.compat.v1.train.Saver")
    graph = ObjectGraph(data)
    root = graph.nodes[0]
    nodes = {"root": root}
    if not _is_model(root.children, model):
        nodes = {name: graph.nodes[n] for name, n in root.children.items()}
    objects = {name: model for name, node in nodes.items() if _is_model(node.children, model)}
    if not objects:
        names = ", ".join(root.children)
        raise ConversionError(f"no model of Keras stands at its root, which has: {names}")
    if len(objects) > 1:
        raise ConversionError(
            f"the checkpoint holds {' and '.join(objects)}: restore one of them, with "
            "tf.train.Checkpoint(NAME=model).read(path).expect_partial(), and convert what "
            "model.save writes"
        )
    places = {state.where for state in checkpoint.describe(bundle).states}
    if optimizer is not None:
        objects |= {name: optimizer for name in root.children if name in places}
    return {name: value for name, value in objects.items() if name != "save_counter"}


def _is_model(children: Iterable[str], model: Any) -> bool:
    """Whether a stored object has layers by number, or all that it has is a member of the model."""
    names = {*children} - {"optimizer", "save_counter"}
    own = bool(names) and all(hasattr(model, name) for name in names)
    return own or _OF_SAVED_MODEL in names or any(name.startswith("layer") for name in names)


def _stand_ins(compiled: Mapping[str, Any]) -> dict[str, Any]:
    """Returns functions in place of losses and metrics that are the user's own."""
    names = {name for key in COMPILE_KEYS for name in names_in(compiled.get(key))}
    return {name: _stand_in for name in names if not is_compiled(name)}


def _stand_in(*values: Any, **config: Any) -> Any:
    """Stands for a function, which is given labels and predictions, or a class with a config."""
    del config
    return values[1] if values else _stand_in


# --- what it becomes ------------------------------------------------------------------------------


def _optimizer(config: Mapping[str, Any], target: Any) -> Any:
    if target.__name__ == "keras" and config["class_name"] == "LossScaleOptimizer":
        # Keras finds its own class under this name, not the one that is registered.
        from compat_lossscale.keras3 import LossScaleOptimizer  # noqa: PLC0415  # imports Keras

        return LossScaleOptimizer.from_config(config["config"])
    return target.optimizers.deserialize(dict(config))


def _compile(new: Any, optimizer: Any, stored: StoredModel, rebuilding: Rebuilding) -> None:
    arguments = {key: _compiled(stored.compiled.get(key), key, rebuilding) for key in COMPILE_KEYS}
    if rebuilding.to_keras3 and getattr(optimizer, "loss_scale_factor", None) is not None:
        # Otherwise Keras drops it under mixed_float16, and wraps the optimizer.
        arguments["auto_scale_loss"] = False
    new.compile(optimizer=optimizer, **arguments)


def _compiled(value: Any, place: str, rebuilding: Rebuilding) -> Any:
    """Returns a loss or metrics of the other Keras."""
    if isinstance(value, list):
        made = [_compiled(child, place, rebuilding) for child in value]
        if place != "loss":
            # Keras 3 takes no None there, but an empty list for an output without metrics.
            none: list[Any] = [[]] if any(isinstance(one, list) for one in made) else []
            made = [new for one in made for new in ([one] if one is not None else none)]
        return made
    if isinstance(value, Mapping) and value.get("class_name") == "function":
        value = value["config"]
    if isinstance(value, Mapping) and "class_name" not in value:
        return {key: _compiled(child, place, rebuilding) for key, child in value.items()}
    module = rebuilding.target.losses if place == "loss" else rebuilding.target.metrics
    if isinstance(value, str):
        value = _OLD_NAMES.get(value, value) if rebuilding.to_keras3 else value
        if is_compiled(value):
            return value
    elif not isinstance(value, Mapping):
        return value
    elif value["class_name"] == OF_FUNCTION:
        name = next(names_in(value), "")
        function = getattr(module, _OLD_NAMES.get(name, name), None)
        if function is None:
            return _compiled(name, place, rebuilding)
        return module.MeanMetricWrapper(function, name=value["config"].get("name"))
    else:
        adapted = rebuilding.adapted(value, f"compile.{place}")
        config = adapted["config"]
        if isinstance(config, dict) and config.get("reduction") == "auto":
            config["reduction"] = "sum_over_batch_size"
        cls: Any = getattr(module, adapted["class_name"], None)
        if cls is not None:
            return _made(cls, config, place, rebuilding)
        value = value["class_name"]
    rebuilding.lost(f"compile.{place}", value, OWN_COMPILED.format(rebuilding.title))
    return None


def _made(cls: Any, config: Mapping[str, Any], place: str, rebuilding: Rebuilding) -> Any:
    """Makes a loss or a metric, and notes what its Keras does not save of it."""
    made, defaults = cls.from_config(config), dict(parameters(cls))
    saved = made.get_config()
    for key in config.keys() & defaults.keys() - saved.keys():
        if config[key] != defaults[key]:
            reason = f"{rebuilding.title} does not save it: compile the model again"
            rebuilding.lost(f"compile.{place}.{cls.__name__}.{key}", config[key], reason)
    return made


def _make_variables(optimizer: Any, model: Any) -> None:
    from compat_lossscale.optimizers import saving  # noqa: PLC0415  # TensorFlow

    saving.make_variables(optimizer, model.trainable_variables)


# --- checking -------------------------------------------------------------------------------------


def _check(old: Any, new: Any, loaded: Any, rebuilding: Rebuilding) -> list[Field]:
    """Compares the converted model, as its own library loads it, with the old one."""
    for one, other in zip(new.weights, loaded.weights, strict=True):
        if not np.array_equal(one.numpy(), other.numpy(), equal_nan=True):
            raise ConversionError(
                f"{rebuilding.title} does not load the weight {other.name} that it has saved"
            )
    try:
        whole = any(type(one).__name__ == "Embedding" for one, _ in rebuilding.layers)
        inputs = [_probe(one, whole=whole) for one in flat(old.inputs or [])]
        if not inputs:
            raise ValueError("the model has no inputs of known shapes")
        try:
            before = _outputs(old, inputs)
        except Exception:
            # Free dimensions of images can be too small for it.
            inputs = [_probe(one, whole=whole, free=64) for one in flat(old.inputs)]
            before = _outputs(old, inputs)
        after = _outputs(loaded, inputs)
    except Exception as error:
        # A model can refuse numbers that are drawn at random, with any error.
        reason = _NOT_COMPARED.format(f"{type(error).__name__}: {error}"[:300])
        return [Field("outputs", Verdict.NOTED, None, reason)]
    distance = _distance(before, after)
    if distance <= _tolerance(rebuilding):
        return []
    name = _first_that_differs(old, loaded, inputs, rebuilding)
    reason = f"the converted model computes something else{name}: outputs are {distance:.2g} apart"
    return [Field("outputs", Verdict.LOST, distance, reason)]


def _probe(tensor: Any, *, whole: bool, free: int = 4) -> Any:
    """Returns an input for a model, of whole numbers if an Embedding can look them up."""
    random = np.random.default_rng(0)
    shape = [size or (free if axis else 2) for axis, size in enumerate(tuple(tensor.shape))]
    dtype = str(getattr(tensor.dtype, "name", tensor.dtype))
    if dtype == "string":
        return np.full(shape, "a", object)
    if "float" in dtype and not whole:
        return random.normal(size=shape).astype("float32" if dtype == "bfloat16" else dtype)
    return random.integers(0, 2, shape).astype(dtype)


def _outputs(model: Any, inputs: list[Any]) -> list[Any]:
    given = inputs[0] if len(inputs) == 1 else inputs
    if isinstance(model.inputs, Mapping):
        given = dict(zip(model.inputs, inputs, strict=True))
    return [np.asarray(one, "float64") for one in flat(model(given, training=False))]


def _distance(before: list[Any], after: list[Any]) -> float:
    distance = 0.0
    for one, other in zip(before, after, strict=True):
        if one.shape != other.shape or (np.isnan(one) != np.isnan(other)).any():
            return float("inf")
        same = np.nan_to_num(one), np.nan_to_num(other)
        largest = max(1.0, float(np.max(np.abs(same[0]), initial=0.0)))
        distance = max(distance, float(np.max(np.abs(same[0] - same[1]), initial=0.0)) / largest)
    return distance


def _tolerance(rebuilding: Rebuilding) -> float:
    dtypes = [str(getattr(old, "compute_dtype", "")) for old, _ in rebuilding.layers]
    return NARROW if any("16" in dtype for dtype in dtypes) else FLOAT32


def _first_that_differs(old: Any, new: Any, inputs: list[Any], rebuilding: Rebuilding) -> str:
    """Returns the name of the first layer whose output differs, with a few words."""
    names: dict[Any, Any] = {id(one): other.name for one, other in rebuilding.layers}
    for layer in old.layers:
        name = names.get(id(layer))
        if name is None or not hasattr(layer, "output"):
            continue
        parts: list[Any] = []
        make: Callable[..., Any]
        for model, make in ((old, rebuilding.source.Model), (new, rebuilding.target.Model)):
            part = make(model.inputs, model.get_layer(layer.name if model is old else name).output)
            parts.append(_outputs(part, inputs))
        if _distance(*parts) > _tolerance(rebuilding):
            return f" from the layer {layer.name} ({type(layer).__name__}) on"
    return ""
