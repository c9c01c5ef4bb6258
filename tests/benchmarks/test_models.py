# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import tensorflow as tf
import tf_keras

from benchmarks import models


def test_the_residual_network_has_twenty_layers() -> None:
    model = models.resnet(pixels=8)
    convolutions = [
        layer
        for layer in model.layers
        if isinstance(layer, tf_keras.layers.Conv2D) and layer.kernel_size == (3, 3)
    ]
    dense = [layer for layer in model.layers if isinstance(layer, tf_keras.layers.Dense)]
    assert len(convolutions) + len(dense) == 20


def test_the_transformer_has_a_sparse_gradient() -> None:
    model = models.transformer(length=4)
    inputs, targets = models.examples(model, 3)
    assert (inputs.shape, targets.shape) == ((3, 4), (3,))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(model(inputs))
    gradients = tape.gradient(total, model.trainable_variables)
    assert [isinstance(one, tf.IndexedSlices) for one in gradients].count(True) == 1
    assert None not in gradients
