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
