# SPDX-License-Identifier: Apache-2.0
"""What becomes of the classes of Keras' optimizers, and of what makes them by name, in Keras 3."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    BindingKind,
    Compile,
    ObjectType,
    Occurrence,
    Program,
    Role,
    Usage,
    constant,
    looked_up_name,
    may_be_text,
    others_name,
)
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.source.edits import append_arguments, remove_item
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import optimizer_families
from lossscale_codemods.tables.keras_3 import (
    CLASSES,
    CLIPS,
    REFUSED,
    SPARSE,
    class_at,
)
from lossscale_codemods.tables.paths import canonical
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_FLOATS = frozenset({"Variable", "array", "asarray", "constant", "convert_to_tensor"})
"""Functions that give what is no Python float."""
_OLD_ARGUMENTS = {"lr", "decay", *REFUSED}
_KNOWN = {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}
_HOMES = ("tensorflow.keras.optimizers", "tensorflow.optimizers", "keras.optimizers")
_OLD_KEYWORDS = ("use_legacy_optimizer", "use_legacy_format")
_UNPACKED = Review(
    "its arguments are unpacked, so whether `lr` or `decay` is among them cannot be seen here",
    "Give Keras 3 `learning_rate`, and a schedule in the place of `decay`, of which it takes no "
    "notice.",
)
_SUBCLASS = Review(
    "Keras 3 calls other methods of an optimizer's subclass, and has no OptimizerV2",
    "Implement `build` and `update_step` in its place.",
)
_MODULE = Review(
    "the module is passed on, so which optimizers are made of it cannot be seen here",
    "Pass on tf.keras.optimizers: Keras 3 has no other family.",
)
_CONFIG = Review(
    "configs of old optimizers have `decay`, of which Keras 3 takes no notice, and may have `lr`, "
    "which it refuses",
    "Make the optimizer from the values of the config that it has today.",
)
_UNKNOWN = Review(
    "the optimizer is known only when the program runs: RMSprop and Nadam compute "
    "otherwise in Keras 3, and configs may have `lr` and `decay`",
    "Make sure that it is neither of them, and has no such config.",
)
_FORM = Review(
    "Keras 3 writes configs of optimizers in another form, with other keys",
    "Pass it to Keras, and do not read its keys yourself.",
)


class OptimizerConstructors:
    """The classes of optimizers in one file, and what makes optimizers by name.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree

    def verdict(self, node: cst.BaseExpression, paths: Sequence[str]) -> Rewrite | Review | None:
        """Says what becomes of a use of a class; nothing if it is right as it is.

        Args:
            node: The class, as the file spells it.
            paths: The paths that it can be.
        """
        names = {name for path in paths if (name := class_at(path)) is not None}
        above = self.tree.parent(node)
        if not names:
            kept = cst.Attribute | cst.Assign | cst.AnnAssign | cst.ImportAlias
            return None if isinstance(above, kept) else _MODULE
        usage = self.program.usage(Occurrence(node, self.tree.span(node), Role.LATER))
        if usage is Usage.BASE_CLASS:
            return _SUBCLASS
        classes = [name for name in sorted(names) if name in CLASSES]
        if not classes:
            return None
        if usage is Usage.CALLED and isinstance(above, cst.Call):
            return self._of_call(above, above.args, classes)
        if usage is Usage.MEMBER:
            return self._of_member(above)
        if usage not in (Usage.VALUE, Usage.CUSTOM_OBJECT):
            return None
        call = self.tree.parent(above) if isinstance(above, cst.Arg) else None
        if isinstance(call, cst.Call) and self.program.resolver.path(call.func) == (
            "functools.partial"
        ):
            mapped = self._of_call(call, call.args[1:], classes)
            return mapped if isinstance(mapped, Review) else self.otherwise(classes, None)
        return self.otherwise(classes, None)

    def _of_member(self, member: cst.CSTNode | None) -> Review | None:
        if not isinstance(member, cst.Attribute) or member.attr.value != "from_config":
            return None
        match self.tree.parent(member):
            case cst.Call(args=[cst.Arg(value=cst.Call(func=cst.Attribute(attr=method)))]) if (
                method.value == "get_config"
            ):
                return None
        return _CONFIG

    def unnamed(self) -> Iterator[tuple[cst.BaseExpression, Review]]:
        """Yields what makes an optimizer of a class that is looked up, with old arguments."""
        for node in self.tree.parents:
            if not isinstance(node, cst.Call):
                continue
            given = {a.keyword.value for a in node.args if a.keyword is not None}
            wrong = sorted(given & _OLD_ARGUMENTS)
            is_unpacked = any(argument.star == "**" for argument in node.args)
            if not (wrong or is_unpacked) or not self._is_looked_up(node):
                continue
            review = _UNPACKED
            if wrong:
                review = Review(
                    f"optimizers of Keras 3 do not take {', '.join(f'`{one}`' for one in wrong)}",
                    "Give them `learning_rate`, and a schedule such as InverseTimeDecay in the "
                    "place of `decay`.",
                )
            yield node.func, review

    def _is_looked_up(self, node: cst.Call) -> bool:
        """Whether a call is one of a class of optimizers that it does not name."""
        paths = self.program.resolver.paths(node.func)
        if any(path is not None and class_at(path) for path in paths):
            return False
        bindings = self.program.resolver.bindings(node.func)
        defaults = [b.node.default for b in bindings if isinstance(b.node, cst.Param)]
        if any(
            path is not None and class_at(path)
            for one in defaults
            if one is not None
            for path in self.program.resolver.paths(one)
        ):
            return True
        is_own = any(binding.kind is BindingKind.FUNCTION for binding in bindings)
        return not is_own and self.program.types.of(node) == {ObjectType.KERAS}

    def _of_call(
        self, call: cst.Call, given: Sequence[cst.Arg], classes: Sequence[str]
    ) -> Rewrite | Review | None:
        """Maps the arguments of a constructor, or says what it computes otherwise."""
        if any(argument.star for argument in given):
            return _UNPACKED
        arguments = _by_name(given, classes)
        if arguments is None:
            return Review(
                "what its arguments mean that have no name is not the same in Keras 3",
                "Name them.",
            )
        refused = sorted(REFUSED & set(arguments))
        if refused:
            return Review(f"Keras 3 does not take {refused[0]}", "Do without it.")
        if len(CLIPS & set(arguments)) > 1:
            return Review(
                "Keras 3 clips in one way at a time, and this optimizer clips in two",
                "Clip the unscaled gradients yourself in one of them.",
            )
        mapped = _Arguments(self.program, call, arguments, classes).mapped()
        if isinstance(mapped, Review):
            return mapped
        return self.otherwise(classes, arguments, call) or mapped

    def otherwise(
        self,
        classes: Sequence[str],
        arguments: dict[str, cst.Arg] | None,
        call: cst.Call | None = None,
    ) -> Review | None:
        """Says what Keras 3's class computes otherwise, if it does.

        Args:
            classes: The names of the classes that it can be.
            arguments: The arguments that it is made with, by their names, if that is known.
            call: The call that makes it, if there is one.
        """
        momentum = arguments.get("momentum") if arguments is not None else None
        value = self._constant(momentum.value) if momentum is not None else 0
        for name in classes:
            computes = CLASSES[name].computes
            has_momentum = isinstance(value, int | float) and value > 0
            if not computes or (name == "RMSprop" and has_momentum):
                continue
            review = Review(
                computes, "Train with another optimizer, or see whether the model trains as well."
            )
            if classes == ["RMSprop"] and call is not None and "epsilon" not in (arguments or {}):
                review.unsafe_fix = rewrite(
                    "with the square of its epsilon, which Keras 3 adds under the root",
                    append_arguments(self.tree, call, ["epsilon=1e-14"]),
                )
            return review
        is_plain = classes == ["SGD"] and arguments is not None and value == 0
        if self._has_sparse_gradients and not is_plain:
            return Review(
                "Keras 3 applies gradients that hold some rows of a variable alone, as those of an "
                "Embedding are, otherwise: the state of the other rows moves too",
                "See whether the model trains as well; SGD without momentum does the same.",
            )
        return None

    def _constant(self, node: cst.BaseExpression) -> object:
        try:
            return constant(self.tree.source(node))
        except ValueError:
            return None

    @functools.cached_property
    def _has_sparse_gradients(self) -> bool:
        """Whether the program names what makes gradients of some rows."""
        read = {
            node.attr.value if isinstance(node, cst.Attribute) else node.value
            for node in self.program.scopes.scope_of_read
            if isinstance(node, cst.Name | cst.Attribute)
        }
        return bool(SPARSE & read) or others_name(self.program.types.project.modules, SPARSE)

    def of_compile(self, compiled: Compile) -> Review | None:
        """Says what is otherwise of the optimizer that a model is compiled with by name."""
        argument = compiled.optimizer
        if argument is None:
            if compiled.is_unpacked or not compiled.is_proven:
                return None
            default = self.otherwise([optimizer_families.DEFAULT], {})
            return default and Review(
                f"`compile` takes RMSprop by itself: {default.message}", default.advice
            )
        if isinstance(argument.value, cst.SimpleString):
            return self._of_text(argument.value)
        kinds = self.program.types.of(argument.value)
        if kinds <= _KNOWN or not compiled.is_proven:
            return None
        is_unknown = ObjectType.OTHER in kinds or may_be_text(argument.value, self.program)
        return _UNKNOWN if is_unknown else None

    def _of_text(self, text: cst.SimpleString) -> Review | None:
        name = optimizer_families.class_of(str(text.evaluated_value))
        return self.otherwise([name], None) if name is not None else None

    def by_name(self, node: cst.Name | cst.Attribute) -> Review | None:
        """Says what to do about a function that makes optimizers, or the module as a whole."""
        for path in self.program.resolver.paths(node):
            module, _, name = canonical(path or "").rpartition(".")
            if f"{module}.{name}" in _HOMES:
                return self._of_module(node)
            if module in _HOMES and name in optimizer_families.KEYWORDS:
                return self._of_function(node, name)
        return None

    def _of_function(self, node: cst.Name | cst.Attribute, name: str) -> Review | None:
        call = self.tree.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            kept = cst.Assign | cst.AnnAssign | cst.Attribute | cst.ImportAlias
            return None if isinstance(call, kept) else _UNKNOWN
        given = [a.keyword.value for a in call.args if a.keyword is not None]
        old = [keyword for keyword in given if keyword in _OLD_KEYWORDS]
        if old:
            return Review(f"Keras 3 does not take {old[0]}", "Do without it.")
        if name == "serialize":
            return _FORM
        if not call.args or any(argument.star for argument in call.args):
            return _UNKNOWN
        first = call.args[0].value
        if isinstance(first, cst.SimpleString):
            return self._of_text(first)
        return None if self.program.types.of(first) <= _KNOWN else _UNKNOWN

    def _of_module(self, node: cst.Name | cst.Attribute) -> Review | None:
        """Says what to do about the module, where it is used as a whole."""
        above = self.tree.parent(node)
        handed_on = cst.Arg | cst.Return | cst.Element | cst.DictElement | cst.Yield | cst.Param
        is_members = isinstance(above, cst.Attribute) and above.attr.value == "__dict__"
        if not is_members and not isinstance(above, handed_on):
            return None
        call = self.tree.parent(above) if isinstance(above, cst.Arg) else None
        if isinstance(call, cst.Call):
            is_seen = isinstance(looked_up_name(call), cst.SimpleString)
            if is_seen or dotted(call.func) in {"dir", "hasattr"}:
                return None
        return _UNKNOWN


def _by_name(given: Sequence[cst.Arg], classes: Sequence[str]) -> dict[str, cst.Arg] | None:
    """Returns the arguments of a constructor by their names, if these are the same for all."""
    parameters = [CLASSES[one].positional for one in classes]
    by_name = {}
    for index, argument in enumerate(given):
        if argument.keyword is not None:
            by_name[argument.keyword.value] = argument
            continue
        name, *others = {one[index] if index < len(one) else None for one in parameters}
        if name is None or others:
            return None
        by_name[name] = argument
    return by_name


class _Arguments:
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

    def mapped(self) -> Rewrite | Review | None:
        """Returns the rewrite, or why there is none; nothing if all is right as it is."""
        epsilon = self.arguments.get("epsilon")
        if epsilon is not None and self._stands_for_nothing(epsilon.value):
            source = self.tree.source(epsilon.value)
            edit = Edit(*self.tree.full_span(epsilon.value), "1e-7")
            self._change(f"epsilon={source} stood for the default", edit)
        rate = self.arguments.get("learning_rate") or self.arguments.get("lr")
        review = self._rate_review(rate) if rate is not None else None
        if review is not None:
            return review
        decay = self.arguments.get("decay")
        if decay is not None and not self._stands_for_nothing(decay.value):
            return Review(
                "Keras 3 takes no notice of `decay`",
                "Give it a schedule for the learning rate: InverseTimeDecay(learning_rate, 1, "
                "decay), and change what reads or sets the rate.",
            )
        if decay is not None:
            removed = remove_item(self.tree, self.call.args, [decay])
            self._change("`decay` stood for nothing", *removed)
        if rate is not None:
            self._rename_rate(rate)
        return rewrite("; ".join(self.messages), self.edits) if self.edits else None

    def _change(self, message: str, *edits: Edit) -> None:
        self.messages.append(message)
        self.edits += edits

    def _rename_rate(self, rate: cst.Arg) -> None:
        if rate.keyword is not None and rate.keyword.value == "lr":
            edit = Edit(*self.tree.span(rate.keyword), "learning_rate")
            self._change("`lr` is `learning_rate`", edit)
        text = self._as_float(rate.value)
        if text != self.tree.source(rate.value):
            edit = Edit(*self.tree.full_span(rate.value), text)
            self._change("Keras 3 takes no whole number for the learning rate", edit)

    def _rate_review(self, rate: cst.Arg) -> Review | None:
        for value in self._values(rate.value):
            path = self.program.resolver.path(value.func) if isinstance(value, cst.Call) else None
            last = (path or "").rpartition(".")[2]
            if last in _NO_FLOATS and not (path or "").startswith("keras"):
                return Review(
                    f"Keras 3 takes no {last} for the learning rate",
                    "Give it a Python float, and assign to the optimizer's `learning_rate` what "
                    "is to change.",
                )
            if isinstance(value, cst.Name) and value.value == "None":
                return Review("the learning rate is None", "Give it a Python float.")
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
        is_whole = any(isinstance(one, cst.Integer) for one in self._values(node))
        return f"float({source})" if is_whole else source

    def _stands_for_nothing(self, node: cst.BaseExpression) -> bool:
        try:
            value = constant(self.tree.source(node))
        except ValueError:
            return False
        return value is None or (isinstance(value, int | float) and value == 0)
