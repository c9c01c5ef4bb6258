# SPDX-License-Identifier: Apache-2.0
"""What becomes of a value: the places that can use it, and the order in which parts run."""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import TYPE_CHECKING, Final

import libcst as cst

from lossscale_codemods.python.reaching_definitions import is_type_assertion
from lossscale_codemods.source.syntax_tree import children, dotted, is_none
from lossscale_codemods.tables import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.python.name_resolution import Resolver


_BUILTINS = frozenset(
    {"abs", "bool", "dict", "float", "int", "isinstance", "len", "list", "max", "min", "round"}
    | {"str", "tuple"}
)


def may_have_effects(resolver: Resolver, node: cst.CSTNode) -> bool:
    """Whether evaluating an expression can change anything, or depends on when it is done.

    Reading attributes and items is taken for harmless.
    """
    return any(not _is_harmless(resolver, one) for one in _evaluated(node))


def _is_harmless(resolver: Resolver, node: cst.CSTNode) -> bool:
    """Whether a call, or the like, does nothing but make an object."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name | cst.Attribute):
        return False
    if isinstance(node.func, cst.Name) and node.func.value in _BUILTINS:
        return not resolver.bindings(node.func)
    paths = resolver.paths(node.func)
    return bool(paths) and all(path is not None and _only_makes(path) for path in paths)


def _only_makes(path: str) -> bool:
    old = names.lookup(path)
    return (
        (old is not None and old.is_loss_scale)
        or frameworks.is_keras_optimizer(path)
        or frameworks.is_new_optimizer(path)
        or frameworks.is_v1_optimizer(path)
    )


def _evaluated(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yields the calls and the like in an expression or a simple statement."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, cst.Call | cst.Await | cst.Yield | cst.NamedExpr):
            yield current
        if isinstance(current, cst.Lambda):
            stack.append(current.params)
        else:
            stack.extend(children(current))


class UseKind(enum.Enum):
    """What an expression's value is used for."""

    CALLED = "called"
    READ = "asked for an attribute"
    NUMBER = "used as a number at once"
    TEXT = "printed"
    TESTED = "tested with isinstance"
    NAMED = "given a name"
    PASSED = "given to a function"
    RETURNED = "returned"
    HELD = "put into a container"
    IGNORED = "not looked into"
    OTHER = "used otherwise"


@dataclasses.dataclass(frozen=True)
class Use:
    """One use of a value.

    Attributes:
        kind: What it is used for.
        node: The expression that has the value there.
        user: The node around it that uses it.
    """

    kind: UseKind
    node: cst.CSTNode
    user: cst.CSTNode | None


_BY_NODE: Final[list[tuple[tuple[type[cst.CSTNode], ...], UseKind]]] = [
    ((cst.Attribute,), UseKind.READ),
    ((cst.AugAssign,), UseKind.NUMBER),
    ((cst.Assign, cst.AnnAssign), UseKind.NAMED),
    ((cst.Return, cst.Lambda), UseKind.RETURNED),
    ((cst.DictElement,), UseKind.HELD),
    ((cst.Expr, cst.If, cst.While, cst.Assert, cst.IfExp), UseKind.IGNORED),
]
"""The kinds of nodes that each stand for one kind of use."""
_TO_NUMBER = frozenset({"float", "int", "abs", "round", "complex", "pow", "bool"})
_TO_TEXT = frozenset({"print", "str", "repr", "ascii"})
_COMPUTING = re.compile(
    r"\.(?:math|debugging|linalg|nn|random)\.\w+$"
    r"|\.(?:reduce|assert|clip_by|to)_\w+$"
    r"|\.(?:Variable|abs|add|add_n|broadcast_to|cast|constant|convert_to_tensor|divide|equal|eval"
    r"|exp|fill|get_value|greater|greater_equal|histogram|identity|less|less_equal|maximum"
    r"|minimum|multiply|negative|not_equal|ones_like|pow|reshape|round|scalar|scalar_mul|shape|sign"
    r"|sqrt|square|squeeze|stack|subtract|tile|truediv|where|zeros_like)$"
)
"""What of TensorFlow and Keras takes a tensor, neither calls nor keeps what it is given."""
_CALLING_IN_NUMPY = ("apply_", "frompyfunc", "fromfunction", "piecewise", "vectorize")
_TESTING = ("assertA", "assertE", "assertG", "assertL", "assertNotE", "evaluate")
"""How the methods of test cases begin that compare numbers."""
_ASKING_FOR_NONE = ("assertIsNone", "assertIsNotNone")
_TEXT_DIRECTIVE = re.compile(r"%(?:\(\w*\))?[-#0 +]*[\d.*]*[sra]")


def uses_of(node: cst.CSTNode, resolver: Resolver) -> list[Use]:
    """Returns what an expression's value is used for: once, or more with an inline assignment.

    Args:
        node: The expression.
        resolver: Knows what the names around it stand for.
    """
    tree = resolver.scopes.tree
    uses: list[Use] = []
    while True:
        above = tree.parent(node)
        if isinstance(above, cst.NamedExpr) and above.value is node:
            uses.append(Use(UseKind.NAMED, node, above))
        elif not isinstance(above, cst.BooleanOperation) and not (
            isinstance(above, cst.IfExp) and above.test is not node
        ):
            break
        node = above
    return [*uses, Use(_kind(node, above, resolver), node, above)]


def _kind(node: cst.CSTNode, above: cst.CSTNode | None, resolver: Resolver) -> UseKind:
    for kinds, use in _BY_NODE:
        if isinstance(above, kinds):
            return use
    if isinstance(above, cst.Call):
        return UseKind.OTHER if above.args else UseKind.CALLED
    if isinstance(above, cst.UnaryOperation):
        is_not = isinstance(above.operator, cst.Not)
        return UseKind.IGNORED if is_not else UseKind.NUMBER
    if isinstance(above, cst.BinaryOperation):
        return _formatted(above) or UseKind.NUMBER
    if isinstance(above, cst.Comparison | cst.ComparisonTarget):
        return _compared(node, above, resolver)
    if isinstance(above, cst.Element):
        around = resolver.scopes.tree.parent(above)
        operation = resolver.scopes.tree.parent(around) if around is not None else None
        text = None
        if isinstance(operation, cst.BinaryOperation) and isinstance(around, cst.Tuple):
            text = _formatted(operation)
        if isinstance(around, cst.List | cst.Tuple) and isinstance(operation, cst.Arg):
            given = _argument(operation, resolver)
            text = given if given in (UseKind.NUMBER, UseKind.TEXT) else None
        return text or UseKind.HELD
    if isinstance(above, cst.FormattedStringExpression):
        has_format = above.conversion is None and above.format_spec and above.expression is node
        return UseKind.NUMBER if has_format else UseKind.TEXT
    if isinstance(above, cst.Arg):
        return _argument(above, resolver)
    return UseKind.OTHER


def _formatted(operation: cst.BinaryOperation) -> UseKind | None:
    """Returns what `"..." % value` makes of a value; nothing if it is no such operation."""
    left = operation.left
    if not isinstance(operation.operator, cst.Modulo) or not isinstance(left, cst.BaseString):
        return None
    is_number = isinstance(left, cst.SimpleString) and not _TEXT_DIRECTIVE.search(left.value)
    return UseKind.NUMBER if is_number else UseKind.TEXT


def _compared(node: cst.CSTNode, above: cst.CSTNode, resolver: Resolver) -> UseKind:
    comparison = above
    if isinstance(above, cst.ComparisonTarget):
        parent = resolver.scopes.tree.parent(above)
        if parent is None:
            return UseKind.OTHER
        comparison = parent
    if not isinstance(comparison, cst.Comparison):
        return UseKind.OTHER
    sides = [comparison.left, *(target.comparator for target in comparison.comparisons)]
    operators = [target.operator for target in comparison.comparisons]
    others = [side for side in sides if side is not node]
    if all(is_none(side) for side in others):
        return UseKind.IGNORED
    if any(isinstance(one, cst.Is | cst.IsNot | cst.In | cst.NotIn) for one in operators):
        return UseKind.OTHER
    texts = any(isinstance(side, cst.BaseString) for side in others)
    return UseKind.OTHER if texts else UseKind.NUMBER


def _argument(argument: cst.Arg, resolver: Resolver) -> UseKind:
    call = resolver.scopes.tree.parent(argument)
    if not isinstance(call, cst.Call) or argument.star:
        return UseKind.OTHER
    name = dotted(call.func)
    if name is not None and not resolver.bindings(call.func):
        if name in _TO_NUMBER:
            return UseKind.NUMBER
        if name in _TO_TEXT:
            return UseKind.TEXT
        if name == "format":
            return UseKind.NUMBER if len(call.args) > 1 else UseKind.TEXT
        if name == "isinstance":
            return UseKind.TESTED
    if is_type_assertion(call) and argument is call.args[0]:
        return UseKind.TESTED
    func = call.func
    if isinstance(func, cst.Attribute) and isinstance(func.value, cst.BaseString):
        if func.attr.value != "format":
            return UseKind.OTHER
        text = func.value.value if isinstance(func.value, cst.SimpleString) else ""
        return UseKind.NUMBER if ":" in text and "{}" not in text else UseKind.TEXT
    if isinstance(func, cst.Attribute) and func.attr.value in _ASKING_FOR_NONE:
        return UseKind.IGNORED
    if isinstance(func, cst.Attribute) and func.attr.value.startswith(_TESTING):
        return UseKind.NUMBER
    paths = resolver.paths(func)
    if paths and all(path is not None and _computes(path) for path in paths):
        return UseKind.NUMBER
    return UseKind.PASSED


def _computes(path: str) -> bool:
    """Whether what is at a path takes a tensor, and neither calls nor keeps an object."""
    if path.startswith("numpy."):
        return not path.removeprefix("numpy.").startswith(_CALLING_IN_NUMPY)
    return frameworks.is_framework(path) and _COMPUTING.search(path) is not None
