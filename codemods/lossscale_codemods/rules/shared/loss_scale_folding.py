# SPDX-License-Identifier: Apache-2.0
"""Writing a loss scale object into the call that takes it, where that keeps its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_lossscale.spec import DEFAULT_MULTIPLIER
from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.evaluation_order import (
    evaluated_before,
    is_always_evaluated,
    is_harmless,
    may_have_effects,
)
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.editing.edits import small_statement
from lossscale_codemods.rules.base import Review
from lossscale_codemods.rules.shared.loss_scale_objects import is_settled, repeats
from lossscale_codemods.vocabulary import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.program import Program


class Folding:
    """Judges the loss scale objects of one file."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver

    def keywords(self, value: cst.Call, class_name: str) -> list[str] | Review:
        """Returns the constructor's arguments for those of a loss scale object."""
        order = (
            ["loss_scale_value"]
            if class_name == "FixedLossScale"
            else ["initial_loss_scale", "increment_period", "multiplier"]
        )
        given: dict[str, str] = {}
        for index, argument in enumerate(value.args):
            if argument.star or (argument.keyword is None and index >= len(order)):
                return Review(
                    f"the arguments of {class_name} are unpacked, so they cannot be seen here",
                    "Pass them one by one to LossScaleOptimizer, as `initial_scale` and "
                    "`dynamic_growth_steps`.",
                )
            name = argument.keyword.value if argument.keyword is not None else order[index]
            given[name] = self.tree.source(argument.value)
        if set(given) - set(order) or (class_name == "FixedLossScale" and not given):
            return Review(
                f"{class_name} takes no such arguments", "Correct the call first, then run again."
            )
        if class_name == "FixedLossScale":
            return ["dynamic=False", f"initial_scale={given['loss_scale_value']}"]
        if "multiplier" in given and _constant(given["multiplier"]) != DEFAULT_MULTIPLIER:
            return Review(
                f"a multiplier of {given['multiplier']} has no equivalent: from TensorFlow 2.4 on "
                "it is always 2",
                "Use multiplier 2, or keep the old optimizer with `--target compat`.",
            )
        new_names = {
            "initial_loss_scale": "initial_scale",
            "increment_period": "dynamic_growth_steps",
        }
        # In the order in which they are written, which is that in which they are evaluated.
        return [f"{new_names[name]}={text}" for name, text in given.items() if name in new_names]

    def refusal(
        self, binding: Binding, value: cst.Call, call: cst.Call, class_name: str
    ) -> Review | None:
        """Says why a loss scale in a variable cannot be written into the call instead.

        Args:
            binding: The variable.
            value: The call that makes the loss scale.
            call: The optimizer's constructor.
            class_name: `"FixedLossScale"` or `"DynamicLossScale"`.

        Returns:
            The reason; nothing if it can.
        """
        name = binding.name
        if class_name == "DynamicLossScale":
            others = [u for u in binding.uses if not self._is_in(u, call)]
            wrapped = [u for u in others if self._is_constructor_argument(u)]
            if wrapped:
                return Review(
                    f"{name} is given to several optimizers, which then share its state",
                    "Give each optimizer arguments of its own if they may scale apart, or keep "
                    "the shared state with `--target compat`.",
                )
            others = [u for u in others if not is_settled(u, self.program)]
            if others:
                line = self.program.line(others[0])
                return Review(
                    f"{name} is also used on line {line}, where its live state matters",
                    "Read the scale from the optimizer there: `optimizer.loss_scale`.",
                )
            if repeats(binding.node, call, self.program):
                return Review(
                    f"{name} is made once and may be given to several optimizers, which then "
                    "share its state",
                    "Make the optimizer where the loss scale is made, or give each its own "
                    "arguments.",
                )
        if not self._is_stable(binding, value, call):
            return Review(
                f"the values that {name} is made from may change before it is used",
                "Pass them to LossScaleOptimizer yourself, as `initial_scale` and "
                "`dynamic_growth_steps`.",
            )
        return None

    def _is_in(self, node: cst.CSTNode, call: cst.Call) -> bool:
        return any(above is call for above in self.tree.ancestors(node))

    def _is_constructor_argument(self, node: cst.CSTNode) -> bool:
        above = self.tree.parent(node)
        call = self.tree.parent(above) if isinstance(above, cst.Arg) else None
        if not isinstance(call, cst.Call):
            return False
        paths = [p for p in self.resolver.paths(call.func) if p is not None]
        return any(
            frameworks.is_new_optimizer(p)
            or ((old := names.lookup(p)) is not None and "Optimizer" in old.path)
            for p in paths
        )

    def _is_stable(self, binding: Binding, value: cst.Call, call: cst.Call) -> bool:
        """Whether the arguments mean, and do, at the call what they did at the assignment."""
        parts = [a.value for a in value.args]
        if all(_constant(self.tree.source(part)) is not None for part in parts):
            return True
        first = self.tree.statement(binding.node)
        block = self.tree.parent(first)
        body = list(getattr(block, "body", ()))
        last: cst.CSTNode | None = call
        while last is not None and self.tree.parent(last) is not block:
            last = self.tree.parent(last)
        if last is None or first not in body:
            return False
        between = body[body.index(first) + 1 : body.index(last)]
        if any(may_have_effects(self.resolver, part) for part in parts):
            # What is done once has to be done once, and before all that came behind it.
            return (
                not between
                and self.tree.statement(call) is last
                and is_always_evaluated(self.tree, call)
                and all(is_harmless(self.resolver, n) for n in evaluated_before(self.tree, call))
                and all(
                    isinstance(use, cst.Name) and self.removable(use, call) for use in binding.uses
                )
            )
        within = [n for statement in [*between, last] for n in self.tree.walk(statement)]
        roots = {n.value for part in parts for n in self.tree.walk(part) if isinstance(n, cst.Name)}
        if self._are_rebound(roots, within, call) or self._is_deferred(roots, parts, call, last):
            return False
        shared = {name for _, name in self.program.scopes.rebound_elsewhere}
        if all(isinstance(part, cst.Name) for part in parts) and not roots & shared:
            return True
        # An attribute or an item can be changed by whatever is called before it is read.
        start, end = self.tree.span(call)
        runs_again = repeats(binding.node, call, self.program)
        return not any(
            isinstance(n, cst.Call | cst.Await | cst.Yield | cst.Del)
            and (runs_again or self.tree.span(n)[1] < end)
            and (n is not call and not is_harmless(self.resolver, n))
            for n in within
            if runs_again or self.tree.span(n)[0] < start or self._is_in(n, call)
        )

    def _are_rebound(self, names: set[str], nodes: Sequence[cst.CSTNode], call: cst.Call) -> bool:
        """Whether some nodes give a name another value, other than that which the call returns."""
        own = small_statement(self.tree, call)
        return any(
            target.name.split(".")[0] in names
            for node in nodes
            if isinstance(node, cst.NamedExpr) or small_statement(self.tree, node) is not own
            for target in self.program.scopes.binding_at.get(node, [])
        )

    def _is_deferred(
        self,
        names: set[str],
        parts: Sequence[cst.BaseExpression],
        call: cst.Call,
        last: cst.CSTNode,
    ) -> bool:
        """Whether the call runs later than it stands, when its values may be others."""
        around = [n for n in self.tree.ancestors(call) if n in set(self.tree.walk(last))]
        if not any(isinstance(n, cst.FunctionDef | cst.Lambda) for n in around):
            return False
        rebound = {
            name
            for scope in self.program.scopes.of_node.values()
            for name, bindings in scope.bindings.items()
            if len(bindings) > 1
        }
        return bool(names & rebound) or not all(isinstance(part, cst.Name) for part in parts)

    def removable(self, node: cst.BaseExpression, call: cst.Call) -> list[Binding]:
        """Returns the variable behind an argument, if nothing else uses it."""
        if not isinstance(node, cst.Name):
            return []
        bindings = self.resolver.bindings(node)
        if len(bindings) != 1:
            return []
        (binding,) = bindings
        owner = binding.scope
        shared = (owner, binding.name) in self.program.scopes.rebound_elsewhere
        exported = owner is self.program.scopes.module and (
            binding.name in self.program.exported or binding.name in self.program.exports.users
        )
        if shared or exported or owner.is_class:
            return []
        if len(binding.uses) != 1 or not self._is_in(binding.uses[0], call):
            return []
        statement = small_statement(self.tree, binding.node)
        if isinstance(statement, cst.Assign):
            alone = len(statement.targets) == 1 and isinstance(
                statement.targets[0].target, cst.Name
            )
        else:
            alone = isinstance(statement, cst.AnnAssign)
        return [binding] if alone else []


def _constant(source: str) -> object:
    try:
        value = constant(source)
    except ValueError:
        return None
    return None if isinstance(value, bool) else value
