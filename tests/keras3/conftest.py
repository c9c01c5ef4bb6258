# SPDX-License-Identifier: Apache-2.0
"""Leaves out the tests of backends that are not in use."""

from __future__ import annotations

import keras

_FOR_ONE_BACKEND = {
    "tensorflow": (
        "test_compile_wrapping.py",
        "test_experimental.py",
        "test_old_layers.py",
        "test_old_members.py",
        "test_policies.py",
        "test_registry.py",
        "test_tensorflow.py",
        "test_tensorflow_2_4.py",
    ),
    "jax": ("test_jax.py",),
    "torch": ("test_torch.py",),
}

collect_ignore = [
    file
    for backend, files in _FOR_ONE_BACKEND.items()
    for file in files
    if backend != keras.backend.backend()
]
