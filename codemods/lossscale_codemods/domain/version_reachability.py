# SPDX-License-Identifier: Apache-2.0
"""Which parts of a file only versions of TensorFlow before 2.4 can reach.

A file can ask whether old names are there: by a `try` around their import, or with `hasattr`. If
what it does without them is done with the new ones, it asks for the version. If not, it asks for
the feature, which the migrated program has: then the names are migrated, and what asks for them.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.version_values import (
    VERSIONS_OF_TODAY,
    Probe,
    UnknownValueError,
    VersionValues,
    is_new,
    probe_of,
)
from lossscale_codemods.python import imported, leaves_block
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.python import Modules, Resolver
    from lossscale_codemods.source.syntax_tree import Tree


OLD_VERSIONS = ("1.15.5", "2.0.4", "2.1.4", "2.2.3", "2.3.4")
NEW_VERSIONS = ("2.4.0", "2.4.4", "2.5.3", "2.9.1")
"""Of one digit each: programs compare versions as strings and as floats, too. The last has no old
name any more."""
_OTHER_VERSIONS = ("0.12.1", "1.3.0", "1.13.2", "2.10.1", "2.13.1")
_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception")


class VersionReachability:
    """Answers for the nodes of one file.

    Args:
        resolver: Knows what the file's names stand for.
        modules: The project's files, in which flags can stand that the file imports.
        files: The answers for these files so far.
        features: Old names that are there whatever the version; without it, those that the file
            asks for as a feature.
    """

    def __init__(
        self,
        resolver: Resolver,
        modules: Modules,
        files: dict[Resolver, VersionReachability] | None = None,
        features: frozenset[str] | None = None,
    ) -> None:
        self.resolver = resolver
        self.modules = modules
        self._files = {} if files is None else files
        self._features = features
        self.is_without_old = False
        """Whether all branches for old versions were taken out."""
        if features is None:
            self._files[resolver] = self
        self.tree = resolver.scopes.tree
        self._values: dict[str, VersionValues] = {}
        self._asked: set[tuple[cst.CSTNode, str]] = set()
        self._answers: dict[tuple[cst.CSTNode, str], cst.CSTNode | None] = {}

    @property
    def features(self) -> frozenset[str]:
        """Old names that the file asks for, and in whose place it does nothing with new ones."""
        if self._features is None:
            self._features = frozenset()  # While they are looked for.
            self._features = self._asked_for_as_features()
            self._values.clear()
            self._asked.clear()
            self._answers.clear()
        return self._features

    def _asked_for_as_features(self) -> frozenset[str]:
        asked = {
            canonical(path)
            for node in self.tree.parents
            for path in self._asks_for(node)
            if (old := names.lookup(path)) is not None
            and (old.new or old.meaning is names.Meaning.LAYER_POLICY)
        }
        others = [n for n in self.tree.parents if self._is_other_way(n)] if asked else []
        if not others:
            return frozenset(asked)
        last, with_all = NEW_VERSIONS[-1:], self._supposing(asked)
        others = [node for node in others if not with_all._is_reached(node, last)]
        features = set()
        for path in asked:
            without = self._supposing(asked - {path})
            if not any(without._is_reached(node, last) for node in others):
                features.add(path)
        return frozenset(features)

    def _is_other_way(self, node: cst.CSTNode) -> bool:
        """Whether a node is a new name, or imports old ones, as another package may have them."""
        if is_new(node, self.resolver):
            return True
        return isinstance(node, cst.ImportFrom | cst.Import) and any(
            names.lookup(path) for _, path in imported(node)
        )

    def _supposing(self, features: set[str]) -> VersionReachability:
        return VersionReachability(self.resolver, self.modules, self._files, frozenset(features))

    def take_over(self, features: frozenset[str]) -> None:
        """Goes by what the file asked for as features while it had its branches for old versions.

        Args:
            features: These.
        """
        self._features = features

    def gone_probe(self, text: cst.CSTNode) -> Probe | None:
        """Returns what asks for the name in a string, if no branch for it is left."""
        probe = probe_of(text, self.resolver) if self.is_without_old else None
        if probe is None or probe.kind == "getattr":
            return None
        is_old = names.lookup(probe.path) is not None
        return probe if is_old and canonical(probe.path) not in self.features else None

    def feature_probe(self, text: cst.CSTNode) -> Probe | None:
        """Returns what asks for the name in a string, if the migrated program has the feature."""
        probe = probe_of(text, self.resolver)
        if probe is None or canonical(probe.path) not in self.features or self.guard_of(text):
            return None
        for above in self.tree.ancestors(text):
            if isinstance(above, cst.If | cst.IfExp) and self.guard_of(above.body) is above:
                return None  # Something else in the condition asks for old versions.
        return probe

    def _is_reached(self, node: cst.CSTNode, versions: Sequence[str]) -> bool:
        """Whether one of some versions comes to a node."""
        return any(self.keeping_from(node, version) is None for version in versions)

    def _asks_for(self, node: cst.CSTNode) -> Iterator[str]:
        """Yields the paths of the names that a node asks for."""
        if isinstance(node, cst.Try):
            yield from self._needed(node)
        elif (probe := probe_of(node, self.resolver)) is not None and probe.is_answered:
            yield probe.path

    @functools.cached_property
    def has_newer_side(self) -> bool:
        """Whether new names are in the file that no old version comes to."""
        return any(self.is_only_new(n) for n in self.tree.parents if is_new(n, self.resolver))

    def guard_of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Returns what keeps versions without the old names from a node that an older one runs."""
        guards = [self.keeping_from(node, version) for version in NEW_VERSIONS]
        if guards[-1] is None or self.is_reached_today(node):
            return None
        if not self._is_reached(node, OLD_VERSIONS):
            return None
        return next(guard for guard in guards if guard is not None)

    def is_kept_from_new(self, node: cst.CSTNode) -> bool:
        """Whether no version comes to a node that has the new names."""
        return not self._is_reached(node, NEW_VERSIONS)

    def mistaken_guard_of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Returns what is to keep 2.4 and later from a node, and lets a version of today pass.

        `if tf.__version__ < "2.4"` compares strings, and "2.21.0" is below "2.4".
        """
        if not self.is_reached_today(node):
            return None
        is_for_old = self._is_reached(node, OLD_VERSIONS)
        return self.keeping_from(node, NEW_VERSIONS[-1]) if is_for_old else None

    def is_only_new(self, node: cst.CSTNode) -> bool:
        """Whether 2.4 and later come to a node, and no older version does."""
        is_for_old = self._is_reached(node, OLD_VERSIONS)
        return not is_for_old and self._is_reached(node, NEW_VERSIONS)

    def is_reached_today(self, node: cst.CSTNode) -> bool:
        """Whether a version of today comes to a node, as far as the version alone says."""
        return self._is_reached(node, VERSIONS_OF_TODAY)

    def is_only_for_the_past(self, node: cst.CSTNode) -> bool:
        """Whether some versions come to a node, and none of today.

        No version comes to code that the program switches off itself, as with `USE_AMP = False`.
        """
        past = (*OLD_VERSIONS, *NEW_VERSIONS, *_OTHER_VERSIONS)
        return not self.is_reached_today(node) and self._is_reached(node, past)

    def is_bool_today(self, node: cst.BaseExpression) -> bool:
        """Whether a value that depends on the version is a truth value in those of today."""
        try:
            return isinstance(self._of(VERSIONS_OF_TODAY[-1]).of(node), bool)
        except UnknownValueError:
            return False

    def is_known(self, test: cst.BaseExpression) -> bool:
        """Whether the version alone tells how a condition comes out."""
        return all(
            self._of(version).truth(test) is not None for version in (*OLD_VERSIONS, *NEW_VERSIONS)
        )

    def _of(self, version: str) -> VersionValues:
        if version not in self._values:
            self._values[version] = VersionValues(self, version)
        return self._values[version]

    def values_in(self, resolver: Resolver, version: str) -> VersionValues:
        """Returns what evaluates the expressions of a file of the project under a version."""
        known = self._files.get(resolver)
        return (known or VersionReachability(resolver, self.modules, self._files))._of(version)

    def keeping_from(self, node: cst.CSTNode, version: str) -> cst.CSTNode | None:
        """Returns the outermost statement or expression that keeps a version from a node."""
        key = (node, version)
        if key in self._answers:
            return self._answers[key]
        if key in self._asked:
            return None  # A condition that depends on itself.
        self._asked.add(key)
        keeping = None
        below = node
        for above in self.tree.ancestors(node):
            keeping = self._excludes(above, below, self._of(version)) or keeping
            below = above
        self._asked.discard(key)
        self._answers[key] = keeping
        return keeping

    def _excludes(
        self, above: cst.CSTNode, below: cst.CSTNode, values: VersionValues
    ) -> cst.CSTNode | None:
        """Returns what in a node keeps a version from one of its parts."""
        if isinstance(above, cst.If | cst.IfExp):
            wanted = False if below is above.orelse else True if below is above.body else None
            if wanted is not None and values.truth(above.test) is (not wanted):
                return above
        elif isinstance(above, cst.BooleanOperation) and below is above.right:
            if values.truth(above.left) is isinstance(above.operator, cst.Or):
                return above
        elif isinstance(above, cst.Try):
            if self._try_excludes(above, below, values):
                return above
        elif isinstance(above, cst.IndentedBlock | cst.Module):
            tried = self._tried(above, values)
            for statement in above.body:
                if tried is not None and self._fails(statement, values):
                    return tried
                if statement is below:
                    break
                if isinstance(statement, cst.If) and self._always_leaves(statement, values):
                    return statement
        return None

    def _always_leaves(self, node: cst.If, values: VersionValues) -> bool:
        """Whether an `if` statement without `elif` always returns, or the like, in a version."""
        truth = values.truth(node.test)
        if truth is True:
            return leaves_block(node.body)
        return (
            truth is False and isinstance(node.orelse, cst.Else) and leaves_block(node.orelse.body)
        )

    def _fails(self, statement: cst.CSTNode, values: VersionValues) -> bool:
        """Whether a statement needs what is not there in a version."""
        return any(values.exists(path) is False for path in self._needed_by(statement))

    def _tried(self, block: cst.CSTNode, values: VersionValues) -> cst.Try | None:
        """Returns the `try` statement that a block is the body of, if it handles missing names.

        If each handler needs what is not there either, no side is for such a version.
        """
        above = self.tree.parent(block)
        if not isinstance(above, cst.Try) or above.body is not block:
            return None
        fail = (any(self._fails(one, values) for one in h.body.body) for h in above.handlers)
        return above if self._handles_missing(above) and not all(fail) else None

    def _handles_missing(self, node: cst.Try) -> bool:
        return any(catches_error(self.tree, handler, _MISSING) for handler in node.handlers)

    def _needed(self, node: cst.Try) -> list[str]:
        """Returns the paths of what the body of a `try` statement needs."""
        if not self._handles_missing(node):
            return []
        return [path for statement in node.body.body for path in self._needed_by(statement)]

    def _needed_by(self, statement: cst.CSTNode) -> list[str]:
        """Returns the paths in TensorFlow of what a statement imports, or reads when it runs."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return []
        paths = [
            path
            for node in statement.body
            if isinstance(node, cst.ImportFrom | cst.Import)
            for _, path in imported(node)
        ]
        for node in self.tree.walk(statement):
            if isinstance(node, cst.Attribute) and not isinstance(
                self.tree.parent(node), cst.Attribute
            ):
                path = self.resolver.path(node)
                paths += [path] if path is not None and frameworks.is_framework(path) else []
        return paths

    def _try_excludes(self, node: cst.Try, below: cst.CSTNode, values: VersionValues) -> bool:
        """Whether a handler has nothing to handle, or `else` is not come to, in a version."""
        known = (values.exists(path) for path in self._needed(node))
        needed = [is_there for is_there in known if is_there is not None]
        if isinstance(below, cst.ExceptHandler):
            is_for_names = catches_error(self.tree, below, _MISSING)
            return is_for_names and bool(needed) and all(needed)
        return below is node.orelse and False in needed


def catches_error(tree: Tree, handler: cst.ExceptHandler, errors: Sequence[str]) -> bool:
    """Whether an exception handler catches one of some errors, by their names.

    Args:
        tree: The file.
        handler: The handler.
        errors: The names of the errors.
    """
    if handler.type is None:
        return True
    caught = tree.source(handler.type)
    return any(name in caught for name in errors)
