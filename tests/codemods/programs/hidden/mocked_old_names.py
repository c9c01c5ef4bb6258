# SPDX-License-Identifier: Apache-2.0
"""Mocks take the place of old names, by their string and by their module."""

from unittest import mock

import tensorflow as tf


def setup(name):
    tf.keras.mixed_precision.experimental.set_policy(name)
    return tf.keras.mixed_precision.experimental.global_policy().name


with mock.patch.object(tf.keras.mixed_precision.experimental, "set_policy") as faked:
    print(setup("mixed_float16"), faked.call_args)
with mock.patch("tensorflow.keras.mixed_precision.experimental.set_policy") as faked:
    print(setup("mixed_float16"), faked.call_count)
print(setup("mixed_bfloat16"))
