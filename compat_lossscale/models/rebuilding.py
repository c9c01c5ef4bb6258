# SPDX-License-Identifier: Apache-2.0
"""Builds a model of one Keras again in the other, layer by layer.

Both libraries make their own layers from the settings that they understand. A setting that the
other class does not take is left out if it says no more than the default, and is lost otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from compat_lossscale.errors import ConversionError
from compat_lossscale.formats.conversion import INFERENCE, SIGMOID, Field, Verdict, trains_otherwise
from compat_lossscale.spec.configs import POLICIES

_POLICIES = ("DTypePolicy", "FloatDTypePolicy", *POLICIES)
_NARROW = ("float16", "bfloat16")
_RENAMED = {
    ("LeakyReLU", "alpha"): "negative_slope",
    ("InputLayer", "batch_input_shape"): "batch_shape",
}
_RENAMED_BACK = {(layer, new): old for (layer, old), new in _RENAMED.items()}
_WITHOUT_MEANING = frozenset(
    {
        # The input layer, or the first call, says the same.
        *("batch_input_shape", "input_length", "query_shape", "key_shape", "value_shape"),
        # How random numbers are drawn, and how a layer computes the same.
        *("seed", "rng_type", "noise_shape", "implementation", "autocast", "dtype"),
        # A loss is its class, and a vocabulary has its length.
        *("fn", "vocabulary_size"),
    }
)
"""Settings that may be left out whatever their value."""
_HIDDEN = ("zero_output_for_mask",)
"""Settings that tf-keras takes, and no signature has."""
_INSTEAD = {
    "ThresholdedReLU": "ReLU(threshold=theta) is nearly the same",
    "SyncBatchNormalization": "BatchNormalization(synchronized=True) is the same",
    **dict.fromkeys(
        ("TFOpLambda", "TensorFlowOpLayer", "SlicingOpLambda"),
        "it stands for a TensorFlow function, such as x + y or x[...]: use a layer or keras.ops",
    ),
}
_WITH_STATES = (
    *("RNN", "SimpleRNN", "GRU", "LSTM", "Bidirectional"),
    *("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"),
)
_LOOKUPS = ("IntegerLookup", "StringLookup")
_ACTIVITY = (
    "Keras 3.10 and later cannot train with the activity loss of a layer that computes in this "
    "dtype; give the layer dtype='float32'"
)


class Rebuilding:
    """Builds a model of `source`, which is `tf_keras` or `keras`, again in `target`, the other.

    `fields` gets what the other does not have or what changes, and `layers` the pairs of layers.
    """

    def __init__(self, source: Any, target: Any) -> None:
        self.source, self.target = source, target
        self.to_keras3 = target.__name__ == "keras"
        self.title = "Keras 3" if self.to_keras3 else "tf-keras"
        self.fields: list[Field] = []
        self.layers: list[tuple[Any, Any]] = []
        self._made: dict[int, Any] = {}
        self._names: set[str] = set()

    def lost(self, place: str, value: Any, reason: str) -> None:
        """Notes that something is lost."""
        field = Field(place, Verdict.LOST, value, reason)
        if field not in self.fields:
            self.fields.append(field)

    def model(self, old: Any) -> Any:
        """Builds a model again, with the weights of the old one."""
        new = self._network(old)
        for one, other in self.layers:
            for old_weight, new_weight in paired_weights(one, other):
                new_weight.assign(old_weight.numpy())
        return new

    def _network(self, old: Any) -> Any:
        if isinstance(old, self.source.Sequential):
            new = self._sequential(old)
        elif type(old).__name__ in ("Functional", "Model") and getattr(old, "inputs", None):
            new = self._functional(old)
        else:
            raise ConversionError(
                f"{old.name} is a model of a class of your own, {type(old).__name__}: build it in "
                f"{self.title}, and load its weights there"
            )
        if not old.trainable:
            new.trainable = False
        return new

    def _sequential(self, old: Any) -> Any:
        first = next(iter(old.get_config()["layers"]), None)
        layers = [self.layer(layer) for layer in old.layers]
        if first and first["class_name"] == "InputLayer":
            layers.insert(0, self._input(first["config"]))
        new = self.target.Sequential(layers, name=self._free_name(old.name))
        shape = old.get_build_config() if old.built else None
        if shape and not new.built and shape.get("input_shape"):
            new.build(_tuples(shape["input_shape"]))
        return new

    def _input(self, config: Mapping[str, Any]) -> Any:
        shape = config.get("batch_shape") or config.get("batch_input_shape")
        options = {"sparse": True} if config.get("sparse") else {}
        if config.get("ragged"):
            self.lost(f"layer {config['name']}.ragged", True, f"{self.title} has no ragged inputs")
        dtype = self.adapted(config.get("dtype"), "")
        name = self._free_name(config["name"])
        return self.target.Input(batch_shape=_tuples(shape), dtype=dtype, name=name, **options)

    def _free_name(self, name: str) -> str:
        """Returns a layer's name, or another one if Keras 3 refuses it."""
        if "/" not in name or not self.to_keras3:
            self._names.add(name)
            return name
        free = name.replace("/", "_")
        while free in self._names:
            free += "_"
        self._names.add(free)
        reason = f"Keras 3 takes no / in names; the layer is called {free}"
        self.fields.append(Field(f"layer {name}.name", Verdict.NOTED, name, reason))
        return free

    def layer(self, old: Any) -> Any:
        """Builds a layer again, once however often it is used."""
        if id(old) not in self._made:
            is_network = isinstance(old, self.source.Model)
            self._made[id(old)] = self._network(old) if is_network else self._one_layer(old)
        return self._made[id(old)]

    def _one_layer(self, old: Any) -> Any:
        name, place = type(old).__name__, f"layer {old.name}"
        cls = getattr(self.target.layers, name, None)
        root = type(old).__module__.partition(".")[0]
        of_keras = root == self.source.__name__ or type(old) is getattr(
            self.source.layers, name, None
        )
        if not isinstance(old, self.source.layers.Layer) or not of_keras:
            raise ConversionError(
                f"{place} is of a class of your own, {name}, of which {self.title} knows nothing: "
                f"build the model in {self.title}, and load its weights there"
            )
        if cls is None:
            hint = f"; {_INSTEAD[name]}" if name in _INSTEAD else ""
            raise ConversionError(f"{place}: {self.title} has no {name}{hint}")
        config = old.get_config()
        if config.get("vocabulary", "") is None and hasattr(old, "get_vocabulary"):
            # What it has learned, which stands in no weights.
            config["vocabulary"] = old.get_vocabulary(include_special_tokens=False)
        settings = self._settings(cls, type(old), config, place)
        settings["name"] = self._free_name(old.name)
        if not self.to_keras3 and name in _LOOKUPS:
            is_number = config.get("output_mode", "int") == "int"
            settings["dtype"] = "int64" if is_number else "float32"
        elif not self.to_keras3 and name == "TextVectorization":
            settings["dtype"] = "string"
        dtype = getattr(old, "compute_dtype", None)
        if self.to_keras3 and dtype in _NARROW and getattr(old, "activity_regularizer", None):
            self.lost(f"{place}.activity_regularizer", dtype, _ACTIVITY)
        try:
            new = cls.from_config(settings)
        except Exception as error:
            # Each class raises what it likes.
            raise ConversionError(f"{place}: {self.title} does not build it: {error}") from error
        self.layers.append((old, new))
        return new

    # --- settings ---------------------------------------------------------------------------------

    def adapted(self, value: Any, place: str) -> Any:
        """Returns a setting's value as the other Keras reads it."""
        if isinstance(value, list | tuple):
            return [self.adapted(child, place) for child in value]
        if not isinstance(value, Mapping):
            return value
        if not isinstance(value.get("class_name"), str) or "config" not in value:
            return {key: self.adapted(child, place) for key, child in value.items()}
        name, config = value["class_name"], value["config"]
        if name in _POLICIES:
            return config["name"]
        kind, cls = self._class(name, self.target)
        if cls is None or not isinstance(config, Mapping):
            return dict(value)
        _, old = self._class(name, self.source)
        return {
            **{key: value[key] for key in ("name", "inbound_nodes") if key in value},
            "module": f"keras.{kind}".rstrip("."),
            "class_name": name,
            "config": self._settings(cls, old, config, place),
            "registered_name": None,
        }

    def _class(self, name: str, keras: Any) -> tuple[str, Any]:
        for kind in ("layers", "initializers", "regularizers", "constraints", "losses", "metrics"):
            cls = getattr(getattr(keras, kind), name, None)
            if isinstance(cls, type):
                return kind, cls
        return "", getattr(keras, name, None) if name in ("Sequential", "Functional") else None

    def _settings(
        self, cls: type, old: type | None, config: Mapping[str, Any], place: str
    ) -> dict[str, Any]:
        accepted = {name for name, _ in parameters(cls)}
        defaults = dict(parameters(old)) if old is not None else {}
        settings: dict[str, Any] = {}
        for key, value in config.items():
            names = _RENAMED if self.to_keras3 else _RENAMED_BACK
            renamed = names.get((cls.__name__, key), key)
            if key.endswith("activation") and value == "hard_sigmoid":
                if not self.to_keras3:
                    self.lost(f"{place}.{key}", value, SIGMOID)
                dtype = self.adapted(config.get("dtype"), place)
                settings[key] = _hard_sigmoid(dtype) if self.to_keras3 else value
            elif renamed in accepted or renamed != key:
                settings[renamed] = self.adapted(value, place)
            elif key in _HIDDEN and not self.to_keras3:
                settings[key] = value
            elif not _says_nothing(key, value, defaults):
                reason = f"{cls.__name__} of {self.title} has no {key}"
                self.lost(f"{place}.{key}", value, reason)
        axis = settings.get("axis")
        if cls.__name__ == "BatchNormalization" and isinstance(axis, list) and len(axis) == 1:
            # tf-keras takes both and writes a list; Keras 3 takes no list.
            (settings["axis"],) = axis
        return settings

    # --- functional models ------------------------------------------------------------------------

    def _functional(self, old: Any) -> Any:
        made: dict[int, Any] = {}
        calls = [
            (layer, *call)
            for layer in getattr(old, "operations", old.layers)
            for call in _calls_of(layer)
        ]
        count = -1
        # A layer can have calls that are of other models: their inputs are not made.
        while count != len(made):
            count = len(made)
            for layer, args, kwargs, outputs in calls:
                if id(outputs[0]) not in made and all(
                    id(one) in made
                    for one in flat((args, kwargs))
                    if type(one).__name__ == "KerasTensor"
                ):
                    result = self._called(layer, *_replaced((args, kwargs), made))
                    made |= zip(map(id, outputs), flat(result), strict=True)
        if not all(id(one) in made for one in flat(old.output)):
            raise ConversionError(f"the graph of {old.name} has a call without its inputs")
        ends = [_replaced(end, made) for end in (old.input, old.output)]
        return self.target.Model(*ends, name=self._free_name(old.name))

    def _called(self, layer: Any, args: Any, kwargs: Any) -> Any:
        name, place = type(layer).__name__, f"layer {layer.name}"
        if name == "InputLayer":
            return self._input(layer.get_config())
        if name == "Cast" and type(layer).__module__.startswith("keras.src.ops."):
            # Keras 3.6 casts where policies meet. A layer of tf-keras casts its inputs itself.
            return args[0]
        kwargs = {key: value for key, value in kwargs.items() if value is not None}
        if kwargs.get("training") is False:
            config = {"class_name": name, "config": layer.get_config()}
            if self.to_keras3 and trains_otherwise(config):
                self.lost(f"{place}.training", False, INFERENCE)
            else:
                # Keras 3 keeps arguments that were not given, and would not heed this one.
                del kwargs["training"]
        if name in _WITH_STATES and isinstance(args[0], list):
            kwargs["initial_state"] = args[0][1:]
            args = [args[0][0], *args[1:]]
            mask = getattr(args[0], "_keras_mask", None)
            if self.to_keras3 and mask is not None:
                kwargs["mask"] = mask  # Keras 3 drops it where a call has further tensors.
        new = self.layer(layer)
        try:
            return new(*args, **kwargs)
        except Exception as error:
            # Each class raises what it likes.
            raise ConversionError(f"{place}: {self.title} does not call it: {error}") from error


def _hard_sigmoid(dtype: Any) -> dict[str, Any]:
    """Returns the activation of tf-keras, which is another function in Keras 3."""
    settings = {"Rescaling": {"scale": 0.2, "offset": 0.5}, "ReLU": {"max_value": 1.0}}
    layers = [
        {"module": "keras.layers", "class_name": name, "config": {**config, "dtype": dtype}}
        for name, config in settings.items()
    ]
    config = {"name": "hard_sigmoid", "layers": layers}
    return {"module": "keras", "class_name": "Sequential", "config": config}


def paired_weights(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the weights of a layer in both libraries, the old one first."""
    # tf-keras counts a table of words that a layer has learned as a weight.
    before = [weight for weight in old.weights if hasattr(weight, "shape")]
    after = list(new.weights)
    if [tuple(one.shape) for one in before] != [tuple(one.shape) for one in after]:
        by_name = {_leaf(one): one for one in before}
        if not {_leaf(one) for one in after} <= by_name.keys():
            raise ConversionError(
                f"layer {old.name} has {len(before)} weights in one library and {len(after)} in "
                "the other"
            )
        before = [by_name[_leaf(one)] for one in after]
    yield from zip(before, after, strict=True)


def _leaf(weight: Any) -> str:
    return str(getattr(weight, "path", weight.name)).rpartition("/")[2].partition(":")[0]


def _says_nothing(key: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    if key in _WITHOUT_MEANING or key.endswith("_initializer"):
        return True
    if value is None or value is False or (key, value) == ("data_format", "channels_last"):
        return True
    default = defaults.get(key, inspect.Parameter.empty)
    return bool(value is default or value == default)


def parameters(cls: type) -> Iterator[tuple[str, Any]]:
    """Yields the arguments that a class takes, with their defaults."""
    seen = set()
    for base in cls.__mro__:
        if "__init__" not in vars(base) or base is object:
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        for parameter in parameters:
            if parameter.name not in seen:
                seen.add(parameter.name)
                yield parameter.name, parameter.default
        if not any(one.kind is one.VAR_KEYWORD for one in parameters):
            return


def _tuples(shape: Any) -> Any:
    return tuple(map(_tuples, shape)) if isinstance(shape, list | tuple) else shape


def _calls_of(layer: Any) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Yields the arguments of each call of a layer of either Keras, and the outputs."""
    # Keras 3 has no public name for them.
    for node in getattr(layer, "inbound_nodes", None) or layer._inbound_nodes:
        arguments = getattr(node, "arguments", None)
        if arguments is None:
            yield list(node.call_args), node.call_kwargs, flat(node.outputs)
        else:
            yield list(arguments.args), arguments.kwargs, flat(node.outputs)


def flat(value: Any) -> list[Any]:
    """Returns what is in nested containers."""
    if isinstance(value, Mapping):
        return [one for child in value.values() for one in flat(child)]
    if isinstance(value, list | tuple):
        return [one for child in value for one in flat(child)]
    return [value]


def _replaced(tree: Any, made: Mapping[int, Any]) -> Any:
    """Returns nested containers with other tensors in the place of some."""
    if isinstance(tree, Mapping):
        return {key: _replaced(child, made) for key, child in tree.items()}
    if isinstance(tree, list | tuple):
        return [_replaced(child, made) for child in tree]
    return made.get(id(tree), tree)
