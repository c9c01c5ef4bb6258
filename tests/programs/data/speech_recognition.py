# SPDX-License-Identifier: Apache-2.0
"""Writes what speech-recognition's own `make_tfrecord` makes of sounds: noise, and tokens."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

_EXAMPLES, _FRAMES, _BINS, _TOKENS = 8, 60, 80, 12


def main() -> None:
    """Writes `sounds.tfrecord`."""
    chance = np.random.default_rng(0)
    with tf.io.TFRecordWriter("sounds.tfrecord", "GZIP") as writer:
        for _ in range(_EXAMPLES):
            sound = chance.standard_normal((_FRAMES, _BINS, 1), np.float32)
            tokens = chance.integers(1, 14, _TOKENS, dtype=np.int32)
            both = [tf.io.serialize_tensor(sound), tf.io.serialize_tensor(tokens)]
            writer.write(tf.io.serialize_tensor(tf.stack(both)).numpy())


if __name__ == "__main__":
    main()
