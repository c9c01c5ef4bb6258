# SPDX-License-Identifier: Apache-2.0
"""Dotted paths of TensorFlow, of which several lead to the same thing."""

from __future__ import annotations

import re

_TENSORFLOW = re.compile(r"^tensorflow(?:_core)?(?:\._api\.v[12]|(?:\.compat\.v2))*(?=\.|$)")
_V1_ROOT = re.compile(r"^tensorflow\.compat\.v1(?:\.compat\.v1)*(?=\.|$)")
_V1_TO_V2 = re.compile(r"^tensorflow(?:\.compat\.v1)+\.compat\.v2(?=\.|$)")


def canonical(path: str) -> str:
    """Returns the shortest path to the same thing: without `compat.v2`, `_api` and the like."""
    path = _TENSORFLOW.sub("tensorflow", path)
    path = _V1_TO_V2.sub("tensorflow", path)
    path = _V1_ROOT.sub("tensorflow.compat.v1", path)
    return re.sub(r"^tensorflow\._api\.v1\b", "tensorflow.compat.v1", path)
