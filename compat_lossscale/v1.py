# SPDX-License-Identifier: Apache-2.0
"""The loss-scale API for `tf.compat.v1.train` optimizers, under its old names.

`compat_lossscale.v1.X` is `tf.compat.v1.train.experimental.X` or
`tf.compat.v1.mixed_precision.X`.
"""

from types import ModuleType

from compat_lossscale._import_hook import when_imported
from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__, tf_keras=False)

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale  # noqa: E402  # after the check
from compat_lossscale.tf1 import (  # noqa: E402  # after the check
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)


def _load_front_ends(_tf_keras: ModuleType) -> None:
    from compat_lossscale import optimizers  # noqa: F401, PLC0415  # only if tf-keras is used


# The graph rewrite wraps optimizers of tf-keras too. A program that has one has imported tf-keras,
# which takes seconds, and which programs on Keras 3 do without.
when_imported("tf_keras", _load_front_ends, [])

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]
