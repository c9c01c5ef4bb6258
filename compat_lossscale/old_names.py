# SPDX-License-Identifier: Apache-2.0
"""The table of old names: where each stood in TensorFlow, and what stands for it here.

Read off TensorFlow 1.14 to 2.5; the documentation's compatibility page shows which version had
which. Names that today's TensorFlow still has are in the table too, so that a program meets one
implementation whichever name it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale import policy
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.optimizers import (
    ExperimentalLossScaleOptimizer,
    LossScaleOptimizer,
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)

_LOSS_SCALES = {
    "LossScale": LossScale,
    "FixedLossScale": FixedLossScale,
    "DynamicLossScale": DynamicLossScale,
}
_GRAPH_REWRITE = {
    "enable_mixed_precision_graph_rewrite": enable_mixed_precision_graph_rewrite,
    "disable_mixed_precision_graph_rewrite": disable_mixed_precision_graph_rewrite,
}
_V1_OPTIMIZER = {"MixedPrecisionLossScaleOptimizer": MixedPrecisionLossScaleOptimizer}
_KERAS = {
    "LossScaleOptimizer": ExperimentalLossScaleOptimizer,
    "Policy": policy.Policy,
    "get_layer_policy": policy.get_layer_policy,
    "global_policy": policy.global_policy,
    "set_policy": policy.set_policy,
}

PUBLIC: Mapping[str, Mapping[str, Any]] = {
    "keras.mixed_precision": {"LossScaleOptimizer": LossScaleOptimizer},
    "keras.mixed_precision.experimental": _KERAS,
    "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE},
    "mixed_precision.experimental": _LOSS_SCALES,
}
"""By module below `tensorflow` and below `tensorflow.compat.v2`."""

PUBLIC_V1: Mapping[str, Mapping[str, Any]] = {
    **PUBLIC,
    "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
    "mixed_precision": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
}
"""By module below `tensorflow.compat.v1`."""

PRIVATE: Mapping[str, Mapping[str, Any]] = {
    "python.keras.mixed_precision.experimental": {},
    "python.keras.mixed_precision.experimental.loss_scale_optimizer": {
        "LossScaleOptimizer": ExperimentalLossScaleOptimizer
    },
    "python.keras.mixed_precision.experimental.policy": {
        "Policy": policy.Policy,
        "global_policy": policy.global_policy,
        "policy_scope": policy.policy_scope,
        "set_policy": policy.set_policy,
    },
    "python.keras.mixed_precision.experimental.get_layer_policy": {
        "get_layer_policy": policy.get_layer_policy
    },
    "python.training.experimental.mixed_precision": _GRAPH_REWRITE,
}
"""Private modules below `tensorflow` that real programs import.

No name that such a module has today is replaced: TensorFlow's own code looks its names up there.
The loss scales that it still defines in `tensorflow.python.training.experimental` are base classes
of ours, and instances of them are taken wherever ours are.
"""
