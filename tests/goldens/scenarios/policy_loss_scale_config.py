# SPDX-License-Identifier: Apache-2.0
"""A policy takes a loss scale's config where it takes a loss scale, and compile wraps with it."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

exp = tf.keras.mixed_precision.experimental


@tf.keras.utils.register_keras_serializable("mine")
class Mine(tf.train.experimental.FixedLossScale):
    pass


for stated in [
    {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}},
    {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 64.0}},
    {"class_name": "mine>Mine", "config": {"loss_scale_value": 16.0}},
]:
    name = stated["class_name"].replace(">", "_")
    policy = exp.Policy("mixed_float16", stated)
    observe(name + ".policy_scale", policy.loss_scale())
    observe(name + ".config", policy.get_config())
    exp.set_policy(policy)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")
    observe(name + ".compiled_scale", model.optimizer.get_scaled_loss(tf.constant(1.0)))
    exp.set_policy("float32")
observe_error("unknown", lambda: exp.Policy("mixed_float16", {"class_name": "Unknown", "config": {}}))
