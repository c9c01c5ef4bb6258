# SPDX-License-Identifier: Apache-2.0
"""What an optimizer probably is, where nothing proves it: for unsafe fixes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.type_inference import ObjectType
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_KERAS_METHODS = frozenset({"compile", "fit", "fit_generator"})
_V1_PATHS = ("tensorflow.estimator.", "tensorflow.compat.v1.estimator.")
_GLOBAL_STEP = frozenset({"get_or_create_global_step", "get_global_step", "create_global_step"})


def likely_optimizer(program: Program) -> ObjectType:
    """Returns the kind of the optimizers in a file, if it points at one kind only.

    It points at those that it makes. If it makes none, it points at those that its way of training
    is for: `compile`, `fit` and `GradientTape` are for Keras optimizers, and estimators and global
    steps for those of TensorFlow 1.
    """
    for evidence in (_made(program), _trained(program)):
        kinds = set(evidence)
        if kinds:
            return kinds.pop() if len(kinds) == 1 else ObjectType.UNKNOWN
    return ObjectType.UNKNOWN


def _made(program: Program) -> Iterator[ObjectType]:
    for _, path in _calls(program):
        if path is not None and frameworks.is_keras_optimizer(path):
            yield ObjectType.KERAS
        elif path is not None and frameworks.is_v1_optimizer(path):
            yield ObjectType.V1


def _trained(program: Program) -> Iterator[ObjectType]:
    for call, path in _calls(program):
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if path is None:
            if method in _KERAS_METHODS:
                yield ObjectType.KERAS
        elif path.endswith(".GradientTape"):
            yield ObjectType.KERAS
        elif canonical(path).startswith(_V1_PATHS) or path.rpartition(".")[2] in _GLOBAL_STEP:
            yield ObjectType.V1


def _calls(program: Program) -> Iterator[tuple[cst.Call, str | None]]:
    """Yields every call of a name, with the path of what it calls."""
    for node in program.tree.parents:
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name | cst.Attribute):
            yield node, program.resolver.path(node.func)
