# SPDX-License-Identifier: Apache-2.0
"""Which optimizers of a program take loss scale objects: of Keras', none does any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType, is_of_v1
from lossscale_codemods.analysis.program_files import others_name, others_naming
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.wrapper_calls import optimizer_argument
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

_WORDS = ("LossScaleOptimizer", "Policy", "enable_mixed_precision_graph_rewrite")
_V1_WORDS = ("MixedPrecisionLossScaleOptimizer",)
_TAKING = frozenset({Meaning.OPTIMIZER, Meaning.REWRITE, Meaning.POLICY})
"""What takes a loss scale, as its second argument."""


def keras_may_take_objects(program: Program) -> bool:
    """Whether an optimizer of Keras, or a policy, may get a loss scale object in a program.

    Args:
        program: One of its files.
    """
    modules = program.types.project.modules
    others = others_naming(modules, _WORDS)
    if others is None:
        return True
    resolvers: Sequence[Resolver | None] = [program.resolver, *map(modules.at, others)]
    return any(one is None or _may_take_objects(one, program) for one in resolvers)


def makes_v1_wrappers(program: Program) -> bool:
    """Whether a program wraps optimizers of TensorFlow 1 by the class for them.

    Args:
        program: One of its files.
    """
    resolver = program.resolver
    named = any(
        path is not None and program.types.type_at(path) is ObjectType.V1_WRAPPER
        for node in resolver.scopes.scope_of_read
        for path in resolver.paths(node)
    )
    return named or others_name(program.types.project.modules, _V1_WORDS)


def _may_take_objects(resolver: Resolver, program: Program) -> bool:
    if any(not frameworks.is_framework(star.path or "") for star in resolver.scopes.module.stars):
        return True
    return any(
        _meaning(path) in _TAKING and not _is_harmless(node, resolver, program)
        for node in resolver.scopes.scope_of_read
        for path in resolver.paths(node)
    )


def _meaning(path: str | None) -> Meaning | None:
    old = names.lookup(path) if path is not None else None
    if old is not None:
        return old.meaning
    if path is not None and frameworks.is_rewrite_of_today(path):
        return Meaning.REWRITE
    return Meaning.OPTIMIZER if path is not None and frameworks.is_new_optimizer(path) else None


def _is_harmless(node: cst.CSTNode, resolver: Resolver, program: Program) -> bool:
    """Whether a use of a class or function is a type test, or a call that takes no object."""
    tree = resolver.scopes.tree
    above = tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node:
        return _takes_no_object(above, resolver, program)
    while isinstance(above, cst.Element | cst.Tuple):
        above = tree.parent(above)
    call = tree.parent(above) if isinstance(above, cst.Arg) else None
    return isinstance(call, cst.Call) and dotted(call.func) in {"isinstance", "issubclass"}


def _takes_no_object(call: cst.Call, resolver: Resolver, program: Program) -> bool:
    if any(argument.star for argument in call.args):
        return False
    inner = optimizer_argument(call)
    if inner is not None:
        values = program.types.project.file(resolver).values(inner.value)
        if is_of_v1({value.kind for value in values}):
            return True
    keywords = {a.keyword.value: a.value for a in call.args if a.keyword is not None}
    positional = [a.value for a in call.args if a.keyword is None]
    given = keywords.get("loss_scale", positional[1] if len(positional) > 1 else None)
    plain = cst.BaseNumber | cst.SimpleString
    return given is None or isinstance(given, plain) or dotted(given) == "None"
