# SPDX-License-Identifier: Apache-2.0
"""The kinds of object that type inference tells apart."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from lossscale_codemods.python import ProjectClass
from lossscale_codemods.source.syntax_tree import argument_of
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import Meaning, canonical

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lossscale_codemods.python import Resolver


class ObjectType(enum.Enum):
    """What kind of object an expression can hold."""

    WRAPPER = "Keras loss-scale optimizer"
    V1_WRAPPER = "v1 loss-scale optimizer"
    KERAS = "Keras optimizer"
    V1 = "v1 optimizer"
    POLICY = "policy"
    MODEL = "Keras model"
    LOSS_SCALE = "loss scale object"
    NOTHING = "None"
    OTHER = "something else"
    UNKNOWN = "unknown"


class Value(NamedTuple):
    """One object that an expression can hold.

    Attributes:
        kind: What kind of object it is.
        made_by: The call that makes it, where that is known.
        resolver: Knows the file that the call is in.
        instance_of: The project's class that it is an instance of, if it is one.
    """

    kind: ObjectType
    made_by: cst.Call | None = None
    resolver: Resolver | None = None
    instance_of: ProjectClass | None = None

    @property
    def path(self) -> Path | None:
        """The file that the call is in, if it is one of the project's."""
        project = self.resolver.project if self.resolver is not None else None
        return None if project is None else project.path


_V1 = frozenset({ObjectType.V1, ObjectType.V1_WRAPPER})

Values = frozenset[Value]
UNKNOWN: Values = frozenset([Value(ObjectType.UNKNOWN)])
NOTHING: Values = frozenset([Value(ObjectType.NOTHING)])
OTHER: Values = frozenset([Value(ObjectType.OTHER)])

_TYPES = {
    Meaning.OPTIMIZER: ObjectType.WRAPPER,
    Meaning.POLICY: ObjectType.POLICY,
    Meaning.GLOBAL_POLICY: ObjectType.POLICY,
    Meaning.LAYER_POLICY: ObjectType.POLICY,
    Meaning.FIXED: ObjectType.LOSS_SCALE,
    Meaning.DYNAMIC: ObjectType.LOSS_SCALE,
    Meaning.LOSS_SCALE: ObjectType.LOSS_SCALE,
    Meaning.V1_OPTIMIZER: ObjectType.V1_WRAPPER,
}
_POLICIES = ("keras.mixed_precision.Policy", "keras.mixed_precision.global_policy")


def type_at(path: str) -> ObjectType:
    """Returns what kind of object a framework's class or function at a dotted path makes."""
    old = names.lookup(path)
    if old is not None:
        return _TYPES.get(old.meaning, ObjectType.UNKNOWN)
    if frameworks.is_new_optimizer(path):
        return ObjectType.WRAPPER
    if frameworks.is_keras_optimizer(path):
        return ObjectType.KERAS
    if frameworks.is_v1_optimizer(path):
        return ObjectType.V1
    if canonical(path) == names.V1_OPTIMIZER_TODAY:
        return ObjectType.V1_WRAPPER
    if canonical(path).endswith(_POLICIES):
        return ObjectType.POLICY
    if frameworks.is_keras_model(path):
        return ObjectType.OTHER if frameworks.is_keras_3(path) else ObjectType.MODEL
    return ObjectType.UNKNOWN


def union(values: Iterable[Values]) -> Values:
    """Returns the values of all ways that lead to an expression; unknown if there is no way.

    A way that leads back to the expression itself has none.
    """
    ways = list(values)
    return frozenset().union(*ways) if ways else UNKNOWN


def optimizer_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of a loss-scale optimizer's constructor that is the inner optimizer."""
    return argument_of(call.args, 0, "opt", "optimizer", "inner_optimizer")
