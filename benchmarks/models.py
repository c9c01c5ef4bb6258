# SPDX-License-Identifier: Apache-2.0
"""Two small models and data to train them on: a ResNet for images, a Transformer for tokens."""

from __future__ import annotations

import numpy as np
import tf_keras

CLASSES = 10
TOKENS = 4000
"""Size of the vocabulary. The embedding's gradient is sparse."""
_WIDTH = 128
_HEADS = 4


def resnet(pixels: int, blocks: int = 3) -> tf_keras.Model:
    """Returns a residual network for images.

    Args:
        pixels: Height and width of an image.
        blocks: Residual blocks in each of three stages. Three make ResNet-20.
    """
    layers = tf_keras.layers
    inputs = tf_keras.Input((pixels, pixels, 3))
    outputs = _convolved(inputs, 16)
    for stage, filters in enumerate((16, 32, 64)):
        for block in range(blocks):
            strides = 2 if stage and not block else 1
            residual = outputs
            if strides > 1:
                residual = layers.Conv2D(filters, 1, strides, use_bias=False)(residual)
                residual = layers.BatchNormalization()(residual)
            outputs = _convolved(outputs, filters, strides)
            outputs = _convolved(outputs, filters, activation=None)
            outputs = layers.Activation("relu")(layers.Add()([outputs, residual]))
    pooled = layers.GlobalAveragePooling2D()(outputs)
    return tf_keras.Model(inputs, layers.Dense(CLASSES, dtype="float32")(pooled))


def _convolved(
    inputs: object, filters: int, strides: int = 1, activation: str | None = "relu"
) -> object:
    layers = tf_keras.layers
    outputs = layers.Conv2D(filters, 3, strides, padding="same", use_bias=False)(inputs)
    outputs = layers.BatchNormalization()(outputs)
    return layers.Activation(activation)(outputs) if activation else outputs


def transformer(length: int, depth: int = 2) -> tf_keras.Model:
    """Returns an encoder that classifies sequences of tokens.

    Args:
        length: Tokens in a sequence.
        depth: Layers of attention.
    """
    layers = tf_keras.layers
    inputs = tf_keras.Input((length,), dtype="int32")
    outputs = layers.Embedding(TOKENS, _WIDTH)(inputs)
    for _ in range(depth):
        attention = layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS)(outputs, outputs)
        outputs = layers.LayerNormalization()(layers.Add()([outputs, attention]))
        hidden = layers.Dense(4 * _WIDTH, activation="relu")(outputs)
        hidden = layers.Dense(_WIDTH)(hidden)
        outputs = layers.LayerNormalization()(layers.Add()([outputs, hidden]))
    pooled = layers.GlobalAveragePooling1D()(outputs)
    return tf_keras.Model(inputs, layers.Dense(CLASSES, dtype="float32")(pooled))


def examples(model: tf_keras.Model, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns random inputs for a model, and random classes.

    Args:
        model: One of the models above.
        number: How many examples.
    """
    random = np.random.default_rng(1)
    shape = (number, *model.input_shape[1:])
    if model.inputs[0].dtype.is_integer:
        inputs = random.integers(TOKENS, size=shape, dtype=np.int32)
    else:
        inputs = random.standard_normal(shape, np.float32)
    return inputs, random.integers(CLASSES, size=number)
