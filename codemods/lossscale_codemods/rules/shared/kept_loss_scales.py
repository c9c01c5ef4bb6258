# SPDX-License-Identifier: Apache-2.0
"""What becomes of the loss scale of an optimizer that a program keeps: `scale = opt.loss_scale`.

It was a live object, and is a tensor with the value of that moment. A later read is respelled as
a read of the optimizer where the optimizer is proven to be the same there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.callable_tests import is_called_in
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner, looks_like_settings
from lossscale_codemods.analysis.object_guards import guards_of_call
from lossscale_codemods.analysis.same_object import SameObject
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.value_uses import Use, UseKind, uses_of
from lossscale_codemods.rules.base import Review, Rewrite, Verdict
from lossscale_codemods.rules.shared.attribute_reads import (
    NEW_ATTRIBUTES,
    OLD_ATTRIBUTES,
    TENSOR_ATTRIBUTES,
    looks_like_optimizer,
)
from lossscale_codemods.rules.shared.copies import Copies, of_optimizers
from lossscale_codemods.rules.shared.handed_on import HandedOn
from lossscale_codemods.rules.shared.respelling import Respelling, respelled
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

COPY = Review(
    "it was live, and becomes a copy of the loss scale at the time at which it was read",
    "Read `loss_scale` of the optimizer here.",
)
TEXT = Review(
    "it printed itself with its settings, and prints as a tensor now",
    "Print `float(optimizer.loss_scale)`, or leave it if nothing reads what is printed. Later runs "
    "do not report it, because a tensor is right there in new code.",
)
CALLED = Review(
    "what is called here can be the loss scale of an optimizer, which is a tensor now",
    "Read `loss_scale` of the optimizer instead.",
)
ON = Review(
    "the loss scale object is given to code that is not followed here, and becomes a copy",
    "Give it the optimizer, and read `loss_scale` of that where the loss scale is needed.",
)
OTHERWISE = Review(
    "it was a loss scale object, and is a tensor now, which is not the same here",
    "Use `loss_scale` of the optimizer as the number that it is.",
)
_RESPELL = Rewrite("a read of the optimizer instead", lambda _: [])


class KeptLossScales:
    """Judges the uses in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.origins = program.loss_scales
        self.same = SameObject(program.resolver)
        self.handed_on = HandedOn(program)
        self.copies = Copies(program)

    def places(self) -> Iterator[cst.BaseExpression]:
        """Yields the expressions about which there is something to say."""
        for node in self.origins.places:
            if isinstance(node, cst.BaseExpression) and self.verdict(node) is not None:
                yield node

    def verdict(self, node: cst.BaseExpression) -> Verdict | None:
        """Says what becomes of an expression that can hold the loss scale of an optimizer."""
        origins = of_optimizers(node, self.program)
        if not origins or node in self.program.scopes.binding_at:
            return None
        if self.copies.is_number_by_now(node) or any(guards_of_call(self.program, node)):
            return None  # It is called in versions alone in which it can be.
        verdict = self._without_respelling(node)
        if isinstance(verdict, Review):
            return verdict if self._matters(node, verdict) else None
        binding = self._kept(node)
        if node in origins:
            return verdict if verdict is not None else self._of_private(node)
        if binding is None:
            return verdict
        gone = self._is_gone(binding)
        respelling = self._respelling(node) if gone or verdict is _RESPELL else None
        if respelling is None:
            return verdict
        return Rewrite(
            respelling.message,
            lambda _: [respelling.edit],
            removes=[binding] if gone else [],
        )

    def _matters(self, node: cst.BaseExpression, review: Review) -> bool:
        """Whether a finding is likely enough for what may be a loss scale of something else."""
        origins = of_optimizers(node, self.program)
        if review is CALLED or any(map(self.origins.is_proven, origins)):
            return True
        uses = uses_of(node, self.resolver)
        reads = {u.user.attr.value for u in uses if isinstance(u.user, cst.Attribute)}
        if reads & OLD_ATTRIBUTES:
            return True
        owners = [attribute_owner(origin, self.resolver) for origin in origins]
        likely = any(isinstance(o, cst.Name) or (o and looks_like_optimizer(o)) for o in owners)
        return likely and any(o.meaning is Meaning.OPTIMIZER for o in self.program.references)

    def _without_respelling(self, node: cst.BaseExpression) -> Verdict | None:
        """Says what becomes of an expression, `_RESPELL` for a read of the optimizer."""
        verdicts = [self._of_use(use, node) for use in uses_of(node, self.resolver)]
        given = [verdict for verdict in verdicts if verdict is not None]
        reviews = [verdict for verdict in given if isinstance(verdict, Review)]
        return next(iter([*reviews, *given]), None)

    def _of_use(self, use: Use, node: cst.BaseExpression) -> Verdict | None:
        kind = use.kind
        is_origin = node in self.origins.of(node)
        if kind in (UseKind.IGNORED, UseKind.TESTED):
            return None  # Type tests are another rule's.
        if kind is UseKind.TEXT:
            return TEXT
        if kind is UseKind.READ and self._is_kept_method(use.user):
            return COPY
        if kind is UseKind.READ and use.user in self.program.scopes.binding_at:
            return OTHERWISE
        if kind in (UseKind.CALLED, UseKind.READ) and is_origin and use.node is node:
            return None  # Rules of their own respell these.
        if kind is UseKind.CALLED:
            return self._called(use, node)
        if kind is UseKind.READ and isinstance(use.user, cst.Attribute):
            name = use.user.attr.value
            if name in NEW_ATTRIBUTES and self._respelling(node) is not None:
                return _RESPELL
            if name not in TENSOR_ATTRIBUTES:
                return Review(
                    f"{name} is asked of what can be the loss scale of an optimizer, which is a "
                    "tensor now",
                    "Ask the optimizer: it has loss_scale, initial_scale, dynamic_growth_steps "
                    "and dynamic_counter.",
                )
            kind = UseKind.NUMBER
        if kind is UseKind.NUMBER:
            return None if is_origin or self.copies.is_current(node) else self._late(node)
        if self.handed_on.is_followed(use, node):
            return None
        asked = self._asked_by(use)
        if asked is not None:
            return self._asked(asked, use)
        return OTHERWISE if kind is UseKind.OTHER else ON

    def _asked(self, function: str, use: Use) -> Review | None:
        if function == "callable" and self._is_called_then(use):
            return None  # What it asks is which version of TensorFlow there is.
        return Review(
            f"{function}() is asked of what was a loss scale object, and is a tensor now",
            "Ask the optimizer: its class is LossScaleOptimizer, and `dynamic` says whether its "
            "loss scale moves.",
        )

    def _asked_by(self, use: Use) -> str | None:
        """Returns the built-in function that only asks what an object is, if one does."""
        call = self.tree.parent(use.user) if isinstance(use.user, cst.Arg) else None
        name = dotted(call.func) if isinstance(call, cst.Call) else None
        is_own = isinstance(call, cst.Call) and bool(self.resolver.bindings(call.func))
        return name if name in {"callable", "id", "type"} and not is_own else None

    def _is_called_then(self, use: Use) -> bool:
        """Whether a condition asks whether the object can be called, and then it is called."""
        text = self.tree.source(use.node)
        choices = (a for a in self.tree.ancestors(use.node) if isinstance(a, cst.If | cst.IfExp))
        choice = next(choices, None)
        return choice is not None and any(
            is_called_in(self.tree, text, part)
            for part in (choice.body, choice.orelse)
            if part is not None
        )

    def _is_kept_method(self, read: cst.CSTNode | None) -> bool:
        """Whether `numpy` of the object is not called at once."""
        above = self.tree.parent(read) if read is not None else None
        is_called = isinstance(above, cst.Call) and above.func is read
        return isinstance(read, cst.Attribute) and read.attr.value == "numpy" and not is_called

    def _called(self, use: Use, node: cst.BaseExpression) -> Verdict:
        if use.node is node and self._respelling(node) is not None:
            return _RESPELL
        if isinstance(use.user, cst.Call) and isinstance(use.node, cst.BaseExpression):
            origins = self.origins.of(use.node)
            alone = bool(origins) and origins == of_optimizers(use.node, self.program)
            fresh = use.node is not node or self.copies.is_fresh(node)
            if alone and fresh:
                behind, end = self.tree.full_span(use.node)[1], self.tree.span(use.user)[1]
                edit = Edit(behind, end, "")
                return Rewrite("the scale itself, which is no longer called", lambda _: [edit])
        return CALLED

    def _late(self, node: cst.BaseExpression) -> Verdict | None:
        """Says what becomes of a number that is read later than the loss scale was."""
        if self._respelling(node) is not None:
            return _RESPELL
        unknown = None in self.origins.of(node)
        if unknown and isinstance(node, cst.Attribute) and looks_like_settings(node.value):
            return None
        return COPY

    def _kept(self, node: cst.CSTNode) -> Binding | None:
        """Returns the one assignment of `x.loss_scale` that a name comes from."""
        bindings = self.origins.untested_bindings(node)
        if len(bindings) != 1:
            return None
        (binding,) = bindings
        is_value = binding.kind is BindingKind.ASSIGN and binding.value is not None
        return (
            binding if is_value and of_optimizers(node, self.program) == {binding.value} else None
        )

    def _respelling(self, node: cst.BaseExpression) -> Respelling | None:
        """Returns a use of a kept loss scale, written as a read of the optimizer."""
        binding = self._kept(node)
        if binding is None or binding.value is None:
            return None
        owner = attribute_owner(binding.value, self.resolver)
        if owner is None or None in self.origins.of(node):
            return None
        if any(guard for use in binding.uses for guard in guards_of_call(self.program, use)):
            return None  # The use that stays in it needs the name.
        name = self.same.spelled_at(owner, binding.node, binding, node)
        return None if name is None else respelled(node, name, self.program)

    def _is_gone(self, binding: Binding) -> bool:
        """Whether every use of a kept loss scale is respelled, so that nothing needs the name."""
        program, scope = self.program, binding.scope
        target = self.tree.parent(binding.node)
        statement = self.tree.parent(target) if target is not None else None
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return False
        offered = program.exported | set(program.exports.users)
        is_offered = scope is program.scopes.module and binding.name in offered
        is_shared = (scope, binding.name) in program.scopes.rebound_elsewhere
        if not isinstance(binding.node, cst.Name) or scope.is_class or is_offered or is_shared:
            return False
        uses = [use for use in binding.uses if isinstance(use, cst.BaseExpression)]
        if any(self.program.reachability.guard_of(use) for use in uses):
            return False  # What is in a branch for older versions is left.
        return any(self._without_respelling(use) is _RESPELL for use in uses) and all(
            self._respelling(use) is not None for use in uses
        )

    def _of_private(self, node: cst.BaseExpression) -> Verdict | None:
        """Respells `opt._loss_scale`, which is something else in the class of today."""
        use = uses_of(node, self.resolver)[-1]
        if not isinstance(node, cst.Attribute) or node.attr.value == "loss_scale":
            return None
        if not self.origins.is_proven(node):
            return None
        if use.node is node and use.kind in (UseKind.CALLED, UseKind.READ, UseKind.TESTED):
            return None
        kept = [b for b in self._named_by(use) if b.value is node]
        if kept and all(map(self._is_gone, kept)):
            return None
        edit = Edit(*self.tree.span(node.attr), "loss_scale")
        return Rewrite("the public name of the loss scale", lambda _: [edit])

    def _named_by(self, use: Use) -> list[Binding]:
        if use.kind is not UseKind.NAMED or not isinstance(use.user, cst.Assign):
            return []
        of_targets = [self.program.scopes.binding_at.get(t.target, []) for t in use.user.targets]
        return [binding for bindings in of_targets for binding in bindings]
