# SPDX-License-Identifier: Apache-2.0
"""Whether a model is surely, or may be, of `mixed_float16`, where Keras 3 wraps its optimizer."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.modules import all_bindings
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.model_compiles import Compile
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

FLOAT16 = "mixed_float16"
_SETTING = ("set_policy", "set_global_policy", "set_dtype_policy", "policy_scope")
_MAKING = ("Policy", "DTypePolicy")
_COMPILES = re.compile(rb"\.(?:compile|set_policy|set_global_policy)\b")


class MixedPolicies:
    """The policies that one file sets and makes.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self._sets = list(self._calls(_SETTING))
        self._makes = list(self._calls(_MAKING))

    def _calls(self, last: tuple[str, ...]) -> Iterator[cst.Call]:
        for node in self.tree.parents:
            if not isinstance(node, cst.Call):
                continue
            for path in self.program.resolver.paths(node.func):
                if path is not None and _is_of_policies(path) and path.endswith(last):
                    yield node
                    break

    def may_be_float16(self) -> bool:
        """Whether a model of this file can be one of `mixed_float16`."""
        if any(
            isinstance(node, cst.SimpleString) and node.evaluated_value == FLOAT16
            for node in self.tree.parents
        ):
            return True
        if any(self._is_unknown(call) for call in (*self._sets, *self._makes)):
            return True
        return others_name(self.program.types.project.modules, (*_SETTING, *_MAKING))

    def _is_unknown(self, call: cst.Call) -> bool:
        """Whether the name of a policy cannot be seen here."""
        first = call.args[0].value if call.args and not call.args[0].star else None
        return not isinstance(first, cst.SimpleString) and first not in self._makes

    def is_float16(self, compiled: Compile) -> bool:
        """Whether a call of `compile` surely compiles a model of `mixed_float16`."""
        setting = self._one_setting()
        if setting is None or other_files_compile(self.program):
            return False
        func = compiled.call.func
        assert isinstance(func, cst.Attribute)
        return is_made_behind(setting, func.value, self.program)

    def _one_setting(self) -> cst.CSTNode | None:
        """Returns the statement that sets `mixed_float16`, if no other one sets a policy."""
        call = self._sets[0] if len(self._sets) == 1 else None
        if call is None or len(call.args) != 1 or call.args[0].star:
            return None
        statement = self.tree.statement(call)
        alone = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        if not alone or self.tree.parent(statement) is not self.tree.module:
            return None
        given = call.args[0].value
        if isinstance(given, cst.Name):
            bindings = self.program.resolver.bindings(given)
            made = [b.value for b in bindings if b.value is not None]
            given = made[0] if len(made) == len(bindings) == 1 else given
        if isinstance(given, cst.Call) and given in self._makes and given.args:
            given = given.args[0].value
        is_float16 = isinstance(given, cst.SimpleString) and given.evaluated_value == FLOAT16
        return statement if is_float16 else None

    def has_own_scale(self) -> bool:
        """Whether a policy was made with a loss scale of its own, which is a finding."""
        return any(self._own_scale(call) is not None for call in self._makes)

    def _own_scale(self, call: cst.Call) -> cst.BaseExpression | None:
        paths = self.program.resolver.paths(call.func)
        if not any(path is not None and names.lookup(path) for path in paths):
            return None
        for index, argument in enumerate(call.args):
            by_name = argument.keyword is not None and argument.keyword.value == "loss_scale"
            if by_name or (argument.keyword is None and not argument.star and index == 1):
                kinds = LossScaleTypes(self.program).types(argument.value)
                if kinds <= {LossScaleType.DYNAMIC}:
                    return None
                return argument.value
        return None


def _is_of_policies(path: str) -> bool:
    old = names.lookup(path)
    if old is not None:
        return old.meaning in (Meaning.SET_POLICY, Meaning.POLICY, Meaning.POLICY_SCOPE)
    return ".mixed_precision." in canonical(path) or path.startswith("keras.")


def other_files_compile(program: Program) -> bool:
    """Whether the policy may be in force in other files of the project."""
    modules = program.types.project.modules
    if _has_stars(program.resolver):
        return True
    if modules.files is None:
        return False
    stem = os.fsencode(modules.files.path.stem)
    users = modules.mentioning(modules.files.path.stem)
    imports = re.compile(rb"(?:^|\n)[ \t]*(?:from|import)\b[^\n]*\b%s\b" % re.escape(stem))
    if users is None or any(
        imports.search(modules.source(p)) for p in users if p != modules.files.path
    ):
        return True
    waiting: list[Resolver] = [program.resolver]
    for resolver in waiting:
        for binding in all_bindings(resolver):
            if binding.kind is not BindingKind.IMPORT or frameworks.is_framework(
                binding.path or ""
            ):
                continue
            file = modules.file_behind(resolver, binding.path or "")
            if file is None or file == modules.files.path:
                continue
            other = modules.at(file)
            if other is None or _COMPILES.search(modules.source(file)):
                return True
            if other not in waiting:
                waiting.append(other)
    return any(map(_has_stars, waiting))


def _has_stars(resolver: Resolver) -> bool:
    """Whether a file gets names by a star import from anything but a framework."""
    stars = resolver.scopes.module.stars
    return any(not frameworks.is_framework(str(star.path)) for star in stars)


def is_made_behind(setting: cst.CSTNode, model: cst.BaseExpression, program: Program) -> bool:
    """Whether a model is made at the top of the file, behind a statement."""
    bindings = program.resolver.bindings(model)
    end = program.tree.span(setting)[1]
    return (
        isinstance(model, cst.Name)
        and bool(bindings)
        and all(
            binding.kind is BindingKind.ASSIGN
            and binding.scope is program.scopes.module
            and binding.value is not None
            and program.tree.span(binding.node)[0] > end
            and _makes_model(binding.value, program)
            for binding in bindings
        )
        and program.scopes.scope_of(model) is program.scopes.module
    )


def _makes_model(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression surely makes a new model, under the policy in force."""
    if not isinstance(node, cst.Call):
        return False
    if any(a.star or (a.keyword and a.keyword.value == "dtype") for a in node.args):
        return False
    path = program.resolver.path(node.func)
    if path is not None:
        return frameworks.is_new_keras_model(path)
    bindings = program.resolver.bindings(node.func)
    functions = [b.node for b in bindings if isinstance(b.node, cst.FunctionDef)]
    if len(functions) != 1 or len(bindings) != 1 or functions[0].decorators:
        return False
    inner = program.scopes.of_node[functions[0]]
    for returned in program.scopes.returned(functions[0]) or [None]:
        made = [returned]
        if isinstance(returned, cst.Name):
            own = program.resolver.bindings(returned)
            made = [b.value if b.scope is inner else None for b in own] or [None]
        if not all(one is not None and _makes_model(one, program) for one in made):
            return False
    return True
