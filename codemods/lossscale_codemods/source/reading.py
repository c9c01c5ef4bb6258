# SPDX-License-Identifier: Apache-2.0
"""Reads files, decodes their bytes as Python does, and says why a file cannot be read.

libcst's parser takes time that grows with the square of an expression's length, minutes for some
files that it then refuses, and can run out of stack, which ends the process. Python's answers at
once, and its limits are safe. So what Python does not read, libcst is not given.
"""

from __future__ import annotations

import ast
import codecs
import errno
import functools
import io
import os
import re
import stat
import sys
import tokenize
import warnings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ENCODING_COOKIE = re.compile(
    rb"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
"""https://peps.python.org/pep-0263/"""

LARGEST_SETTINGS = 1_000_000


def read(name: str) -> bytes:
    """Returns a file's bytes."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
        return file.read()


def read_settings(path: str | os.PathLike[str]) -> bytes:
    """Returns the bytes of a file with settings, which a stranger may have put there.

    Args:
        path: The file. A pipe, a device or a huge file in its place would hang the run.

    Raises:
        OSError: It cannot be read, is no regular file, or has more than `LARGEST_SETTINGS` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        if status.st_size > LARGEST_SETTINGS:
            raise OSError(errno.EFBIG, "it is too large", path)
        return file.read(LARGEST_SETTINGS)


def undecodable(source: bytes, reason: object) -> str:
    """Says why a file cannot be decoded, for which Python has a reason, and what to do about it."""
    bom = next((name for bom, name in _BOMS if source.startswith(bom)), None)
    if bom in ("utf-16", "utf-32"):
        return (
            f"It cannot be decoded: Python does not read {bom.upper()}. Save it as UTF-8, then run "
            "again."
        )
    if ENCODING_COOKIE.match(source):
        return f"It cannot be decoded: {reason}. Correct its encoding line, then run again."
    try:
        source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return (
            f"It cannot be decoded: line {line} has the byte {source[error.start]:#04x}, which is "
            "not UTF-8. Save it as UTF-8, or name its encoding in the first line, for example "
            "`# coding: latin-1`. Then run again."
        )
    return f"It cannot be decoded: {reason}. Save it as UTF-8, then run again."


def text_of(source: bytes) -> str:
    """Decodes a file as Python does; what cannot be decoded is replaced."""
    encoding = next((name for bom, name in _BOMS if source.startswith(bom)), None)
    if encoding is None:
        cookie = ENCODING_COOKIE.match(source)
        encoding = cookie.group(1).decode() if cookie else "utf-8"
    try:
        return source.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return source.decode("utf-8", "replace")


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
    """Returns a program's tree, without the warnings of Python's parser, if Python parses it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=32)
def problem_of(source: bytes) -> str | None:
    """Says in a sentence or two why a file cannot be read, and what to do about it."""
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
