# SPDX-License-Identifier: Apache-2.0
"""The policy of new layers: the experimental functions of TensorFlow 1.14 to 2.4."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import tf_keras

from compat_lossscale.policies import compile_wrapping
from compat_lossscale.policies.policy import Policy


def set_policy(policy: Any) -> None:
    """Sets the policy of all layers that are created from now on.

    Source: `tf.keras.mixed_precision.experimental.set_policy` of TensorFlow 1.14 to 2.4.

    Args:
        policy: A policy, the name of a policy, or `None` for the policy of `floatx()`.

    Raises:
        ValueError: It is not a policy, its dtype is not floating-point, or it is a mixed policy
            while the graph rewrite is on.
    """
    if policy is not None and not isinstance(policy, tf_keras.mixed_precision.Policy):
        policy = Policy(policy)
    if not compile_wrapping.patches.applied:
        compile_wrapping.enable()
    try:
        tf_keras.mixed_precision.set_global_policy(policy)
    except ValueError as error:
        # The message names the function that was called, as in TensorFlow 2.4.
        raise ValueError(str(error).replace("set_global_policy", "set_policy")) from None


def _policy_that_was_set() -> Any:
    """Returns the global policy, or `None` for the default, which Keras creates each time."""
    policy = tf_keras.mixed_precision.global_policy()
    return policy if policy is tf_keras.mixed_precision.global_policy() else None


@contextlib.contextmanager
def policy_scope(policy: Any) -> Iterator[None]:
    """Sets the policy inside a `with` block (private in TensorFlow, but programs import it).

    Args:
        policy: See `set_policy`.
    """
    previous = _policy_that_was_set()
    set_policy(policy)
    try:
        yield
    finally:
        set_policy(previous)


def global_policy() -> Any:
    """Returns the policy of new layers.

    Source: `tf.keras.mixed_precision.experimental.global_policy` of TensorFlow 1.14 to 2.4.

    Returns:
        The policy object that was set. After `set_policy` with a name, it has a loss scale. After
        `tf.keras.mixed_precision.set_global_policy`, it is a policy of Keras, as in TensorFlow 2.4.
        If none was set, a policy with a loss scale of `None`.
    """
    policy = _policy_that_was_set()
    return Policy(tf_keras.mixed_precision.global_policy().name) if policy is None else policy


def get_layer_policy(layer: Any) -> Any:
    """Returns a layer's policy, the layer's own object.

    Source: `tf.keras.mixed_precision.experimental.get_layer_policy` of TensorFlow 2.2 to 2.4.

    Args:
        layer: A Keras layer.

    Raises:
        ValueError: `layer` is not a Keras layer.
    """
    if not isinstance(layer, tf_keras.layers.Layer):
        raise ValueError(
            f"get_policy can only be called on a layer, but got: {layer!r}. get_layer_policy takes "
            "a layer of tf-keras."
        )
    return layer.dtype_policy
