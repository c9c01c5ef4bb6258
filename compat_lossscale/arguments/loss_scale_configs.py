# SPDX-License-Identifier: Apache-2.0
"""Loss scales to and from the configs in which Keras kept them up to TensorFlow 2.3.

Which class a config means, Keras' registry says: that of tf-keras or that of Keras 3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from compat_lossscale.arguments.loss_scale_arguments import as_loss_scale, class_of, from_spec
from compat_lossscale.core.dynamic_loss_scale import DynamicLossScale
from compat_lossscale.core.loss_scale import FixedLossScale, LossScale
from compat_lossscale.errors import ConfigFormatError
from compat_lossscale.spec import LossScaleSpec


@dataclasses.dataclass(frozen=True)
class LossScaleConfigs:
    """Reads and writes such configs by the registry of one Keras.

    Attributes:
        registered_name: Keras' `get_registered_name`.
        registered_object: Keras' `get_registered_object`.
    """

    registered_name: Callable[[type], str]
    registered_object: Callable[[str, dict[str, Any], dict[str, Any]], Any]

    def serialize(self, loss_scale: LossScale | None) -> dict[str, Any] | None:
        """Returns `{"class_name", "config"}` of a loss scale, and `None` for `None`."""
        if loss_scale is None:
            return None
        class_name = self.registered_name(class_of(loss_scale))
        return {"class_name": class_name, "config": loss_scale.get_config()}

    def deserialize(
        self, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScale:
        """Makes a loss scale, in its initial state, from what `serialize` returned.

        Args:
            config: `{"class_name", "config"}`.
            custom_objects: Users' own LossScale classes by name. Those registered with Keras are
                known.

        Returns:
            The loss scale.

        Raises:
            ConfigFormatError: The class is not known, or `config` has another form.
        """
        if not {"class_name", "config"} <= config.keys():
            raise ConfigFormatError(
                f"Improper config format: {dict(config)!r} needs `class_name` and `config`."
            )
        own = {"DynamicLossScale": DynamicLossScale, "FixedLossScale": FixedLossScale}
        class_name = config["class_name"]
        loss_scale_class = self.registered_object(class_name, dict(custom_objects or {}), own)
        if loss_scale_class is None:
            raise ConfigFormatError(
                f"Unknown loss scale: {class_name!r}. If it is a class of your own, pass it: "
                f"custom_objects={{{class_name!r}: ...}}."
            )
        loss_scale: LossScale = loss_scale_class.from_config(config["config"])
        return loss_scale

    def stated_in(
        self, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScale:
        """Makes the loss scale that the config of an optimizer states.

        Args:
            config: The config of an optimizer of any generation. Its `loss_scale` may also be a
                LossScale.
            custom_objects: Users' own LossScale classes by name.

        Returns:
            The loss scale, in its initial state; the same object, if the config has one.

        Raises:
            ConfigFormatError: The config states no loss scale, or one of an unknown class.
        """
        stated = config.get("loss_scale")
        if isinstance(stated, LossScale):
            return stated
        if isinstance(stated, Mapping):
            return self.deserialize(stated, custom_objects)
        return from_spec(LossScaleSpec.from_config(config))

    def interpret(self, loss_scale: Any, *, below_one: bool = False) -> LossScale:
        """Makes a loss scale of what the experimental Keras classes take as `loss_scale`.

        Source: `LossScaleOptimizer` of TensorFlow 2.0 to 2.4 and `Policy` of 2.1 to 2.4. The
        optimizers of `tf.compat.v1.train` take no dictionary.

        Args:
            loss_scale: `{"class_name", "config"}`, see `deserialize`; or what `as_loss_scale`
                takes.
            below_one: Whether a number below 1 is taken, as by the optimizer of TensorFlow 2.4.

        Returns:
            The loss scale.

        Raises:
            ConfigFormatError: It is a dictionary of another form, or of an unknown class.
            LossScaleArgumentError: It is not one of these.
        """
        if isinstance(loss_scale, Mapping):
            loss_scale = self.deserialize(loss_scale)
        return as_loss_scale(loss_scale, below_one=below_one)

    def get(self, identifier: Any) -> LossScale | None:
        """Makes a loss scale of whatever Keras up to TensorFlow 2.3 took for one.

        Args:
            identifier: What `interpret` takes, or `None`.

        Returns:
            The loss scale; `None` for `None`.

        Raises:
            ConfigFormatError: It is a dictionary of another form, or of an unknown class.
            LossScaleArgumentError: It is not one of these.
        """
        return None if identifier is None else self.interpret(identifier)
