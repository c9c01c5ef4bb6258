# SPDX-License-Identifier: Apache-2.0
"""Whether a file can be read at all, as Python's own parser says.

libcst's takes time that grows with the square of an expression's length, minutes for some files
that it then refuses, and can run out of stack, which ends the process. Python's answers at once,
and its limits are safe. So what Python does not read, libcst is not given.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import warnings

from lossscale_codemods.analysis.decoding import undecodable

_PYTHON_2 = re.compile(
    rb"^[ \t]*print[ \t]+[^\s(=.\[,:]|^[ \t]*print[ \t]*$|^[ \t]*exec[ \t]+[\"'\w]"
    rb"|^[ \t]*except[ \t]+[\w.()]+[ \t]*,[ \t]*\w+[ \t]*:|^[ \t]*raise[ \t]+[\w.\[\]]+[ \t]*,"
    rb"|\bur[\"']|<>|(?<![\w.])0[0-7]+[lL]?\b(?!\.)|\b\d+[lL]\b",
    re.MULTILINE,
)
TOO_DEEP = (
    "It is nested too deeply for Python's parser. Split the deepest expression or block, then run "
    "again."
)
TOO_RECURSIVE = (
    f"Python's recursion limit ({sys.getrecursionlimit()}) is reached while looking at it: an "
    "expression in it has too many operators in a row, or blocks are nested too deeply. Split it, "
    "then run again."
)


def parsed(source: bytes) -> ast.Module | None:
    """Returns a program's tree, without the warnings of Python's parser.

    Args:
        source: The file's bytes.

    Returns:
        The tree; nothing if Python does not parse the file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def problem_of(source: bytes) -> str | None:
    """Says why a file cannot be read, and what to do about it.

    Args:
        source: The file's bytes.

    Returns:
        A sentence or two; nothing if it can be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (RecursionError, MemoryError):
        return TOO_DEEP
    except (SyntaxError, ValueError) as error:
        if "too many" in str(error):  # nested parentheses, levels of indentation
            return TOO_DEEP
        return _problem(source, error)
    try:
        # It calls itself as often for a nested expression as libcst's visitors do.
        ast.NodeVisitor().visit(tree)
    except RecursionError:
        return TOO_RECURSIVE
    return None


def _problem(source: bytes, error: SyntaxError | ValueError) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        source.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as cause:
        return undecodable(source, cause)
    if _PYTHON_2.search(source):
        return (
            "This is Python 2, which the parser does not read. Move the file to Python 3 first "
            "(for example with 2to3), then run again."
        )
    place, reason = "", str(error)
    if isinstance(error, SyntaxError):
        reason = error.msg
        place = f"line {error.lineno}, column {error.offset}: " if error.lineno else ""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"It does not parse as Python {version}: {place}{reason}. Correct it, or run with the "
        "Python that it is for."
    )
