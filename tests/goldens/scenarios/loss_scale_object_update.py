# SPDX-License-Identifier: Apache-2.0
"""update() called directly on the objects: the value, and whether to apply the gradients."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

dynamic = tf.train.experimental.DynamicLossScale(8.0, increment_period=2)
good, bad = [tf.constant([1.0, 2.0])], [tf.constant([1.0, float("nan")])]
cases = [
    ("good", good),
    ("nested", {"a": good, "b": (tf.constant(1.0), None)}),
    ("bad", bad),
    ("nested_bad", {"a": [good, bad]}),
    ("empty", []),
    ("none", [None, tf.constant(1.0)]),
    ("half", [tf.constant(1.0, tf.float16)]),
    ("half_inf", [tf.constant(float("inf"), tf.float16)]),
]
for name, gradients in cases:
    _, should_apply = dynamic.update(gradients)
    observe(name + ".should_apply", should_apply)
    observe(name + ".scale", dynamic())
    observe(name + ".good_steps", dynamic._num_good_steps)
fixed = tf.train.experimental.FixedLossScale(4.0)
_, should_apply = fixed.update(bad)
observe("fixed.should_apply", should_apply)
observe("fixed.should_apply_is_bool", isinstance(should_apply, bool))
observe("fixed.scale", fixed())
