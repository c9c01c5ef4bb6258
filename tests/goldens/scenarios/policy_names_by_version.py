# SPDX-License-Identifier: Apache-2.0
"""Policy names that some of the versions no longer take."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

mp = tf.keras.mixed_precision.experimental
observe_error("infer", lambda: mp.Policy("infer"))
observe_error("with_float32_vars", lambda: mp.Policy("float16_with_float32_vars"))
observe_error("infer_float32_vars", lambda: mp.Policy("infer_float32_vars"))
observe_error("should_cast", lambda: mp.Policy("mixed_float16").should_cast_variables)
observe_error("int32", lambda: mp.Policy("int32"))
observe_error("set_int32", lambda: mp.set_policy("int32"))
