# SPDX-License-Identifier: Apache-2.0
"""Writes what BERT's `create_pretraining_data` makes of texts, here of made-up ones."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from records import example

_EXAMPLES, _LENGTH, _MASKED, _WORDS = 16, 16, 2, 100


def main() -> None:
    """Writes `texts.tfrecord`."""
    chance = np.random.default_rng(0)
    with tf.io.TFRecordWriter("texts.tfrecord") as writer:
        for _ in range(_EXAMPLES):
            words = chance.integers(1, _WORDS, _LENGTH).tolist()
            writer.write(
                example(
                    {
                        "input_ids": words,
                        "input_mask": [1] * _LENGTH,
                        "segment_ids": [0] * (_LENGTH // 2) + [1] * (_LENGTH // 2),
                        "masked_lm_positions": list(range(_MASKED)),
                        "masked_lm_ids": words[:_MASKED],
                        "masked_lm_weights": [1.0] * _MASKED,
                        "next_sentence_labels": int(chance.integers(2)),
                    }
                )
            )


if __name__ == "__main__":
    main()
