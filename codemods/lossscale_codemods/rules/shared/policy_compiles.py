# SPDX-License-Identifier: Apache-2.0
"""The optimizers that `Model.compile` wraps under a policy, where all of them can be seen.

Up to TensorFlow 2.4, `compile` wrapped its optimizer with the loss scale of the policy that was in
force when the model was made. Wrapping the optimizer that `compile` gets does the same.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.model_compiles import kept_compiles, model_compile
from lossscale_codemods.analysis.modules import all_bindings
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver

_PLAIN_READS = {"name", "compute_dtype", "variable_dtype"}
_COMPILES = re.compile(rb"\.(?:compile|set_policy|set_global_policy)\b")


def compiled_optimizers(policy: cst.Call, program: Program) -> list[cst.BaseExpression] | None:
    """Returns the optimizers that `compile` wraps with the loss scale of a policy.

    Args:
        policy: The call that makes the policy.
        program: The file.

    Returns:
        Every optimizer; nothing if the policy may decide over others too.
    """
    setting = _setting(policy, program)
    if setting is None or other_files_compile(program):
        return None
    if any(True for _ in kept_compiles(program)):
        return None
    optimizers = []
    for node in program.tree.parents:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            continue
        if node.func.attr.value != "compile" or _is_no_model(node.func, program):
            continue
        if compiles_wrapped(node, program):
            continue
        optimizer = _optimizer_of(node, program)
        if optimizer is None or not is_made_behind(setting, node.func.value, program):
            return None
        optimizers.append(optimizer)
    return optimizers or None


def compiles_wrapped(node: cst.CSTNode, program: Program) -> bool:
    """Whether a call compiles a model with an optimizer that `compile` does not wrap again."""
    compiled = model_compile(node, program)
    given = compiled.optimizer if compiled is not None else None
    return given is not None and program.types.of(given.value) == {ObjectType.WRAPPER}


def _setting(policy: cst.Call, program: Program) -> cst.CSTNode | None:
    """Returns the one statement that sets a policy, if it is by itself and sets this one."""
    sets = [
        call
        for occurrence in program.references
        if occurrence.meaning in (Meaning.SET_POLICY, Meaning.POLICY_SCOPE)
        for call in [program.call(occurrence)]
    ]
    call = sets[0] if len(sets) == 1 else None
    if call is None or len(call.args) != 1 or _sets_today(program):
        return None
    tree = program.tree
    for node in (policy, call):
        statement = tree.statement(node)
        line = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        if not line or tree.parent(statement) is not tree.module:
            return None
    given = call.args[0].value
    if given is policy:
        return tree.statement(call)
    bindings = program.resolver.bindings(given)
    if not isinstance(given, cst.Name) or [b.value for b in bindings] != [policy]:
        return None
    for binding in bindings:
        for use in binding.uses:
            above = tree.parent(use)
            plain = isinstance(above, cst.Attribute) and above.attr.value in _PLAIN_READS
            if use is not given and not plain:
                return None
    return tree.statement(call)


def _sets_today(program: Program) -> bool:
    return any(
        path is not None and path.endswith(".set_global_policy")
        for reads in program.reads_by_attribute.values()
        for node in reads
        for path in program.resolver.paths(node)
    ) or any((b.path or "").endswith(".set_global_policy") for b in all_bindings(program.resolver))


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


def _is_no_model(func: cst.Attribute, program: Program) -> bool:
    """Whether `x.compile` is a function of another package, as `re.compile` is."""
    paths = program.resolver.paths(func)
    return bool(paths) and all(p is not None and not frameworks.is_framework(p) for p in paths)


def _optimizer_of(call: cst.Call, program: Program) -> cst.BaseExpression | None:
    """Returns the optimizer that a call of `compile` gets, if it is a plain Keras optimizer."""
    if any(argument.star for argument in call.args):
        return None
    for index, argument in enumerate(call.args):
        by_name = argument.keyword is not None and argument.keyword.value == "optimizer"
        if by_name or (argument.keyword is None and index == 0):
            kinds = program.types.of(argument.value)
            return argument.value if kinds == {ObjectType.KERAS} else None
    return None


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
