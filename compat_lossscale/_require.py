# SPDX-License-Identifier: Apache-2.0
"""Checks that optional dependencies are installed, and names the command that installs them."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import sys

from compat_lossscale.errors import MissingExtraError

UNKNOWN_VERSION = "of unknown version"


def installed_version(module: str) -> str | None:
    """Returns the version of a module that programs import; `None` if it is not installed.

    It is `UNKNOWN_VERSION` if its package does not say.
    """
    # What was uninstalled by halves leaves its metadata behind, what was built by hand has none.
    if importlib.util.find_spec(module) is None:
        return None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(module)
    # Such as tensorflow-cpu, or keras-nightly, which release candidates of TensorFlow require.
    packages = importlib.metadata.packages_distributions().get(module)
    return importlib.metadata.version(packages[0]) if packages else UNKNOWN_VERSION


INSTALL_TENSORFLOW = "pip install tensorflow tf-keras tensorboard"
"""What the extra `tf` installs. This package is installed, from wherever it came."""


def require_tensorflow(what: str, *, tf_keras: bool = True) -> None:
    """Checks, without importing them, that TensorFlow and tf-keras are installed."""
    packages = ("tensorflow", "tf_keras") if tf_keras else ("tensorflow",)
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    if missing:
        needs = "needs TensorFlow and tf-keras" if tf_keras else "needs TensorFlow"
        raise MissingExtraError(
            f"{what} {needs} ({' and '.join(missing)} not found): {INSTALL_TENSORFLOW}"
        )


def require_keras_3(what: str) -> None:
    """Checks, without importing it, that Keras 3 is installed and is what `import keras` gives.

    Raises:
        MissingExtraError: It is not, the package `keras` is an older one, or `keras` is tf-keras,
            as `install()` and `run` make it.
    """
    version = installed_version("keras")
    if version is None:
        raise MissingExtraError(f"{what} needs Keras 3 (keras not found): pip install 'keras>=3.6'")
    if version.partition(".")[0] in ("1", "2"):
        raise MissingExtraError(
            f"{what} needs Keras 3, and keras {version} is installed: pip install 'keras>=3.6'"
        )
    imported = getattr(sys.modules.get("keras"), "__version__", version)
    if imported.partition(".")[0] in ("1", "2"):
        raise MissingExtraError(
            f"{what} needs Keras 3, and `import keras` gives Keras {imported} in this process, as "
            "compat_lossscale.install() and `compat-lossscale run` make it for old programs. With "
            "Keras 3, use install(keras=3) or run --keras3; a program for Keras 3 needs neither"
        )


def require_libcst(what: str) -> None:
    """Checks, without importing it, that libcst is installed."""
    if not importlib.util.find_spec("libcst"):
        raise MissingExtraError(f"{what} needs libcst, which is not installed: pip install libcst")
