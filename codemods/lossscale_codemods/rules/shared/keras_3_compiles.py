# SPDX-License-Identifier: Apache-2.0
"""The optimizers that `compile` wraps in Keras 3: those of models of `mixed_float16`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    BindingKind,
    Compile,
    LossScaleType,
    LossScaleTypes,
    ObjectType,
    Occurrence,
    Role,
    all_bindings,
    kept_compiles,
    may_be_text,
    model_compiles,
    others_name,
)
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.rules.shared.constructors import COUNT_SKIPPED_STEPS
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks, names, optimizer_families
from lossscale_codemods.tables.names import Meaning, Target, loss_scale_optimizers
from lossscale_codemods.tables.paths import canonical
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.domain import Program, Resolver
    from lossscale_codemods.rules.name_rendering import NameRenderer

HELPER = "_loss_scaled"
_SOURCE = '''
def {helper}(model, optimizer):
    """Returns an optimizer as `compile` wraps it: with loss scaling under mixed_float16."""
    if model.dtype_policy.name != "mixed_float16" or isinstance(
        optimizer, {wrapper}
    ):
        return optimizer
    return {wrapper}(optimizer, count_skipped_steps=True)
'''
_COMPILES = re.compile(rb"\.(?:compile|set_policy|set_global_policy)\b")
_FLOAT16 = "mixed_float16"
_SETTING = ("set_policy", "set_global_policy", "set_dtype_policy", "policy_scope")
_MAKING = ("Policy", "DTypePolicy")
_OF_MODELS = frozenset({"loss", "loss_weights", "metrics", "run_eagerly", "weighted_metrics"})
_WRAPPED = {ObjectType.WRAPPER, ObjectType.NOTHING}
_V1 = {ObjectType.V1, ObjectType.V1_WRAPPER}
_PLAIN = {ObjectType.KERAS, ObjectType.NOTHING}
_STOCK = (
    "Keras 3 wraps the optimizer here under mixed_float16, with a loss scale that has no floor and "
    "no cap, and `iterations` does not count steps that are skipped"
)
_WRAP = "Give it an optimizer that is wrapped in compat_lossscale.keras3's."


def wrapped_by_compile(program: Program) -> Iterator[tuple[cst.BaseExpression, Rewrite | Review]]:
    """Yields the calls of `compile` whose optimizer Keras 3 wraps, or may wrap.

    Args:
        program: The file.
    """
    policies = _Policies(program)
    may_be_float16 = policies.may_be_float16()
    for compiled in model_compiles(program):
        verdict = _of_compile(compiled, program, policies if may_be_float16 else None)
        if verdict is not None:
            yield compiled.call.func, verdict
    for kept in kept_compiles(program) if may_be_float16 else ():
        yield kept, Review(f"`compile` is kept and called later. {_STOCK}", _WRAP)


def _of_compile(
    compiled: Compile, program: Program, policies: _Policies | None
) -> Rewrite | Review | None:
    """Says what becomes of the optimizer that `compile` gets, or does not get."""
    value = compiled.optimizer.value if compiled.optimizer is not None else None
    kinds = program.types.of(value) if value is not None else frozenset()
    if kinds & _V1:
        return Review(
            "Keras 3 compiles models with its own optimizers alone",
            "Give it one of tf.keras.optimizers, and wrap that for loss scaling.",
        )
    if policies is None or (value is not None and kinds <= _WRAPPED):
        return None
    if isinstance(value, cst.Call) and dotted(value.func) == HELPER:
        return None  # An earlier run made it.
    if policies.has_own_scale():
        return None  # The finding at the policy, or its rewrite, comes first.
    if not compiled.is_proven:
        return _unproven(compiled, program, kinds)
    if program.target is Target.KERAS3_ALONE:
        return Review(
            _STOCK, "Leave it, if the model trains as well; or do without --no-dependency."
        )
    if compiled.is_unpacked:
        return Review(f"the arguments of `compile` are unpacked. {_STOCK}", _WRAP)
    if value is None:
        return Review(_STOCK, _WRAP)
    wrapping = _Wrapping(compiled, program, kinds)
    return wrapping.certain() if policies.is_float16(compiled) else wrapping.asked()


class _Wrapping:
    """Writes a wrapped optimizer into a call of `compile`.

    Args:
        compiled: The call.
        program: The file.
        kinds: What the optimizer can be.
    """

    def __init__(self, compiled: Compile, program: Program, kinds: frozenset[ObjectType]) -> None:
        self.compiled = compiled
        self.program = program
        self.tree = program.tree
        self.kinds = kinds
        call = compiled.call
        self.occurrence = Occurrence(call.func, self.tree.span(call.func), Role.LATER)

    def certain(self) -> Rewrite:
        """Wraps the optimizer."""

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(
                self.occurrence, *loss_scale_optimizers(self.program.target)
            )
            return self._around(renderer, f"{wrapper}(", f", {COUNT_SKIPPED_STEPS})")

        return Rewrite("wrapped as `compile` wrapped it, with the same loss scale", edits)

    def asked(self) -> Rewrite | Review:
        """Has a function wrap the optimizer, if the model's policy asks for that."""
        call = self.compiled.call
        assert isinstance(call.func, cst.Attribute)
        compiled = call.func.value
        if self.compiled.arguments is not call.args:
            compiled = call.args[0].value  # Model.compile(model, ...)
        if dotted(compiled) is None:
            return Review(_STOCK, "Wrap the optimizer in compat_lossscale.keras3's, if it is.")
        model = self.tree.source(compiled)

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(
                self.occurrence, *loss_scale_optimizers(self.program.target)
            )
            source = _SOURCE.format(helper=HELPER, wrapper=wrapper)
            name = renderer.helper(HELPER, source, self.occurrence)
            return self._around(renderer, f"{name}({model}, ", ")")

        return Rewrite("wrapped as `compile` wrapped it, if the model is of mixed_float16", edits)

    def _around(self, renderer: NameRenderer, before: str, behind: str) -> list[Edit]:
        """Writes something around the optimizer."""
        assert self.compiled.optimizer is not None
        value = self.compiled.optimizer.value
        start, end = self.tree.full_span(value)
        if isinstance(value, cst.SimpleString):
            name = optimizer_families.class_of(str(value.evaluated_value))
            if name is not None:
                made = f"{self._rendered(renderer, name)}()"
                return [Edit(start, end, f"{before}{made}{behind}")]
        is_object = self.kinds <= _PLAIN | _WRAPPED
        if not is_object and (ObjectType.OTHER in self.kinds or may_be_text(value, self.program)):
            before, behind = f"{before}{self._rendered(renderer, 'get')}(", f"){behind}"
        return [Edit(start, start, before), Edit(end, end, behind)]

    def _rendered(self, renderer: NameRenderer, member: str) -> str:
        roots = ("tensorflow.keras", "keras", "tensorflow.compat.v1.keras")
        paths = [f"{root}.optimizers.{member}" for root in roots]
        return renderer.render_path(self.occurrence, *paths)


def _unproven(compiled: Compile, program: Program, kinds: frozenset[ObjectType]) -> Review | None:
    """Reports a `compile` that reads like that of a model."""
    given = {a.keyword.value for a in compiled.arguments if a.keyword is not None}
    is_told = ObjectType.KERAS in kinds or bool(given & _OF_MODELS)
    value = compiled.optimizer.value if compiled.optimizer is not None else None
    if not is_told and not isinstance(value, cst.SimpleString):
        return None
    fix = None
    if program.target is Target.KERAS3 and value is not None:
        wrapped = _Wrapping(compiled, program, kinds).asked()
        fix = wrapped if isinstance(wrapped, Rewrite) else None
    return Review(
        f"{_STOCK}, if this compiles a model; it is not proven to be a Keras model",
        "If it is one, wrap the optimizer in compat_lossscale.keras3's.",
        unsafe_fix=fix,
    )


class _Policies:
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
            isinstance(node, cst.SimpleString) and node.evaluated_value == _FLOAT16
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
        is_float16 = isinstance(given, cst.SimpleString) and given.evaluated_value == _FLOAT16
        return statement if is_float16 else None

    def has_own_scale(self) -> bool:
        """Whether a policy was made with a loss scale of its own, which another rule moves."""
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
