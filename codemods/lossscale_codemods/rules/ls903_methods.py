# SPDX-License-Identifier: Apache-2.0
"""`strategy.experimental_run_v2` becomes `strategy.run`. Other removed methods are reported.

TensorFlow 2.2 renamed the method, and 2.4 removed the old name. No other class has a method of this
name, so the object is a strategy, unless the file defines such a method itself.

The option `map_vectorization` of `tf.data` made datasets faster and did not change them. The rule
reports it, so that you can remove it. It also reports a class with a `compute_loss` method that
comes after a Keras model in a list of base classes. Since TensorFlow 2.9, Keras has a method of
that name, which Python finds first.

The rule looks at the same files as LS901.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_lossscale.neighbour_names import tensorflow_names
from compat_lossscale.neighbour_names.lookup import METHODS
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.optimizer_names import looked_up_name
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.markers import Marker
from lossscale_codemods.rules.shared.neighbour_decisions import review
from lossscale_codemods.rules.shared.neighbour_guards import NeighbourGuards
from lossscale_codemods.rules.shared.neighbour_uses import is_looked_at
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_SHADOWED = {one.short_name: one for one in tensorflow_names.METHODS if one not in METHODS.values()}
"""Methods that Keras has itself today, and had not."""
_HEAD = "import tensorflow as tf\n"
_OLD = f"{_HEAD}tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
_NEW = f"{_HEAD}tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
_MIXED_IN = (
    "class Loss:\n    def compute_loss(self, x):\n        return x\n\n"
    "class Net(tf.keras.Model, Loss):\n    pass\n"
)


class Methods(Rule):
    """Respells methods of TensorFlow's classes."""

    id = "LS903"
    title = "Removed methods of TensorFlow"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = frozenset(Target)
    not_handled = "A `compute_loss` in a base class that is in another file."
    group_markers = tuple(Marker(name.encode()) for name in (*METHODS, *_SHADOWED))
    invalid = (
        Case(
            f"{_OLD}strategy = tf.distribute.get_strategy()\n"
            "print(strategy.experimental_run_v2(lambda x: x, args=(1,)))\n",
            f"{_NEW}strategy = tf.distribute.get_strategy()\n"
            "print(strategy.run(lambda x: x, args=(1,)))\n",
        ),
    )
    valid = (
        Case(
            f"{_OLD}options = tf.data.Options()\n"
            "options.experimental_optimization.map_vectorization.enabled = True\n",
            f"{_NEW}options = tf.data.Options()\n"
            "options.experimental_optimization.map_vectorization.enabled = True\n",
            review="take it out",
        ),
        Case(f"{_OLD}{_MIXED_IN}", f"{_NEW}{_MIXED_IN}", review="Keras' own compute_loss"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields attributes of these names, whatever they are of."""
        if not is_looked_at(program, self.id):
            return
        guards = NeighbourGuards(program, self.id)
        for node in program.tree.parents:
            if isinstance(node, cst.Attribute) and node.attr.value in METHODS:
                if not guards.leaves(node, node.attr.value, _new(node)):
                    span = program.tree.span(node)
                    yield Occurrence(node, span, Role.NEIGHBOUR, rule=self.id)
            elif isinstance(node, cst.ClassDef):
                yield from self._shadowed(node, program)
            elif isinstance(node, cst.Call):
                name = _looked_up(node)
                if name and not guards.leaves(node, name):
                    span = program.tree.span(node)
                    yield Occurrence(node, span, Role.NEIGHBOUR, rule=self.id)

    def _shadowed(self, node: cst.ClassDef, program: Program) -> Iterator[Occurrence]:
        """Yields the bases of a class whose method is no longer found."""
        has_model = False
        for base in node.bases:
            has_model |= _is_model(base.value, program)
            for method in _SHADOWED if has_model else ():
                if _defines(base.value, method, program):
                    span = program.tree.span(base.value)
                    yield Occurrence(base.value, span, Role.NEIGHBOUR, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells a method, or says what to do about it."""
        if occurrence.rule != self.id:
            return None
        node = occurrence.node
        if isinstance(node, cst.Call):
            return review(METHODS[_looked_up(node)])
        neighbour = METHODS.get(node.attr.value) if isinstance(node, cst.Attribute) else None
        if neighbour is None or not isinstance(node, cst.Attribute):
            [(method, shadowed)] = _SHADOWED.items()
            return Review(
                f"Keras' own {method} is found before that of this base class, "
                f"as Keras has one after {shadowed.until}",
                f"In new code: {shadowed.instead}. `compat-lossscale run` finds this one.",
            )
        new = _new(node)
        if not new:
            return review(neighbour)
        if _is_own(node.attr.value, program):
            return Review(
                f"the file has a {node.attr.value} of its own, which this may be",
                f"If it is a strategy's, call {new}.",
            )
        edit = Edit(*program.tree.span(node.attr), new)
        return Rewrite("the current name", lambda _: [edit], is_rename=True)


def _new(node: cst.Attribute) -> str:
    """Returns the name that takes the place of a method's; empty if none does."""
    return METHODS[node.attr.value].successor.rpartition(".")[2]


def _looked_up(node: cst.Call) -> str:
    """Returns the name of the method in `getattr(strategy, "experimental_run_v2")`, if any."""
    name = looked_up_name(node)
    if len(node.args) != 2 or not isinstance(name, cst.SimpleString):
        return ""
    text = str(name.evaluated_value)
    return text if text in METHODS else ""


def _is_model(base: cst.BaseExpression, program: Program) -> bool:
    return any(
        p is not None and frameworks.is_new_keras_model(p) for p in program.resolver.paths(base)
    )


def _defines(base: cst.BaseExpression, method: str, program: Program) -> bool:
    """Whether a base class of the same file defines a method."""
    return any(
        isinstance(statement, cst.FunctionDef) and statement.name.value == method
        for binding in program.resolver.bindings(base)
        if isinstance(binding.node, cst.ClassDef)
        for statement in binding.node.body.body
    )


def _is_own(name: str, program: Program) -> bool:
    """Whether a file defines a function of a name, in a class or elsewhere."""
    return any(
        isinstance(node, cst.FunctionDef) and node.name.value == name
        for node in program.tree.parents
    )
