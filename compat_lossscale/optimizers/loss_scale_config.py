# SPDX-License-Identifier: Apache-2.0
"""Loss scales to and from the configs in which Keras kept them up to TensorFlow 2.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tf_keras

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale, as_loss_scale
from compat_lossscale.errors import ConfigFormatError


def serialize(loss_scale: LossScale | None) -> dict[str, Any] | None:
    """Returns `{"class_name", "config"}` of a loss scale, and `None` for `None`."""
    if loss_scale is None:
        return None
    return {"class_name": type(loss_scale).__name__, "config": loss_scale.get_config()}


def deserialize(
    config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
) -> LossScale:
    """Makes a loss scale, in its initial state, from what `serialize` returned.

    Args:
        config: `{"class_name", "config"}`.
        custom_objects: Users' own LossScale classes by name. Those registered with Keras are known.

    Returns:
        The loss scale.

    Raises:
        ConfigFormatError: The class is not known.
    """
    own = {"DynamicLossScale": DynamicLossScale, "FixedLossScale": FixedLossScale}
    class_name = config.get("class_name")
    found = tf_keras.utils.get_registered_object(class_name, dict(custom_objects or {}), own)
    if found is None:
        raise ConfigFormatError(
            f"Unknown loss scale: {class_name!r}. If it is a class of your own, pass it: "
            f"custom_objects={{{class_name!r}: ...}}."
        )
    loss_scale: LossScale = found.from_config(config.get("config", {}))
    return loss_scale


def get(identifier: Any) -> LossScale | None:
    """Makes a loss scale of whatever Keras up to TensorFlow 2.3 took for one.

    Args:
        identifier: What `deserialize` takes, or what the experimental optimizer takes as its
            `loss_scale`, or `None`.

    Returns:
        The loss scale; `None` for `None`.

    Raises:
        LossScaleArgumentError: It is none of these.
    """
    if identifier is None:
        return None
    return deserialize(identifier) if isinstance(identifier, Mapping) else as_loss_scale(identifier)
