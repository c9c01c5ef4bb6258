# SPDX-License-Identifier: Apache-2.0
"""Leaves out the tests of backends that are not in use."""

from __future__ import annotations

import keras

collect_ignore = [
    f"test_{backend}.py"
    for backend in ("tensorflow", "jax", "torch")
    if backend != keras.backend.backend()
]
