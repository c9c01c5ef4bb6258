# SPDX-License-Identifier: Apache-2.0
"""The table of old names: where each was in TensorFlow, and what stands for it here.

Read off TensorFlow 1.14 to 2.5; the documentation's compatibility page shows which version had
which. Names that today's TensorFlow still has are in the table too, so that a program meets one
implementation whichever name it uses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from compat_lossscale import core, tf1
from compat_lossscale._patching import Undo, put_module, put_private_module
from compat_lossscale.members.loss_scales import LossScaleConfigs

Table = Mapping[str, Mapping[str, Any]]
"""Names and their values, by the module that they are in."""


def _of(owner: Any, names: str) -> dict[str, Any]:
    """Returns some names of a module or an object, with what they are there."""
    return {name: getattr(owner, name) for name in names.split()}


_LOSS_SCALES = _of(core, "LossScale FixedLossScale DynamicLossScale")
_GRAPH_REWRITE = _of(
    tf1, "enable_mixed_precision_graph_rewrite disable_mixed_precision_graph_rewrite"
)
_V1_OPTIMIZER = _of(tf1, "MixedPrecisionLossScaleOptimizer")


@dataclasses.dataclass(frozen=True)
class KerasNames:
    """What the names that are about Keras stand for: classes and functions for one Keras.

    Attributes:
        optimizer: The class in place of `tf.keras.mixed_precision.LossScaleOptimizer`.
        experimental_optimizer: The same for the experimental one.
        policies: The module with the experimental Policy, and the functions around it.
        configs: Reads and writes loss scales.
        deserialize_policy: Makes a policy of what a layer's config has as its `dtype`.
        helpers: What else is in private modules of mixed precision, by the module.
    """

    optimizer: type
    experimental_optimizer: type
    policies: Any
    configs: LossScaleConfigs
    deserialize_policy: Callable[..., Any]
    helpers: Mapping[str, Mapping[str, Any]]


def keras_table(names: KerasNames) -> Table:
    """Returns the public old names that are below `keras`."""
    return {
        "mixed_precision": {"LossScaleOptimizer": names.optimizer},
        "mixed_precision.experimental": {
            "LossScaleOptimizer": names.experimental_optimizer,
            **_of(names.policies, "Policy get_layer_policy global_policy set_policy"),
        },
    }


def tables(names: KerasNames) -> dict[str, Table]:
    """Returns the public old names, a table for each of the roots of TensorFlow's API."""
    v2: Table = {
        **{f"keras.{place}": table for place, table in keras_table(names).items()},
        "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE},
        "mixed_precision.experimental": _LOSS_SCALES,
    }
    v1: Table = {
        **v2,
        "train.experimental": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
        "mixed_precision": {**_LOSS_SCALES, **_GRAPH_REWRITE, **_V1_OPTIMIZER},
    }
    return {"tensorflow": v2, "tensorflow.compat.v2": v2, "tensorflow.compat.v1": v1}


def private_table(names: KerasNames) -> Table:
    """Returns the names in private modules, below `tensorflow.python`, that programs import."""
    helpers: Table = {
        **names.helpers,
        "get_layer_policy": _of(names.policies, "get_layer_policy"),
        "loss_scale": _of(names.configs, "deserialize get serialize"),
        "loss_scale_optimizer": {
            **names.helpers.get("loss_scale_optimizer", {}),
            "strategy_supports_loss_scaling": core.supports_strategy,
            "LossScaleOptimizer": names.optimizer,
            "LossScaleOptimizerV1": names.experimental_optimizer,
        },
        "policy": {
            **names.helpers.get("policy", {}),
            "PolicyV1": names.policies.Policy,
            **_of(names.policies, "policy_scope set_policy"),
        },
    }
    experimental: Table = {
        **helpers,
        "loss_scale_optimizer": {
            **helpers["loss_scale_optimizer"],
            "LossScaleOptimizer": names.experimental_optimizer,
        },
        "policy": {
            **helpers["policy"],
            **_of(names.policies, "Policy global_policy"),
            "deserialize": names.deserialize_policy,
        },
    }
    keras = "keras.mixed_precision"
    return {
        f"{keras}.experimental": {},
        **{f"{keras}.{name}": values for name, values in helpers.items()},
        **{f"{keras}.experimental.{name}": values for name, values in experimental.items()},
        "training.experimental.loss_scale": _LOSS_SCALES,
        "training.experimental.loss_scale_optimizer": _V1_OPTIMIZER,
        "training.experimental.mixed_precision": {
            **_GRAPH_REWRITE,
            **{f"{name}_v1": function for name, function in _GRAPH_REWRITE.items()},
        },
    }


def put(names: KerasNames, undo: Undo) -> None:
    """Puts the old names into TensorFlow, which has been imported."""
    for root, table in tables(names).items():
        for place, values in table.items():
            put_module(f"{root}.{place}", values, undo)
    for place, values in private_table(names).items():
        put_private_module(f"tensorflow.python.{place}", values, undo)
