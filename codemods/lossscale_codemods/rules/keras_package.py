# SPDX-License-Identifier: Apache-2.0
"""Imports of the package `keras`, which was `tf.keras` and is Keras 3 today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import libcst as cst

from compat_lossscale.neighbour_names import PUBLIC_NAMES
from lossscale_codemods.domain import Occurrence, Program, Role
from lossscale_codemods.rules.base import FirstChange, Found, Marker, Review, Rewrite, Rule, rewrite
from lossscale_codemods.rules.neighbours import NeighbourGuards, is_looked_at
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import WITH_KERAS_2
from lossscale_codemods.tables.records import Edit

_HOME = "tensorflow.keras"
_MESSAGE = "it was tf.keras"
_REVIEW = Review(
    "`keras` is Keras 3 now, and nothing of it goes into a model of tf-keras",
    f"Import what is needed of it from {_HOME}, or from tf_keras.",
    stops=True,
)
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from|import)[ \t]+keras(?![\w])")


class KerasPackage(Rule):
    """`import keras` becomes an import of `tensorflow.keras`."""

    id = "LS905"
    title = "Imports of the package keras"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    markers = (Marker(b"get_scaled_loss", pattern=_IMPORT),)
    """Of the names of TensorFlow 2.4, tf-keras has this, and no other rule reads a file for it."""
    group_markers: ClassVar[tuple[Marker, ...]] = (Marker(b"keras", pattern=_IMPORT),)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the imports."""
        if _IMPORT.search(program.source) is None:
            return
        project = program.resolver.project
        has_own = project is not None and project.homes("keras")
        is_scaled = "get_scaled_loss" in program.reads_by_attribute
        if has_own or not (is_scaled or is_looked_at(program, self.id)):
            return
        guards = NeighbourGuards(program, self.id)
        for node in program.tree.parents:
            if isinstance(node, cst.Import | cst.ImportFrom):
                edits = _edits(node, program)
                # The import of an `except ImportError` is for where tf.keras is not there.
                around = program.tree.ancestors(node)
                stands_in = any(isinstance(above, cst.ExceptHandler) for above in around)
                if edits is not None and not stands_in and not guards.leaves(node, is_there=True):
                    verdict = rewrite(_MESSAGE, edits) if edits else _REVIEW
                    yield self.found(node, program, verdict, Role.NEIGHBOUR)

    def first_changes(
        self, program: Program, occurrences: Callable[[], Sequence[Occurrence]]
    ) -> Iterator[FirstChange]:
        """Yields the change of all imports that become others: it makes names old ones."""
        del occurrences
        found = [one for one, verdict in self.find(program) if isinstance(verdict, Rewrite)]
        if found:
            edits = [edit for one in found for edit in _edits(one.node, program) or ()]
            yield FirstChange(edits, _MESSAGE, found)


def _edits(node: cst.CSTNode, program: Program) -> list[Edit] | None:
    """Returns the edits of an import statement, if all of it has a place in `tf.keras`."""
    modules: list[tuple[cst.BaseExpression, bool]] = []
    imported: list[str] = []
    if isinstance(node, cst.Import):
        modules = [(alias.name, alias.asname is None) for alias in node.names]
    elif isinstance(node, cst.ImportFrom) and node.module is not None and not node.relative:
        modules = [(node.module, False)]
        aliases = () if isinstance(node.names, cst.ImportStar) else node.names
        imported = [dotted(alias.name) or "" for alias in aliases]
    edits = []
    is_of_keras = False
    for module, binds_keras in modules:
        root, _, below = (dotted(module) or "").partition(".")
        if root != "keras":
            continue
        is_of_keras = True
        start, _ = program.tree.span(module)
        if binds_keras and not below and len(modules) == 1:
            edits.append(Edit(*program.tree.span(node), "from tensorflow import keras"))
        elif binds_keras or not all(_is_there(below, name) for name in imported or [""]):
            return []
        else:
            edits.append(Edit(start, start + len(root), _HOME))
    return edits if is_of_keras else None


def _is_there(module: str, name: str) -> bool:
    """Whether a module of `tf.keras`, and what is imported of it, is there, or is an old name."""
    path = f"{module}.{name}".strip(".")
    return (
        path in (*PUBLIC_NAMES, "optimizers")
        or name in PUBLIC_NAMES.get(module, "").split()
        or module == "optimizers"
        or names.lookup(f"{_HOME}.{path}") is not None
    )
