# SPDX-License-Identifier: Apache-2.0
"""Decodes a file's bytes as Python does."""

from __future__ import annotations

import codecs
import re

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


def undecodable(source: bytes, reason: object) -> str:
    """Says why a file cannot be decoded, and what to do about it.

    Args:
        source: The file's bytes.
        reason: What Python says.
    """
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
