# SPDX-License-Identifier: Apache-2.0
"""The table of old names: where each was in TensorFlow, and what stands for it here.

Read off TensorFlow 1.14 to 2.5; the documentation's compatibility page shows which version had
which. Names that today's TensorFlow still has are in the table too, so that a program meets one
implementation whichever name it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale import policies
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.optimizers import (
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
    loss_scale_config,
    stock,
)
from compat_lossscale.steps import strategies

Table = Mapping[str, Mapping[str, Any]]
"""Names and their values, by the module that they are in."""

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


def tables(optimizer: type, experimental_optimizer: type) -> dict[str, Table]:
    """Returns the public old names.

    Args:
        optimizer: The class to put in place of `tf.keras.mixed_precision.LossScaleOptimizer`.
        experimental_optimizer: The same for the experimental one.

    Returns:
        A table by its root: `tensorflow`, `tensorflow.compat.v1`, `tensorflow.compat.v2`.
    """
    v2: Table = {
        "keras.mixed_precision": {"LossScaleOptimizer": optimizer},
        "keras.mixed_precision.experimental": {
            "LossScaleOptimizer": experimental_optimizer,
            "Policy": policies.Policy,
            "get_layer_policy": policies.get_layer_policy,
            "global_policy": policies.global_policy,
            "set_policy": policies.set_policy,
        },
        "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE},
        "mixed_precision.experimental": _LOSS_SCALES,
    }
    v1: Table = {
        **v2,
        "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
        "mixed_precision": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
    }
    return {"tensorflow": v2, "tensorflow.compat.v2": v2, "tensorflow.compat.v1": v1}


def private_table(optimizer: type, experimental_optimizer: type) -> Table:
    """Returns the names in private modules, below `tensorflow.python`, that real programs import.

    Args:
        optimizer: See `tables`.
        experimental_optimizer: See `tables`.
    """
    helpers = {
        "autocast_variable": stock.mixed_precision_names("autocast_variable"),
        "device_compatibility_check": stock.mixed_precision_names("device_compatibility_check"),
        "get_layer_policy": {"get_layer_policy": policies.get_layer_policy},
        "loss_scale": {
            "deserialize": loss_scale_config.deserialize,
            "get": loss_scale_config.get,
            "serialize": loss_scale_config.serialize,
        },
        "loss_scale_optimizer": {
            **stock.mixed_precision_names("loss_scale_optimizer"),
            "strategy_supports_loss_scaling": strategies.is_supported,
            "LossScaleOptimizer": optimizer,
            "LossScaleOptimizerV1": experimental_optimizer,
        },
        "policy": {
            **stock.mixed_precision_names("policy"),
            "PolicyV1": policies.Policy,
            "policy_scope": policies.policy_scope,
            "set_policy": policies.set_policy,
        },
    }
    experimental: Table = {
        **helpers,
        "loss_scale_optimizer": {
            **helpers["loss_scale_optimizer"],
            "LossScaleOptimizer": experimental_optimizer,
        },
        "policy": {
            **helpers["policy"],
            "Policy": policies.Policy,
            "deserialize": policies.deserialize,
            "global_policy": policies.global_policy,
            "with_input_dtype": policies.with_input_dtype,
        },
    }
    keras = "keras.mixed_precision"
    return {
        f"{keras}.experimental": {},
        **{f"{keras}.{name}": names for name, names in helpers.items()},
        **{f"{keras}.experimental.{name}": names for name, names in experimental.items()},
        "training.experimental.loss_scale": _LOSS_SCALES,
        "training.experimental.loss_scale_optimizer": _V1_OPTIMIZER,
        "training.experimental.mixed_precision": {
            **_GRAPH_REWRITE,
            "enable_mixed_precision_graph_rewrite_v1": enable_mixed_precision_graph_rewrite,
            "disable_mixed_precision_graph_rewrite_v1": disable_mixed_precision_graph_rewrite,
        },
    }
