# SPDX-License-Identifier: Apache-2.0
"""The private Keras helpers that read, write and interpret loss-scale objects."""
# versions: 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import loss_scale as keras_loss_scale

from observe import observe, observe_error

exp = tf.train.experimental
observe("serialize.fixed", keras_loss_scale.serialize(exp.FixedLossScale(2)))
observe("serialize.dynamic", keras_loss_scale.serialize(exp.DynamicLossScale(4, 5, 6)))
config = {"class_name": "FixedLossScale", "config": {"loss_scale_value": 5.0}}
observe("deserialize.scale", keras_loss_scale.deserialize(config)())
observe("get.scale", keras_loss_scale.get(config)())
observe("get.number", keras_loss_scale.get(3.0)())
observe("get.dynamic", keras_loss_scale.get("dynamic").get_config())
observe("get.none", keras_loss_scale.get(None))
observe_error("get.text", lambda: keras_loss_scale.get("foo"))
