# SPDX-License-Identifier: Apache-2.0
"""Finds a file's scopes, and which bindings can reach each place that reads a name.

libcst's own scope analysis does not follow assignments and costs more than the parser
(https://github.com/Instagram/LibCST/issues/1139), so this is a small forward analysis of our own:
one pass through each scope's statements that carries, for each name, the bindings that can have
reached this point. It errs on the side of too many bindings, never of too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.binding_collection import BindingCollector
from lossscale_codemods.analysis.reaching_definitions import ReachingDefinitions
from lossscale_codemods.analysis.scopes import Scopes

if TYPE_CHECKING:
    from lossscale_codemods.analysis.syntax_tree import Tree


def scopes_of(tree: Tree) -> Scopes:
    """Returns the scopes of a file, with what can reach each name that is read."""
    scopes = Scopes(tree)
    BindingCollector(scopes).collect()
    ReachingDefinitions(scopes).run()
    scopes.note_uses()
    return scopes
