# SPDX-License-Identifier: Apache-2.0
"""What compile makes of the optimizer under each kind of policy."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras import mixed_precision

from observe import observe

mp = mixed_precision.experimental


def compiled(policy, optimizer):
    mp.set_policy(policy)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(optimizer, "mse")
    return model.optimizer


def wrapped(optimizer):
    return hasattr(optimizer, "get_scaled_loss")


for name, policy in [
    ("fixed", mp.Policy("mixed_float16", loss_scale=8)),
    ("dynamic", mp.Policy("mixed_float16", loss_scale="dynamic")),
    ("object", mp.Policy("mixed_float16", loss_scale=tf.train.experimental.DynamicLossScale(64))),
    ("name", "mixed_float16"),
    ("none", mp.Policy("mixed_float16", loss_scale=None)),
    ("float32", "float32"),
    ("float32_scaled", mp.Policy("float32", loss_scale=4)),
]:
    optimizer = compiled(policy, tf.keras.optimizers.SGD(0.5))
    observe(name + ".wrapped", wrapped(optimizer))
    if wrapped(optimizer):
        observe(name + ".scale", optimizer.get_scaled_loss(tf.constant(1.0)))
        observe(name + ".inner", type(optimizer._optimizer))
observe("from_text", wrapped(compiled("mixed_float16", "sgd")))
own = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(), 2)
observe("own_is_kept", compiled("mixed_float16", own) is own)
