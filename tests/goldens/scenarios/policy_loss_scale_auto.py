# SPDX-License-Identifier: Apache-2.0
"""'auto' as a policy's loss scale: an error up to 2.3, the default in 2.4."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

observe_error(
    "auto",
    lambda: tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale="auto"),
)
