# SPDX-License-Identifier: Apache-2.0
"""Whether two texts tell of the same numbers: to the bit, or within what rounding makes of them.

Keras 3 computes the updates of some optimizers in another order than tf-keras, so that their last
digits differ. What loss scaling does otherwise is another size: a scale is twice or half of what it
was, and a count is another whole number.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

RELATIVE: Final = 1e-4
ABSOLUTE: Final = 1e-5
_OBJECT = re.compile(r"<[\w.]*keras[\w.]* object at 0x>|<\w+ name=\w+, built=\w+>")
"""What an object of Keras is printed as."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)(?![\w.])")


def is_close(one: Any, other: Any) -> bool:
    """Whether two values, as data that JSON can carry, differ by rounding alone.

    Args:
        one: A value, or a text with numbers in it.
        other: The other one.
    """
    return _texts_are_close(_text(one), _text(other))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return _OBJECT.sub("<an object of Keras>", text)


def _texts_are_close(one: str, other: str) -> bool:
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(left == right or _are_close(left, right) for left, right in pairs)


def _are_close(left: str, right: str) -> bool:
    if left.lstrip("+-").isdigit() or right.lstrip("+-").isdigit():
        return False  # Whole numbers are counts.
    return math.isclose(float(left), float(right), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
