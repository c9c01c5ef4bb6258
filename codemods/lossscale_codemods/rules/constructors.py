# SPDX-License-Identifier: Apache-2.0
"""What makes loss-scale optimizers: their constructors, that of `tf.contrib`, and graph rewrite."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    KERAS_WRAPPER,
    Answer,
    BindingKind,
    LossScaleType,
    NameRenderer,
    ObjectType,
    Occurrence,
    Program,
    Role,
    constant_or_none,
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
from lossscale_codemods.rules.policies import SETTERS, policy_calls
from lossscale_codemods.source.edits import insert_line_behind
from lossscale_codemods.source.syntax_tree import argument_of, last_name
from lossscale_codemods.tables import frameworks, names
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
                occurrence = self.occurrence(node.func, program, Role.FOUND, names)
                yield occurrence, _half_migrated(occurrence, node, argument, program)

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


def _half_migrated(found: Occurrence, call: cst.Call, given: cst.Arg, program: Program) -> Verdict:
    """Says what becomes of a call of the current class with what can be an old argument."""
    is_stock = program.target in WITH_KERAS_3 and not found.names
    is_new = program.resolver.is_only(call.func, is_new_optimizer)
    if isinstance(given.value, cst.SimpleString) and is_new and not is_stock:
        return rewrite_constructor(found, call, program)  # No other API takes a string.
    is_unknown = ArgumentReader(program).types(given.value) == {LossScaleType.UNKNOWN}
    name = last_name(given.value).lower()
    is_other = given.keyword is None and is_unknown and name and "scale" not in name
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


_TAKEN_OVER = {"init_loss_scale": "initial_loss_scale", "incr_every_n_steps": "increment_period"}
"""The first parameters, which a DynamicLossScale takes as well, and what these are called there."""
_RATIOS = (("incr_ratio", 2, "2"), ("decr_ratio", 0.5, "0.8"))
"""The fourth and the fifth parameter, with the ratio of a DynamicLossScale and the default."""
_HOME = "tensorflow.compat.v1.mixed_precision"
_SHOWN = "tf.compat.v1.mixed_precision"
_MANAGER = "ExponentialUpdateLossScaleManager"

_FIXED = Review(
    "tf.contrib is gone, and its optimizer skipped steps that are not finite, which current ones "
    "apply under a fixed loss scale",
    f"If that is fine, use {_SHOWN}.MixedPrecisionLossScaleOptimizer with the number.",
)
_EXPONENTIAL = Review(
    "tf.contrib is gone; a DynamicLossScale halves at the first step that is not finite and "
    "doubles after so many that are, which this manager does only with decr_every_n_nan_or_inf=1, "
    "incr_ratio=2 and decr_ratio=0.5",
    f"If that is fine, use {_SHOWN}.DynamicLossScale and "
    f"{_SHOWN}.MixedPrecisionLossScaleOptimizer.",
)
_OPTIMIZER = Review(
    "tf.contrib is gone, and so is the manager of this optimizer",
    f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer; see the finding of the manager.",
)
_OTHER = Review(
    "tf.contrib went away with TensorFlow 1",
    f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer for v1 optimizers, or "
    "tf.keras.mixed_precision.LossScaleOptimizer for Keras ones.",
)


class Contrib(Rule):
    """Says of each name what it would be, and moves an optimizer with its manager."""

    id = "LS603"
    title = "tf.contrib.mixed_precision"
    explains = frozenset({Meaning.CONTRIB})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Moves an optimizer together with its manager."""
        last = contrib_member(occurrence.node, program)
        if occurrence.meaning is Meaning.CONTRIB:
            last = occurrence.names[0].path.rpartition(".")[2]
        if last is None:
            return None
        call = program.call(occurrence)
        if last == "LossScaleOptimizer" and call is not None:
            return dataclasses.replace(_OPTIMIZER, follows=_manager(call, program) is not None)
        if last == _MANAGER and call is not None:
            fix = self._fix(occurrence, call, program)
            return dataclasses.replace(_EXPONENTIAL, unsafe_fix=fix)
        return _FIXED if last == "FixedLossScaleManager" else _OTHER

    @staticmethod
    def _fix(manager: Occurrence, made: cst.Call, program: Program) -> Rewrite | None:
        """Returns the fix of a manager and of the optimizer that it is made for."""
        optimizers = ((one, program.call(one)) for one in program.references)
        for optimizer, call in optimizers:
            if call is None or contrib_member(call.func, program) != "LossScaleOptimizer":
                continue
            argument = _manager_argument(call)
            if argument is None or _manager(call, program) is not made:
                continue
            if not _is_dynamic(made, program):
                return None
            return _moved(optimizer, argument, manager, made, program)
        return None


def _moved(
    optimizer: Occurrence, argument: cst.Arg, manager: Occurrence, made: cst.Call, program: Program
) -> Rewrite:
    tree = program.tree
    taken = [argument_of(made.args, place, name) for place, name in enumerate(_TAKEN_OVER)]
    values = [
        f"{new}={tree.source(one.value)}"
        for new, one in zip(_TAKEN_OVER.values(), taken, strict=True)
        if one is not None
    ]

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        wrapper = renderer.render_path(optimizer, f"{_HOME}.MixedPrecisionLossScaleOptimizer")
        scale = renderer.render_path(manager, f"{_HOME}.DynamicLossScale")
        changes = [
            Edit(*optimizer.span, wrapper),
            Edit(*tree.span(made), f"{scale}({', '.join(values)})"),
        ]
        if argument.keyword is not None:
            changes.append(Edit(*tree.span(argument.keyword), "loss_scale"))
        return changes

    return Rewrite(
        "as before, but that the first step that is not finite halves the loss scale",
        edits,
        keeps_name=False,
        claims=[optimizer],
    )


def _manager_argument(optimizer: cst.Call) -> cst.Arg | None:
    return argument_of(optimizer.args, 1, "loss_scale_manager")


def _manager(optimizer: cst.Call, program: Program) -> cst.Call | None:
    """Returns the constructor of the manager, inline or in a variable that is used just there."""
    argument = _manager_argument(optimizer)
    node = argument.value if argument is not None else None
    if isinstance(node, cst.Name):
        bindings = program.resolver.bindings(node)
        if len(bindings) != 1:
            return None
        (binding,) = bindings
        if binding.kind is not BindingKind.ASSIGN or len(binding.uses) != 1:
            return None
        node = binding.value
    if not isinstance(node, cst.Call):
        return None
    return node if contrib_member(node.func, program) == _MANAGER else None


def _is_dynamic(manager: cst.Call, program: Program) -> bool:
    """Whether a manager has the ratios of a DynamicLossScale, and all that this takes over."""
    if any(argument_of(manager.args, place, one) is None for place, one in enumerate(_TAKEN_OVER)):
        return False
    for place, (name, wanted, default) in enumerate(_RATIOS, 3):
        argument = argument_of(manager.args, place, name)
        source = program.tree.source(argument.value) if argument is not None else default
        if constant_or_none(source) != wanted:
            return False
    return True


def contrib_member(node: cst.CSTNode, program: Program) -> str | None:
    """Returns which member of `tf.contrib.mixed_precision` this is, if it surely is one."""
    paths = program.types.members_of_returned(node) or program.resolver.paths(node)
    old = [names.lookup(path) if path is not None else None for path in paths]
    if not old or any(one is None or one.meaning is not Meaning.CONTRIB for one in old):
        return None
    last = {path.rpartition(".")[2] for path in paths if path is not None}
    return last.pop() if len(last) == 1 else None
