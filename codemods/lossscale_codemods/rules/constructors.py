# SPDX-License-Identifier: Apache-2.0
"""What makes loss-scale optimizers: their constructor, and the graph rewrite."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    KERAS_WRAPPER,
    Answer,
    LossScaleType,
    ObjectType,
    Occurrence,
    Program,
    Role,
    optimizer_argument,
    others_name,
    what_is,
)
from lossscale_codemods.rules.base import (
    Found,
    Ignore,
    MeaningClaim,
    ObservedFix,
    Review,
    Rewrite,
    Rule,
    Verdict,
    rename,
)
from lossscale_codemods.rules.loss_scale_arguments import (
    ArgumentReader,
    Arguments,
    is_moved,
    loss_scale_argument,
    made_of,
    old_name,
    rewrite_constructor,
    takes_old_arguments,
)
from lossscale_codemods.rules.name_rendering import NameRenderer
from lossscale_codemods.rules.policies import SETTERS, policy_calls
from lossscale_codemods.source.edits import insert_line_behind
from lossscale_codemods.source.syntax_tree import last_name
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.frameworks import is_new_optimizer
from lossscale_codemods.tables.names import WITH_KERAS_3, Meaning, Target, loss_scale_optimizers
from lossscale_codemods.tables.records import Edit


class Constructors(Rule):
    """The `loss_scale` of `LossScaleOptimizer` becomes arguments of today, or goes."""

    id = "LS201"
    title = "Constructor of the loss-scale optimizer"
    meanings = frozenset({Meaning.OPTIMIZER})
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields calls of the current class with something that can be the old argument."""
        resolver = program.today if program.target is Target.COMPAT else program.resolver
        for node in program.tree.nodes(cst.Call):
            argument = loss_scale_argument(node) if takes_old_arguments(node) else None
            paths = [path or "" for path in resolver.paths(node.func)]
            if argument is not None and paths and all(map(is_new_optimizer, paths)):
                moved = filter(is_moved, paths) if program.target in WITH_KERAS_3 else ()
                names = tuple(old_name(path, program.target) for path in moved)
                verdict = _half_migrated(argument, program)
                yield self.found(node.func, program, verdict, Role.FOUND, names)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites a call, whatever its loss scale is written as."""
        call = program.call(occurrence)
        if call is None:
            return None
        if any(argument.star for argument in call.args):
            return Review(
                "its arguments are unpacked, so they cannot be seen here",
                "Pass dynamic=, initial_scale= and dynamic_growth_steps= instead of loss_scale=.",
            )
        if occurrence.ambiguous and not takes_old_arguments(call):
            if program.reachability.is_only_new(call):
                return Ignore()
            return Review(
                "on other ways through the program this name is that of the new class, for which "
                "the call is right",
                "Take out the import for old versions, if TensorFlow 2.4 is the oldest that you "
                "support.",
            )
        if occurrence.ambiguous and program.resolver.can_be(occurrence.node, is_new_optimizer):
            return Review(
                "on new versions this name means the current class, which takes no `loss_scale`",
                "Remove the import for old versions, then run again.",
            )
        return rewrite_constructor(occurrence, call, program)


_HALF_MIGRATED = Review(
    "the current class takes no `loss_scale`: this argument means a fixed loss scale to the old "
    "API, the first value of a dynamic one to Keras 3, and `dynamic` to the API between",
    "Say which: nothing for a dynamic one, `dynamic=False, initial_scale=...` or "
    "`initial_scale=...`.",
)


def _half_migrated(argument: cst.Arg, program: Program) -> Verdict:
    """Says what becomes of a call of the current class with what can be an old argument."""
    is_unknown = ArgumentReader(program).types(argument.value) == {LossScaleType.UNKNOWN}
    name = last_name(argument.value).lower()
    is_other = argument.keyword is None and is_unknown and name and "scale" not in name
    return Ignore() if is_other else _HALF_MIGRATED


_OPTIONS = (
    "tensorflow.config.optimizer.set_experimental_options",
    "tensorflow.compat.v1.config.optimizer.set_experimental_options",
)
_OF_COMPAT = "compat_lossscale.v1.enable_mixed_precision_graph_rewrite"
_SWITCH = '({"auto_mixed_precision": True})'
_MESSAGE = "what the function did for a Keras optimizer, written out"
_WRITE_OUT = (
    "write LossScaleOptimizer(opt) and tf.config.optimizer.set_experimental_options"
    '({"auto_mixed_precision": True}).'
)
_UNDER_A_POLICY = Review(
    "the function refused to run under a mixed policy, and one is set beside it: written out, "
    "nothing keeps the two from both taking effect",
    "Keep the policy and take the graph rewrite out, or make sure that only one of them is "
    f"reached; then {_WRITE_OUT}",
)
_NO_LINE = Review(
    "it needs a second statement, and there is no line for one here",
    "Put the call on a line of its own, then run again.",
)


class GraphRewrite(Rule):
    """`enable_mixed_precision_graph_rewrite` is renamed, and written out for Keras optimizers."""

    id = "LS602"
    title = "Graph rewrite"
    meanings = frozenset({Meaning.REWRITE})
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields calls under the name of today that get a Keras optimizer."""
        for node in program.tree.nodes(cst.Call):
            path = program.resolver.path(node.func) if node.args else None
            if path is None or not frameworks.is_rewrite_of_today(path):
                continue
            wrapped = _wrapped(node, program)
            if wrapped is not None and wrapped.is_sure and wrapped.kind is ObjectType.KERAS:
                occurrence = self.occurrence(node.func, program, Role.FOUND, is_old_use=True)
                yield occurrence, self._verdict(occurrence, program)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Chooses by the kind of optimizer."""
        if program.target is Target.COMPAT:
            return None  # The old name is one of compat_lossscale, too.
        return self._verdict(occurrence, program)

    def _verdict(self, occurrence: Occurrence, program: Program) -> Verdict:
        if program.target is Target.COMPAT:

            def ours(renderer: NameRenderer) -> Sequence[Edit]:
                return [Edit(*occurrence.span, renderer.render_path(occurrence, _OF_COMPAT))]

            message = "the function of this name refuses Keras optimizers since TensorFlow 2.11"
            return Rewrite(message, ours, is_rename=True)
        call = program.call(occurrence)
        if call is None or not call.args or any(a.star for a in call.args):
            return Review(
                "it is not a plain call, so what it wraps cannot be seen here",
                "For a v1 optimizer use tf.compat.v1.mixed_precision; for a Keras optimizer use "
                "LossScaleOptimizer and tf.config.optimizer.set_experimental_options.",
            )
        wrapped = _wrapped(call, program)
        kind = wrapped.kind if wrapped is not None else ObjectType.UNKNOWN
        is_sure = wrapped is not None and wrapped.is_sure
        renamed = rename("the name that is still there under compat.v1", occurrence)
        if is_sure and kind is not ObjectType.KERAS:
            return renamed
        expanded = self._expand(occurrence, call, program)
        if is_sure:
            return expanded
        made = expanded if isinstance(expanded, Rewrite) else None
        likely = expanded.unsafe_fix if isinstance(expanded, Review) else made
        observed = [ObservedFix("wrapped", ("MixedPrecisionLossScaleOptimizer",), renamed)]
        if made is not None:
            observed.append(ObservedFix("wrapped", KERAS_WRAPPER, made))
        return Review(
            "whether it wraps a v1 or a Keras optimizer is not proven",
            "For a v1 optimizer write tf.compat.v1.mixed_precision"
            f".enable_mixed_precision_graph_rewrite; for a Keras optimizer {_WRITE_OUT}",
            unsafe_fix={ObjectType.V1: renamed, ObjectType.KERAS: likely}.get(kind),
            observed_fixes=observed,
        )

    def _expand(self, occurrence: Occurrence, call: cst.Call, program: Program) -> Verdict:
        verdict = self._written_out(occurrence, call, program)
        scopes = program.scopes
        policies = {scopes.scope_of(one) for one in policy_calls(program)}
        own = scopes.scope_of(call)
        if own is scopes.module:
            is_beside = bool(policies) or others_name(program.types.project.modules, SETTERS)
        else:
            is_beside = not policies.isdisjoint({own, scopes.module})
        if not is_beside:
            return verdict
        fix = verdict if isinstance(verdict, Rewrite) else None
        return dataclasses.replace(_UNDER_A_POLICY, unsafe_fix=fix)

    def _written_out(self, occurrence: Occurrence, call: cst.Call, program: Program) -> Verdict:
        """Writes out what the function did for a Keras optimizer, if there is a place for it."""
        place = _line_and_condition(call, program)
        if place is None:
            return _NO_LINE
        line, condition = place
        scale = loss_scale_argument(call)
        arguments: Arguments | Review = Arguments([], _MESSAGE, MeaningClaim('"dynamic"'))
        if scale is not None:
            arguments = ArgumentReader(program).read(scale.value, call)
        if isinstance(arguments, Review):
            return arguments

        def named(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(occurrence, *loss_scale_optimizers(program.target))
            options = renderer.render_path(occurrence, *_OPTIONS) + _SWITCH
            switch = insert_line_behind(program.tree, line, condition + options)
            return [Edit(*occurrence.span, wrapper), *switch]

        return made_of(
            arguments, occurrence, call, program, named, message=_MESSAGE, keeps_name=False
        )


def _wrapped(call: cst.Call, program: Program) -> Answer | None:
    """Says what a call wraps; nothing if that cannot be seen."""
    optimizer = optimizer_argument(call)
    return None if optimizer is None else what_is(optimizer.value, program)


def _line_and_condition(
    call: cst.Call, program: Program
) -> tuple[cst.SimpleStatementLine, str] | None:
    """Returns the line that a call stands on by itself, and what a statement behind it starts with.

    The latter makes that statement run only when the call does. It is empty but for
    `opt = rewrite(Adam()) if fp16 else Adam()`, where `fp16` is still the same behind the line.
    """
    tree = program.tree
    statement = tree.parent(call)
    chosen = statement if isinstance(statement, cst.IfExp) else None
    if chosen is not None:
        statement = tree.parent(chosen)
    line = tree.parent(statement) if statement is not None else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        return None
    if chosen is None:
        is_alone = isinstance(statement, cst.Assign | cst.AnnAssign | cst.Expr)
        return (line, "") if is_alone else None
    if not (
        call is chosen.body
        and isinstance(chosen.test, cst.Name)
        and isinstance(statement, cst.Assign)
        and all(isinstance(one.target, cst.Name) for one in statement.targets)
        and not any(tree.source(one.target) == chosen.test.value for one in statement.targets)
    ):
        return None
    inner = tree.indentation(tree.span(line)[0]) + tree.module.default_indent
    return line, f"if {chosen.test.value}:{tree.newline}{inner}"
