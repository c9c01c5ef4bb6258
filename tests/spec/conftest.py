# SPDX-License-Identifier: Apache-2.0
"""Leaves out the comparison with other libraries where one is missing: `make test-torch`."""

from __future__ import annotations

import importlib.util

_OTHERS = ("flax", "jmp", "torch")

collect_ignore = [
    "test_other_systems.py" for name in _OTHERS if importlib.util.find_spec(name) is None
][:1]
