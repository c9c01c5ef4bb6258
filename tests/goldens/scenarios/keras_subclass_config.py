# SPDX-License-Identifier: Apache-2.0
"""A user subclass that adds to get_config and rebuilds itself in from_config."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

Base = tf.keras.mixed_precision.experimental.LossScaleOptimizer


class AccumulatingOptimizer(Base):
    def __init__(self, optimizer, loss_scale, steps=1):
        super().__init__(optimizer, loss_scale)
        self._steps = steps

    def get_config(self):
        config = super().get_config()
        config["steps"] = self._steps
        return config


opt = AccumulatingOptimizer(tf.keras.optimizers.SGD(1.0), 16, steps=4)
config = opt.get_config()
observe("steps", config["steps"])
observe("has_inner_optimizer", any("optimizer" in key for key in config))
observe("type", type(opt))
observe("scale", opt.loss_scale())
observe("wrapped_is_base", isinstance(opt, Base))
