# SPDX-License-Identifier: Apache-2.0
"""get_config in the old format, optimizer and loss_scale, and in the format of 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

wrap = tf.keras.mixed_precision.experimental.LossScaleOptimizer
exp = tf.train.experimental
for name, value in [
    ("dynamic", "dynamic"),
    ("fixed", 8),
    ("fixed_object", exp.FixedLossScale(4.5)),
    ("object", exp.DynamicLossScale(64, 5)),
]:
    config = wrap(tf.keras.optimizers.SGD(0.5), value).get_config()
    observe(name + ".keys", sorted(config))
    observe(name + ".loss_scale", config.get("loss_scale"))
    observe(name + ".initial_scale", config.get("initial_scale"))
    inner = config.get("optimizer") or config.get("inner_optimizer")
    observe(name + ".inner", inner["class_name"])
    observe(name + ".inner_learning_rate", inner["config"]["learning_rate"])
