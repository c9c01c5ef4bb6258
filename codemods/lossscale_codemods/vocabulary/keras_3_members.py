# SPDX-License-Identifier: Apache-2.0
"""Members of TensorFlow's optimizers that Keras 3's lack, or have otherwise: plain data.

`tests/codemods/vocabulary/test_keras_3_members.py` asks both Keras of today.
"""

from __future__ import annotations

_STATE = (
    "Keras 3's optimizers have the learning rate among their variables, and no slots by name",
    "Read `variables`, each of which has a `path`, or save the optimizer with the model.",
)
_SUBCLASS = (
    "Keras 3's optimizers have no hyperparameters by name, and subclasses have other methods",
    "Use the attributes of Keras 3's optimizers, and `build` and `update_step` in subclasses.",
)
_RATE = (
    "Keras 3's optimizers have no `_decayed_lr`",
    "Read `learning_rate`, which is the current value.",
)
_GRAPH = (
    "Keras 3's optimizers take gradients, and compute none",
    "Compute them with tf.GradientTape, and give them to `apply`.",
)
GONE = {
    **dict.fromkeys(("add_slot", "get_slot", "get_slot_names"), _STATE),
    **dict.fromkeys(("get_weights", "set_weights", "weights", "variables"), _STATE),
    **dict.fromkeys(
        ("_create_slots", "_resource_apply_dense", "_resource_apply_sparse"), _SUBCLASS
    ),
    **dict.fromkeys(("_get_hyper", "_set_hyper", "_serialize_hyperparameter"), _SUBCLASS),
    **dict.fromkeys(("_hyper", "add_weight"), _SUBCLASS),
    "_decayed_lr": _RATE,
    **dict.fromkeys(("get_gradients", "get_updates", "_compute_gradients"), _GRAPH),
    "decay": (
        "Keras 3's optimizers have no `decay`",
        "Ask the schedule that took its place, or take it out.",
    ),
}
"""Members, each with why it is not there as it was, and what to do."""
ONLY_OF_OPTIMIZERS = frozenset(GONE) - {
    "add_weight", "decay", "get_weights", "set_weights", "variables", "weights",
}  # fmt: skip
"""Those of them that nothing else has."""
KEPT_CONFIG_KEYS = frozenset(
    {"initial_scale", "dynamic_growth_steps", "learning_rate", "momentum", "nesterov"}
    | {"beta_1", "beta_2", "epsilon", "amsgrad", "rho", "centered", "initial_accumulator_value"}
)
"""Keys of configs that mean the same."""
NOT_OF_VARIABLES = frozenset({"eval", "initializer", "op", "read_value"})
"""Members of a `tf.Variable` that `iterations` and `learning_rate` had, and lack in Keras 3."""
AGGREGATION = ("experimental_aggregate_gradients", "skip_gradients_aggregation")
"""Arguments of `apply_gradients` that say whether replicas sum their gradients."""
