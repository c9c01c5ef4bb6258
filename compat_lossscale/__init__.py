# SPDX-License-Identifier: Apache-2.0
"""Every generation of TensorFlow's loss-scale optimizer, on today's TensorFlow and tf-keras.

Importing this package has no side effects and does not import TensorFlow: names are loaded when
they are first used. `install()` restores the old names in `tensorflow`. These imports work without
it::

    from compat_lossscale import LossScaleOptimizer               # TensorFlow 2.4 and later
    from compat_lossscale.experimental import LossScaleOptimizer  # TensorFlow 1.14 to 2.4
    from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer  # tf.compat.v1.train
    from compat_lossscale.keras3 import LossScaleOptimizer        # keras.optimizers
"""

from __future__ import annotations

import importlib

from compat_lossscale._version import __version__

TYPE_CHECKING = False  # `typing` must not be imported before the program: see legacy.startup
if TYPE_CHECKING:
    from compat_lossscale import callbacks, experimental, keras3, v1
    from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
    from compat_lossscale.equivalence import assert_equivalent, configs_equivalent, convert_config
    from compat_lossscale.legacy.install import install, installed, uninstall
    from compat_lossscale.optimizers import LossScaleOptimizer
    from compat_lossscale.spec import (
        Generation,
        LossScaleRule,
        LossScaleSpec,
        LossScaleState,
        all_finite,
    )
    from compat_lossscale.watching.logged_run import plot_history
    from compat_lossscale.watching.report import loss_scale_report

_NAMES = {
    "compat_lossscale.core": "DynamicLossScale FixedLossScale LossScale",
    "compat_lossscale.equivalence": "assert_equivalent configs_equivalent convert_config",
    "compat_lossscale.legacy.install": "install installed uninstall",
    "compat_lossscale.optimizers": "LossScaleOptimizer",
    "compat_lossscale.spec": "Generation LossScaleRule LossScaleSpec LossScaleState all_finite",
    "compat_lossscale.watching.logged_run": "plot_history",
    "compat_lossscale.watching.report": "loss_scale_report",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
_MODULES = ("callbacks", "experimental", "keras3", "v1")
_NEED_TENSORFLOW = ("compat_lossscale.core", "compat_lossscale.optimizers")

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "Generation",
    "LossScale",
    "LossScaleOptimizer",
    "LossScaleRule",
    "LossScaleSpec",
    "LossScaleState",
    "__version__",
    "all_finite",
    "assert_equivalent",
    "callbacks",
    "configs_equivalent",
    "convert_config",
    "experimental",
    "install",
    "installed",
    "keras3",
    "loss_scale_report",
    "plot_history",
    "uninstall",
    "v1",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if home in _NEED_TENSORFLOW:
        from compat_lossscale._require import require_tensorflow  # noqa: PLC0415  # only if used

        require_tensorflow(f"{__name__}.{name}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def load_ipython_extension(ipython: object) -> None:
    """Implements `%load_ext compat_lossscale`: does what `compat-lossscale run` does for a program.

    TensorFlow is imported when a cell imports it.

    Args:
        ipython: The shell.

    Raises:
        MissingExtraError: TensorFlow or tf-keras is not installed.
        InstallError: TensorFlow is already loaded with Keras 3.
    """
    from compat_lossscale._require import require_tensorflow  # noqa: PLC0415  # only if used
    from compat_lossscale.legacy import startup, waiting  # noqa: PLC0415  # only if used

    require_tensorflow("%load_ext compat_lossscale")
    if waiting.to_install is None:
        startup.install_when_imported(
            "%load_ext compat_lossscale", legacy_optimizers=True, neighbours=True
        )


def unload_ipython_extension(ipython: object) -> None:
    """Implements `%unload_ext compat_lossscale`: calls `uninstall()`.

    Args:
        ipython: The shell.
    """
    from compat_lossscale.legacy.install import uninstall  # noqa: PLC0415  # only if used

    uninstall()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
