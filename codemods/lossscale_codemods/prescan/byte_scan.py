# SPDX-License-Identifier: Apache-2.0
"""Which files can hold an old name at all: a test of bytes, near the speed of reading them.

Every old name, and all that the rules look for, needs a marker and one of its companions somewhere
in the file. Strings count as they are written: what their escapes stand for is not looked at. Nor
are words that other files bring in by relative imports.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.decoding import ENCODING_COOKIE, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANYTHING = (b"",)
_COMPANIONS = {
    b"LossScale": _ANYTHING,
    b"mixed_precision": (b"experimental", b"contrib", b"graph_rewrite"),
    b"loss_scale": (b"tensorflow", b"keras", b"_current_loss_scale", b"_num_good_steps"),
    b"should_cast_variables": _ANYTHING,
}
_AS_A_WORD = {
    b"mixed_precision": re.compile(
        rb"(?<!_)mixed_precision(?!\w)"
        rb"|_mixed_precision_graph_rewrite(?:_v1)?(?!\w)"
        rb"|train\.experimental\.\w*mixed_precision"
    ),
    b"loss_scale": re.compile(rb"loss_scale(?:_optimizer|_manager)?(?!\w)"),
}
"""Markers that other words have in them as well, such as `auto_mixed_precision`.

What stands in front is not told from an escape's letter: `"\\nmixed_precision"`.
"""
_JSON_OBJECT = re.compile(rb"\s*{")
_JSON_ESCAPE = re.compile(rb"\\u00([2-7][0-9a-fA-F])")


def markers_in(source: bytes) -> list[bytes]:
    """Returns the markers in a file's bytes, as they are usually spelled."""
    return [marker for marker in _COMPANIONS if marker in source]


def can_hold_old_name(source: bytes, markers: Sequence[bytes] | None = None) -> bool:
    """Whether a file can hold an old name: Python, in any encoding, or a notebook.

    Args:
        source: The file's bytes.
        markers: The markers in it, if they are known.
    """
    found = markers_in(source) if markers is None else markers
    return _can_be_old(source, found) or any(
        _can_be_old(other, markers_in(other)) for other in _other_spellings(source)
    )


def _can_be_old(source: bytes, markers: Sequence[bytes]) -> bool:
    return any(
        any(companion in source for companion in _COMPANIONS[marker])
        and (marker not in _AS_A_WORD or _AS_A_WORD[marker].search(source) is not None)
        for marker in markers
    )


def _other_spellings(source: bytes) -> Iterator[bytes]:
    """Yields a file's bytes as they would be if it were spelled the usual way."""
    if not source.isascii() or ENCODING_COOKIE.match(source):
        text = text_of(source)
        # Identifiers are compared in this form: https://docs.python.org/3/reference/lexical_analysis.html#identifiers
        if text.isascii() or not unicodedata.is_normalized("NFKC", text):
            yield unicodedata.normalize("NFKC", text).encode("utf-8", "replace")
    if _JSON_OBJECT.match(source) and b"\\u00" in source:
        yield _JSON_ESCAPE.sub(lambda found: bytes.fromhex(found.group(1).decode()), source)
