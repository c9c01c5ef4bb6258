# SPDX-License-Identifier: Apache-2.0
"""f-strings that are one token, as they are before Python 3.12."""

from __future__ import annotations

import re

from lossscale_codemods.analysis.approximate_names import CannotTellError

_FIELD = re.compile(r"\{[^{}'\"]*\}")
_NOTHING = "\0"


def fields_blanked(f_string: str) -> str:
    """Returns an f-string of the same length with nothing in the place of its fields.

    Raises:
        CannotTellError: A field has strings or fields of its own.
    """
    text = f_string.replace("{{", _NOTHING * 2).replace("}}", _NOTHING * 2)
    text = _FIELD.sub(lambda field: _NOTHING * len(field.group()), text)
    if "{" in text or "}" in text:
        raise CannotTellError
    return text
