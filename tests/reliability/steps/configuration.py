# SPDX-License-Identifier: Apache-2.0
"""A configuration: everything that a training consists of, drawn at random or read from JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

MODES = ("eager", "function", "jit", "replicas", "replicas-eager", "graph")
STRUCTURES = (
    "plain",
    "twice",
    "while",
    "cond",
    "nested",
    "traced-in-jit",
    "concrete",
    "concrete-in-jit",
    "saved",
    "saved-in-jit",
)
WAYS = ("minimize", "tape", "given")
LOSSES = ("linear", "square", "tanh", "while", "cond", "matmul")
BETWEEN = (
    "nothing",
    "clip_by_global_norm",
    "clip_by_value",
    "cast",
    "add_n",
    "accumulate",
    "identity",
)
FAULTS = ("nan", "inf", "-inf", "overflow", "huge", "tiny", "denormal", "zero")


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable to train.

    Attributes:
        shape: Its shape.
        dtype: Its dtype.
        gradient: `dense`, `sparse` (of four of its rows, some of them the same), or `none`.
    """

    shape: tuple[int, ...] = (2,)
    dtype: str = "float32"
    gradient: str = "dense"


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One training. The defaults are the simplest one, towards which a failure shrinks.

    Attributes:
        api: `public`, `experimental`, or `v1` for `MixedPrecisionLossScaleOptimizer`.
        family: `new`, `legacy`, or `v1` for an optimizer of `tf.compat.v1.train`.
        optimizer: The inner optimizer's class.
        options: Its arguments. A learning rate can be `{"schedule": class, **arguments}`.
        subclass: What a user's subclass of it changes: a class of `subclasses`, or nothing.
        dynamic: Whether the loss scale is dynamic.
        initial_scale: The first or the fixed loss scale.
        growth_steps: Of a dynamic loss scale.
        variables: What is trained.
        steps: For each step, what is special about its gradients: of `FAULTS`, or `normal`.
        mode: Of `MODES`.
        structure: Of `STRUCTURES`: how the step is called inside `tf.function`s.
        way: Of `WAYS`: how gradients reach the optimizer.
        loss: Of `LOSSES`.
        compute_dtype: The dtype in which the loss is computed. Empty: each variable's own.
        between: Of `BETWEEN`: what the user does with unscaled gradients.
        reuses: Whether the user stores the unscaled gradients once they are applied.
        returns: Whether the user's step returns what the optimizer returned.
        event: What happens to the loss scale before the second step: `assign`, `restore` (from a
            checkpoint), or nothing.
        event_scale: The loss scale that it brings.
        unknown_shapes: Whether the step's `tf.function` leaves the gradients' shapes open.
        seed: Of the values.
    """

    api: str = "public"
    family: str = "new"
    optimizer: str = "SGD"
    options: dict[str, Any] = dataclasses.field(default_factory=lambda: {"learning_rate": 0.25})
    subclass: str = ""
    dynamic: bool = True
    initial_scale: float = 2.0**15
    growth_steps: int = 2000
    variables: tuple[Variable, ...] = (Variable(),)
    steps: tuple[str, ...] = ("normal",)
    mode: str = "eager"
    structure: str = "plain"
    way: str = "given"
    loss: str = "linear"
    compute_dtype: str = ""
    between: str = "nothing"
    reuses: bool = False
    returns: bool = False
    event: str = ""
    event_scale: float = 0.125
    unknown_shapes: bool = False
    seed: int = 0

    @property
    def roundings(self) -> int:
        """By how many roundings the two sides may differ: by none, unless XLA compiles the step.

        XLA puts the operations of a whole program together, in another way for each program, and
        leaves roundings out where it does. Skips, counts and loss scales are the same all the same.
        """
        return 16 if "jit" in (self.mode, self.structure.rpartition("-")[2]) else 0

    def to_json(self) -> str:
        """Returns what differs from the defaults, as JSON."""
        default = dataclasses.asdict(Configuration())
        mine = dataclasses.asdict(self)
        return json.dumps({key: mine[key] for key in mine if mine[key] != default[key]})

    @classmethod
    def from_json(cls, text: str) -> Configuration:
        """Reads what `to_json` wrote."""
        fields = json.loads(text)
        if "variables" in fields:
            fields["variables"] = tuple(
                Variable(**{**one, "shape": tuple(one["shape"])}) for one in fields["variables"]
            )
        if "steps" in fields:
            fields["steps"] = tuple(fields["steps"])
        return cls(**fields)

    @property
    def is_traced(self) -> bool:
        """Whether the step runs in a `tf.function`."""
        return self.mode in ("function", "jit", "replicas")
