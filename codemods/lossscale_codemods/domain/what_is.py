# SPDX-License-Identifier: Apache-2.0
"""What an object is: which kind of optimizer, or a loss-scale optimizer of Keras, and why.

Rules ask one question and get one of four answers. A proven optimizer is rewritten, and so is one
that a recorded run saw. What is only likely gets a finding, with an unsafe fix.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple, cast

import libcst as cst

from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType
from lossscale_codemods.python import BindingKind, Resolver, Scope, class_of_self, lookup_of
from lossscale_codemods.source.syntax_tree import dotted
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
