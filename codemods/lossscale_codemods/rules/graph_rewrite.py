# SPDX-License-Identifier: Apache-2.0
"""`enable_mixed_precision_graph_rewrite` is renamed for v1 optimizers, written out for Keras ones.

The function still exists as `tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite`,
but refuses Keras optimizers since TensorFlow 2.11. For these it did two things, which the rule
writes out: it wrapped the optimizer, and it switched the graph rewrite on. Both happen where the
call was, and under the same condition. If its result is not assigned on a line of its own, the call
stays.

The name of the function does not tell the kind of the optimizer, because the function in
`compat.v1` accepted Keras optimizers too. The rule looks at where the optimizer comes from. If that
does not prove the kind, the call stays.

The function also refused to run under a mixed policy, and after it no mixed policy could be set. No
current function raises these two errors. So the call stays, with a finding, in a program that also
sets policies.

If the kind of the optimizer is not proven, `--unsafe-fixes` assumes the one kind that the file
creates or, if it creates none, the one that its methods and its training loop are for. It also
writes the call out in a program that sets policies, where the result is the same if the program got
no error.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    KERAS_WRAPPER,
    Answer,
    ObjectType,
    Occurrence,
    Program,
    Role,
    optimizer_argument,
    others_name,
    what_is,
)
from lossscale_codemods.rules.base import (
    Case,
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
    argument_edits,
    loss_scale_argument,
    made_of,
)
from lossscale_codemods.rules.policies import SETTERS, policy_calls
from lossscale_codemods.source.edits import insert_line_behind
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import Meaning, Target, loss_scale_optimizers
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.rules.name_rendering import NameRenderer

_HEAD = "import tensorflow as tf\n"
_OPTIONS = (
    "tensorflow.config.optimizer.set_experimental_options",
    "tensorflow.compat.v1.config.optimizer.set_experimental_options",
)
_SWITCH = '({"auto_mixed_precision": True})'
_MESSAGE = "what the function did for a Keras optimizer, written out"
_WRITE_OUT = (
    "write LossScaleOptimizer(opt) and tf.config.optimizer.set_experimental_options"
    '({"auto_mixed_precision": True}).'
)
_UNDER_A_POLICY = Review(
    "the function refused to run under a mixed policy, and this program sets policies: written "
    "out, nothing keeps the two from both taking effect",
    "Keep the policy and take the graph rewrite out, or make sure that only one of them is "
    f"reached; then {_WRITE_OUT}",
)
_NO_LINE = Review(
    "it needs a second statement, and there is no line for one here",
    "Put the call on a line of its own, then run again.",
)


class GraphRewrite(Rule):
    """Rewrites calls of the graph rewrite."""

    id = "LS602"
    title = "Graph rewrite"
    explains = frozenset({Meaning.REWRITE})
    targets = frozenset(Target)
    invalid = (
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.Adam()\n"
            "opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n",
            f"{_HEAD}opt = tf.keras.optimizers.legacy.Adam()\n"
            "opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
            'tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})\n',
        ),
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.Adam()\n"
            "tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n",
            f"{_HEAD}opt = tf.keras.optimizers.legacy.Adam()\n"
            'tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})\n',
        ),
        Case(
            f"{_HEAD}opt = tf.compat.v1.train.AdamOptimizer()\n"
            "opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n",
            f"{_HEAD}opt = tf.compat.v1.train.AdamOptimizer()\n"
            "opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}def wrap(opt):\n"
            "    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n",
            review="v1 or a Keras optimizer",
        ),
        Case(
            f"{_HEAD}def fit(model, opt):\n"
            "    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n"
            "    model.compile(optimizer=opt, loss='mse')\n",
            review="v1 or a Keras optimizer",
            unsafe=f"{_HEAD}def fit(model, opt):\n"
            "    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
            '    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})\n'
            "    model.compile(optimizer=opt, loss='mse')\n",
        ),
        Case(
            f"{_HEAD}tf.keras.mixed_precision.set_global_policy(name)\n"
            "opt = tf.keras.optimizers.legacy.Adam()\n"
            "opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n",
            review="this program sets policies",
            unsafe=f"{_HEAD}tf.keras.mixed_precision.set_global_policy(name)\n"
            "opt = tf.keras.optimizers.legacy.Adam()\n"
            "opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
            'tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})\n',
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields calls under the name of today that get a Keras optimizer."""
        for node in program.tree.nodes(cst.Call):
            if not node.args:
                continue
            if not isinstance(node.func, cst.Name | cst.Attribute):
                continue
            path = program.resolver.path(node.func)
            if path is None or not frameworks.is_rewrite_of_today(path):
                continue
            wrapped = self._wrapped(node, program)
            if wrapped is not None and wrapped.is_sure and wrapped.kind is ObjectType.KERAS:
                span = program.tree.span(node.func)
                yield Occurrence(node.func, span, Role.FOUND, rule=self.id, is_old_use=True)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Chooses by the kind of optimizer."""
        if program.target is Target.COMPAT and occurrence.rule != self.id:
            return None  # The old name is one of compat_lossscale, too.
        if occurrence.meaning is not Meaning.REWRITE and occurrence.rule != self.id:
            return None
        if program.target is Target.COMPAT:
            return Review(
                "the function of this name refuses Keras optimizers since TensorFlow 2.11",
                "Write compat_lossscale.v1.enable_mixed_precision_graph_rewrite.",
            )
        call = program.call(occurrence)
        if call is None or not call.args or any(a.star for a in call.args):
            return Review(
                "it is not a plain call, so what it wraps cannot be seen here",
                "For a v1 optimizer use tf.compat.v1.mixed_precision; for a Keras optimizer use "
                "LossScaleOptimizer and tf.config.optimizer.set_experimental_options.",
            )
        wrapped = self._wrapped(call, program)
        kind = ObjectType.UNKNOWN if wrapped is None else wrapped.kind
        renamed = rename("the name that is still there under compat.v1", occurrence)
        if wrapped is not None and wrapped.is_sure and kind is not ObjectType.KERAS:
            return renamed
        expanded = self._expand(occurrence, call, program)
        if wrapped is not None and wrapped.is_sure:
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

    def _wrapped(self, call: cst.Call, program: Program) -> Answer | None:
        """Says what a call wraps; nothing if that cannot be seen."""
        optimizer = optimizer_argument(call)
        return None if optimizer is None else what_is(optimizer.value, program)

    def _expand(self, occurrence: Occurrence, call: cst.Call, program: Program) -> Verdict:
        verdict = self._written_out(occurrence, call, program)
        modules = program.types.project.modules
        if not any(policy_calls(program)) and not others_name(modules, SETTERS):
            return verdict
        # Only a program that stopped with an error is another one without the function's errors.
        fix = verdict if isinstance(verdict, Rewrite) else None
        return dataclasses.replace(_UNDER_A_POLICY, unsafe_fix=fix)

    def _written_out(self, occurrence: Occurrence, call: cst.Call, program: Program) -> Verdict:
        """Writes out what the function did for a Keras optimizer, if there is a place for it."""
        names = cst.Name | cst.Attribute | cst.SimpleString
        if isinstance(program.tree.parent(call), cst.Expr) and all(
            isinstance(argument.value, names) for argument in call.args
        ):
            span = program.tree.span(call)
            return Rewrite(
                "only the switch is left of a call whose result is not used",
                lambda s: [Edit(*span, s.render_path(occurrence, *_OPTIONS) + _SWITCH)],
                keeps_name=False,
            )
        place = _line_and_condition(call, program)
        if place is None:
            return _NO_LINE
        line, condition = place
        arguments = self._arguments(call, program)
        if isinstance(arguments, Review):
            return arguments

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(occurrence, *loss_scale_optimizers(program.target))
            changes = [Edit(*occurrence.span, wrapper)]
            changes += argument_edits(renderer, occurrence, call, arguments, program)
            options = renderer.render_path(occurrence, *_OPTIONS) + _SWITCH
            return [*changes, *insert_line_behind(program.tree, line, condition + options)]

        return made_of(arguments, call, program, edits, message=_MESSAGE, keeps_name=False)

    def _arguments(self, call: cst.Call, program: Program) -> Arguments | Review:
        scale = loss_scale_argument(call)
        if scale is None:
            return Arguments([], _MESSAGE, MeaningClaim('"dynamic"'))
        return ArgumentReader(program).read(scale.value, call)


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
