# SPDX-License-Identifier: Apache-2.0
"""A layer's policy with a loss scale, through the layer's config, JSON and an h5 file."""
# versions: 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import Policy

from observe import observe

dynamic = tf.train.experimental.DynamicLossScale(64.0, increment_period=4, multiplier=4.0)
for name, policy in (
    ("fixed", Policy("mixed_float16", loss_scale=8)),
    ("dynamic", Policy("mixed_float16", loss_scale=dynamic)),
    ("none", Policy("mixed_float16", loss_scale=None)),
    ("default", Policy("mixed_float16")),
):
    layer = tf.keras.layers.Dense(1, dtype=policy, input_shape=(2,))
    model = tf.keras.Sequential([layer])
    model.save(name + ".h5")
    ways = {
        "config": tf.keras.layers.Dense.from_config(layer.get_config()),
        "json": tf.keras.models.model_from_json(model.to_json()).layers[0],
        "h5": tf.keras.models.load_model(name + ".h5").layers[0],
    }
    for way, again in ways.items():
        # Up to 2.3 a layer's policy had no public name.
        found = again._dtype_policy
        observe(name + "." + way + ".name", found.name)
        loss_scale = found.loss_scale
        observe(name + "." + way + ".loss_scale", loss_scale and loss_scale.get_config())
