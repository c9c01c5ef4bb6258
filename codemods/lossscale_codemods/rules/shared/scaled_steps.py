# SPDX-License-Identifier: Apache-2.0
"""Training steps of TensorFlow 2.4 of which all can be seen.

A step scales the loss, differentiates, unscales the gradients and applies them. A step is one here
if the scaled loss goes into the tape alone, and the unscaled gradients into `apply_gradients`.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.editing.edits import remove_statement, small_statement
from lossscale_codemods.rules.shared.keras_3_places import optimizer_kinds
from lossscale_codemods.rules.shared.keras_3_policies import MixedPolicies
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.program import Program

METHODS = ("get_scaled_loss", "get_unscaled_gradients", "apply_gradients")
_KEEPING = frozenset({"reduce_mean", "reduce_sum", "add_n", "identity", "square", "abs", "sqrt"})
"""Functions whose result is of the dtype of what they get."""
_HALF = frozenset({"float16", "half", "bfloat16"})


@dataclasses.dataclass(frozen=True)
class ScaledStep:
    """One training step.

    Attributes:
        scaled: The call of `get_scaled_loss`.
        unscaled: The call of `get_unscaled_gradients`.
        applied: The call of `apply_gradients`.
        gradients: What is unscaled.
        given: The unscaled gradients, where they are applied.
        variables: Their variables.
        kept: The name that the unscaled gradients get, if they get one.
    """

    scaled: cst.Call
    unscaled: cst.Call
    applied: cst.Call
    gradients: cst.BaseExpression
    given: cst.BaseExpression
    variables: cst.BaseExpression
    kept: Binding | None


class ScaledSteps:
    """The training steps of one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree

    @functools.cached_property
    def calls(self) -> dict[str, list[cst.Call]]:
        """The calls of the three methods that may be a loss-scale optimizer's, by their names."""
        by_method: dict[str, list[cst.Call]] = {name: [] for name in METHODS}
        for node in self.tree.parents:
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                name = node.func.attr.value
                if name in by_method and self._may_be_wrapper(node.func.value):
                    by_method[name].append(node)
        return by_method

    def _may_be_wrapper(self, node: cst.BaseExpression) -> bool:
        kinds = self.program.types.of(node)
        return bool(kinds & {ObjectType.WRAPPER, ObjectType.UNKNOWN})

    @functools.cached_property
    def convertible(self) -> list[ScaledStep]:
        """The steps, if all that the file does with its loss-scale optimizers is in them.

        An optimizer takes the gradients of one protocol alone.
        """
        steps = [step for call in self.calls["apply_gradients"] if (step := self._step(call))]
        inside = {c for s in steps for c in (s.scaled, s.unscaled, s.applied)}
        rest = [c for calls in self.calls.values() for c in calls if c not in inside]
        if any(not self.is_probe(call) for call in rest) or self.program.reads_by_attribute.get(
            "minimize"
        ):
            return []
        if others_name(self.program.types.project.modules, METHODS):
            return []
        return steps

    def is_probe(self, call: cst.Call) -> bool:
        """Whether a call, `get_scaled_loss(tf.constant(1.0))`, asks for the loss scale alone."""
        assert isinstance(call.func, cst.Attribute)
        if call.func.attr.value != "get_scaled_loss" or len(call.args) != 1:
            return False
        one = call.args[0].value
        if not isinstance(one, cst.Call) or len(one.args) != 1:
            return False
        path = self.program.resolver.path(one.func) or ""
        is_constant = canonical(path).removeprefix("tensorflow.compat.v1.") in {
            "tensorflow.constant",
            "constant",
        }
        return is_constant and self.tree.source(one.args[0].value) in {"1.0", "1."}

    def _step(self, applied: cst.Call) -> ScaledStep | None:
        """Returns the step that ends in a call of `apply_gradients`."""
        if len(applied.args) != 1 or not self._is_proven(applied):
            return None
        pairs = applied.args[0].value
        if not isinstance(pairs, cst.Call) or dotted(pairs.func) != "zip" or len(pairs.args) != 2:
            return None
        given, variables = (argument.value for argument in pairs.args)
        unscaled, kept = self._made(given)
        if not self._is_of(unscaled, "get_unscaled_gradients", applied):
            return None
        assert unscaled is not None
        gradients = unscaled.args[0].value
        computed, _ = self._made(gradients)
        is_gradient = isinstance(getattr(computed, "func", None), cst.Attribute)
        if computed is None or not is_gradient or len(computed.args) < 2:
            return None
        assert isinstance(computed.func, cst.Attribute)
        if computed.func.attr.value != "gradient":
            return None
        scaled, _ = self._made(computed.args[0].value, others_may_read=True)
        if not self._is_of(scaled, "get_scaled_loss", applied):
            return None
        assert scaled is not None
        if not self.is_float32(scaled.args[0].value):
            return None
        if kept is not None and not (isinstance(gradients, cst.Name) or kept.value is unscaled):
            return None
        return ScaledStep(scaled, unscaled, applied, gradients, given, variables, kept)

    def _is_proven(self, call: cst.Call) -> bool:
        assert isinstance(call.func, cst.Attribute)
        return ObjectType.WRAPPER in optimizer_kinds(call.func.value, self.program)

    def _is_of(self, call: cst.Call | None, name: str, applied: cst.Call) -> bool:
        """Whether a call is of a method of the optimizer that applies the gradients."""
        if call is None or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
            return False
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value != name:
            return False
        assert isinstance(applied.func, cst.Attribute)
        owner, other = dotted(call.func.value), dotted(applied.func.value)
        bindings = self.program.resolver.bindings
        same = bindings(call.func.value) == bindings(applied.func.value)
        return owner is not None and owner == other and same

    def _made(
        self, node: cst.BaseExpression, *, others_may_read: bool = False
    ) -> tuple[cst.Call | None, Binding | None]:
        """Returns the call that makes what an expression holds, and the name that it got.

        Args:
            node: The expression.
            others_may_read: Whether the name may be read elsewhere as well.
        """
        if isinstance(node, cst.Call):
            return node, None
        bindings = self.program.resolver.bindings(node)
        if not isinstance(node, cst.Name) or len(bindings) != 1:
            return None, None
        (binding,) = bindings
        if binding.kind is not BindingKind.ASSIGN or not isinstance(binding.value, cst.Call):
            return None, None
        if not others_may_read and any(use is not node for use in binding.uses):
            return None, None
        statement = self.tree.parent(binding.value)
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return None, None
        return binding.value, binding

    def is_float32(self, node: cst.BaseExpression, depth: int = 8) -> bool:
        """Whether a loss is surely of float32, where its product with the scale is finite."""
        if self._has_no_half:
            return True
        if depth == 0:
            return False
        if isinstance(node, cst.Name):
            bindings = self.program.resolver.bindings(node)
            values = [b.value for b in bindings if b.kind is BindingKind.ASSIGN]
            return (
                bool(values)
                and len(values) == len(bindings)
                and all(value is not None and self.is_float32(value, depth - 1) for value in values)
            )
        if isinstance(node, cst.BinaryOperation):
            return any(self.is_float32(part, depth - 1) for part in (node.left, node.right))
        if isinstance(node, cst.Call):
            return self._gives_float32(node, depth)
        return False

    def _gives_float32(self, node: cst.Call, depth: int) -> bool:
        path = canonical(self.program.resolver.path(node.func) or "")
        name = path.rpartition(".")[2]
        if name == "cast" and len(node.args) == 2:
            return self.tree.source(node.args[1].value).strip("'\"").endswith("float32")
        if path.startswith("tensorflow.") and name in _KEEPING and node.args:
            return self.is_float32(node.args[0].value, depth - 1)
        made, _ = self._made(node.func, others_may_read=True)
        made_path = self.program.resolver.path(made.func) if made is not None else None
        last = (made_path or "").rpartition(".")[2]
        # Losses of Keras 3 compute in float32, whatever they are given.
        return ".keras.losses." in (made_path or "") and last[:1].isupper()

    @functools.cached_property
    def _has_no_half(self) -> bool:
        """Whether nothing of the program is of another dtype than float32."""
        read = {
            node.attr.value if isinstance(node, cst.Attribute) else node.value
            for node in self.program.scopes.scope_of_read
            if isinstance(node, cst.Name | cst.Attribute)
        }
        texts = {
            node.evaluated_value for node in self.tree.parents if isinstance(node, cst.SimpleString)
        }
        if (read | texts) & _HALF or "float64" in read | texts:
            return False
        return not MixedPolicies(self.program).may_be_float16() and not others_name(
            self.program.types.project.modules, _HALF
        )

    def edits(self, step: ScaledStep) -> Iterator[tuple[cst.Call, str, list[Edit]]]:
        """Yields the calls of a step, each with what becomes of it and its edits."""
        assert isinstance(step.scaled.func, cst.Attribute)
        name = Edit(*self.tree.span(step.scaled.func.attr), "scale_loss")
        yield step.scaled, "scaled by the method of Keras 3, for `apply`", [name]
        gone = "`apply` takes scaled gradients, and unscales them itself"
        given = self.tree.source(step.given)
        statement = small_statement(self.tree, step.unscaled) if step.kept is not None else None
        if statement is not None and isinstance(step.gradients, cst.Name):
            given = self.tree.source(step.gradients)
            yield step.unscaled, gone, remove_statement(self.tree, statement, [])
        else:
            start, end = self.tree.full_span(step.unscaled)
            inner = self.tree.full_span(step.gradients)
            around = [Edit(start, inner[0], ""), Edit(inner[1], end, "")]
            yield step.unscaled, gone, around if step.kept is not None else []
        assert isinstance(step.applied.func, cst.Attribute)
        variables = self.tree.source(step.variables)
        if step.kept is None:
            given = self.tree.source(step.gradients)
        start = self.tree.span(step.applied.func.attr)[0]
        end = self.tree.span(step.applied)[1]
        text = f"apply({given}, {variables})"
        yield step.applied, "applied by the method of Keras 3", [Edit(start, end, text)]
