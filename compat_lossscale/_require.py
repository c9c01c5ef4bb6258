# SPDX-License-Identifier: Apache-2.0
"""Checks that optional dependencies are installed, and names the command that installs them."""

from __future__ import annotations

import importlib.util

from compat_lossscale.errors import MissingExtraError

INSTALL_TENSORFLOW = "pip install tensorflow tf-keras tensorboard"
"""What the extra `tf` installs. This package is installed, from wherever it came."""


def require_tensorflow(what: str, *, tf_keras: bool = True) -> None:
    """Checks, without importing them, that TensorFlow and tf-keras are installed.

    Args:
        what: What needs them, for the beginning of the message.
        tf_keras: Whether it needs tf-keras too.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    packages = ("tensorflow", "tf_keras") if tf_keras else ("tensorflow",)
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    if missing:
        needs = "needs TensorFlow and tf-keras" if tf_keras else "needs TensorFlow"
        raise MissingExtraError(
            f"{what} {needs} ({' and '.join(missing)} not found): {INSTALL_TENSORFLOW}"
        )


def require_keras_3(what: str) -> None:
    """Checks, without importing it, that Keras 3 is installed.

    Args:
        what: What needs it, for the beginning of the message.

    Raises:
        MissingExtraError: It is not, or the package `keras` is an older one.
    """
    from compat_lossscale._installed import installed_version  # noqa: PLC0415  # slow

    version = installed_version("keras")
    if version is None:
        raise MissingExtraError(f"{what} needs Keras 3 (keras not found): pip install 'keras>=3.6'")
    if version.partition(".")[0] in ("1", "2"):
        raise MissingExtraError(
            f"{what} needs Keras 3, and keras {version} is installed: pip install 'keras>=3.6'"
        )


def require_libcst(what: str) -> None:
    """Checks, without importing it, that libcst is installed.

    Args:
        what: What needs it, for the beginning of the message.

    Raises:
        MissingExtraError: It is not installed.
    """
    if not importlib.util.find_spec("libcst"):
        raise MissingExtraError(f"{what} needs libcst, which is not installed: pip install libcst")
