# SPDX-License-Identifier: Apache-2.0
"""What is read of a loss-scale optimizer: rewritten on a proven one, or reported.

`loss_scale()`, attributes of `loss_scale` and `_optimizer` are rewritten; LS311 reports every other
use.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.domain import (
    ATTRIBUTES,
    Certainty,
    Lookup,
    ObjectType,
    Program,
    Role,
    attribute_owner,
    keras_optimizer,
    lookup_of,
    loss_scale_optimizer,
    makes_optimizers,
)
from lossscale_codemods.rules.base import (
    LOSS_SCALE_PATTERN,
    OLD_NAMES,
    Found,
    Marker,
    Review,
    Rewrite,
    Rule,
    Verdict,
    rewrite,
)
from lossscale_codemods.rules.loss_scale_arguments import is_moving, names_taker, reads_of
from lossscale_codemods.source.syntax_tree import dotted, is_none, key_of, last_name, literal_text
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import WITH_KERAS_3, WITH_LOSS_SCALE, Meaning
from lossscale_codemods.tables.records import Edit

NEW_ATTRIBUTES = {
    "initial_loss_scale": "initial_scale", "_initial_loss_scale": "initial_scale",
    "_loss_scale_value": "initial_scale", "increment_period": "dynamic_growth_steps",
    "_increment_period": "dynamic_growth_steps", "_current_loss_scale": "loss_scale",
    "_num_good_steps": "dynamic_counter",
}  # fmt: skip
"""Attributes of a loss scale object, and those of the optimizer that took their place."""
OLD_ATTRIBUTES = frozenset(
    {*NEW_ATTRIBUTES, "multiplier", "_multiplier", "get_config", "from_config", "update"}
    | {"_weights", "_add_weight"}
)
"""What only a loss scale object had."""
TENSOR_ATTRIBUTES = frozenset({"device", "dtype", "graph", "ndim", "numpy", "op", "shape"})
"""What a loss scale object has, or gives, that the tensor has as well."""
_DISTINCT = ("_current_loss_scale", "_num_good_steps")
_VARIABLES = ("_current_loss_scale",)
"""What was a variable, and is a tensor of this moment."""
_ADVICE = {
    **{name: f"Write `.{new}` of the optimizer instead." for name, new in NEW_ATTRIBUTES.items()},
    "multiplier": "Write 2: the multiplier is always 2.",
    "_current_loss_scale": "It was a variable. Read `loss_scale` of the optimizer where it is "
    "needed; nothing public sets it.",
}
"""What to do about an attribute."""


class LossScaleReads(Rule):
    """`opt.loss_scale()` becomes `opt.loss_scale`, and its attributes those of the optimizer."""

    id = "LS301"
    title = "Calls and attributes of `optimizer.loss_scale`, and the wrapped optimizer"
    markers = (
        *OLD_NAMES,
        Marker(b"loss_scale", tuple(name.encode() for name in _DISTINCT), LOSS_SCALE_PATTERN),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields `x.loss_scale()`, `x.loss_scale.y` and `x._optimizer` of what can be a wrapper."""
        for node in attributes(program, "_optimizer"):
            verdict = _of_inner(node, program)
            if verdict is not None:
                yield self.found(node, program, verdict, Role.FOUND)
        if program.target not in WITH_LOSS_SCALE:
            return
        for node in attributes(program, *ATTRIBUTES):
            call = called(program, node)
            if call is not None and loss_scale_optimizer(node.value, program).can_be:
                yield self.found(node, program, _of_call(node, call, program), Role.FOUND)
        for node in program.tree.nodes(cst.Attribute):
            owner = attribute_owner(node.value, program.resolver)
            if owner is not None and _is_old_attribute(node, owner, program):
                yield self.found(node, program, _of_attribute(node, owner, program), Role.FOUND)


class LossScaleUses(Rule):
    """Every other use of an optimizer's loss scale is reported: kept, passed on, printed or set."""

    id = "LS311"
    title = "Other uses of an optimizer's loss scale"
    targets = WITH_LOSS_SCALE

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the uses."""
        for node in _reads(program):
            if _is_kept(node, program):
                yield self.found(node, program, _KEPT)
        for value in _lost_objects(program):
            yield self.found(value, program, _LOST)
        for part in program.tree.parents if makes_optimizers(program) else ():
            review = _of_reflection(part, program)
            if review is not None and not program.reachability.is_only_new(part):
                yield self.found(part, program, review)


_GETTERS = frozenset({"attrgetter", "methodcaller"})
_WAYS_TO_SET = frozenset({"setattr", "delattr"})
_MEMBERS = frozenset({*ATTRIBUTES, "_optimizer", *NEW_ATTRIBUTES})
"""What optimizers and loss scales had under these names."""
_PARTS = frozenset({"loss_", "_loss_", "loss", "scale", "_scale"})
_FIELD = re.compile(r"\{[^{}]*\.(?:_?loss_scale|_optimizer)\b[^{}]*\}")
"""A field of a text for `str.format` that reads such a member."""
_OLD_KEYS = frozenset({"optimizer", "loss_scale"})
_TO_NUMBER = frozenset({"abs", "bool", "float", "int", "pow", "round"})
_COMPUTING = re.compile(
    r"^numpy\.(?!apply_|frompyfunc|fromfunction|piecewise|vectorize)"
    r"|\.(?:math|debugging|linalg|nn|random)\.\w+$"
    r"|\.(?:reduce|assert|clip_by|to)_\w+$"
    r"|\.(?:Variable|abs|add|add_n|broadcast_to|cast|constant|convert_to_tensor|divide|equal|eval"
    r"|exp|fill|get_value|greater|greater_equal|histogram|identity|less|less_equal|maximum"
    r"|minimum|multiply|negative|not_equal|ones_like|pow|reshape|round|scalar|scalar_mul|shape|sign"
    r"|sqrt|square|squeeze|stack|subtract|tile|truediv|where|zeros_like)$"
)
"""What of NumPy, TensorFlow and Keras takes a tensor, neither calls nor keeps what it is given."""

_KEPT = Review(
    "it was a live object with settings, and is a tensor with the loss scale of this moment now",
    "Keep, give on or ask the optimizer, and read its `loss_scale` where the loss scale is needed. "
    "Later runs do not report it, because a tensor is right there in new code.",
)
_REPLACED = Review(
    "the loss scale of an optimizer cannot be replaced any more",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_LOOKED_UP = Review(
    "the loss scale of an optimizer can be looked up by a name here",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_KEY = Review(
    "it is no key of the new config",
    "Its keys are inner_optimizer, dynamic, initial_scale and dynamic_growth_steps.",
)
_LOST = Review(
    "the object is given to other code, and no longer moves if that makes an optimizer of it: "
    "optimizers do not share its state",
    "Read `loss_scale` of the optimizer where the scale is needed.",
)


def _reads(program: Program) -> Iterator[cst.BaseExpression]:
    """Yields `x.loss_scale` and `getattr(x, "loss_scale")`."""
    yield from attributes(program, *ATTRIBUTES)
    if b"getattr" in program.source:
        for node in program.tree.nodes(cst.Call):
            if attribute_owner(node, program.resolver) is not None:
                yield node


def _of_call(node: cst.Attribute, call: cst.Call, program: Program) -> Verdict:
    """Takes the call off `x.loss_scale()`, if x is proven."""
    brackets = Edit(program.tree.full_span(node)[1], program.tree.span(call)[1], "")
    name = Edit(*program.tree.span(node.attr), "loss_scale")
    uncalled = rewrite("the scale itself, which is no longer called", [brackets, name])
    answer = loss_scale_optimizer(node.value, program)
    if answer.is_sure:
        return uncalled
    is_own = program.resolver.class_of(node.value) is not None
    if isinstance(node.value, cst.Name):  # In `for x in (own, opt)`, it can be of either class.
        classes = (program.scopes.of_node[one] for one in program.tree.nodes(cst.ClassDef))
        is_own = is_own or any(node.attr.value in one.bindings for one in classes)
    return Review(
        answer.reason,
        "If it is one, take off the (): from TensorFlow 2.4 on `loss_scale` is the scale.",
        unsafe_fix=None if is_own else uncalled,
    )


def _of_inner(node: cst.Attribute, program: Program) -> Verdict | None:
    """Respells `x._optimizer` of a loss-scale optimizer, if the file does not ask who has it."""
    asked = (lookup_of(call, program.scopes) for call in program.tree.nodes(cst.Call))
    is_asked = any(one is not None and one.name == node.attr.value for one in asked)
    if is_asked and program.target not in WITH_KERAS_3:
        return None
    start, end = program.tree.full_span(node.value)[1], program.tree.span(node)[1]
    respelled = rewrite(
        "the public name of the wrapped optimizer", [Edit(start, end, ".inner_optimizer")]
    )
    answer = loss_scale_optimizer(node.value, program)
    if answer.is_sure:
        return respelled
    is_self = program.resolver.class_of(node.value) is not None
    is_gone = program.target in WITH_KERAS_3 and not is_self
    if not (is_gone and makes_optimizers(program) and answer.can_be):
        return None
    advice = "If it is one, write `.inner_optimizer`."
    return Review(answer.reason, advice, unsafe_fix=respelled)


def _is_old_attribute(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> bool:
    """Whether an attribute of `x.loss_scale` is one that the object had, and the tensor lacks."""
    name = node.attr.value
    if program.types.is_policy(owner):
        return False
    if program.types.is_wrapper(owner) or name in _DISTINCT:
        is_old = program.old_types.is_wrapper(owner)
        return name in OLD_ATTRIBUTES or (is_old and name not in TENSOR_ATTRIBUTES)
    if name not in OLD_ATTRIBUTES or not makes_optimizers(program):
        return False
    return loss_scale_optimizer(owner, program).can_be


def _of_attribute(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Verdict:
    """Respells what has an equivalent, of proven optimizers."""
    name, above = node.attr.value, program.tree.parent(node)
    is_read = node not in program.scopes.binding_at
    answer = loss_scale_optimizer(owner, program)
    respelled = None
    if name in NEW_ATTRIBUTES and is_read and answer.can_be:
        respelled = _respelled(node, owner, program)
    if name in _VARIABLES and answer.is_sure and not _is_logged(node, above):
        respelled = None
    if answer.is_sure and respelled is not None and name not in _VARIABLES:
        return respelled
    message = f"{name} of the loss scale object has no equivalent on the optimizer"
    advice = _ADVICE.get(name, "Read loss_scale, initial_scale or dynamic_growth_steps of it.")
    if not is_read:
        advice = "Make a new LossScaleOptimizer to change what it has been made with."
    return Review(message if answer.is_sure else answer.reason, advice, unsafe_fix=respelled)


def _is_logged(node: cst.Attribute, above: cst.CSTNode | None) -> bool:
    """Whether something is only kept under a key, as what is logged is."""
    if isinstance(above, cst.Assign):
        return all(isinstance(target.target, cst.Subscript) for target in above.targets)
    return isinstance(above, cst.DictElement) and above.value is node


def _respelled(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Rewrite:
    new, (start, end) = NEW_ATTRIBUTES[node.attr.value], program.tree.span(node)
    before = program.tree.text[max(start - 1, 0) : start].decode("utf-8", "replace")
    blank = " " if before.isidentifier() or before.isdigit() else ""  # `return(x).y`
    edits = [Edit(start, end, f"{blank}{program.tree.source(owner)}.{new}")]
    return rewrite(f"{node.attr.value} is {new} of the optimizer", edits)


def _is_kept(node: cst.BaseExpression, program: Program) -> bool:
    """Whether a loss scale is read, and taken for the live object that it was."""
    owner = attribute_owner(node, program.resolver)
    if owner is None or node in program.scopes.binding_at:
        return False
    name = node.attr.value if isinstance(node, cst.Attribute) else ""
    is_called = bool(name) and called(program, node) is not None
    if is_called or isinstance(program.tree.parent(node), cst.Attribute):
        return False  # Calls and attributes are another rule's business.
    is_private = name == "_loss_scale"
    return (
        (is_private or not _is_tensor_at_once(node, program))
        and _can_be_old(owner, program)
        and not program.reachability.is_only_new(node)
    )


def _is_tensor_at_once(node: cst.CSTNode, program: Program) -> bool:
    """Whether a value is used at once in a way that a tensor can be, and an object could not."""
    above = program.tree.parent(node)
    match above:
        case cst.Attribute(attr=name):
            return name.value in TENSOR_ATTRIBUTES
        case cst.Comparison(comparisons=[target]):
            by_identity = cst.Is | cst.IsNot | cst.In | cst.NotIn
            return is_none(target.comparator) or not isinstance(target.operator, by_identity)
        case cst.BinaryOperation(operator=cst.Modulo(), left=cst.SimpleString()):
            return False
        case cst.FormattedStringExpression(format_spec=spec):
            return bool(spec)
        case cst.Element():
            around = program.tree.parent(above)
            return around is not None and _is_tensor_at_once(around, program)
        case cst.Arg():
            return _computes(program.tree.parent(above), program)
    plain = cst.BinaryOperation | cst.UnaryOperation | cst.AugAssign | cst.ComparisonTarget
    return isinstance(above, plain | cst.Expr | cst.If | cst.While | cst.Assert)


def _computes(call: cst.CSTNode | None, program: Program) -> bool:
    """Whether a call takes a number, and neither calls nor keeps what it is given."""
    if not isinstance(call, cst.Call):
        return False
    name = dotted(call.func) or ""
    if not program.resolver.bindings(call.func) and name in _TO_NUMBER:
        return True
    return program.resolver.is_only(call.func, _COMPUTING.search)


def _names_old_class(program: Program) -> bool:
    return any(one.meaning is Meaning.OPTIMIZER for one in program.references)


def _can_be_old(node: cst.BaseExpression, program: Program, *, is_read: bool = True) -> bool:
    """Whether an expression is an optimizer of the old class, or has the name of one.

    Where a loss scale is read of it, any name will do in a file that names the old class.
    """
    if program.old_types.is_wrapper(node):
        return True
    if not program.references and not program.runs_with_old:
        return False
    kinds, old_kinds = program.types.of(node), program.old_types.of(node)
    if ObjectType.OTHER in old_kinds - kinds and ObjectType.WRAPPER not in old_kinds:
        return False  # The class that stayed makes it.
    answer = loss_scale_optimizer(node, program)
    if answer.certainty is Certainty.PROVEN:
        return ObjectType.KERAS in kinds  # As of a model: it may be the new class.
    if answer.certainty is not Certainty.LIKELY or program.resolver.class_of(node) is not None:
        return False
    is_name = is_read and isinstance(node, cst.Name) and _names_old_class(program)
    is_tested = ObjectType.WRAPPER in kinds
    return is_name or is_tested or keras_optimizer(node, program).can_be


def _of_reflection(node: cst.CSTNode, program: Program) -> Review | None:
    """Says what to do about what sets a loss scale, looks it up or describes it."""
    found = lookup_of(node, program.scopes)
    if found is not None:
        return _of_lookup(found, program)
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(name)) if name in ATTRIBUTES:
            is_set = node in program.scopes.binding_at
            return _REPLACED if is_set and _can_be_old(owner, program, is_read=False) else None
        case cst.SimpleString(value=text):
            return _LOOKED_UP if _FIELD.search(text) and _names_old_class(program) else None
        case cst.Subscript(
            value=cst.Call(func=cst.Attribute(value=owner, attr=cst.Name("get_config")))
        ):
            is_old_key = key_of(node) in _OLD_KEYS
            return _KEY if is_old_key and _can_be_old(owner, program, is_read=False) else None
        case cst.Call() if last_name(node.func) in _GETTERS:
            texts = [literal_text(argument.value) for argument in node.args]
            named = any(text and not _MEMBERS.isdisjoint(text.split(".")) for text in texts)
            is_built = None in texts and _names_member(program) and _names_old_class(program)
            return _LOOKED_UP if named or is_built else None
    return None


def _of_lookup(found: Lookup, program: Program) -> Review | None:
    """Says what to do about `setattr(x, name, y)`, `vars(x)` and the like."""
    owner, name, way = found
    if way in _WAYS_TO_SET:
        is_set = name in _MEMBERS and _can_be_old(owner, program, is_read=False)
        return _REPLACED if is_set else None
    if way in ("hasattr", "in") or (way == "getattr" and name is not None):
        return None  # It only asks, or is a read like another.
    is_old = program.old_types.is_wrapper(owner)
    can_be = is_old or (_names_member(program) and _can_be_old(owner, program))
    return _LOOKED_UP if can_be else None


def _names_member(program: Program) -> bool:
    """Whether a string of the file is the name of an old member, or a part that is joined."""

    def is_named() -> bool:
        return any(
            text.raw_value in _MEMBERS
            or (
                text.raw_value in _PARTS
                and isinstance(program.tree.parent(text), cst.BinaryOperation)
            )
            for text in program.tree.nodes(cst.SimpleString)
        )

    return program.remembered("names a member", is_named)


def _lost_objects(program: Program) -> Iterator[cst.CSTNode]:
    """Yields objects that code gets which may make an optimizer, and that are used besides."""
    for value, bindings in program.bound_to.items():
        if not is_moving(value, program.resolver):
            continue
        reads = dict.fromkeys(read for binding in bindings for read in reads_of(binding, program))
        takers = [program.tree.taker_of(read) for read in reads]
        if any(taker is not None and names_taker(taker, program) for taker in takers):
            continue  # The rule for constructors says what there is to say.
        if len(reads) > 1 and any(_leaves(read, program) for read in reads):
            yield value


def _leaves(read: cst.CSTNode, program: Program) -> bool:
    """Whether a read hands an object to code that may make an optimizer with it."""
    call = program.tree.taker_of(read)
    if call is None:
        kept = cst.Assign | cst.DictElement | cst.Element | cst.NamedExpr | cst.Return
        return isinstance(program.tree.parent(read), kept)
    name = dotted(call.func) or ""
    if hasattr(builtins, name) and not program.resolver.bindings(call.func):
        return False
    return not program.resolver.is_only(call.func, frameworks.is_framework)


def attributes(program: Program, *names: str) -> Iterator[cst.Attribute]:
    """Yields every read of an attribute of one of these names."""
    for name in names:
        yield from program.reads_by_attribute.get(name, [])


def called(program: Program, node: cst.CSTNode) -> cst.Call | None:
    """Returns the call `node()` without arguments, if it is one."""
    call = program.tree.call_of(node)
    return call if call is not None and not call.args else None
