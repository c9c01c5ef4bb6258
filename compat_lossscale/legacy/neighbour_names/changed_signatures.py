# SPDX-License-Identifier: Apache-2.0
"""Functions and methods of TensorFlow 2.0 to 2.4 that are there, and take other arguments today.

The table is what a comparison of the signatures of 2.0.4, 2.1.4, 2.2.3, 2.3.4 and 2.4.4 with
today's came to (`tests/legacy/neighbour_names/record_public_names.py`). Where the old versions
differ from one another, and the arguments do not say which is meant, there is no entry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

_API = "tensorflow"
_KERAS = f"{_API}.keras"
_LAYERS = f"{_KERAS}.layers"
_PREPROCESSING = f"{_LAYERS}.experimental.preprocessing"
_SERVICE = "tf.data.experimental.service."
_OF_CONVOLUTIONS = (
    "activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer kernel_constraint bias_constraint"
)


@dataclasses.dataclass(frozen=True)
class Changed:
    """A signature that changed. Plain data: nothing is imported to make one.

    Attributes:
        path: The function, the class or the method. A class stands for its constructor.
        same: How many of the first parameters are what they were.
        then: The old parameters after these, in order.
        told_by: By place, the types of values that the parameter at this place takes in the old
            signature alone. The types are exact: a bool is no int.
        at_most: How many arguments today's signature takes without names; `None` for any number.
        renamed: Today's names of parameters, by the old ones.
        dropped: Parameters that are gone, and whose values do nothing today.
        refused: By name, parameters whose values are an error, and what to do. `None` is none.
        instead: What to write for the calls that the rest says nothing of, if they changed too.
    """

    path: str
    same: int = 0
    then: tuple[str, ...] = ()
    told_by: Mapping[int, tuple[type, ...]] = dataclasses.field(default_factory=dict)
    at_most: int | None = None
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    refused: Mapping[str, str] = dataclasses.field(default_factory=dict)
    instead: str = ""

    @property
    def is_method(self) -> bool:
        """Whether it is in a class."""
        return self.path.split(".")[-2][0].isupper()

    @property
    def name(self) -> str:
        """The name, without the module or the class it is in."""
        return self.path.rpartition(".")[2]

    def is_old(self, kinds: Sequence[type | None]) -> bool:
        """Whether arguments without names are in the order of the old signature.

        Args:
            kinds: The type of each; `None` where it is not known.
        """
        if self.at_most is not None and len(kinds) > self.at_most:
            return True
        told = self.told_by.items()
        return any(place < len(kinds) and kinds[place] in types for place, types in told)

    def names_for(self, count: int) -> list[str | None]:
        """Returns the names to call arguments by that the old signature took without names.

        Args:
            count: How many there are.

        Returns:
            `None` for those that stay without, and an old name for each of the others.
        """
        return [None] * min(self.same, count) + list(self.then[: max(count - self.same, 0)])

    def as_today(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Returns the arguments of a call as today's signature takes them.

        Args:
            args: Those without names, without `self`.
            kwargs: Those with names.

        Raises:
            ValueError: A parameter has a value that is an error today; the message says what to do.
        """
        positional, named = list(args), dict(kwargs)
        if self.then and self.is_old([type(value) for value in args]):
            names = self.names_for(len(args))
            if len(names) == len(args) and not named.keys() & set(names):
                positional = list(args[: self.same])
                named.update(zip(self.then, args[self.same :], strict=False))
        for old, new in self.renamed.items():
            if old in named and new not in named:
                named[new] = named.pop(old)
        for name, instead in self.refused.items():
            if named.get(name) is not None:
                raise ValueError(f"{self.name}() has no {name} any more. {instead}.")
        kept = {name: value for name, value in named.items() if name not in self.dropped}
        return positional, kept


def _inserted(path: str, same: int, then: str, *told_by: type) -> Changed:
    """A parameter was put between others: values of some types are meant for the one after it."""
    return Changed(path, same, tuple(then.split()), {same: told_by})


_SAVE = ("include_optimizer", "save_format", "signatures", "options", "save_traces")

SIGNATURES: tuple[Changed, ...] = (
    Changed(f"{_KERAS}.Model.save", 2, _SAVE, {2: (bool,)}, at_most=3),
    Changed(f"{_KERAS}.models.save_model", 3, _SAVE, {3: (bool,)}, at_most=4),
    Changed(
        f"{_KERAS}.Model.load_weights", 1, ("by_name", "skip_mismatch", "options"), {1: (bool,)}
    ),
    Changed(
        f"{_KERAS}.Model.compile",
        4,
        ("sample_weight_mode", "weighted_metrics", "target_tensors", "distribute"),
        {4: (str,), 5: (list, tuple, dict, str)},
        refused={
            "target_tensors": "Give the targets to fit() as `y`; in a graph, after "
            "tf.compat.v1.disable_eager_execution(), compile() takes them still",
            "distribute": "Make and compile the model inside `with strategy.scope():`",
        },
    ),
    Changed(
        f"{_LAYERS}.Layer.add_update", 1, ("inputs",), at_most=1, dropped=frozenset({"inputs"})
    ),
    Changed(f"{_LAYERS}.Layer.add_loss", 1, ("inputs",), at_most=1),
    Changed(f"{_LAYERS}.Layer.add_metric", 1, ("aggregation", "name"), at_most=2),
    _inserted(f"{_KERAS}.losses.SparseCategoricalCrossentropy", 1, "reduction name", str),
    _inserted(f"{_KERAS}.losses.BinaryCrossentropy", 2, "reduction name", str),
    _inserted(f"{_KERAS}.losses.CategoricalCrossentropy", 2, "reduction name", str),
    _inserted(f"{_KERAS}.metrics.PrecisionAtRecall", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.RecallAtPrecision", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.SensitivityAtSpecificity", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.SpecificityAtSensitivity", 2, "name dtype", str),
    _inserted(
        f"{_KERAS}.callbacks.TensorBoard",
        4,
        "update_freq profile_batch embeddings_freq embeddings_metadata",
        *(str, int),
    ),
    _inserted(f"{_LAYERS}.Conv1D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv2D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv3D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv3DTranspose", 6, _OF_CONVOLUTIONS, str),
    _inserted(
        f"{_LAYERS}.DepthwiseConv2D",
        5,
        _OF_CONVOLUTIONS.replace("kernel", "depthwise"),
        str,
    ),
    _inserted(f"{_PREPROCESSING}.Resizing", 3, "name", str),
    _inserted("tensorflow.saved_model.LoadOptions", 0, "experimental_io_device", str),
    Changed(
        f"{_API}.distribute.ReplicaContext.all_reduce", renamed={"experimental_hints": "options"}
    ),
    Changed(
        f"{_API}.distribute.StrategyExtended.reduce_to", renamed={"experimental_hints": "options"}
    ),
    Changed(
        f"{_API}.distribute.StrategyExtended.batch_reduce_to",
        renamed={"experimental_hints": "options"},
    ),
    Changed(f"{_KERAS}.preprocessing.text.one_hot", renamed={"text": "input_text"}),
    Changed(f"{_KERAS}.preprocessing.text.text_to_word_sequence", renamed={"text": "input_text"}),
    Changed(f"{_KERAS}.utils.GeneratorEnqueuer", renamed={"sequence": "generator"}),
    *(
        Changed(
            f"{_KERAS}.utils.{name}",
            instead=f"tf.keras.utils.legacy.{name} takes and gives what it did",
        )
        for name in ("serialize_keras_object", "deserialize_keras_object")
    ),
    Changed(
        f"{_API}.data.experimental.service.DispatchServer",
        refused={"port": f"Give {_SERVICE}DispatcherConfig(port=...) as `config`"},
    ),
    Changed(
        f"{_API}.data.experimental.service.WorkerServer",
        refused={
            "port": f"Give {_SERVICE}WorkerConfig(dispatcher_address=..., port=...) as `config`"
        },
    ),
    Changed(f"{_API}.random.experimental.create_rng_state", renamed={"algorithm": "alg"}),
)
"""The signatures that changed, the most used first."""
