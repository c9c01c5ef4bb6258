# SPDX-License-Identifier: Apache-2.0
"""A policy's loss scale: given as a number, a string, an object, None, or not at all."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

from observe import observe, observe_error

Policy = mixed_precision.Policy
scaler = tf.train.experimental.DynamicLossScale(64)
for name, policy in [
    ("default", Policy("mixed_float16")),
    ("number", Policy("mixed_float16", loss_scale=8)),
    ("positional", Policy("mixed_float16", 16)),
    ("dynamic", Policy("mixed_float16", loss_scale="dynamic")),
    ("object", Policy("mixed_float16", loss_scale=scaler)),
    ("none", Policy("mixed_float16", loss_scale=None)),
    ("float32", Policy("float32")),
    ("bfloat16", Policy("mixed_bfloat16")),
    ("float32_number", Policy("float32", loss_scale=4)),
]:
    loss_scale = policy.loss_scale
    observe(name + ".class", None if loss_scale is None else type(loss_scale).__name__)
    observe(name + ".scale", None if loss_scale is None else loss_scale())
    observe(name + ".names", [policy.name, policy.compute_dtype, policy.variable_dtype])
observe("object_is_given", Policy("mixed_float16", loss_scale=scaler).loss_scale is scaler)
observe_error("foo", lambda: Policy("mixed_float16", loss_scale="foo"))
observe_error("small", lambda: Policy("mixed_float16", loss_scale=0.5))
observe_error("list", lambda: Policy("mixed_float16", loss_scale=[8]))
observe_error("set", lambda: setattr(Policy("mixed_float16"), "loss_scale", 8))
