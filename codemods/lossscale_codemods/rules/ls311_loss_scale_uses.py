# SPDX-License-Identifier: Apache-2.0
"""Every other use of an optimizer's loss scale is reported: it is kept, passed on, printed or set.

Up to TensorFlow 2.3, `opt.loss_scale` was a live object with settings. Since TensorFlow 2.4, it is
a tensor with the value of that moment: https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0.
So code that keeps it, asks of which class it is, or looks it up by name sees something else. The
keys of the optimizer's config are others as well: `inner_optimizer`, `dynamic`, `initial_scale` and
`dynamic_growth_steps`.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.callable_tests import asks_whether_callable, is_called_in
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import (
    ATTRIBUTES,
    attribute_owner,
)
from lossscale_codemods.analysis.object_guards import guards_of_call
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.value_uses import Use, UseKind, uses_of
from lossscale_codemods.analysis.what_is import (
    Certainty,
    looks_like_optimizer,
    looks_like_settings,
    loss_scale_optimizer,
    makes_optimizers,
)
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import (
    NEW_ATTRIBUTES,
    OLD_ATTRIBUTES,
    attributes,
)
from lossscale_codemods.rules.shared.loss_scale_objects import is_given_to_optimizer
from lossscale_codemods.vocabulary.names import (
    WITH_LOSS_SCALE,
    Meaning,
    is_loss_scale_class,
    loss_scale_class,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
_OLD_CLASS = "tf.mixed_precision.experimental.DynamicLossScale"
_CLASS = "tf.compat.v1.mixed_precision.DynamicLossScale"
_WAYS_TO_LOOK_UP = frozenset({"getattr", "vars", "getmembers"})
_GETTERS = frozenset({"attrgetter", "methodcaller"})
_WAYS_TO_SET = frozenset({"setattr", "delattr"})
_MEMBERS = frozenset({*ATTRIBUTES, "_optimizer", *NEW_ATTRIBUTES})
"""What optimizers and loss scales had under these names."""
_PARTS = frozenset({"loss_", "_loss_", "loss", "scale", "_scale"})
_FIELD = re.compile(r"\{[^{}]*\.(?:_?loss_scale|_optimizer)\b[^{}]*\}")
"""A field of a text for `str.format` that reads such a member."""
_OLD_KEYS = frozenset({"optimizer", "loss_scale"})

_KEPT = Review(
    "it was a live object, and is a tensor with the loss scale of this moment now",
    "Keep or give on the optimizer, and read its `loss_scale` where the loss scale is needed.",
)
_TEXT = Review(
    "it printed itself with its settings, and prints as a tensor now",
    "Print `float(optimizer.loss_scale)`, or leave it if nothing reads what is printed. Later runs "
    "do not report it, because a tensor is right there in new code.",
)
_CALLED = Review(
    "what is called here, or asked for its settings, can be the loss scale of an optimizer, which "
    "is a tensor now",
    "Read `loss_scale` of the optimizer instead.",
)
_CLASS_ASKED = Review(
    "the loss scale of an optimizer is a tensor now, and of no such class",
    "Ask the optimizer instead: `optimizer.dynamic`.",
)
_ASKED = Review(
    "it is asked what it is, and it is a tensor now",
    "Ask the optimizer: its class is LossScaleOptimizer, and `dynamic` says whether its loss scale "
    "moves.",
)
_PRIVATE = Review(
    "_loss_scale is something else in the optimizer of today",
    "Read its `loss_scale`.",
)
_REPLACED = Review(
    "the loss scale of an optimizer cannot be replaced any more",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_LOOKED_UP = Review(
    "the loss scale of an optimizer can be looked up by a name here",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_KEY = Review(
    "it is no key of the new config",
    "Its keys are inner_optimizer, dynamic, initial_scale and dynamic_growth_steps.",
)


class LossScaleUses(Rule):
    """Reports what no rewrite is proven for."""

    id = "LS311"
    title = "Other uses of an optimizer's loss scale"
    targets = WITH_LOSS_SCALE
    valid = (
        Case(
            f"{_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale().numpy())\n",
            f"{_NEW_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale().numpy())\n",
            review="with the loss scale of this moment",
        ),
        Case(
            f"{_HEAD}log(opt.loss_scale)\n",
            f"{_NEW_HEAD}log(opt.loss_scale)\n",
            review="with the loss scale of this moment",
        ),
        Case(
            f"{_HEAD}print(opt.loss_scale)\n",
            f"{_NEW_HEAD}print(opt.loss_scale)\n",
            review="prints as a tensor now",
        ),
        Case(
            f"{_HEAD}if isinstance(opt.loss_scale, {_OLD_CLASS}):\n    print('moves')\n",
            f"{_NEW_HEAD}if isinstance(opt.loss_scale, {_CLASS}):\n    print('moves')\n",
            review="of no such class",
        ),
        Case(
            f"{_HEAD}opt._loss_scale = scale\n",
            f"{_NEW_HEAD}opt._loss_scale = scale\n",
            review="cannot be replaced",
        ),
        Case(
            f"{_HEAD}print(vars(opt)['_loss_scale'])\n",
            f"{_NEW_HEAD}print(vars(opt)['_loss_scale'])\n",
            review="looked up by a name",
        ),
        Case(
            f"{_HEAD}print(opt.get_config()['loss_scale'])\n",
            f"{_NEW_HEAD}print(opt.get_config()['loss_scale'])\n",
            review="no key of the new config",
        ),
        Case(
            f"{_NEW_HEAD}scale = opt.loss_scale\nprint(scale())\n",
            review="which is a tensor now",
        ),
        Case(f"{_NEW_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale)\n"),
        Case(f"{_HEAD}x = opt.loss_scale * 2\n", f"{_NEW_HEAD}x = opt.loss_scale * 2\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the uses."""
        for node, _ in self._found(program):
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports them."""
        if occurrence.rule != self.id:
            return None
        return next(review for node, review in self._found(program) if node is occurrence.node)

    def _found(self, program: Program) -> list[tuple[cst.CSTNode, Review]]:
        return program.remembered(self.id, lambda: list(_Uses(program).found()))


class _Uses:
    """The uses in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.names_old_class = any(o.meaning is Meaning.OPTIMIZER for o in program.references)

    def found(self) -> Iterator[tuple[cst.CSTNode, Review]]:
        """Yields the uses, each with what to say about it."""
        reported: set[cst.CSTNode] = set()
        for node in self._reads():
            review = self._of_read(node)
            if review is not None:
                reported.add(node)
                yield node, review
        yield from self._misused_names(reported)
        if not makes_optimizers(self.program):
            return
        for part in self.tree.parents:
            review = None
            if isinstance(part, cst.Attribute):
                review = self._of_attribute(part)
            elif isinstance(part, cst.Call):
                review = self._of_call(part)
            elif isinstance(part, cst.SimpleString) and self.names_old_class:
                review = _LOOKED_UP if _FIELD.search(part.value) else None
            if review is not None:
                yield part, review

    def _reads(self) -> Iterator[cst.BaseExpression]:
        """Yields `x.loss_scale` and `getattr(x, "loss_scale")`."""
        yield from attributes(self.program, *ATTRIBUTES)
        if b"getattr" in self.tree.text:
            for node in self.tree.parents:
                if isinstance(node, cst.Call) and attribute_owner(node, self.resolver) is not None:
                    yield node

    def _of_read(self, node: cst.BaseExpression) -> Review | None:
        owner = attribute_owner(node, self.resolver)
        if owner is None or node in self.program.scopes.binding_at:
            return None
        answer = loss_scale_optimizer(owner, self.program)
        if not answer.can_be or self.program.reachability.is_only_new(node):
            return None
        if any(guards_of_call(self.program, node)) or self._is_behind_question(node):
            return None
        is_old = self.program.old_types.is_wrapper(owner)
        reviews = [
            self._of_use(use, node, is_old=is_old or not answer.is_sure)
            for use in uses_of(node, self.resolver)
        ]
        review = next((one for one in reviews if one is not None), None)
        if review is None and is_old and reviews and isinstance(node, cst.Attribute):
            return self._of_private(node)
        if answer.certainty is Certainty.LIKELY and review is not _CLASS_ASKED:
            return review if self._matters(owner) else None
        return review

    def _is_behind_question(self, node: cst.BaseExpression) -> bool:
        """Whether a condition around a read asks whether that can be called."""
        text = self.tree.source(node)
        below: cst.CSTNode = node
        for above in self.tree.ancestors(node):
            if (
                isinstance(above, cst.If | cst.IfExp)
                and below is not above.test
                and asks_whether_callable(self.tree, text, above.test)
            ):
                return True
            below = above
        return False

    def _matters(self, owner: cst.BaseExpression) -> bool:
        """Whether what has a loss scale is called as an optimizer can be, where such are made."""
        named = isinstance(owner, cst.Name) or looks_like_optimizer(owner)
        return self.names_old_class and named and not looks_like_settings(owner)

    def _of_use(self, use: Use, node: cst.BaseExpression, *, is_old: bool) -> Review | None:
        if use.kind is UseKind.TESTED:
            return _CLASS_ASKED if self._asks_for_class(use) else None
        if not is_old or use.kind in (UseKind.IGNORED, UseKind.NUMBER):
            return None
        if use.kind is UseKind.TEXT:
            return _TEXT
        if use.kind in (UseKind.CALLED, UseKind.READ) and use.node is node:
            return _KEPT if self._is_bound_method(use.user) else None  # Others are other rules'.
        if use.kind is UseKind.PASSED:
            call = self.tree.parent(use.user) if use.user is not None else None
            if not isinstance(call, cst.Call) or is_given_to_optimizer(call, self.program):
                return None if isinstance(call, cst.Call) else _KEPT
            function = dotted(call.func)
            if function in {"callable", "id", "type"} and not self.resolver.bindings(call.func):
                return None if self._is_called_then(use) and function == "callable" else _ASKED
        return _KEPT

    def _asks_for_class(self, use: Use) -> bool:
        """Whether a test asks for a class of loss scales, and not for which version this is."""
        call = self.tree.parent(use.user) if use.user is not None else None
        if not isinstance(call, cst.Call) or len(call.args) < 2:
            return False
        named = [
            path
            for part in self.tree.walk(call.args[1])
            if isinstance(part, cst.Name | cst.Attribute)
            for path in self.resolver.paths(part)
        ]
        if not any(path is not None and is_loss_scale_class(path) for path in named):
            return False
        choice = self.tree.parent(call)
        text = self.tree.source(use.node)
        return not (
            isinstance(choice, cst.If | cst.IfExp)
            and choice.orelse is not None
            and is_called_in(self.tree, text, choice.body)
            and not is_called_in(self.tree, text, choice.orelse)
        )

    def _is_called_then(self, use: Use) -> bool:
        """Whether the object is called on one side of the condition that a use is in."""
        text = self.tree.source(use.node)
        choices = (a for a in self.tree.ancestors(use.node) if isinstance(a, cst.If | cst.IfExp))
        choice = next(choices, None)
        return choice is not None and any(
            is_called_in(self.tree, text, part)
            for part in (choice.body, choice.orelse)
            if part is not None
        )

    def _is_bound_method(self, read: cst.CSTNode | None) -> bool:
        """Whether `numpy` of the object is read and not called at once."""
        above = self.tree.parent(read) if read is not None else None
        is_called = isinstance(above, cst.Call) and above.func is read
        return isinstance(read, cst.Attribute) and read.attr.value == "numpy" and not is_called

    def _of_private(self, node: cst.Attribute) -> Review | None:
        use = uses_of(node, self.resolver)[-1]
        if node.attr.value == "loss_scale" or use.kind in (UseKind.CALLED, UseKind.READ):
            return None
        return _PRIVATE

    def _misused_names(
        self, reported: set[cst.CSTNode]
    ) -> Iterator[tuple[cst.BaseExpression, Review]]:
        """Yields names of a loss scale that are called, or asked for what only the object had."""
        for node in self.program.scopes.scope_of_read:
            if not isinstance(node, cst.Name | cst.Attribute) or not self._is_misuse(node):
                continue
            reads = [read for b in self.resolver.bindings(node) for read in self._values(b.value)]
            if (
                any(b.kind is BindingKind.NARROWED for b in self.resolver.bindings(node))
                or not reported.isdisjoint(reads)
                or any(guards_of_call(self.program, node))
            ):
                continue
            owners = [attribute_owner(read, self.resolver) for read in reads]
            if any(o is not None and loss_scale_optimizer(o, self.program).can_be for o in owners):
                yield node, _CALLED

    def _is_misuse(self, node: cst.BaseExpression) -> bool:
        above = self.tree.parent(node)
        if isinstance(above, cst.Call):
            return above.func is node and not above.args
        return isinstance(above, cst.Attribute) and above.attr.value in OLD_ATTRIBUTES

    def _values(self, value: cst.BaseExpression | None) -> Iterator[cst.BaseExpression]:
        """Yields what an assigned value can be: the sides of a condition."""
        if isinstance(value, cst.IfExp):
            yield from (*self._values(value.body), *self._values(value.orelse))
        elif isinstance(value, cst.BooleanOperation):
            yield from (*self._values(value.left), *self._values(value.right))
        elif value is not None:
            yield value

    def _of_attribute(self, node: cst.Attribute) -> Review | None:
        """Says what there is to say about `x.__dict__` and about `x.loss_scale = ...`."""
        if node.attr.value == "__dict__":
            return _LOOKED_UP if self._is_looked_into(node.value) else None
        if node in self.program.scopes.binding_at and node.attr.value in ATTRIBUTES:
            return _REPLACED if self._is_replaced(node) else None
        return None

    def _of_call(self, call: cst.Call) -> Review | None:
        """Says what there is to say about a call that sets, looks up or describes."""
        name = (dotted(call.func) or "").rpartition(".")[2]
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "get_config":
            return _KEY if self._is_old_key(call) else None
        strings = [a.value for a in call.args if isinstance(a.value, cst.SimpleString)]
        named = any(
            not set(str(s.evaluated_value).split(".")).isdisjoint(_MEMBERS) for s in strings
        )
        if name in _WAYS_TO_SET and call.args and named:
            return _REPLACED if self._can_be_old(call.args[0].value) else None
        if name in _GETTERS:
            unclear = self.names_old_class and self._names_member and len(strings) < len(call.args)
            return _LOOKED_UP if named or unclear else None
        if name not in _WAYS_TO_LOOK_UP or not call.args or (name == "getattr" and strings):
            return None
        return _LOOKED_UP if self._is_looked_into(call.args[0].value) else None

    def _is_looked_into(self, node: cst.BaseExpression) -> bool:
        """Whether what is looked up by a name can be an optimizer's, and the name an old one."""
        if self._is_old(node):
            return True
        is_self = self.resolver.class_of(node) is not None
        if is_self or not self._names_member or not self._matters(node):
            return False
        return loss_scale_optimizer(node, self.program).certainty is Certainty.LIKELY

    @functools.cached_property
    def _names_member(self) -> bool:
        """Whether a string of the file is the name of an old member, or a part that is joined."""
        return any(
            isinstance(node, cst.SimpleString)
            and (
                node.raw_value in _MEMBERS
                or (
                    node.raw_value in _PARTS
                    and isinstance(self.tree.parent(node), cst.BinaryOperation)
                )
            )
            for node in self.tree.parents
        )

    def _is_old(self, node: cst.BaseExpression) -> bool:
        return self.program.old_types.is_wrapper(node)

    def _can_be_old(self, node: cst.BaseExpression) -> bool:
        if self._is_old(node):
            return True
        answer = loss_scale_optimizer(node, self.program)
        return answer.certainty is Certainty.LIKELY and looks_like_optimizer(node)

    def _is_replaced(self, node: cst.Attribute) -> bool:
        """Whether the attribute that is set is an optimizer's, which does not take the value."""
        if self._can_be_old(node.value):
            return True
        if not self.program.types.is_wrapper(node.value):
            return False
        values = [b.value for b in self.program.scopes.binding_at[node] if b.value is not None]
        return node.attr.value == "loss_scale" or any(
            isinstance(value, cst.Call)
            and any(path and loss_scale_class(path) for path in self.resolver.paths(value.func))
            for value in values
        )

    def _is_old_key(self, call: cst.Call) -> bool:
        """Whether an old key of an optimizer's config is read at once."""
        subscript = self.tree.parent(call)
        if not isinstance(subscript, cst.Subscript) or subscript.value is not call:
            return False
        index = subscript.slice[0].slice
        if not isinstance(index, cst.Index) or not isinstance(index.value, cst.SimpleString):
            return False
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        if owner is None or index.value.evaluated_value not in _OLD_KEYS:
            return False
        if self.program.types.is_wrapper(owner):
            return True
        return looks_like_optimizer(owner) and loss_scale_optimizer(owner, self.program).can_be
