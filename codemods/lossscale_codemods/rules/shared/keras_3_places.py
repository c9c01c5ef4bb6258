# SPDX-License-Identifier: Apache-2.0
"""Where a program of TensorFlow 2 uses what is otherwise in Keras 3, and what it uses there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    ObjectType,
    Occurrence,
    ProjectClass,
    Role,
    find_guards,
    is_part_of_old,
)
from lossscale_codemods.rules.base import Review, Rule
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import (
    KERAS_3_HOME,
    WITH_KERAS_3,
    Meaning,
    OldName,
    Target,
    loss_scale_optimizers,
)
from lossscale_codemods.tables.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lossscale_codemods.domain import Program
    from lossscale_codemods.rules.base import Rewrite, Verdict

WITHOUT_FLOOR = Review(
    "Keras 3's own loss scale has no floor and no cap, and `iterations` does not count steps that "
    "are skipped",
    "Use it with --unsafe-fixes, if the model trains as well; or do without --no-dependency.",
)
NOT_FIXED = Review(
    "Keras 3's own LossScaleOptimizer takes no `dynamic`, and has no fixed loss scale",
    "Give the wrapped optimizer `loss_scale_factor`, and leave out the wrapper; or do without "
    "--no-dependency.",
)
_OPTIMIZERS = {ObjectType.KERAS, ObjectType.WRAPPER}
_NOTHING = {ObjectType.NOTHING, ObjectType.OTHER}
_WRAPPED = ("_optimizer", "inner_optimizer")
_CALLBACK = ".callbacks."
_METRIC = re.compile(r"^(?:tensorflow(?:\.compat\.v1)?\.)?(?:tf_)?keras\.metrics\.[A-Z]\w*$")
_MODULE = "tensorflow.Module"
_OF_KERAS_3 = {"scale_loss", "stateless_apply"}
_OF_TENSORFLOW_2_4 = {"get_scaled_loss", "get_unscaled_gradients"}


class Keras3Rule(Rule):
    """A rule that finds its places together with what it says of them."""

    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3

    def applies(self, program: Program) -> bool:
        """Whether a file is one of a program that this rule is about."""
        return is_part_of_old(program)

    def verdicts(self, program: Program) -> Iterator[tuple[Occurrence, Verdict]]:
        """Yields the places, with what becomes of each."""
        raise NotImplementedError

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the places that today's TensorFlow comes to."""
        if self.applies(program):
            decided = self._decided(program)
            for occurrence, verdict in self.verdicts(program):
                if not is_for_old(occurrence.node, program):
                    decided[occurrence] = verdict
                    yield occurrence

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what was found to become of a place."""
        return self._decided(program).get(occurrence)

    def _decided(self, program: Program) -> dict[Occurrence, Verdict]:
        nothing: dict[Occurrence, Verdict] = {}
        return program.remembered(f"verdicts of {self.id}", lambda: nothing)

    def occurrence(
        self, node: cst.CSTNode, program: Program, names: tuple[OldName, ...] = ()
    ) -> Occurrence:
        """Returns the occurrence of a node that this rule decides."""
        return Occurrence(node, program.tree.span(node), Role.LATER, names, rule=self.id)


def is_for_old(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is in a branch for old versions of TensorFlow."""
    branches = program.remembered("branches for old versions", lambda: _old_branches(program))
    inside = any(above in branches for above in (node, *program.tree.ancestors(node)))
    return inside or program.reachability.guard_of(node) is not None


def _old_branches(program: Program) -> set[cst.CSTNode]:
    occurrences = [*program.references, *program.imports]
    return {part for guard in find_guards(program, occurrences) for part in guard.old}


def optimizer_kinds(node: cst.BaseExpression, program: Program) -> frozenset[ObjectType]:
    """Returns which optimizers an expression can hold, if it surely holds one; else nothing.

    Args:
        node: The expression.
        program: The file.
    """
    kinds = program.types.of(node)
    owner = node.value if isinstance(node, cst.Attribute) and node.attr.value in _WRAPPED else None
    if owner is not None and ObjectType.WRAPPER in optimizer_kinds(owner, program):
        # Other optimizers have nothing in them, so there the program does not come to it.
        return frozenset([ObjectType.KERAS])
    if kinds & _OPTIMIZERS and kinds <= _OPTIMIZERS | _NOTHING:
        return kinds & _OPTIMIZERS
    return frozenset(_OPTIMIZERS) if _is_of_model(node, program) else frozenset()


def _is_of_model(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is the optimizer of a Keras model: `model.optimizer`."""
    if not isinstance(node, cst.Attribute) or node.attr.value != "optimizer":
        return False
    model = node.value
    if ObjectType.MODEL in program.types.of(model):
        return True
    owner = program.resolver.class_of(model)
    if owner is not None:
        inherited = _inherits(owner.node, program, frameworks.is_keras_model)
        return "optimizer" not in owner.attributes and inherited
    if isinstance(model, cst.Attribute) and model.attr.value == "model":
        owner = program.resolver.class_of(model.value)
        return owner is not None and _inherits(owner.node, program, _is_callback)
    return False


def _is_callback(path: str) -> bool:
    return frameworks.is_framework(path) and _CALLBACK in path


def _inherits(node: cst.CSTNode, program: Program, is_base: Callable[[str], bool]) -> bool:
    return isinstance(node, cst.ClassDef) and any(
        path is not None and is_base(path)
        for base in node.bases
        for path in program.resolver.paths(base.value)
    )


def is_written_for_keras_3(program: Program) -> bool:
    """Whether a file calls what only Keras 3's wrapper has, and nothing that it lacks."""
    reads = program.reads_by_attribute.keys()
    return bool(reads & _OF_KERAS_3) and not reads & _OF_TENSORFLOW_2_4


def inherits_from_keras(node: cst.CSTNode, program: Program) -> bool:
    """Whether a class inherits from one of Keras: a layer or a model."""
    return _inherits(node, program, _is_layer)


def inherits_from_metric(node: cst.CSTNode, program: Program) -> bool:
    """Whether a class inherits from a metric of Keras."""
    return _inherits(node, program, is_metric)


def is_metric(path: str) -> bool:
    """Whether a class at a path is a metric of Keras."""
    return bool(_METRIC.match(canonical(path)))


def _is_layer(path: str) -> bool:
    in_layers = frameworks.is_framework(path) and ".layers." in path
    return in_layers or frameworks.is_keras_model(path)


def is_module_of_layers(node: cst.ClassDef, program: Program) -> bool:
    """Whether a class is a `tf.Module`, and what it defines itself names layers or models of Keras.

    Args:
        node: The class.
        program: The file.
    """
    scope = program.scopes.of_node.get(node)
    if scope is None or inherits_from_keras(node, program):
        return False
    line = program.types.project.members.line(ProjectClass(program.resolver, scope))
    bases = [path for one in line for b in one.node.bases for path in one.resolver.paths(b.value)]
    return _MODULE in {canonical(path) for path in bases if path is not None} and any(
        _is_of_keras(inner, program)
        for inner in program.tree.walk(node)
        if isinstance(inner, cst.Name | cst.Attribute)
    )


def _is_of_keras(node: cst.Name | cst.Attribute, program: Program) -> bool:
    """Whether a name is that of a layer or model, or of a class of the file that is one."""
    if any(path is not None and _is_layer(path) for path in program.resolver.paths(node)):
        return True
    classes = (binding.node for binding in program.resolver.bindings(node))
    return any(inherits_from_keras(one, program) for one in classes)


def is_moved(path: str) -> bool:
    """Whether a path is that of TensorFlow 2.4's LossScaleOptimizer, in Keras as it was."""
    is_left = path.startswith((KERAS_3_HOME, "tf_keras."))
    return frameworks.is_new_optimizer(path) and not is_left


def old_name(path: str, target: Target) -> OldName:
    """Returns TensorFlow 2.4's LossScaleOptimizer as the old name that it is for Keras 3.

    Args:
        path: Its path.
        target: What the program is migrated to.
    """
    return OldName(path, Meaning.NEW_OPTIMIZER, loss_scale_optimizers(target, path))


def stock_constructor(arguments: Iterable[str], made: Rewrite) -> Review:
    """Returns what to say of a constructor of Keras 3's own class.

    Args:
        arguments: The arguments that say the loss scale, as source.
        made: What writes the constructor.
    """
    if any(text.startswith(("dynamic=", "**")) for text in arguments):
        return NOT_FIXED
    return Review(WITHOUT_FLOOR.message, WITHOUT_FLOOR.advice, unsafe_fix=made)
