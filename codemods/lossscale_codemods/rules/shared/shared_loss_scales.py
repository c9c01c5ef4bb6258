# SPDX-License-Identifier: Apache-2.0
"""A loss scale object that an optimizer shares with the program, or with another optimizer.

The optimizer that stayed takes over the object's arguments and not the object, whose state then no
longer moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.loss_scale_takers import (
    keras_may_take_objects,
    makes_v1_wrappers,
)
from lossscale_codemods.analysis.same_object import SameObject
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.value_uses import Use, UseKind, uses_of
from lossscale_codemods.rules.base import Review
from lossscale_codemods.rules.shared.handed_on import HandedOn
from lossscale_codemods.rules.shared.respelling import Respelling, respelled
from lossscale_codemods.rules.shared.variable_reads import reads_of_same_variable
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning, loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program

_CONSTANT = frozenset(
    {"get_config", "increment_period", "initial_loss_scale", "multiplier"}
    | {"_increment_period", "_initial_loss_scale", "_multiplier"}
)
"""What a loss scale object tells that its state has no part in."""
_STATE = ("_current_loss_scale", "_num_good_steps", "update")
_ASKING = ("callable", "hasattr", "id", "type")
"""Built-in functions that only ask what an object is."""
_USING = (UseKind.CALLED, UseKind.READ, UseKind.NUMBER, UseKind.TEXT)
_TAKING = (Meaning.OPTIMIZER, Meaning.POLICY)


class SharedLossScales:
    """Answers for the loss scale objects of one file.

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

    def refusal(self, node: cst.BaseExpression, call: cst.Call) -> Review | None:
        """Says why an optimizer cannot take over just the arguments of a loss scale object.

        Args:
            node: The optimizer's argument.
            call: The optimizer's constructor.
        """
        source = " ".join(self.tree.source(node).split())
        if self._is_of_optimizer(node):
            return Review(
                f"{source} is the loss scale of another optimizer: the two share its state",
                "Give each optimizer arguments of its own if they may scale apart, or keep the "
                "shared state with `--target compat`.",
            )
        for origin in self.origins.of(node):
            if origin is None or not self._moves(origin):
                continue
            for place, use in self._uses(origin):
                is_call = self.tree.parent(use.user) is call if use.user is not None else False
                if use.kind is UseKind.PASSED and not is_call and self.takes(use):
                    return Review(
                        f"{source} is given to several optimizers, which then share its state",
                        "Give each optimizer arguments of its own if they may scale apart, or "
                        "keep the shared state with `--target compat`.",
                    )
                if self.is_live(use) and self.respelling(place, call) is None:
                    return self._is_live_at(node, place)
            if self._is_default(origin) or self._is_given_again(origin):
                return Review(
                    f"{source} is made once and may be given to several optimizers, which then "
                    "share its state",
                    "Make the optimizer where the loss scale is made, or give each its own "
                    "arguments.",
                )
        return self._unknown_refusal(node)

    def _is_of_optimizer(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is proven to be the loss scale of an optimizer, old or new."""
        if any(o is not None and self.origins.is_proven(o) for o in self.origins.of(node)):
            return True
        for value in [node, *(b.value for b in self.resolver.bindings(node))]:
            owner = attribute_owner(value, self.resolver) if value is not None else None
            if owner is not None and self.program.types.is_wrapper(owner):
                return True
        return False

    def _unknown_refusal(self, node: cst.BaseExpression) -> Review | None:
        """Says where the program asks for the state of what it gives to an optimizer, if it does.

        Where that comes from is not known; but what is called is no number and no string.
        """
        for place in reads_of_same_variable(node, self.program):
            for use in uses_of(place, self.resolver):
                read = use.user.attr.value if isinstance(use.user, cst.Attribute) else None
                if use.kind is UseKind.CALLED or read in _STATE:
                    return self._is_live_at(node, place)
        return None

    def _is_live_at(self, node: cst.CSTNode, place: cst.CSTNode) -> Review:
        source = " ".join(self.tree.source(node).split())
        line = self.tree.position(self.tree.span(place)[0])[0]
        return Review(
            f"{source} is also used on line {line}, where its live state matters",
            "Read the scale from the optimizer there: `optimizer.loss_scale`.",
        )

    def _is_default(self, origin: cst.CSTNode) -> bool:
        """Whether an object is a parameter's default, which is made once for all calls."""
        return isinstance(self.tree.parent(origin), cst.Param)

    def respelling(self, place: cst.CSTNode, call: cst.Call) -> Respelling | None:
        """Writes a use of a loss scale object as a read of the optimizer that took it.

        Args:
            place: The object.
            call: The constructor that took it.

        Returns:
            The use as it is to be; nothing if it is not proven to see that optimizer.
        """
        statement = self.tree.parent(call)
        bindings = self.resolver.bindings(place)
        if not isinstance(statement, cst.Assign) or len(bindings) != 1:
            return None
        if not self.program.types.is_wrapper(call):
            return None
        target = statement.targets[0].target
        if len(statement.targets) != 1 or not isinstance(target, cst.Name | cst.Attribute):
            return None
        (binding,) = bindings
        if not isinstance(place, cst.BaseExpression) or len(self.origins.of(place)) != 1:
            return None
        name = self.same.spelled_at(target, target, binding, place)
        return None if name is None else respelled(place, name, self.program)

    def is_settled(self, place: cst.CSTNode, call: cst.Call) -> bool:
        """Whether a use stays right, or is respelled, when an optimizer takes the object over."""
        uses = uses_of(place, self.resolver)
        harmless = (UseKind.TESTED, UseKind.IGNORED)
        if all(u.kind in harmless or (u.kind in _USING and not self.is_live(u)) for u in uses):
            return True
        return self.is_respelled(place, call)

    def is_respelled(self, place: cst.CSTNode, call: cst.Call) -> bool:
        """Whether a use becomes a read of the optimizer that took the object over."""
        uses = uses_of(place, self.resolver)
        moving = any(o is not None and self._moves(o) for o in self.origins.of(place))
        live = moving and any(map(self.is_live, uses))
        return live and self.respelling(place, call) is not None

    def live_places(self) -> Iterator[tuple[cst.BaseExpression, cst.Call]]:
        """Yields uses of a shared object's state, each with the constructor that takes it."""
        for origin, calls in self._taken().items():
            for place, use in self._uses(origin):
                if self.is_live(use) and isinstance(place, cst.BaseExpression):
                    yield place, calls[0]

    def lost_places(self) -> Iterator[cst.BaseExpression]:
        """Yields uses of the state of objects that an optimizer made elsewhere may have taken."""
        taken = self._taken()
        for origin in self._objects():
            given = [
                use
                for place, use in self._uses(origin)
                if use.kind is UseKind.PASSED
                and not self.handed_on.is_followed(use, place)
                and not self._keeps_nothing(use)
            ]
            if origin in taken or not given or self._stays_v1(given):
                continue
            for place, use in self._uses(origin):
                if self.is_live(use) and isinstance(place, cst.BaseExpression):
                    yield place

    def _stays_v1(self, uses: Sequence[Use]) -> bool:
        """Whether objects go to functions of the program, none of which gives them to Keras."""
        calls = [self.tree.parent(use.user) if use.user is not None else None for use in uses]
        named = self.program.types.project.modules.named
        return all(
            isinstance(call, cst.Call)
            and isinstance(call.func, cst.Name | cst.Attribute)
            and named(self.resolver, call.func)
            for call in calls
        ) and (makes_v1_wrappers(self.program) and not keras_may_take_objects(self.program))

    def _objects(self) -> list[cst.Call]:
        objects = {o: None for origins in self.origins.places.values() for o in origins}
        return [o for o in objects if isinstance(o, cst.Call) and self._moves(o)]

    def _taken(self) -> dict[cst.Call, list[cst.Call]]:
        """Returns the objects that optimizers take, each with their constructors."""
        takers: dict[cst.Call, list[cst.Call]] = {}
        for origin in self._objects():
            for _, use in self._uses(origin):
                call = self.tree.parent(use.user) if use.user is not None else None
                if self.takes(use) and isinstance(call, cst.Call):
                    takers.setdefault(origin, []).append(call)
        return takers

    def _uses(self, origin: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, Use]]:
        for place, origins in self.origins.places.items():
            if origin in origins:
                for use in uses_of(place, self.resolver):
                    yield place, use

    def _moves(self, origin: cst.CSTNode) -> bool:
        """Whether an expression makes a loss scale object whose state an optimizer moves."""
        if not isinstance(origin, cst.Call) or attribute_owner(origin, self.resolver) is not None:
            return False
        path = self.resolver.path(origin.func)
        if path is None or loss_scale_class(path) != "DynamicLossScale":
            return False
        multiplier = [
            self.tree.source(argument.value)
            for index, argument in enumerate(origin.args)
            if (argument.keyword.value == "multiplier" if argument.keyword else index == 2)
        ]
        # No optimizer of today takes over another multiplier, and the helper says so.
        return all(text in {"2", "2.0", "2."} or not text[0].isdigit() for text in multiplier)

    def is_live(self, use: Use) -> bool:
        """Whether a use asks for an object's state."""
        if use.kind is UseKind.READ and isinstance(use.user, cst.Attribute):
            return use.user.attr.value not in _CONSTANT
        return use.kind in _USING

    def takes(self, use: Use) -> bool:
        """Whether a use gives an object to a Keras optimizer, or to a policy that makes one."""
        call = self.tree.parent(use.user) if use.user is not None else None
        if use.kind is not UseKind.PASSED or not isinstance(call, cst.Call):
            return False
        if self.program.types.is_wrapper(call):
            return True  # The graph rewrite, too, if it gets a Keras optimizer.
        for path in self.resolver.paths(call.func):
            old = names.lookup(path) if path is not None else None
            if old is not None and old.meaning in _TAKING:
                return True
            if path is not None and frameworks.is_new_optimizer(path):
                return True
        return False

    def _keeps_nothing(self, use: Use) -> bool:
        """Whether what an object is given to is TensorFlow's own, or asks only what it is."""
        call = self.tree.parent(use.user) if use.user is not None else None
        if isinstance(call, cst.Call) and dotted(call.func) in _ASKING:
            return not self.resolver.bindings(call.func)
        paths = self.resolver.paths(call.func) if isinstance(call, cst.Call) else frozenset()
        return bool(paths) and all(p is not None and frameworks.is_framework(p) for p in paths)

    def _is_given_again(self, origin: cst.CSTNode) -> bool:
        """Whether an object can be given on more often than it is made."""
        given: dict[frozenset[Binding], list[cst.CSTNode]] = {}
        for place, use in self._uses(origin):
            if use.kind is UseKind.PASSED and place is not origin:
                given.setdefault(self.resolver.bindings(place), []).append(place)
        for bindings, places in given.items():
            if len(places) > 1 or any(
                self.is_repeated(binding.node, places[0]) for binding in bindings
            ):
                return True
        return False

    def is_repeated(self, start: cst.CSTNode, place: cst.CSTNode) -> bool:
        """Whether a place can be run more often than another."""
        around = set(self.tree.ancestors(start))
        repeating = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.CompFor, cst.BaseComp)
        return any(
            isinstance(above, repeating) and above not in around
            for above in self.tree.ancestors(place)
        )
