# SPDX-License-Identifier: Apache-2.0
"""Where the loss scale of an optimizer is taken for an object, across files.

Either another file gives the loss scale, or a function of another file gets it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.call_sites import Site, filled_by
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import gives_loss_scale, looks_like_settings
from lossscale_codemods.analysis.object_guards import guards_of_call
from lossscale_codemods.analysis.scale_types import ScaleTypes
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.shared.attribute_reads import OLD_ATTRIBUTES
from lossscale_codemods.rules.shared.kept_tensors import tensor_origins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.loss_scale_origins import LossScaleOrigins
    from lossscale_codemods.analysis.modules import Definition
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program


class ScalesOfOtherFiles:
    """Finds these places in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver

    @functools.cached_property
    def scales(self) -> ScaleTypes:
        """What can be a loss scale, as far as the project says."""
        return ScaleTypes(self.resolver)

    @functools.cached_property
    def tensors(self) -> LossScaleOrigins:
        """What can be a loss scale, as far as the file says."""
        return tensor_origins(self.program)

    def taken_for_objects(self) -> Iterator[cst.BaseExpression]:
        """Yields what another file gives, and is called, or asked for what only the object had."""
        for node in self.tree.parents:
            value = _taken_for_object(node)
            if value is not None and self._is_from_elsewhere(value):
                yield value

    def given_away(self) -> Iterator[cst.BaseExpression]:
        """Yields what is given to a function of another file that takes it for an object."""
        for node in self.tree.parents:
            if isinstance(node, cst.Call):
                for argument in node.args:
                    if self._is_scale(argument.value) and self._is_taken_by(node, argument):
                        yield argument.value

    def _is_from_elsewhere(self, value: cst.BaseExpression) -> bool:
        function = value.func if isinstance(value, cst.Call) else value
        if not is_word_for_scale((dotted(function) or "").rpartition(".")[2]):
            return False
        if any(guards_of_call(self.program, value)):
            return False
        if any(origin is not None for origin in self.tensors.of(value)):
            return False  # Rules of their own report what this file itself reads.
        return self.scales.is_scale(value)

    def _is_scale(self, value: cst.BaseExpression) -> bool:
        if not isinstance(value, cst.Attribute) or looks_like_settings(value.value):
            return False
        # Of an old optimizer, it is reported that its loss scale is given away at all.
        is_old = self.program.loss_scales.is_proven(value)
        return not is_old and gives_loss_scale(value, self.program.types)

    def _is_taken_by(self, call: cst.Call, argument: cst.Arg) -> bool:
        """Whether the function that a call runs calls one of its arguments, in another file."""
        definitions = self.program.types.project.modules.named(self.resolver, call.func)
        return bool(definitions) and all(
            one.resolver is not self.resolver and self._takes(one, call, argument)
            for one in definitions
        )

    def _takes(self, definition: Definition, call: cst.Call, argument: cst.Arg) -> bool:
        function, resolver = definition.binding.node, definition.resolver
        if not isinstance(function, cst.FunctionDef) or function.decorators:
            return False
        parameter = filled_by(argument, function, Site(self.resolver, call, 0))
        bindings = resolver.scopes.binding_at.get(parameter, []) if parameter is not None else []
        return any(
            _is_taken_always(resolver, use, function) for one in bindings for use in one.uses
        )


def is_word_for_scale(word: str) -> bool:
    """Whether a name is one that a loss scale, or a function that gives one, is likely to have."""
    return "scale" in word.lower()


def _taken_for_object(node: cst.CSTNode) -> cst.BaseExpression | None:
    """Returns x of `x()`, and of `x.get_config` and the like."""
    if isinstance(node, cst.Call) and not node.args:
        return node.func
    if isinstance(node, cst.Attribute) and node.attr.value in OLD_ATTRIBUTES:
        return node.value
    return None


def _is_taken_always(resolver: Resolver, use: cst.CSTNode, function: cst.FunctionDef) -> bool:
    """Whether a use of a parameter takes it for an object, whatever a test finds of it."""
    tree = resolver.scopes.tree
    above = tree.parent(use)
    if above is None or _taken_for_object(above) is not use:
        return False
    choosing = cst.If | cst.IfExp | cst.Try | cst.While | cst.BooleanOperation | cst.Match
    for around in tree.ancestors(use):
        if around is function:
            return True
        if isinstance(around, choosing):
            return False
    return False
