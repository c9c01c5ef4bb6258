# SPDX-License-Identifier: Apache-2.0
"""What an object is: an optimizer, of which kind, or a model that is compiled, and why.

Rules ask one question and get one of four answers. A proven optimizer is rewritten, and so is one
that a recorded run saw. What is only likely gets a finding, with an unsafe fix.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

import libcst as cst

from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType, Value
from lossscale_codemods.python import (
    BindingKind,
    ProjectClass,
    Resolver,
    Scope,
    class_of_self,
    lookup_of,
)
from lossscale_codemods.source.syntax_tree import argument_of, dotted
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import Meaning

ATTRIBUTES = ("loss_scale", "_loss_scale")
"""What an optimizer's loss scale was reached by."""


def attribute_owner(node: cst.CSTNode, resolver: Resolver) -> cst.BaseExpression | None:
    """Returns `x` of `x.loss_scale` and of `getattr(x, "loss_scale")`."""
    if isinstance(node, cst.Attribute) and node.attr.value in ATTRIBUTES:
        return node.value
    found = lookup_of(node, resolver.scopes)
    is_read = found is not None and found.way == "getattr" and found.name in ATTRIBUTES
    return found.owner if found is not None and is_read else None


KERAS_WRAPPER = ("keras", "LossScaleOptimizer")
"""What the names of the classes of Keras' loss-scale optimizers have in them."""
_SETTINGS = ("args", "cfg", "conf", "flags", "opts", "options", "param", "policy", "settings")
_MAKING = frozenset({Meaning.OPTIMIZER, Meaning.REWRITE})
_WRAPPING = frozenset({Meaning.SET_POLICY, Meaning.POLICY, Meaning.POLICY_SCOPE})
"""What has Keras wrap the optimizers of the models that a program compiles."""
_WRAPPED = {ObjectType.KERAS: ObjectType.WRAPPER, ObjectType.V1: ObjectType.V1_WRAPPER}


class Certainty(enum.Enum):
    """How sure it is what an expression is."""

    PROVEN = "the file says so"
    OBSERVED = "a recorded run saw it"
    LIKELY = "it can be, and nothing says that it is not"
    NO = "it is something else, or nothing says that it is"


class Answer(NamedTuple):
    """What an expression is.

    Attributes:
        certainty: How sure that is.
        reason: Why, for a finding.
        kind: What it is, or may be.
    """

    certainty: Certainty
    reason: str
    kind: ObjectType = ObjectType.WRAPPER

    @property
    def is_sure(self) -> bool:
        """Whether the expression is of the kind."""
        return self.certainty in (Certainty.PROVEN, Certainty.OBSERVED)

    @property
    def can_be(self) -> bool:
        """Whether it is of the kind, or is likely to be."""
        return self.certainty is not Certainty.NO


PROVEN = Answer(Certainty.PROVEN, "this is a loss-scale optimizer")
OBSERVED = Answer(Certainty.OBSERVED, "a recorded run saw a loss-scale optimizer here")
LIKELY = Answer(Certainty.LIKELY, "that this is a loss-scale optimizer is not proven in this file")
UNSAID = Answer(Certainty.NO, "nothing says that this is a loss-scale optimizer")
_OPTIMIZER = Answer(Certainty.PROVEN, "this is an optimizer", ObjectType.KERAS)
_MAYBE_OPTIMIZER = Answer(
    Certainty.LIKELY, "that this is an optimizer is not proven in this file", ObjectType.KERAS
)
_OF_NO_KIND = Answer(
    Certainty.NO, "whether it is a v1 or a Keras optimizer is not proven", ObjectType.UNKNOWN
)


def what_is(node: cst.BaseExpression, program: Program) -> Answer:
    """Says whether an optimizer is one of Keras or of TensorFlow 1, before it is wrapped.

    An answer that is only likely goes by what the file makes, and whether it compiles models.
    """
    kinds = program.types.of(node)
    for kind, wrapped in _WRAPPED.items():
        # What is wrapped already was refused, and is refused today.
        if kind in kinds and kinds <= {kind, wrapped, ObjectType.NOTHING}:
            return Answer(Certainty.PROVEN, f"it is a {kind.value}", kind)
    found = set(_pointed_at(program))
    if len(found) != 1:
        return _OF_NO_KIND
    (likely,) = found
    return Answer(Certainty.LIKELY, f"the file points at a {likely.value}", likely)


def _pointed_at(program: Program) -> Iterator[ObjectType]:
    """Yields what kinds of optimizers a file makes, or compiles a model with."""
    for node in program.tree.nodes(cst.Call):
        path = program.resolver.path(node.func)
        if path is not None and frameworks.is_keras_optimizer(path):
            yield ObjectType.KERAS
        elif path is not None and frameworks.is_v1_optimizer(path):
            yield ObjectType.V1
        elif path is None and (dotted(node.func) or "").endswith(".compile"):
            yield ObjectType.KERAS


def optimizer_kinds(node: cst.BaseExpression, program: Program) -> frozenset[ObjectType]:
    """Returns which optimizers of Keras an expression can be, if it surely is one; else nothing."""
    kinds, optimizers = program.types.of(node), {ObjectType.KERAS, ObjectType.WRAPPER}
    is_one = kinds <= {*optimizers, ObjectType.NOTHING, ObjectType.OTHER}
    return kinds & optimizers if is_one else frozenset()


def keras_optimizer(node: cst.BaseExpression, program: Program) -> Answer:
    """Says whether an expression is an optimizer of Keras, whether it scales the loss or not."""
    if optimizer_kinds(node, program):
        return _OPTIMIZER
    is_path = any(path is not None for path in program.resolver.paths(node))
    is_unknown = ObjectType.UNKNOWN in program.types.of(node) and not is_path
    return _MAYBE_OPTIMIZER if is_unknown and _is_named_like_optimizer(node) else UNSAID


def loss_scale_optimizer(node: cst.BaseExpression, program: Program) -> Answer:
    """Says whether an expression is a loss-scale optimizer of Keras, old or new."""
    if program.types.is_wrapper(node):
        return PROVEN
    other = _something_else(node, program)
    if other is not None:
        return Answer(Certainty.NO, f"it is {other}")
    line = program.line(node)
    seen, times = program.observed.get(line, {}).get("loss_scale", ("", 0))
    if all(word in seen for word in KERAS_WRAPPER):
        program.decided_by_run[line] = times
        return OBSERVED
    if looks_like_settings(node):
        return UNSAID
    own = _derived_from_old(node, program)
    if own is not None:
        why = f"it belongs to the class {own}, whose base class stays as it is"
        return Answer(Certainty.LIKELY, why)
    # A file for PyTorch or the like sees no other files.
    sees_others = program.types.project.modules.files is not None
    if makes_optimizers(program) or (program.runs_with_old and sees_others):
        return LIKELY
    if program.uses_frameworks and _is_named_like_optimizer(node):
        return LIKELY
    return UNSAID


def _something_else(node: cst.BaseExpression, program: Program) -> str | None:
    """Says what an expression is that is known to be no loss-scale optimizer."""
    kinds = program.types.of(node)
    if kinds and not kinds & {ObjectType.UNKNOWN, ObjectType.WRAPPER}:
        return " or ".join(sorted(kind.value for kind in kinds))
    if _is_module(node, program.resolver):
        return "a module"
    if _has_own_loss_scale(node, program):
        return "an object with a loss scale of its own"
    return ObjectType.POLICY.value if program.types.is_policy(node) else None


def makes_optimizers(program: Program) -> bool:
    """Whether a file makes loss-scale optimizers, tests for them or has Keras make them."""
    return program.remembered("makes optimizers", lambda: _makes_optimizers(program))


def _makes_optimizers(program: Program) -> bool:
    if any(occurrence.meaning in _MAKING | _WRAPPING for occurrence in program.references):
        return True
    imported = (
        binding.path
        for bindings in program.scopes.binding_at.values()
        for binding in bindings
        if binding.kind is BindingKind.IMPORT
    )
    reads = program.reads_by_attribute.get(names.NEW_OPTIMIZER_MEMBER, ())
    read = (path for node in reads for path in program.resolver.paths(node))
    return any(path and frameworks.is_new_optimizer(path) for path in (*imported, *read))


def _derived_from_old(node: cst.BaseExpression, program: Program) -> str | None:
    """Returns the class whose `self` an expression is, if its base is the old optimizer."""
    scope = program.resolver.class_of(node)

    def is_old(path: str) -> bool:
        old = names.lookup(path)
        return old is not None and old.meaning is Meaning.OPTIMIZER

    if scope is not None and program.inherits(scope.node, is_old):
        return cast("cst.ClassDef", scope.node).name.value
    return None


def _is_named_like_optimizer(node: cst.CSTNode) -> bool:
    """Whether an expression is called something with `opt`."""
    name = dotted(node)
    return name is not None and "opt" in name.rsplit(".", 1)[-1].lower()


def looks_like_settings(node: cst.CSTNode) -> bool:
    """Whether an expression is called as configurations are: `args`, `config`, `FLAGS`."""
    word = (dotted(node) or "").rpartition(".")[2].lower()
    return any(one in word for one in _SETTINGS)


def _is_module(node: cst.BaseExpression, resolver: Resolver) -> bool:
    bindings, parent = resolver.bindings(node), resolver.scopes.tree.parent
    is_imported = bool(bindings) and all(isinstance(parent(b.node), cst.Import) for b in bindings)
    return is_imported or resolver.is_only(node, frameworks.is_framework)


def _has_own_loss_scale(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is a `self`, or an object, whose class has a loss scale of its own."""
    scope = program.scopes.scope_of_read.get(node)
    owner = class_of_self(node, scope) if scope is not None else None
    if owner is not None:
        return _names_loss_scale(owner)
    members = program.types.project.members
    classes = [value.instance_of for value in program.types.values(node)]
    return bool(classes) and all(
        one is not None and any(_names_loss_scale(above.scope) for above in members.line(one))
        for one in classes
    )


def _names_loss_scale(scope: Scope) -> bool:
    return any(name in scope.attributes or name in scope.bindings for name in ATTRIBUTES)


def is_handed_on(node: cst.BaseExpression, program: Program) -> bool:
    """Whether a module is used as a whole, so that it cannot be seen which members are taken."""
    above, call = program.tree.parent(node), program.tree.taker_of(node)
    if isinstance(above, cst.Attribute):
        return above.attr.value == "__dict__"
    if call is not None:
        found = lookup_of(call, program.scopes)
        is_seen = found is not None and found.way == "getattr" and found.name is not None
        return not is_seen and dotted(call.func) not in {"dir", "hasattr"}
    handed_on = cst.Arg | cst.Return | cst.Element | cst.DictElement | cst.Yield | cst.Param
    return isinstance(above, handed_on)


_TEXTS = frozenset(
    {"Choice", "format", "get", "getattr", "getenv", "input", "lower", "next", "pop", "str"}
    | {"strip", "upper"}
)
"""Functions that may give a string; of others that are not known, an optimizer is expected."""
_OF_MODELS = frozenset(
    {"loss", "loss_weights", "metrics", "run_eagerly", "sample_weight_mode", "weighted_metrics"}
)
"""What `compile` of a Keras model takes by keyword, besides the optimizer."""


@dataclasses.dataclass(frozen=True)
class Compile:
    """A call of `compile`.

    Attributes:
        call: The call.
        is_proven: Whether it surely compiles a model of tf-keras.
        is_likely: Whether it does, or reads like a call that compiles one.
        arguments: What it gets, without the model that `Model.compile(model, ...)` gets as well.
        optimizer: What it gets for the optimizer, if that can be seen.
        is_unpacked: Whether it may get one from what it unpacks.
    """

    call: cst.Call
    is_proven: bool
    is_likely: bool
    arguments: Sequence[cst.Arg]
    optimizer: cst.Arg | None
    is_unpacked: bool


def model_compiles(program: Program) -> Iterator[Compile]:
    """Returns the calls that compile a model, or may do so."""
    compiled = (model_compile(node, program) for node in program.tree.nodes(cst.Call))
    return (one for one in compiled if one is not None)


def model_compile(node: cst.CSTNode | None, program: Program) -> Compile | None:
    """Returns what a call compiles, if a node is a call that compiles a model or may do so."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    proven = _compiles_model(node.func, program)
    if proven is None:
        return None
    arguments = node.args[1:] if _gets_model(node, node.func, program) else node.args
    optimizer = argument_of(arguments, 0, "optimizer")
    unpacked = optimizer is None and any(argument.star for argument in node.args)
    likely = proven or _reads_like_model(arguments, optimizer, program)
    return Compile(node, proven, likely, arguments, optimizer, unpacked)


def _reads_like_model(
    arguments: Sequence[cst.Arg], optimizer: cst.Arg | None, program: Program
) -> bool:
    """Whether a call of `compile` has arguments that a model takes."""
    keywords = {argument.keyword.value for argument in arguments if argument.keyword is not None}
    if optimizer is None:
        return "loss" in keywords
    value = optimizer.value
    if isinstance(value, cst.Attribute | cst.Subscript) and looks_like_settings(value.value):
        return True
    kinds = program.types.of(value)
    is_optimizer = isinstance(value, cst.SimpleString) or kinds & {
        ObjectType.OTHER,
        ObjectType.KERAS,
    }
    return bool(is_optimizer or keywords & _OF_MODELS)


def kept_compiles(program: Program) -> Iterator[cst.Attribute]:
    """Yields reads of `compile` that is not called at once, of what is or may be a model."""
    for node in program.reads_by_attribute.get("compile", ()):
        above = program.tree.parent(node)
        kept = isinstance(above, cst.Arg | cst.Assign | cst.AnnAssign | cst.Return | cst.Element)
        proven = _compiles_model(node, program) if kept else None
        if proven or (proven is False and not looks_like_settings(node.value)):
            yield node


def _compiles_model(func: cst.Attribute, program: Program) -> bool | None:
    """Whether `x.compile` compiles a model of tf-keras: surely, maybe, or surely not (`None`)."""
    if func.attr.value != "compile":
        return None
    if _is_of_keras(func, program):
        return True
    if None not in program.resolver.paths(func):
        return None  # `re.compile` and the like are functions of modules.
    kinds = {value.kind for value in _compiled(func, program)}
    if not kinds & {ObjectType.MODEL, ObjectType.UNKNOWN}:
        return None
    return kinds <= {ObjectType.MODEL, ObjectType.NOTHING}


def _is_of_keras(func: cst.Attribute, program: Program) -> bool:
    """Whether a function is `compile` of a class of Keras itself."""
    return program.resolver.is_only(func.value, frameworks.is_new_keras_model)


def _gets_model(call: cst.Call, func: cst.Attribute, program: Program) -> bool:
    """Whether a model is the first argument of a call of `compile`."""
    first = call.args[0].value if call.args and not call.args[0].star else None
    of_class = _is_of_keras(func, program) or any(
        binding.kind is BindingKind.CLASS for binding in program.resolver.bindings(func.value)
    )
    return of_class or (first is not None and program.resolver.class_of(first) is not None)


def _compiled(func: cst.Attribute, program: Program) -> Iterable[Value]:
    """Returns what is compiled, but for objects whose class has a `compile` of its own."""
    types, members = program.types, program.types.project.members
    owner = program.resolver.class_of(func.value)
    if isinstance(func.value, cst.Call) and dotted(func.value.func) == "super":
        inside = program.tree.around(func, cst.ClassDef)
        if inside is None:
            return []
        one = ProjectClass(types.resolver, program.scopes.of_node[inside])
        above = members.line(one)[1:]
        return [] if any("compile" in c.scope.bindings for c in above) else types.instance(one)
    if owner is not None:
        values: Iterable[Value] = types.instance(ProjectClass(types.resolver, owner))
    else:
        values = types.values(func.value)
    return [
        value
        for value in values
        if value.instance_of is None or not members.method(value.instance_of, "compile")
    ]


def may_be_text(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression, of which nothing else is known, may be a string."""
    if isinstance(node, cst.Call):
        functions = program.types.project.modules.named(program.resolver, node.func)
        returned = [
            one
            for definition in functions
            if isinstance(function := definition.binding.node, cst.FunctionDef)
            for one in definition.resolver.scopes.returned(function) or ()
        ]
        return _reads_text(node) or any(one is not None and _reads_text(one) for one in returned)
    if isinstance(node, cst.Name):
        return any(
            one is None or isinstance(one, cst.Name) or may_be_text(one, program)
            for one in program.resolver.values(node)
        )
    return _reads_text(node)


def _reads_text(node: cst.BaseExpression) -> bool:
    """Whether an expression reads something that can be a string, such as a setting."""
    if isinstance(node, cst.Call):
        return (dotted(node.func) or "get").rpartition(".")[2] in _TEXTS
    settings = cst.Attribute | cst.Subscript | cst.IfExp | cst.BooleanOperation | cst.SimpleString
    return isinstance(node, settings)
