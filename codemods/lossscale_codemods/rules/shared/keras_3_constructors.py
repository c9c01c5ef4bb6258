# SPDX-License-Identifier: Apache-2.0
"""What the constructor of an optimizer becomes in Keras 3."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Usage
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.editing.edits import append_arguments
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.rules.shared.keras_3_arguments import UNPACKED, ArgumentMapping
from lossscale_codemods.vocabulary.keras_3_optimizers import (
    CLASSES,
    CLIPS,
    REFUSED,
    SPARSE,
    class_at,
)
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program

_SQUARED = {"1e-7": "1e-14", "1e-07": "1e-14", "1e-8": "1e-16", "1e-08": "1e-16"}
_SUBCLASS = Review(
    "Keras 3 calls other methods of an optimizer's subclass, and has no OptimizerV2",
    "Implement `build` and `update_step` in its place.",
)


class OptimizerConstructors:
    """The constructors of optimizers in one file.

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
        if not names:
            return self._of_module(node)
        usage = self.program.usage(Occurrence(node, self.tree.span(node), Role.LATER))
        if usage is Usage.BASE_CLASS:
            return _SUBCLASS
        classes = [name for name in sorted(names) if name in CLASSES]
        if not classes:
            return None
        above = self.tree.parent(node)
        if usage is Usage.CALLED and isinstance(above, cst.Call):
            return self._of_call(above, classes)
        if usage is Usage.MEMBER:
            return self._of_member(node)
        if usage not in (Usage.VALUE, Usage.CUSTOM_OBJECT):
            return None
        call = self.tree.parent(above) if isinstance(above, cst.Arg) else None
        if isinstance(call, cst.Call) and self.program.resolver.path(call.func) == (
            "functools.partial"
        ):
            refusal = self._of_arguments(call, call.args[1:], classes)
            return refusal if isinstance(refusal, Review) else self.otherwise(classes, None)
        return self.otherwise(classes, None)

    def _of_module(self, node: cst.BaseExpression) -> Review | None:
        """Says what becomes of the module of one family, where it is used as a whole."""
        above = self.tree.parent(node)
        kept = cst.Attribute | cst.Assign | cst.AnnAssign | cst.ImportAlias
        if isinstance(above, kept):
            return None
        return Review(
            "the module is passed on, so which optimizers are made of it cannot be seen here",
            "Pass on tf.keras.optimizers: Keras 3 has no other family.",
        )

    def _of_member(self, node: cst.BaseExpression) -> Review | None:
        member = self.tree.parent(node)
        call = self.tree.parent(member) if member is not None else None
        if not isinstance(member, cst.Attribute) or member.attr.value != "from_config":
            return None
        if isinstance(call, cst.Call) and len(call.args) == 1:
            config = call.args[0].value
            func = config.func if isinstance(config, cst.Call) else None
            if isinstance(func, cst.Attribute) and func.attr.value == "get_config":
                return None
        return Review(
            "configs of old optimizers have `decay`, of which Keras 3 takes no notice, and may "
            "have `lr`, which it refuses",
            "Make the optimizer from the values of the config that it has today.",
        )

    def unnamed_calls(self) -> Iterator[cst.Call]:
        """Yields calls that make an optimizer of a class that is looked up, with old arguments."""
        for node in self.tree.parents:
            if not isinstance(node, cst.Call):
                continue
            given = {a.keyword.value for a in node.args if a.keyword is not None}
            is_unpacked = any(argument.star == "**" for argument in node.args)
            if not is_unpacked and not given & {"lr", "decay", *REFUSED}:
                continue
            paths = self.program.resolver.paths(node.func)
            if any(path is not None and class_at(path) for path in paths):
                continue
            is_optimizer = self.program.types.of(node) == {ObjectType.KERAS}
            if (is_optimizer and self._is_class(node.func)) or self._is_default(node.func):
                yield node

    def _is_class(self, func: cst.BaseExpression) -> bool:
        """Whether what is called is no function of the project's own."""
        bindings = self.program.resolver.bindings(func)
        return not any(binding.kind is BindingKind.FUNCTION for binding in bindings)

    def _is_default(self, func: cst.BaseExpression) -> bool:
        """Whether what is called is a parameter that a class of optimizers is the default of."""
        return any(
            isinstance(binding.node, cst.Param)
            and binding.node.default is not None
            and any(
                path is not None and class_at(path)
                for path in self.program.resolver.paths(binding.node.default)
            )
            for binding in self.program.resolver.bindings(func)
        )

    def of_unnamed(self, node: cst.BaseExpression) -> Review:
        """Says what to do about a call of a class that is looked up."""
        call = self.tree.parent(node)
        assert isinstance(call, cst.Call)
        given = {a.keyword.value for a in call.args if a.keyword is not None}
        if not given & {"lr", "decay", *REFUSED}:
            return UNPACKED
        wrong = ", ".join(f"`{name}`" for name in sorted(given & {"lr", "decay", *REFUSED}))
        return Review(
            f"optimizers of Keras 3 do not take {wrong}",
            "Give them `learning_rate`, and a schedule such as InverseTimeDecay in the place of "
            "`decay`.",
        )

    def _of_call(self, call: cst.Call, classes: Sequence[str]) -> Rewrite | Review | None:
        mapped = self._of_arguments(call, call.args, classes)
        if isinstance(mapped, Review):
            return mapped
        return self.otherwise(classes, call) or mapped

    def _of_arguments(
        self, call: cst.Call, given: Sequence[cst.Arg], classes: Sequence[str]
    ) -> Rewrite | Review | None:
        """Maps the arguments of a constructor."""
        if any(argument.star for argument in given):
            return UNPACKED
        arguments = self._by_name(given, classes)
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
        return ArgumentMapping(self.program, call, arguments, classes).result()

    @staticmethod
    def _by_name(given: Sequence[cst.Arg], classes: Sequence[str]) -> dict[str, cst.Arg] | None:
        by_name = {}
        for index, argument in enumerate(given):
            if argument.keyword is not None:
                by_name[argument.keyword.value] = argument
                continue
            names = set()
            for one in classes:
                positional = (*CLASSES[one].positional, "name")
                if index >= len(positional):
                    return None
                names.add(positional[index])
            if len(names) > 1:
                return None
            by_name[names.pop()] = argument
        return by_name

    def otherwise(self, classes: Sequence[str], call: cst.Call | None) -> Review | None:
        """Says what Keras 3's class computes otherwise, if it does.

        Args:
            classes: The names of the classes that it can be.
            call: The call that makes it, if there is one.
        """
        for name in classes:
            computes = CLASSES[name].computes
            if computes and not (name == "RMSprop" and self._has_momentum(call)):
                review = Review(
                    computes,
                    "Train with another optimizer, or see whether the model trains as well.",
                )
                if name == "RMSprop" and call is not None and len(classes) == 1:
                    review.unsafe_fix = self._with_square(call)
                return review
        if self._has_sparse_gradients and not self._is_plain(classes, call):
            return Review(
                "Keras 3 applies gradients that hold some rows of a variable alone, as those of an "
                "Embedding are, otherwise: the state of the other rows moves too",
                "See whether the model trains as well; SGD without momentum does the same.",
            )
        return None

    def _has_momentum(self, call: cst.Call | None) -> bool:
        momentum = self._argument(call, "momentum", 2)
        value = self._constant(momentum.value) if momentum is not None else None
        return isinstance(value, int | float) and value > 0

    def _is_plain(self, classes: Sequence[str], call: cst.Call | None) -> bool:
        """Whether it is SGD without momentum."""
        if list(classes) != ["SGD"] or call is None or any(a.star for a in call.args):
            return False
        momentum = self._argument(call, "momentum", 1)
        return momentum is None or self._constant(momentum.value) in (0, 0.0)

    @staticmethod
    def _argument(call: cst.Call | None, name: str, place: int) -> cst.Arg | None:
        for index, argument in enumerate(call.args if call is not None else ()):
            by_name = argument.keyword is not None and argument.keyword.value == name
            if by_name or (argument.keyword is None and not argument.star and index == place):
                return argument
        return None

    def _constant(self, node: cst.BaseExpression) -> object:
        try:
            return constant(self.tree.source(node))
        except ValueError:
            return None

    def _with_square(self, call: cst.Call) -> Rewrite | None:
        """Returns what makes RMSprop the same for gradients far from its epsilon."""
        epsilon = self._argument(call, "epsilon", 3)
        message = "with the square of its epsilon, which Keras 3 adds under the root"
        if epsilon is not None:
            source = self.tree.source(epsilon.value)
            edit = Edit(*self.tree.full_span(epsilon.value), f"({source}) ** 2")
            if source in _SQUARED.values():
                return None
            if source in _SQUARED:
                edit = Edit(edit.start, edit.end, _SQUARED[source])
            return Rewrite(message, lambda _: [edit])
        edits = append_arguments(self.tree, call, ["epsilon=1e-14"])
        return Rewrite(message, lambda _: edits)

    @functools.cached_property
    def _has_sparse_gradients(self) -> bool:
        """Whether the program names what makes gradients of some rows."""
        read = {
            node.attr.value if isinstance(node, cst.Attribute) else node.value
            for node in self.program.scopes.scope_of_read
            if isinstance(node, cst.Name | cst.Attribute)
        }
        if SPARSE & read:
            return True
        return others_name(self.program.types.project.modules, SPARSE)
