# SPDX-License-Identifier: Apache-2.0
"""From an old `loss_scale` argument to arguments of the constructor that stayed."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.constant_evaluation import atom_key, constant, parse_expression
from lossscale_codemods.analysis.evaluation_order import may_have_effects
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import MeaningClaim, Review
from lossscale_codemods.rules.shared.arguments_helper import SHORT_HELPER, is_helper
from lossscale_codemods.rules.shared.literal_policies import asks_for_scale, scale_behind
from lossscale_codemods.rules.shared.loss_scale_folding import Folding
from lossscale_codemods.rules.shared.loss_scale_objects import refusal, repeats
from lossscale_codemods.rules.shared.own_loss_scales import own_subclass
from lossscale_codemods.rules.shared.policies_without_compile import compile_wraps_nothing
from lossscale_codemods.vocabulary.names import HELPER, loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_CLASS = re.compile(r"(?:^|\.)_?(?!Get|Make|Build|Create)[A-Z]\w*LossScale$")

_STAND_INS = {LossScaleType.DYNAMIC: ['"dynamic"'], LossScaleType.NUMBER: ["128", "0.5"]}
"""What a function of the file can give, for the proof."""


@dataclasses.dataclass
class Arguments:
    """What takes the place of a `loss_scale` argument.

    Attributes:
        texts: The new arguments, as source; empty if the argument just goes.
        message: What was done.
        claim: For the proof of meaning.
        claims: The old names that vanish with it.
        removes: Variables that nothing needs any more.
        helper: The name of the helper function that the texts call; empty if they call none.
        branches: For conditional expressions: the condition, and the two sides' arguments.
        doubt: Why they are only probably right, if they are.
    """

    texts: list[str]
    message: str
    claim: MeaningClaim
    claims: Sequence[Occurrence] = ()
    removes: Sequence[Binding] = ()
    helper: str = ""
    branches: tuple[str, list[str], list[str]] | None = None
    doubt: Review | None = None

    @property
    def all_texts(self) -> list[str]:
        """The new arguments, on whichever side of a condition."""
        sides = self.branches[1:] if self.branches is not None else ()
        return [*self.texts, *(text for side in sides for text in side)]


def simple_name(node: cst.CSTNode) -> bool:
    """Whether evaluating an expression twice is the same as once."""
    return dotted(node) is not None


class ArgumentReader(LossScaleTypes):
    """Reads the loss scale arguments of one file."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.folding = Folding(program)

    @functools.cached_property
    def _occurrences(self) -> dict[cst.CSTNode, Occurrence]:
        return {o.node: o for o in self.program.references}

    def read(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | Review:
        """Returns what a loss scale expression becomes in a call of the constructor."""
        kinds = self.types(node)
        source = self.tree.source(node)
        if kinds <= {LossScaleType.NOTHING, LossScaleType.INVALID}:
            return Review(
                f"loss_scale={source} was an error in every version",
                "Say which loss scale is meant, or do not wrap the optimizer.",
            )
        if any(self._is_of_policy(part) for part in self.tree.walk(node)):
            return self._of_policy(node, call) or Review(
                "its loss scale is read from a policy, and policies have none any more",
                "Write which one is meant. Under mixed_float16 it was dynamic, unless the policy "
                "was made with another.",
            )
        own = self._own_class(node)
        if own is not None:
            return Review(
                f"{own} is not a loss scale of TensorFlow, and no current optimizer takes one of "
                "your own",
                "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments.",
            )
        if self._is_of_another_file(node):
            return Review(
                f"{source} is a DynamicLossScale of another file, and the optimizer no longer "
                "shares its state",
                "Read `loss_scale` of the optimizer where the object is asked; then give the "
                "optimizer the object's arguments.",
            )
        folded = self._fold(node, call)
        if folded is not None:
            return folded
        claim = MeaningClaim(source, self._definitions(node), self._classes(node))
        if kinds == {LossScaleType.DYNAMIC} and not isinstance(node, cst.IfExp | cst.Call):
            return Arguments(
                [],
                "dynamic loss scaling is the default",
                claim,
                removes=self.folding.removable(node, call),
            )
        if isinstance(node, cst.IfExp) and LossScaleType.UNKNOWN not in kinds:
            branches = self._branches(node, call, claim)
            if branches is not None:
                return branches
        if kinds == {LossScaleType.NUMBER}:
            text = self._number_text(node)
            return Arguments(
                ["dynamic=False", f"initial_scale={text}"], "a number is a fixed loss scale", claim
            )
        if (
            kinds <= {LossScaleType.DYNAMIC, LossScaleType.NUMBER, LossScaleType.NOTHING}
            and simple_name(node)
            and kinds & {LossScaleType.DYNAMIC}
        ):
            return Arguments(
                [
                    f'dynamic={source} == "dynamic"',
                    f'initial_scale=None if {source} == "dynamic" else {source}',
                ],
                'the value is "dynamic" or a number, depending on the way through the program',
                claim,
            )
        shared = refusal(node, call, self.program)
        if shared is not None:
            return shared
        is_short = kinds <= {LossScaleType.DYNAMIC, LossScaleType.NUMBER}
        helper = helper_name(self.program, SHORT_HELPER if is_short else HELPER)
        return Arguments(
            [f"**{helper}({source})"],
            "the value is known only when the program runs, so a helper function reads it then",
            claim,
            helper=helper,
            doubt=self._doubt() if LossScaleType.UNKNOWN in kinds else None,
        )

    def _doubt(self) -> Review | None:
        """Says why the helper function may refuse the value: the program has classes of its own."""
        subclass = own_subclass(self.program)
        if subclass is None:
            return None
        return Review(
            f"which loss scale it is is known only when the program runs, and no current optimizer "
            f"takes {subclass}",
            "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments.",
        )

    def _is_of_policy(self, node: cst.CSTNode) -> bool:
        return (
            isinstance(node, cst.Attribute)
            and node.attr.value == "loss_scale"
            and self.program.types.is_policy(node.value)
        )

    def _of_policy(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | None:
        """Writes out the loss scale of a policy that is made in sight, where nothing shares it."""
        if not isinstance(node, cst.Attribute) or not self._is_of_policy(node):
            return None
        behind = scale_behind(node.value, self.program)
        if behind is None:
            return None
        policy, scale = behind
        written = self._written_out(scale)
        if written is None or "dynamic=False" in written.texts:
            return written
        if repeats(policy, call, self.program):
            return None
        alone = compile_wraps_nothing(self.program) and [
            read
            for read in self.program.reads_by_attribute.get("loss_scale", ())
            if self._is_of_policy(read) and asks_for_scale(read, self.program) is None
        ] == [node]
        return written if alone else None

    def _written_out(self, scale: cst.BaseExpression | str) -> Arguments | None:
        """Writes a loss scale of constants as the constructor's own arguments."""
        source = scale if isinstance(scale, str) else self.tree.source(scale)
        message = "the loss scale that the policy was made with"
        if isinstance(scale, cst.Call):
            path = self.resolver.path(scale.func)
            name = loss_scale_class(path) if path is not None else None
            texts = self.folding.keywords(scale, name) if name is not None else None
            if not isinstance(texts, list) or not all(map(self._is_constant, scale.args)):
                return None
            return Arguments(texts, message, MeaningClaim(source, {}, self._classes(scale)))
        try:
            value = constant(source)
        except ValueError:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            texts = ["dynamic=False", f"initial_scale={source}"]
        elif value == "dynamic":
            texts = []
        else:
            return None
        return Arguments(texts, message, MeaningClaim(source))

    def _is_constant(self, argument: cst.Arg) -> bool:
        try:
            constant(self.tree.source(argument.value))
        except ValueError:
            return False
        return True

    def _is_of_another_file(self, node: cst.BaseExpression) -> bool:
        """Whether a name is that of an object that moves, which another file makes."""
        if not isinstance(node, cst.Name | cst.Attribute):
            return False
        for definition in self.program.types.project.modules.named(self.resolver, node):
            value = definition.binding.value
            if definition.resolver is self.resolver or not isinstance(value, cst.Call):
                continue
            path = definition.resolver.path(value.func)
            if path is not None and loss_scale_class(path) == "DynamicLossScale":
                return True
        return False

    def _own_class(self, node: cst.BaseExpression) -> str | None:
        """Returns the class that a loss scale is made from, if it reads like one of the user's."""
        values = [b.value for b in self.resolver.bindings(node) if b.kind is BindingKind.ASSIGN]
        for value in [node, *values]:
            if isinstance(value, cst.Call):
                name = self.tree.source(value.func)
                paths = self.resolver.paths(value.func)
                if _CLASS.search(name) and not any(p and loss_scale_class(p) for p in paths):
                    return name
        return None

    def _number_text(self, node: cst.BaseExpression) -> str:
        source = self.tree.source(node)
        if isinstance(node, cst.Name) and node.value in {"True", "False"}:
            return str(float(node.value == "True"))
        return source

    def _definitions(self, node: cst.BaseExpression) -> dict[str, list[str]]:
        """Returns the values of every variable in an expression, as far as all are known."""
        sources: dict[str, list[str]] = {}
        texts = self._texts(node)
        if texts != [source := self.tree.source(node)]:
            sources[atom_key(parse_expression(source))] = texts  # A call of a function of the file.
        stack: list[cst.CSTNode] = [node]
        while stack:
            for part in self.tree.walk(stack.pop()):
                name = dotted(part)
                if not isinstance(part, cst.Name) or name is None or name in sources:
                    continue
                bindings = self.resolver.bindings(part)
                values = [b.value for b in bindings if b.kind is BindingKind.ASSIGN and b.value]
                if values and len(values) == len(bindings):
                    sources[name] = [text for value in values for text in self._texts(value)]
                    stack.extend(values)
        return sources

    def _texts(self, value: cst.BaseExpression) -> list[str]:
        """Returns the source of a value, or of what a function of the file can give."""
        kinds = self.types(value) if isinstance(value, cst.Call) else {LossScaleType.UNKNOWN}
        if not kinds <= set(_STAND_INS):
            return [self.tree.source(value)]
        return [text for kind, texts in _STAND_INS.items() if kind in kinds for text in texts]

    def _classes(self, node: cst.BaseExpression) -> dict[str, str]:
        class_names: dict[str, str] = {}
        stack: list[cst.CSTNode] = [node]
        seen: set[cst.CSTNode] = set()
        while stack:
            for part in self.tree.walk(stack.pop()):
                if isinstance(part, cst.Call):
                    path = self.resolver.path(part.func)
                    name = loss_scale_class(path) if path is not None else None
                    if name is not None:
                        class_names[self.tree.source(part.func)] = name
                if isinstance(part, cst.Name) and part not in seen:
                    seen.add(part)
                    stack += [b.value for b in self.resolver.bindings(part) if b.value is not None]
        return class_names

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
        # In two calls, the condition comes before the optimizer.
        before = not may_have_effects(self.resolver, node.test)
        both = [_as_dict(side) for side in texts]
        return Arguments(
            [f"**({both[0]} if {test} else {both[1]})"],
            "each side of the condition becomes its own arguments",
            claim,
            claims=claims,
            branches=(test, texts[0], texts[1]) if before else None,
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
        class_name = loss_scale_class(path) if path is not None else None
        if class_name is None:
            return None
        keywords = self.folding.keywords(value, class_name)
        if isinstance(keywords, Review):
            return keywords
        removes: list[Binding] = []
        if binding is not None:
            refusal = self.folding.refusal(binding, value, call, class_name)
            if refusal is not None:
                return refusal
            removes = self.folding.removable(node, call)
        occurrence = self._occurrences.get(value.func)
        stays = binding is not None and not removes
        return Arguments(
            keywords,
            f"the arguments of {class_name} become the constructor's own",
            MeaningClaim(self.tree.source(node), self._definitions(node), self._classes(node)),
            claims=[occurrence] if occurrence is not None and not stays else [],
            removes=removes,
        )


def helper_name(program: Program, original: str) -> str:
    """Returns a helper function's name in a file: one that nothing else there has."""
    name = original
    while _is_of_the_program(program, name):
        name += "_"
    return name


def _is_of_the_program(program: Program, name: str) -> bool:
    bound = [b for scope in program.scopes.of_node.values() for b in scope.bindings.get(name, [])]
    if not bound:
        return False
    return not all(
        binding.scope is program.scopes.module
        and isinstance(binding.node, cst.FunctionDef)
        and is_helper(program.tree.source(binding.node), name)
        for binding in bound
    )


def _as_dict(texts: Sequence[str]) -> str:
    pairs = [text.partition("=") for text in texts]
    return "{" + ", ".join(f'"{name}": {value}' for name, _, value in pairs) + "}"
