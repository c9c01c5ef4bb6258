# SPDX-License-Identifier: Apache-2.0
"""What frameworks' functions give that wrap the optimizer which they get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import UNKNOWN, ObjectType, Value, Values
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from collections.abc import Callable

    from lossscale_codemods.analysis.name_resolution import Resolver

OPTIMIZERS = {ObjectType.KERAS, ObjectType.V1}
"""What loss-scale optimizers and Horovod's optimizers can wrap."""
_WRAPPED = {ObjectType.KERAS: ObjectType.WRAPPER, ObjectType.V1: ObjectType.V1_WRAPPER}


def wrapped_by(
    path: str, node: cst.Call, resolver: Resolver, values: Callable[[cst.CSTNode], Values]
) -> Values | None:
    """Returns what a function makes that wraps its argument, if a path names one.

    Args:
        path: The path of the function.
        node: The call.
        resolver: Knows the file of the call.
        values: Tells which objects an expression of the file can hold.
    """
    old = names.lookup(path)
    rewrite = old is not None and old.meaning is Meaning.REWRITE
    if rewrite or frameworks.is_rewrite_of_today(path):
        return frozenset(
            Value(_WRAPPED.get(value.kind, value.kind), node, resolver)
            for value in _first_argument(node, values)
        )
    if path in {"typing.cast", "typing_extensions.cast"} and len(node.args) == 2:
        return values(node.args[1].value)
    if frameworks.is_horovod_wrapper(path):
        return frozenset(
            value if value.kind in OPTIMIZERS else Value(ObjectType.UNKNOWN)
            for value in _first_argument(node, values)
        )
    return None


def _first_argument(node: cst.Call, values: Callable[[cst.CSTNode], Values]) -> Values:
    return (values(node.args[0].value) if node.args else UNKNOWN) or UNKNOWN


def optimizer_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of a loss-scale optimizer's constructor that is the inner optimizer."""
    for index, argument in enumerate(call.args):
        if argument.star:
            return None
        if argument.keyword is None:
            if index == 0:
                return argument
        elif argument.keyword.value in {"opt", "optimizer", "inner_optimizer"}:
            return argument
    return None
