# SPDX-License-Identifier: Apache-2.0
"""Makes TensorFlow's records."""

from __future__ import annotations

import tensorflow as tf


def example(features: dict[str, bytes | int | list[int] | list[float]]) -> bytes:
    """Returns a serialized `tf.train.Example`."""
    feature = {name: _feature(value) for name, value in features.items()}
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    serialized: bytes = example.SerializeToString()
    return serialized


def _feature(value: bytes | int | list[int] | list[float]) -> tf.train.Feature:
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    values = value if isinstance(value, list) else [value]
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))
