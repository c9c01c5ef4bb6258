# SPDX-License-Identifier: Apache-2.0
"""What Keras 3's optimizers have no more of the optimizers of TensorFlow 2.0 to 2.10.

These are members, not names of modules: `compat-lossscale run` cannot serve them exactly, and says
so where one is used. It serves all others under `--keras3`.
"""

from __future__ import annotations

_GRAPHS = (
    "tf.GradientTape and apply_gradients(), or Model.fit(); it made operations in graphs of "
    "TensorFlow 1"
)
_SLOTS = (
    "the optimizer's own lists, such as SGD's `momentums`, or its `variables`, whose `path` says "
    "what each is"
)

MEMBERS = {
    "get_gradients": _GRAPHS,
    "get_updates": _GRAPHS,
    "get_slot": _SLOTS,
    "get_slot_names": _SLOTS,
    "add_slot": "add_variable_from_reference(), called in build()",
    "add_weight": "add_variable(), called in build()",
}
"""Members that programs call, and what to use instead."""

HOOKS = {
    "_create_hypers": "__init__()",
    "_create_slots": "build()",
    "_get_hyper": "attributes of the optimizer, and its `learning_rate`",
    "_prepare_local": "build()",
    "_resource_apply_dense": "update_step(gradient, variable, learning_rate)",
    "_resource_apply_sparse": "update_step(gradient, variable, learning_rate)",
    "_resource_apply_sparse_duplicate_indices": "update_step(gradient, variable, learning_rate)",
    "_set_hyper": "attributes of the optimizer, and super().__init__(learning_rate=...)",
}
"""Methods that subclasses of OptimizerV2 define or call, and what Keras 3 has in their place."""

DECAY = (
    "a schedule as the learning rate: keras.optimizers.schedules.InverseTimeDecay(learning_rate, "
    "decay_steps=1, decay_rate=decay)"
)
"""What takes the place of `decay=`, which divided the learning rate by `1 + decay * iterations`."""
