# SPDX-License-Identifier: Apache-2.0
"""Loss scale objects that a program keeps, and gives to an optimizer or to code that may make one.

The optimizer that stayed takes over the object's arguments and not the object, whose state then no
longer moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.value_uses import Use, UseKind, uses_of
from lossscale_codemods.rules.base import Review
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning, loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

_CONSTANT = frozenset(
    {"get_config", "increment_period", "initial_loss_scale", "multiplier"}
    | {"_increment_period", "_initial_loss_scale", "_multiplier"}
)
"""What a loss scale object tells that its state has no part in."""
_STATE = ("_current_loss_scale", "_num_good_steps", "update")
_ASKING = ("callable", "hasattr", "id", "isinstance", "type")
"""Built-in functions that only ask what an object is."""
_USING = (UseKind.CALLED, UseKind.READ, UseKind.NUMBER, UseKind.TEXT)
_TAKING = (Meaning.OPTIMIZER, Meaning.POLICY)
_OWN_ARGUMENTS = (
    "Give each optimizer arguments of its own if they may scale apart, or keep the shared state "
    "with `--target compat`."
)


def is_given_to_optimizer(call: cst.Call, program: Program) -> bool:
    """Whether a call makes a Keras loss-scale optimizer, or a policy that has Keras make one.

    Args:
        call: The call.
        program: Its file.
    """
    # The graph rewrite, too, if it gets a Keras optimizer.
    return program.types.is_wrapper(call) or _names_taker(call, program)


def _names_taker(call: cst.Call, program: Program) -> bool:
    for path in program.resolver.paths(call.func):
        old = names.lookup(path) if path is not None else None
        if old is not None and old.meaning in _TAKING:
            return True
        if path is not None and frameworks.is_new_optimizer(path):
            return True
    return False


def refusal(node: cst.BaseExpression, call: cst.Call, program: Program) -> Review | None:
    """Says why an optimizer cannot take over just the arguments of a loss scale object.

    Args:
        node: The optimizer's argument.
        call: The optimizer's constructor.
        program: The file.
    """
    source = " ".join(program.tree.source(node).split())
    bindings = program.resolver.bindings(node)
    for value in [node, *(binding.value for binding in bindings)]:
        owner = attribute_owner(value, program.resolver) if value is not None else None
        if owner is not None and program.types.is_wrapper(owner):
            return Review(
                f"{source} is the loss scale of another optimizer: the two share its state",
                _OWN_ARGUMENTS,
            )
    if any(_is_kept_for_calls(binding, call, program) for binding in bindings):
        return Review(
            f"{source} is made once and may be given to several optimizers, which then share its "
            "state",
            "Make the optimizer where the loss scale is made, or give each its own arguments.",
        )
    moving = any(_is_moving(binding.value, program.resolver) for binding in bindings)
    for place in _reads_of_same_variable(node, program):
        for use in uses_of(place, program.resolver):
            outer = program.tree.parent(use.user) if use.user is not None else None
            if isinstance(outer, cst.Call) and outer is not call and use.kind is UseKind.PASSED:
                if moving and is_given_to_optimizer(outer, program):
                    return Review(
                        f"{source} is given to several optimizers, which then share its state",
                        _OWN_ARGUMENTS,
                    )
            elif is_live(use) if moving else _asks_for_state(use):
                line = program.tree.position(program.tree.span(place)[0])[0]
                return Review(
                    f"{source} is also used on line {line}, where its live state matters",
                    "Read the scale from the optimizer there: `optimizer.loss_scale`.",
                )
    return None


def _is_kept_for_calls(binding: Binding, call: cst.Call, program: Program) -> bool:
    """Whether an object is made once, and the call that takes it can run more often."""
    if binding.kind is BindingKind.PARAMETER and isinstance(binding.node, cst.Param):
        return _is_moving(binding.node.default, program.resolver)
    return _is_moving(binding.value, program.resolver) and repeats(binding.node, call, program)


def repeats(start: cst.CSTNode, call: cst.CSTNode, program: Program) -> bool:
    """Whether a call can run more often than another place, such as an assignment.

    Args:
        start: The place.
        call: The call.
        program: The file.
    """
    around = set(program.tree.ancestors(start))
    repeating = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.CompFor, cst.BaseComp)
    return any(
        isinstance(above, repeating) and above not in around
        for above in program.tree.ancestors(call)
    )


def _is_moving(node: cst.CSTNode | None, resolver: Resolver) -> bool:
    """Whether an expression makes a loss scale object whose state an optimizer moves."""
    if not isinstance(node, cst.Call):
        return False
    path = resolver.path(node.func)
    if path is None or loss_scale_class(path) != "DynamicLossScale":
        return False
    multiplier = [
        resolver.scopes.tree.source(argument.value)
        for index, argument in enumerate(node.args)
        if (argument.keyword.value == "multiplier" if argument.keyword else index == 2)
    ]
    # No optimizer of today takes over another multiplier, and the helper says so.
    return all(text in {"2", "2.0", "2."} or not text[0].isdigit() for text in multiplier)


def is_live(use: Use) -> bool:
    """Whether a use asks for an object's state.

    Args:
        use: What is done with the object.
    """
    if use.kind is UseKind.READ and isinstance(use.user, cst.Attribute):
        return use.user.attr.value not in _CONSTANT
    return use.kind in _USING


def is_settled(place: cst.CSTNode, program: Program) -> bool:
    """Whether a use stays right when an optimizer takes the object over.

    Args:
        place: The object.
        program: The file.
    """
    harmless = (UseKind.TESTED, UseKind.IGNORED)
    uses = uses_of(place, program.resolver)
    return all(u.kind in harmless or (u.kind in _USING and not is_live(u)) for u in uses)


def _asks_for_state(use: Use) -> bool:
    """Whether something is called, or asked for a state, which no number and no string has."""
    read = use.user.attr.value if isinstance(use.user, cst.Attribute) else None
    return use.kind is UseKind.CALLED or read in _STATE


def _reads_of_same_variable(node: cst.BaseExpression, program: Program) -> list[cst.CSTNode]:
    """Returns the reads of a variable, whatever it holds there, and of those it is assigned to."""
    waiting: list[cst.CSTNode] = [node]
    reads: dict[cst.CSTNode, None] = {}
    while waiting:
        current = waiting.pop()
        found = [use for binding in program.resolver.bindings(current) for use in binding.uses]
        if isinstance(current, cst.Attribute):
            found += _reads_of_attribute(current.attr.value, program)
        new = [place for place in found if place not in reads]
        reads.update(dict.fromkeys(new))
        for place in [current, *new]:
            statement = program.tree.parent(place)
            if isinstance(statement, cst.Assign) and statement.value is place:
                for target in statement.targets:
                    waiting += _reads_of_target(target.target, program)[:1]
    return list(reads)


def _reads_of_target(target: cst.BaseExpression, program: Program) -> list[cst.CSTNode]:
    if isinstance(target, cst.Attribute):
        return [*_reads_of_attribute(target.attr.value, program)]
    bindings = program.scopes.binding_at.get(target, [])
    return [use for binding in bindings for use in binding.uses]


def _reads_of_attribute(name: str, program: Program) -> list[cst.CSTNode]:
    """Returns the reads of an attribute of anything but a loss-scale optimizer."""
    return [
        read
        for read in program.reads_by_attribute.get(name, [])
        if not (
            (owner := attribute_owner(read, program.resolver)) and program.types.is_wrapper(owner)
        )
    ]


def lost_places(program: Program) -> Iterator[cst.CSTNode]:
    """Yields uses of the state of objects that an optimizer made elsewhere may have taken.

    The second use that gives an object to other code is one: there may be two optimizers then.

    Args:
        program: The file.
    """
    for value, bindings in program.bound_to.items():
        if not _is_moving(value, program.resolver):
            continue
        places = dict.fromkeys(use for binding in bindings for use in binding.uses)
        for binding in bindings:
            if isinstance(binding.node, cst.Attribute):
                reads = program.reads_by_attribute.get(binding.node.attr.value, [])
                places.update(dict.fromkeys(reads))
        uses = [(place, use) for place in places for use in uses_of(place, program.resolver)]
        given = [(place, use) for place, use in uses if _leaves(use, program)]
        if given:
            yield from (place for place, use in uses if is_live(use))
            yield from (place for place, use in given[1:] if use.kind is UseKind.PASSED)


def _leaves(use: Use, program: Program) -> bool:
    """Whether a use hands an object to code that may make an optimizer with it."""
    if use.kind in (UseKind.HELD, UseKind.RETURNED, UseKind.OTHER):
        return True
    call = program.tree.parent(use.user) if use.user is not None else None
    if use.kind is not UseKind.PASSED or not isinstance(call, cst.Call):
        return use.kind is UseKind.NAMED
    if dotted(call.func) in _ASKING and not program.resolver.bindings(call.func):
        return False
    if _names_taker(call, program):
        return False  # The rule for constructors says what there is to say.
    paths = program.resolver.paths(call.func)
    return not paths or not all(p is not None and frameworks.is_framework(p) for p in paths)
