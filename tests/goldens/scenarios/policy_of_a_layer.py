# SPDX-License-Identifier: Apache-2.0
"""get_layer_policy, and the types a layer computes and keeps its weights in."""
# versions: 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

mp = tf.keras.mixed_precision.experimental
policy = mp.Policy("mixed_float16", loss_scale=16)
mp.set_policy(policy)
dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
other = tf.keras.layers.Dense(2, dtype="float32")
out = dense(tf.ones([1, 3]))
observe("is_global", mp.get_layer_policy(dense) is policy)
observe("scale", mp.get_layer_policy(dense).loss_scale())
observe("other", mp.get_layer_policy(other).name)
observe("compute", out.dtype)
observe("variable", dense.kernel.dtype)
observe("value", out)
observe_error("number", lambda: mp.get_layer_policy(1))
observe_error("none", lambda: mp.get_layer_policy(None))
own = tf.keras.layers.Dense(2, dtype=mp.Policy("mixed_float16", loss_scale=2))
observe("own.scale", mp.get_layer_policy(own).loss_scale())
