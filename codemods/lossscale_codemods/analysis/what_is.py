# SPDX-License-Identifier: Apache-2.0
"""What an object is: whether an expression is a loss-scale optimizer of Keras, and why.

Rules ask one question and get one of four answers. A proven optimizer is rewritten, and so is one
that a recorded run saw. What is only likely gets a finding, with an unsafe fix.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.analysis.bindings import BindingKind, class_of_self
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

KERAS_WRAPPER = ("keras", "LossScaleOptimizer")
"""What the names of the classes of Keras' loss-scale optimizers have in them."""
_SETTINGS = ("args", "cfg", "conf", "flags", "opts", "options", "param", "policy", "settings")
_MAKING = frozenset({Meaning.OPTIMIZER, Meaning.REWRITE})
_WRAPPING = frozenset({Meaning.SET_POLICY, Meaning.POLICY, Meaning.POLICY_SCOPE})
"""What has Keras wrap the optimizers of the models that a program compiles."""


class Certainty(enum.Enum):
    """How sure it is that an expression is a loss-scale optimizer."""

    PROVEN = "the file says so"
    OBSERVED = "a recorded run saw it"
    LIKELY = "it can be, and nothing says that it is not"
    NO = "it is something else, or nothing says that it is"


class Answer(NamedTuple):
    """Whether an expression is a loss-scale optimizer.

    Attributes:
        certainty: How sure that is.
        reason: Why, for a finding.
    """

    certainty: Certainty
    reason: str

    @property
    def is_sure(self) -> bool:
        """Whether the expression is a loss-scale optimizer."""
        return self.certainty in (Certainty.PROVEN, Certainty.OBSERVED)

    @property
    def can_be(self) -> bool:
        """Whether it is one, or is likely to be."""
        return self.certainty is not Certainty.NO


PROVEN = Answer(Certainty.PROVEN, "this is a loss-scale optimizer")
OBSERVED = Answer(Certainty.OBSERVED, "a recorded run saw a loss-scale optimizer here")
LIKELY = Answer(Certainty.LIKELY, "that this is a loss-scale optimizer is not proven in this file")
UNSAID = Answer(Certainty.NO, "nothing says that this is a loss-scale optimizer")


def loss_scale_optimizer(node: cst.BaseExpression, program: Program) -> Answer:
    """Says whether an expression is a loss-scale optimizer of Keras, old or new.

    Args:
        node: The expression.
        program: Its file.
    """
    if program.types.is_wrapper(node):
        return PROVEN
    other = _something_else(node, program)
    if other is not None:
        return Answer(Certainty.NO, f"it is {other}")
    seen, _ = program.observed.get(program.line(node), {}).get("loss_scale", ("", 0))
    if all(word in seen for word in KERAS_WRAPPER):
        return OBSERVED
    # A file for PyTorch or the like sees no other files.
    sees_others = program.types.project.modules.files is not None
    if makes_optimizers(program) or (program.runs_with_old and sees_others):
        return LIKELY
    if program.uses_frameworks and looks_like_optimizer(node):
        return LIKELY
    return UNSAID


def can_be_optimizer(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression can be a loss-scale optimizer, in a file that makes such.

    Args:
        node: The expression.
        program: Its file.
    """
    return makes_optimizers(program) and loss_scale_optimizer(node, program).can_be


def _something_else(node: cst.BaseExpression, program: Program) -> str | None:
    """Says what an expression is that is known to be no loss-scale optimizer."""
    kinds = program.types.of(node)
    if kinds and not kinds & {ObjectType.UNKNOWN, ObjectType.WRAPPER}:
        return " or ".join(sorted(kind.value for kind in kinds))
    if _is_module(node, program.resolver):
        return "a module"
    if _has_own_loss_scale(node, program.resolver):
        return "an object with a loss scale of its own"
    return ObjectType.POLICY.value if program.types.is_policy(node) else None


def makes_optimizers(program: Program) -> bool:
    """Whether a file makes loss-scale optimizers, tests for them or has Keras make them.

    Args:
        program: The file.
    """
    return program.remembered("makes optimizers", lambda: _makes_optimizers(program))


def _makes_optimizers(program: Program) -> bool:
    if any(occurrence.meaning in _MAKING | _WRAPPING for occurrence in program.references):
        return True
    scopes = program.scopes
    imported = (
        binding.path
        for bindings in scopes.binding_at.values()
        for binding in bindings
        if binding.kind is BindingKind.IMPORT and binding.path is not None
    )
    read = (
        path
        for node in scopes.scope_of_read
        if isinstance(node, cst.Attribute) and node.attr.value == names.NEW_OPTIMIZER_MEMBER
        for path in program.resolver.paths(node)
        if path is not None
    )
    return any(frameworks.is_new_optimizer(path) for path in (*imported, *read))


def looks_like_optimizer(node: cst.CSTNode) -> bool:
    """Whether an expression is called something with `opt`."""
    name = dotted(node)
    return name is not None and "opt" in name.rsplit(".", 1)[-1].lower()


def looks_like_settings(node: cst.CSTNode) -> bool:
    """Whether an expression is called as configurations are: `args`, `config`, `FLAGS`."""
    word = (dotted(node) or "").rpartition(".")[2].lower()
    return any(one in word for one in _SETTINGS)


def _is_module(node: cst.BaseExpression, resolver: Resolver) -> bool:
    bindings = resolver.bindings(node)
    imported = [
        isinstance(resolver.scopes.tree.parent(b.node), cst.Import)
        for b in bindings
        if b.kind is BindingKind.IMPORT
    ]
    paths = resolver.paths(node)
    known = bool(paths) and all(p is not None and frameworks.is_framework(p) for p in paths)
    return known or (bool(imported) and all(imported) and len(imported) == len(bindings))


def _has_own_loss_scale(node: cst.BaseExpression, resolver: Resolver) -> bool:
    """Whether an expression is a `self` whose class has a loss scale of its own."""
    scope = resolver.scopes.scope_of_read.get(node)
    owner = class_of_self(node, scope) if scope is not None else None
    if owner is None:
        return False
    own = {**owner.attributes, **owner.bindings}
    return any(name in own for name in ATTRIBUTES)
