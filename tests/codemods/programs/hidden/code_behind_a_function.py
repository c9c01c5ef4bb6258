# SPDX-License-Identifier: Apache-2.0
"""The text that is run comes from a function."""

import textwrap
import tensorflow as tf

code = textwrap.dedent("""
    mp = tf.keras.mixed_precision.experimental
    mp.set_policy("mixed_float16")
""")
ns = {"tf": tf}
exec(code, ns)
print(ns["mp"].global_policy().name)
