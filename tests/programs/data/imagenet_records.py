# SPDX-License-Identifier: Apache-2.0
"""Writes pictures of noise with labels, as records of ImageNet."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from records import example

_EXAMPLES, _SIZE, _CLASSES = 8, 40, 10


def main() -> None:
    """Writes `pictures.tfrecord`."""
    chance = np.random.default_rng(0)
    with tf.io.TFRecordWriter("pictures.tfrecord") as writer:
        for _ in range(_EXAMPLES):
            pixels = chance.integers(0, 255, (_SIZE, _SIZE, 3), dtype=np.uint8)
            writer.write(
                example(
                    {
                        "image/encoded": tf.io.encode_jpeg(pixels).numpy(),
                        "image/class/label": int(chance.integers(_CLASSES)),
                    }
                )
            )


if __name__ == "__main__":
    main()
