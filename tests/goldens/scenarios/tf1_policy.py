# SPDX-License-Identifier: Apache-2.0
"""Policies of TensorFlow 1.15 with v2 behavior: names, types, loss scales and set_policy."""
# versions: 1.15
# run: --tf1
import tensorflow as tf

from observe import observe, observe_error

tf.enable_v2_behavior()
mp = tf.keras.mixed_precision.experimental
policy = mp.Policy("mixed_float16")
observe("names", [policy.name, policy.compute_dtype, policy.variable_dtype])
observe("scale", policy.loss_scale())
observe("repr", repr(mp.Policy("mixed_float16", loss_scale=8)))
observe("none", mp.Policy("mixed_float16", loss_scale=None).loss_scale)
observe("float32", mp.Policy("float32").loss_scale)
mp.set_policy(mp.Policy("mixed_float16", loss_scale=8))
observe("global", mp.global_policy().name)
observe("global.scale", mp.global_policy().loss_scale())
observe_error("foo", lambda: mp.Policy("foo"))
observe_error("scale_foo", lambda: mp.Policy("mixed_float16", loss_scale="foo"))
