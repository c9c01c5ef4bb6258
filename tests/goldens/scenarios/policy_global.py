# SPDX-License-Identifier: Apache-2.0
"""set_policy with names and objects, and what global_policy gives back."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import Policy, global_policy, set_policy

from observe import observe, observe_error

observe("start", global_policy().name)
set_policy("mixed_float16")
observe("mixed_float16", global_policy().name)
observe("mixed_float16.dtypes", [global_policy().compute_dtype, global_policy().variable_dtype])
policy = Policy("mixed_float16", loss_scale=32)
set_policy(policy)
observe("object_is_same", global_policy() is policy)
observe("object.scale", global_policy().loss_scale())
set_policy("float32")
observe("float32", global_policy().name)
set_policy("float64")
observe("float64.dtypes", [global_policy().compute_dtype, global_policy().variable_dtype])
set_policy("mixed_bfloat16")
observe("mixed_bfloat16", global_policy().name)
observe_error("foo", lambda: set_policy("foo"))
observe_error("policy_foo", lambda: Policy("foo"))
observe_error("policy_number", lambda: Policy(5))
observe_error("policy_dtype", lambda: Policy(tf.float16))
observe_error("policy_none", lambda: Policy(None))
