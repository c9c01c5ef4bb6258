# SPDX-License-Identifier: Apache-2.0
"""The loss-scale classes are the same objects under every public name."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.python.training.experimental import loss_scale as private

from observe import observe

for name in ["LossScale", "FixedLossScale", "DynamicLossScale"]:
    train = getattr(tf.train.experimental, name)
    observe(name + ".mixed_precision", getattr(tf.mixed_precision.experimental, name) is train)
    observe(name + ".private", getattr(private, name) is train)
    observe(name + ".v1_train", getattr(tf.compat.v1.train.experimental, name) is train)
    observe(
        name + ".v1_mixed", getattr(tf.compat.v1.mixed_precision.experimental, name) is train
    )
    observe(name + ".name", train.__name__)
observe("get.none", private.get(None))
observe("get.number", private.get(16).get_config())
observe("get.dynamic", private.get("dynamic").get_config())
observe("get.object", private.get(private.FixedLossScale(2)).get_config())
