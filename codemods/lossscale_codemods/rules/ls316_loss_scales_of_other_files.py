# SPDX-License-Identifier: Apache-2.0
"""A loss scale of another file is reported if the program uses it as an object.

Since TensorFlow 2.4, it is a tensor, which cannot be called and has no `get_config`:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. Calls of `loss_scale` itself, of an
optimizer or of a property that returns it, are rewritten instead.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import last_word
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES, is_word_for_settings
from lossscale_codemods.analysis.modules import ProjectFiles
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.reads_behind_tests import reads_behind_tests
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import OLD_ATTRIBUTES
from lossscale_codemods.rules.shared.scales_of_other_files import (
    ScalesOfOtherFiles,
    is_word_for_scale,
)
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_TAKEN = Review(
    "another file gives this, and it is the loss scale of an optimizer, which is a tensor now",
    "Use it as the number that it is.",
)
_GIVEN = Review(
    "the function that gets this calls it, or asks it for its settings, and it is a tensor now",
    "Have the function use it as the number that it is.",
)


class LossScalesOfOtherFiles(Rule):
    """Follows loss scales from file to file."""

    id = "LS316"
    title = "Loss scales of other files"
    targets = WITH_LOSS_SCALE
    not_handled = "Methods, and functions with decorators, that get a loss scale in another file."
    valid = (Case("from trainer import scale\nprint(scale())  # loss_scale\n"),)

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether something that can be a loss scale is called, asked, or given to a function."""
        if not source.names.has_optimizer:
            return False
        return any(_may_take(node, source) for node in source.nodes.of(ast.Call)) or any(
            node.attr in OLD_ATTRIBUTES and _may_be_scale(node.value)
            for node in set(source.nodes.of(ast.Attribute)) - set(reads_behind_tests(source.nodes))
        )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what is taken for a loss scale object."""
        if not isinstance(program.resolver.relative, ProjectFiles):
            return
        places = ScalesOfOtherFiles(program)
        for node in (*places.taken_for_objects(), *places.given_away()):
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports it."""
        if occurrence.rule != self.id:
            return None
        return _GIVEN if isinstance(program.tree.parent(occurrence.node), cst.Arg) else _TAKEN


def _may_take(node: ast.Call, source: ScannedSource) -> bool:
    """Whether a call is `scale()`, `f(scale)` or the like, where scale can be a loss scale."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return (not given and _may_be_scale(node.func)) or any(
        _may_be_read(one, source) for one in given
    )


def _may_be_scale(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    return is_word_for_scale(last_word(function) or "")


def _may_be_read(node: ast.expr, source: ScannedSource) -> bool:
    """Whether an expression is `x.loss_scale`, where x can be an optimizer."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ATTRIBUTES
        and not is_word_for_settings(last_word(node.value) or "")
        and source.can_be_optimizer(node.value)
    )
