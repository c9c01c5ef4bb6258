# SPDX-License-Identifier: Apache-2.0
"""The repr of policies with and without a loss scale."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

Policy = tf.keras.mixed_precision.experimental.Policy
for name, policy in [
    ("fixed", Policy("mixed_float16", loss_scale=8)),
    ("dynamic", Policy("mixed_float16")),
    ("none", Policy("mixed_float16", loss_scale=None)),
    ("float32", Policy("float32")),
]:
    text = repr(policy).replace("PolicyV1", "Policy")
    observe(name + ".repr", text)
    observe(name + ".class", repr(policy).split(" ")[0])
