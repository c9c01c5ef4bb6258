# SPDX-License-Identifier: Apache-2.0
"""A source as Python's own parser and tokenizer give it, which is much quicker than libcst.

From this, rules tell whether a full parse can find anything for them.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import ApproximateNames, CannotTellError
from lossscale_codemods.analysis.ast_index import Nodes
from lossscale_codemods.analysis.self_names import self_names

if TYPE_CHECKING:
    from collections.abc import Callable


_ONE_STRING = re.compile(rb"\w*(['\"])(?:(?!\1)[^\\]|\\.)*\1")


class ScannedSource:
    """One source, not yet parsed by libcst.

    Args:
        tree: What Python's own parser gives.
        text: Its text.
        relative: Turns the dotted path of a relative import into an absolute one, if it is known.
    """

    def __init__(
        self, tree: ast.Module, text: str, relative: Callable[[str], str | None] | None = None
    ) -> None:
        self.text = text
        self.nodes = Nodes(tree)
        self._relative = relative

    @functools.cached_property
    def names(self) -> ApproximateNames:
        """What its names can stand for."""
        return ApproximateNames(self.nodes, self._relative)

    def can_be_optimizer(self, node: ast.expr) -> bool:
        """Whether a full parse can prove that an expression is a loss-scale optimizer."""
        is_self = isinstance(node, ast.Name) and node.id in self._self_names
        return not is_self and self.names.has_optimizer

    @functools.cached_property
    def _self_names(self) -> frozenset[str]:
        return self_names(self.nodes)

    @functools.cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        """Its tokens.

        Raises:
            CannotTellError: The tokenizer does not read it, or its lines are not the parser's.
        """
        if "\f" in self.text or "\r" in self.text.replace("\r\n", ""):
            raise CannotTellError
        try:
            return list(tokenize.generate_tokens(io.StringIO(self.text).readline))
        except (tokenize.TokenError, SyntaxError) as error:
            raise CannotTellError from error

    def is_one_string(self, node: ast.AST) -> bool:
        """Whether an expression is a string in one piece, on one line.

        Strings side by side are one to Python's parser, and several to libcst.
        """
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return False
        if node.lineno != node.end_lineno:
            return False
        line = self._lines[node.lineno - 1]
        return _ONE_STRING.fullmatch(line[node.col_offset : node.end_col_offset]) is not None

    @functools.cached_property
    def _lines(self) -> list[bytes]:
        return re.split(rb"\r\n?|\n", self.text.encode("utf-8", "surrogatepass"))
