# SPDX-License-Identifier: Apache-2.0
"""Which version of a module is installed, of whichever package provides it. Imports none."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util

UNKNOWN_VERSION = "of unknown version"
_PACKAGES = {
    "tensorflow": (
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-gpu",
        "tensorflow-rocm",
        "tensorflow-macos",
        "tensorflow-intel",
        "tf-nightly",
        "tf-nightly-cpu",
    ),
    "tf_keras": ("tf-keras", "tf-keras-nightly"),
    # TensorFlow's release candidates require the nightly one.
    "keras": ("keras", "keras-nightly"),
}
"""The packages that provide a module; of others, the one of its own name."""


def installed_version(module: str) -> str | None:
    """Returns the version of a module.

    Args:
        module: The name that programs import.

    Returns:
        Its version; `UNKNOWN_VERSION` if its package does not say; `None` if it is not installed.
    """
    # What was uninstalled by halves leaves its metadata behind, what was built by hand has none.
    if importlib.util.find_spec(module) is None:
        return None
    for package in _PACKAGES.get(module, (module,)):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(package)
    return UNKNOWN_VERSION
