# SPDX-License-Identifier: Apache-2.0
"""From an old `loss_scale` argument to arguments of the constructor that stayed."""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import TYPE_CHECKING

import libcst as cst

from compat_lossscale.spec import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
)
from lossscale_codemods import names
from lossscale_codemods.bindings import Binding, BindingKind
from lossscale_codemods.editing import small_statement
from lossscale_codemods.evaluate import constant
from lossscale_codemods.names import Meaning
from lossscale_codemods.resolve import is_none
from lossscale_codemods.tree import dotted
from lossscale_codemods.verdict import MeaningClaim, Review

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.program import Occurrence, Program

HELPER = "_loss_scale_arguments"
HELPER_SOURCE = '''
def _loss_scale_arguments(loss_scale):
    """Returns LossScaleOptimizer's arguments for a loss scale of TensorFlow 2.3 or before."""
    if loss_scale == "dynamic":
        return {}
    if not hasattr(loss_scale, "get_config"):
        return {"dynamic": False, "initial_scale": loss_scale}
    config = loss_scale.get_config()
    if "loss_scale_value" in config:
        return {"dynamic": False, "initial_scale": config["loss_scale_value"]}
    if config.get("multiplier") != 2:
        raise ValueError("The multiplier of a DynamicLossScale must be 2.")
    return {
        "initial_scale": config["initial_loss_scale"],
        "dynamic_growth_steps": config["increment_period"],
    }
'''
"""For values that only the running program knows; exact for each that the old API accepted."""


class ScaleKind(enum.Enum):
    """What a loss scale expression can be."""

    DYNAMIC = '"dynamic"'
    NUMBER = "a number"
    OBJECT = "a loss scale object"
    NOTHING = "None"
    INVALID = "no loss scale"
    UNKNOWN = "unknown"


@dataclasses.dataclass
class Arguments:
    """What takes the place of a `loss_scale` argument.

    Attributes:
        texts: The new arguments, as source; empty if the argument just goes.
        message: What was done.
        claim: For the proof of meaning.
        claims: The old names that vanish with it.
        removes: Variables that nothing needs any more.
        helper: Whether the texts call the helper function.
        branches: For conditional expressions: the condition, and the two sides' arguments.
    """

    texts: list[str]
    message: str
    claim: MeaningClaim
    claims: Sequence[Occurrence] = ()
    removes: Sequence[Binding] = ()
    helper: bool = False
    branches: tuple[str, list[str], list[str]] | None = None


def simple_name(node: cst.CSTNode) -> bool:
    """Whether evaluating an expression twice is the same as once."""
    return dotted(node) is not None


class ArgumentReader:
    """Reads the loss scale arguments of one file."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver

    @functools.cached_property
    def _occurrences(self) -> dict[cst.CSTNode, Occurrence]:
        return {o.node: o for o in self.program.references}

    def read(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | Review:
        """Returns what a loss scale expression becomes in a call of the constructor."""
        kinds = self.kinds(node)
        source = self.tree.source(node)
        if kinds <= {ScaleKind.NOTHING, ScaleKind.INVALID}:
            return Review(
                f"loss_scale={source} was an error in every version",
                "Say which loss scale is meant, or do not wrap the optimizer.",
            )
        folded = self._fold(node, call)
        if folded is not None:
            return folded
        claim = MeaningClaim(source, self._definitions(node), self._classes(node))
        if kinds == {ScaleKind.DYNAMIC} and not isinstance(node, cst.IfExp):
            return Arguments(
                [],
                "dynamic loss scaling is the default",
                claim,
                removes=self._removable(node, call),
            )
        if isinstance(node, cst.IfExp) and ScaleKind.UNKNOWN not in kinds:
            branches = self._branches(node, call, claim)
            if branches is not None:
                return branches
        if kinds == {ScaleKind.NUMBER}:
            text = self._number_text(node)
            return Arguments(
                ["dynamic=False", f"initial_scale={text}"], "a number is a fixed loss scale", claim
            )
        if (
            kinds <= {ScaleKind.DYNAMIC, ScaleKind.NUMBER, ScaleKind.NOTHING}
            and simple_name(node)
            and kinds & {ScaleKind.DYNAMIC}
        ):
            return Arguments(
                [
                    f'dynamic={source} == "dynamic"',
                    f'initial_scale=None if {source} == "dynamic" else {source}',
                ],
                'the value is "dynamic" or a number, depending on the way through the program',
                claim,
            )
        return Arguments(
            [f"**{HELPER}({source})"],
            "the value is known only when the program runs, so a helper function reads it then",
            claim,
            helper=True,
        )

    def _number_text(self, node: cst.BaseExpression) -> str:
        source = self.tree.source(node)
        if isinstance(node, cst.Name) and node.value in {"True", "False"}:
            return str(float(node.value == "True"))
        return source

    def kinds(self, node: cst.BaseExpression) -> set[ScaleKind]:
        """Returns what a loss scale expression can be."""
        return self._kinds(node, frozenset())

    def _kinds(self, node: cst.BaseExpression, seen: frozenset[Binding]) -> set[ScaleKind]:
        if is_none(node):
            return {ScaleKind.NOTHING}
        if isinstance(node, cst.IfExp):
            return self._kinds(node.body, seen) | self._kinds(node.orelse, seen)
        if isinstance(node, cst.Call):
            return self._call_kinds(node)
        if isinstance(node, cst.Name | cst.Attribute):
            if isinstance(node, cst.Name) and node.value in {"True", "False"}:
                return {ScaleKind.NUMBER}
            return self._variable_kinds(node, seen)
        try:
            value = constant(self.tree.source(node))
        except ValueError:
            return {ScaleKind.NUMBER if self._is_arithmetic(node, seen) else ScaleKind.UNKNOWN}
        if value == "dynamic":
            return {ScaleKind.DYNAMIC}
        return {ScaleKind.NUMBER if isinstance(value, int | float) else ScaleKind.INVALID}

    def _is_arithmetic(self, node: cst.BaseExpression, seen: frozenset[Binding]) -> bool:
        """Whether an expression gives a number, if it gives anything the old API accepted."""
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.Minus | cst.Plus)
        if not isinstance(node, cst.BinaryOperation):
            return False
        if isinstance(
            node.operator, cst.Subtract | cst.Divide | cst.FloorDivide | cst.Power | cst.LeftShift
        ):
            return True
        if isinstance(node.operator, cst.Multiply | cst.Add):
            number = {ScaleKind.NUMBER}
            return self._kinds(node.left, seen) == number or self._kinds(node.right, seen) == number
        return False

    def _variable_kinds(self, node: cst.BaseExpression, seen: frozenset[Binding]) -> set[ScaleKind]:
        found: set[ScaleKind] = set()
        for binding in self.resolver.bindings(node):
            if binding in seen or binding.kind is not BindingKind.ASSIGN or binding.value is None:
                return {ScaleKind.UNKNOWN}
            found |= self._kinds(binding.value, seen | {binding})
        if isinstance(node, cst.Attribute) and found:
            # Other files may assign attributes, and do so with configurations.
            return {ScaleKind.UNKNOWN}
        return found or {ScaleKind.UNKNOWN}

    def _call_kinds(self, node: cst.Call) -> set[ScaleKind]:
        if dotted(node.func) in {"float", "int"} and not self.resolver.bindings(node.func):
            return {ScaleKind.NUMBER}
        for path in self.resolver.paths(node.func):
            if path is None or self.class_of(path) is None:
                return {ScaleKind.UNKNOWN}
        return {ScaleKind.OBJECT}

    @staticmethod
    def class_of(path: str) -> str | None:
        """Returns `"FixedLossScale"` or `"DynamicLossScale"` for a path to one of them."""
        old = names.lookup(path)
        if old is not None and old.is_loss_scale:
            return "FixedLossScale" if old.meaning is Meaning.FIXED else "DynamicLossScale"
        short = names.canonical(path).removeprefix("tensorflow.compat.v1.mixed_precision.")
        return short if short in {"FixedLossScale", "DynamicLossScale"} else None

    def _definitions(self, node: cst.BaseExpression) -> dict[str, list[str]]:
        """Returns the values of every variable in an expression, as far as all are known."""
        found: dict[str, list[str]] = {}
        stack: list[cst.CSTNode] = [node]
        while stack:
            for part in self.tree.walk(stack.pop()):
                name = dotted(part)
                if not isinstance(part, cst.Name) or name is None or name in found:
                    continue
                bindings = self.resolver.bindings(part)
                values = [b.value for b in bindings if b.kind is BindingKind.ASSIGN and b.value]
                if values and len(values) == len(bindings):
                    found[name] = [self.tree.source(v) for v in values]
                    stack.extend(values)
        return found

    def _classes(self, node: cst.BaseExpression) -> dict[str, str]:
        found: dict[str, str] = {}
        stack: list[cst.CSTNode] = [node]
        seen: set[cst.CSTNode] = set()
        while stack:
            for part in self.tree.walk(stack.pop()):
                if isinstance(part, cst.Call):
                    path = self.resolver.path(part.func)
                    name = self.class_of(path) if path is not None else None
                    if name is not None:
                        found[self.tree.source(part.func)] = name
                if isinstance(part, cst.Name) and part not in seen:
                    seen.add(part)
                    stack += [b.value for b in self.resolver.bindings(part) if b.value is not None]
        return found

    def _branches(self, node: cst.IfExp, call: cst.Call, claim: MeaningClaim) -> Arguments | None:
        sides = [self.read(side, call) for side in (node.body, node.orelse)]
        texts = []
        claims: list[Occurrence] = []
        for side in sides:
            if isinstance(side, Review) or side.helper or side.branches or side.removes:
                return None
            texts.append(side.texts)
            claims += side.claims
        test = self.tree.source(node.test)
        both = [_as_dict(side) for side in texts]
        return Arguments(
            [f"**({both[0]} if {test} else {both[1]})"],
            "each side of the condition becomes its own arguments",
            claim,
            claims=claims,
            branches=(test, texts[0], texts[1]),
        )

    def _fold(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | Review | None:
        """Reads a DynamicLossScale or FixedLossScale, inline or in a variable assigned once."""
        value, binding = node, None
        if isinstance(node, cst.Name):
            bindings = self.resolver.bindings(node)
            if len(bindings) != 1:
                return None
            (binding,) = bindings
            if binding.kind is not BindingKind.ASSIGN or binding.value is None:
                return None
            value = binding.value
        if not isinstance(value, cst.Call):
            return None
        path = self.resolver.path(value.func)
        class_name = self.class_of(path) if path is not None else None
        if class_name is None:
            return None
        keywords = self._object_keywords(value, class_name)
        if isinstance(keywords, Review):
            return keywords
        removes: list[Binding] = []
        if binding is not None:
            refusal = self._unfoldable(binding, value, call, class_name)
            if refusal is not None:
                return refusal
            removes = self._removable(node, call)
        occurrence = self._occurrences.get(value.func)
        stays = binding is not None and not removes
        return Arguments(
            keywords,
            f"the arguments of {class_name} become the constructor's own",
            MeaningClaim(self.tree.source(node), self._definitions(node), self._classes(node)),
            claims=[occurrence] if occurrence is not None and not stays else [],
            removes=removes,
        )

    def _object_keywords(self, value: cst.Call, class_name: str) -> list[str] | Review:
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
        keywords = []
        for old, new, default in (
            ("initial_loss_scale", "initial_scale", DEFAULT_INITIAL_SCALE),
            ("increment_period", "dynamic_growth_steps", DEFAULT_GROWTH_STEPS),
        ):
            if old in given and _constant(given[old]) != default:
                keywords.append(f"{new}={given[old]}")
        return keywords

    def _unfoldable(
        self, binding: Binding, value: cst.Call, call: cst.Call, class_name: str
    ) -> Review | None:
        """Says why a loss scale in a variable cannot be written into the call instead."""
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
            if others:
                line = self.tree.position(self.tree.span(others[0])[0])[0]
                return Review(
                    f"{name} is also used on line {line}, where its live state matters",
                    "Read the scale from the optimizer there: `optimizer.loss_scale`.",
                )
            if self._repeats(binding, call):
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
            names.is_new_optimizer(p)
            or ((old := names.lookup(p)) is not None and "Optimizer" in old.path)
            for p in paths
        )

    def _repeats(self, binding: Binding, call: cst.Call) -> bool:
        """Whether the call can run more often than the assignment."""
        around = set(self.tree.ancestors(binding.node))
        repeating = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.CompFor, cst.BaseComp)
        return any(
            isinstance(above, repeating) and above not in around
            for above in self.tree.ancestors(call)
        )

    def _is_stable(self, binding: Binding, value: cst.Call, call: cst.Call) -> bool:
        """Whether the arguments mean at the call what they meant at the assignment."""
        parts = [a.value for a in value.args]
        try:
            for part in parts:
                constant(self.tree.source(part))
        except ValueError:
            pass
        else:
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
        roots = {n.value for part in parts for n in self.tree.walk(part) if isinstance(n, cst.Name)}
        has_calls = any(isinstance(n, cst.Call) for part in parts for n in self.tree.walk(part))
        for statement in [*between, last]:
            for node in self.tree.walk(statement):
                targets = self.program.scopes.binding_at.get(node, [])
                if any(t.name.split(".")[0] in roots for t in targets) and statement is not last:
                    return False
        return not has_calls or not between

    def _removable(self, node: cst.BaseExpression, call: cst.Call) -> list[Binding]:
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
            binding.name in self.program.exported or binding.name in self.program.shared
        )
        if shared or exported or owner.is_class:
            return []
        if any(not self._is_in(use, call) for use in binding.uses) or len(binding.uses) != 1:
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


def _as_dict(texts: Sequence[str]) -> str:
    pairs = [text.partition("=") for text in texts]
    return "{" + ", ".join(f'"{name}": {value}' for name, _, value in pairs) + "}"
