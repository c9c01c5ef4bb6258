# SPDX-License-Identifier: Apache-2.0
"""Experimental policies, and how `Model.compile` wraps an optimizer under them."""

from compat_lossscale.policies.global_policy import (
    get_layer_policy,
    global_policy,
    policy_scope,
    set_policy,
)
from compat_lossscale.policies.policy import (
    Policy,
    deserialize,
    keras_is_patched,
    patch_keras,
    unpatch_keras,
    with_input_dtype,
)

__all__ = [
    "Policy",
    "deserialize",
    "get_layer_policy",
    "global_policy",
    "keras_is_patched",
    "patch_keras",
    "policy_scope",
    "set_policy",
    "unpatch_keras",
    "with_input_dtype",
]

patch_keras()
