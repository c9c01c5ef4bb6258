# SPDX-License-Identifier: Apache-2.0
"""Writes pictures of noise with boxes, as records: those of retinanet-tensorflow2.x, and COCO's."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from records import example

_EXAMPLES, _SIZE = 8, 64


def main() -> None:
    """Writes `retinanet.tfrecord` and `coco.tfrecord`."""
    chance = np.random.default_rng(0)
    with (
        tf.io.TFRecordWriter("retinanet.tfrecord") as retinanet,
        tf.io.TFRecordWriter("coco.tfrecord") as coco,
    ):
        for number in range(_EXAMPLES):
            pixels = chance.integers(0, 255, (_SIZE, _SIZE, 3), dtype=np.uint8)
            picture = tf.io.encode_jpeg(pixels).numpy()
            low, high = [0.1, 0.3], [0.6, 0.9]
            box = {"xmins": low, "ymins": low, "xmaxs": high, "ymaxs": high}
            retinanet.write(
                example({"image": picture, "image_id": number, "classes": [1, 2], **box})
            )
            coco.write(
                example(
                    {
                        "image/encoded": picture,
                        "image/source_id": str(number).encode(),
                        "image/height": _SIZE,
                        "image/width": _SIZE,
                        "image/object/bbox/xmin": low,
                        "image/object/bbox/xmax": high,
                        "image/object/bbox/ymin": low,
                        "image/object/bbox/ymax": high,
                        "image/object/class/label": [1, 2],
                        "image/object/area": [0.25, 0.36],
                        "image/object/is_crowd": [0, 0],
                    }
                )
            )


if __name__ == "__main__":
    main()
