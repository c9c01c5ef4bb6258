# SPDX-License-Identifier: Apache-2.0
"""What the arguments of an optimizer's constructor become in Keras 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Usage
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.what_is import looks_like_settings
from lossscale_codemods.editing.edits import remove_item
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.vocabulary.keras_3_optimizers import (
    CLASSES,
    SCHEDULE,
)
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer

_RATES = frozenset({"lr", "learning_rate", "LearningRateScheduler", "ReduceLROnPlateau"})
"""Words of what reads or sets a learning rate."""
_NO_FLOATS = frozenset(
    {"Variable", "array", "asarray", "constant", "convert_to_tensor", "float16", "float32"}
)
"""Functions that give what is no Python float."""
_SCHEDULES = (
    f"tensorflow.keras.optimizers.schedules.{SCHEDULE}",
    f"tensorflow.compat.v1.keras.optimizers.schedules.{SCHEDULE}",
)
_KERAS_SCHEDULE = f"keras.optimizers.schedules.{SCHEDULE}"
UNPACKED = Review(
    "its arguments are unpacked, so whether `lr` or `decay` is among them cannot be seen here",
    "Give Keras 3 `learning_rate`, and a schedule in the place of `decay`, of which it takes no "
    "notice.",
)


class ArgumentMapping:
    """Maps the arguments of one call.

    Args:
        program: The file.
        call: The call.
        arguments: Its arguments by their names.
        classes: The classes that it can be of.
    """

    def __init__(
        self,
        program: Program,
        call: cst.Call,
        arguments: dict[str, cst.Arg],
        classes: Sequence[str],
    ) -> None:
        self.program = program
        self.tree = program.tree
        self.call = call
        self.arguments = arguments
        self.classes = classes
        self.edits: list[Edit] = []
        self.messages: list[str] = []

    def result(self) -> Rewrite | Review | None:
        """Returns the rewrite, or why there is none; nothing if all is right as it is."""
        name = self.arguments.get("name")
        if name is not None and name.keyword is None:
            start = self.tree.full_span(name.value)[0]
            self.messages.append("arguments behind those that Keras 3 has too are named")
            self.edits.append(Edit(start, start, "name="))
        self._without_none("epsilon")
        rate = self.arguments.get("learning_rate") or self.arguments.get("lr")
        review = self._rate_review(rate) if rate is not None else None
        if review is not None:
            return review
        decay = self.arguments.get("decay")
        if decay is not None and not self._is_zero(decay.value):
            return self._with_schedule(rate, decay)
        if decay is not None:
            self.messages.append("`decay` stood for nothing")
            self.edits += remove_item(self.tree, self.call.args, [decay])
        if rate is not None:
            self._rename_rate(rate)
        if not self.messages:
            return None
        edits = self.edits
        return Rewrite("; ".join(self.messages), lambda _: edits)

    def _rename_rate(self, rate: cst.Arg) -> None:
        if rate.keyword is not None and rate.keyword.value == "lr":
            self.messages.append("`lr` is `learning_rate`")
            self.edits.append(Edit(*self.tree.span(rate.keyword), "learning_rate"))
        text = self._as_float(rate.value)
        if text != self.tree.source(rate.value):
            self.messages.append("Keras 3 takes no whole number for the learning rate")
            self.edits.append(Edit(*self.tree.full_span(rate.value), text))

    def _without_none(self, name: str) -> None:
        argument = self.arguments.get(name)
        if argument is None:
            return
        source = self.tree.source(argument.value)
        if source == "None" or self._is_zero(argument.value):
            self.messages.append(f"{name}={source} stood for the default")
            start, end = self.tree.full_span(argument.value)
            self.edits.append(Edit(start, end, "1e-7"))

    def _rate_review(self, rate: cst.Arg) -> Review | None:
        for value in self._values(rate.value):
            path = self.program.resolver.path(value.func) if isinstance(value, cst.Call) else None
            last = (path or "").rpartition(".")[2]
            if path is None and isinstance(value, cst.Call):
                last = self._array_of(value) or last
            if last in _NO_FLOATS and not (path or "").startswith("keras"):
                return Review(
                    f"Keras 3 takes no {last} for the learning rate",
                    "Give it a Python float, and assign to the optimizer's `learning_rate` what "
                    "is to change.",
                )
            if isinstance(value, cst.Name) and value.value == "None":
                return Review("the learning rate is None", "Give it a Python float.")
        return None

    def _array_of(self, call: cst.Call) -> str | None:
        """Returns the function of numpy or TensorFlow whose result a function gives, if it does."""
        for binding in self.program.resolver.bindings(call.func):
            if not isinstance(binding.node, cst.FunctionDef):
                continue
            for given in self.program.scopes.returned(binding.node) or ():
                path = (
                    self.program.resolver.path(given.func) if isinstance(given, cst.Call) else None
                )
                last = (path or "").rpartition(".")[2]
                if last in _NO_FLOATS:
                    return last
        return None

    def _values(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        bindings = self.program.resolver.bindings(node)
        made = [b.value for b in bindings if b.kind is BindingKind.ASSIGN and b.value is not None]
        return made or [node]

    def _as_float(self, node: cst.BaseExpression) -> str:
        """Returns the source of a learning rate that is no whole number."""
        source = self.tree.source(node)
        if isinstance(node, cst.Integer):
            return f"{source}.0" if source.isdigit() else f"float({source})"
        values = self._values(node)
        if values != [node] and any(isinstance(one, cst.Integer) for one in values):
            return f"float({source})"
        return source

    def _is_zero(self, node: cst.BaseExpression) -> bool:
        try:
            value = constant(self.tree.source(node))
        except ValueError:
            return False
        return isinstance(value, int | float) and value == 0

    def _with_schedule(self, rate: cst.Arg | None, decay: cst.Arg) -> Rewrite | Review:
        """Writes `InverseTimeDecay(rate, 1, decay)` for the learning rate."""
        if (
            self.program.usage(
                Occurrence(self.call.func, self.tree.span(self.call.func), Role.LATER)
            )
            is not Usage.CALLED
            or dotted(self.call.func) == "functools.partial"
        ):
            return UNPACKED
        if len(self.classes) > 1:
            return Review("Keras 3 takes no notice of `decay`", "Give it a schedule in its place.")
        if rate is not None and any(self._is_schedule(v) for v in self._values(rate.value)):
            return Review(
                "Keras 3 takes no notice of `decay`, and the learning rate is a schedule already",
                "Write one schedule that does both.",
            )
        if self._reads_rates():
            return Review(
                "Keras 3 takes no notice of `decay`; a schedule would take its place, and this "
                "program reads or sets the learning rate, which would be a schedule",
                f"Give it {SCHEDULE}(learning_rate, 1, decay) for the learning rate, and change "
                "what reads or sets it.",
            )
        default = CLASSES[self.classes[0]].learning_rate
        first = self._as_float(rate.value) if rate is not None else default
        gone = [one for one in (rate, decay) if one is not None]
        occurrence = Occurrence(self.call.func, self.tree.span(self.call.func), Role.OPTIMIZER)
        text_of_decay = self.tree.source(decay.value)

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            path = self.program.resolver.path(self.call.func) or ""
            paths = (_KERAS_SCHEDULE,) if path.startswith("keras.") else _SCHEDULES
            schedule = f"{renderer.render_path(occurrence, *paths)}({first}, 1, {text_of_decay})"
            new = f"learning_rate={schedule}"
            if len(gone) == 1:
                start, end = self.tree.span(decay)
                return [*self.edits, Edit(start, end, new)]
            kept, other = gone
            removed = remove_item(self.tree, self.call.args, [other])
            return [*self.edits, Edit(*self.tree.span(kept), new), *removed]

        message = "a schedule that computes what `decay` did, of which Keras 3 takes no notice"
        return Rewrite("; ".join([*self.messages, message]), edits)

    def _is_schedule(self, node: cst.BaseExpression) -> bool:
        path = self.program.resolver.path(node.func) if isinstance(node, cst.Call) else None
        return ".schedules." in (path or "") or isinstance(node, cst.Lambda)

    def _reads_rates(self) -> bool:
        """Whether the program reads or sets the learning rate of an optimizer somewhere."""
        names = {
            node.attr.value if isinstance(node, cst.Attribute) else node.value
            for node in self.tree.parents
            if isinstance(node, cst.Attribute)
            or (isinstance(node, cst.Name) and node in self.program.scopes.scope_of_read)
        }
        return bool(_RATES & (names - {"lr", "learning_rate"})) or any(
            node.attr.value in {"lr", "learning_rate"} and not looks_like_settings(node.value)
            for node in self.tree.parents
            if isinstance(node, cst.Attribute)
        )
