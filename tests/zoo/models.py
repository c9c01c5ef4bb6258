# SPDX-License-Identifier: Apache-2.0
"""Models as tutorials have them, and the families of `keras.applications` at their smallest."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tests.zoo.examples import Example, example
from tests.zoo.families import Family, Side


def dense(side: Side) -> Example:
    """Two Dense layers."""
    k, layers = side.keras, side.layers
    return example(k.Sequential([k.Input([8]), layers.Dense(6, "relu"), side.head()]))


def cnn(side: Side) -> Example:
    """The MNIST tutorial, smaller, with BatchNormalization."""
    k, layers = side.keras, side.layers
    parts = [
        k.Input([12, 12, 1]),
        layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.BatchNormalization(),
        layers.Flatten(),
        side.head(3, activation="softmax"),
    ]
    return example(k.Sequential(parts), loss="sparse_categorical_crossentropy", classes=3)


def embedding(side: Side) -> Example:
    """Text classification with an average of embeddings."""
    k, layers = side.keras, side.layers
    parts = [
        k.Input([6], dtype="int32"),
        layers.Embedding(10, 4),
        layers.GlobalAveragePooling1D(),
        layers.Dense(4, "relu"),
        side.head(1, activation="sigmoid"),
    ]
    return example(k.Sequential(parts), loss="binary_crossentropy", classes=2)


def masked_lstm(side: Side) -> Example:
    """A bidirectional LSTM on embeddings with a mask."""
    k, layers = side.keras, side.layers
    parts = [
        k.Input([6], dtype="int32"),
        layers.Embedding(10, 4, mask_zero=True),
        layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
        layers.LSTM(3),
        side.head(),
    ]
    return example(k.Sequential(parts))


def stacked_gru(side: Side) -> Example:
    """Two GRUs with dropout, for time series."""
    k, layers = side.keras, side.layers
    parts = [
        k.Input([5, 3]),
        layers.GRU(4, return_sequences=True, recurrent_dropout=0.1),
        layers.GRU(4, dropout=0.1),
        side.head(1),
    ]
    return example(k.Sequential(parts), loss="mae")


def seq2seq(side: Side) -> Example:
    """An encoder and a decoder, which takes the encoder's state."""
    k, layers = side.keras, side.layers
    encoder, decoder = k.Input([5, 4]), k.Input([5, 4])
    _, h, c = layers.LSTM(3, return_state=True)(encoder)
    x = layers.LSTM(3, return_sequences=True)(decoder, initial_state=[h, c])
    model = k.Model([encoder, decoder], side.head(4, activation="softmax")(x))
    return example(model, loss="sparse_categorical_crossentropy", classes=4)


def transformer(side: Side) -> Example:
    """A block of a transformer: tokens and positions, attention, two layers."""
    k, layers = side.keras, side.layers
    tokens = k.Input([6], dtype="int32")
    x = layers.Embedding(10, 8)(tokens)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, "gelu")(x)))
    x = layers.GlobalAveragePooling1D()(x)
    return example(k.Model(tokens, side.head(2)(x)))


def causal_language_model(side: Side) -> Example:
    """A small GPT: causal attention, and a class for each token."""
    k, layers = side.keras, side.layers
    tokens = k.Input([6], dtype="int32")
    x = layers.Embedding(10, 8)(tokens)
    x += layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization(epsilon=1e-5)(x)
    loss = k.losses.SparseCategoricalCrossentropy(from_logits=True)
    return example(k.Model(tokens, side.head(10)(x)), loss=loss, classes=10)


def residual(side: Side) -> Example:
    """Two residual blocks with BatchNormalization."""
    k, layers = side.keras, side.layers
    inputs = k.Input([8, 8, 3])
    x = layers.Conv2D(4, 3, padding="same")(inputs)
    for _ in range(2):
        y = layers.Conv2D(4, 3, padding="same", use_bias=False)(x)
        y = layers.Activation("relu")(layers.BatchNormalization()(y))
        x = layers.Add()([x, y])
    return example(k.Model(inputs, side.head()(layers.GlobalAveragePooling2D()(x))))


def u_net(side: Side) -> Example:
    """Segmentation: down, up, and a connection between."""
    k, layers = side.keras, side.layers
    inputs = k.Input([8, 8, 1])
    down = layers.Conv2D(4, 3, padding="same", activation="relu")(inputs)
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(layers.MaxPooling2D()(down))
    x = layers.Concatenate()([layers.Conv2DTranspose(4, 2, strides=2)(x), down])
    loss = k.losses.SparseCategoricalCrossentropy(from_logits=True)
    return example(k.Model(inputs, side.head(3)(x)), loss=loss, classes=3)


def autoencoder(side: Side) -> Example:
    """Two models in one."""
    k, layers = side.keras, side.layers
    encoder = k.Sequential([k.Input([8]), layers.Dense(4, "relu"), layers.Dense(2)])
    decoder = k.Sequential([k.Input([2]), layers.Dense(4, "relu"), side.head(8)])
    inputs = k.Input([8])
    return example(k.Model(inputs, decoder(encoder(inputs))))


def two_inputs_and_outputs(side: Side) -> Example:
    """Two inputs, two outputs with a loss each."""
    k, layers = side.keras, side.layers
    a, b = k.Input([4], name="a"), k.Input([3], name="b")
    x = layers.Concatenate()([layers.Dense(4, "relu")(a), layers.Dense(4, "tanh")(b)])
    return example(k.Model([a, b], [side.head(2)(x), side.head(1)(x)]), loss=["mse", "mae"])


def siamese(side: Side) -> Example:
    """One layer that is used twice."""
    k, layers = side.keras, side.layers
    a, b = k.Input([4]), k.Input([4])
    shared = layers.Dense(4, "relu")
    return example(k.Model([a, b], side.head()(layers.Subtract()([shared(a), shared(b)]))))


def wide_and_deep(side: Side) -> Example:
    """A linear part and a deep one, added."""
    k, layers = side.keras, side.layers
    inputs = k.Input([6])
    deep = layers.Dense(4, "relu")(layers.Dense(4, "relu")(inputs))
    return example(k.Model(inputs, layers.Add()([side.head()(inputs), side.head()(deep)])))


def frozen(side: Side) -> Example:
    """Transfer learning: the first layers are frozen."""
    one = cnn(side)
    for layer in one.model.layers[:3]:
        layer.trainable = False
    return one


def unused(side: Side) -> Example:
    """A layer without gradients, because its output is not used."""

    class Unused(side.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.used, self.other, self.last = (
                side.layers.Dense(4),
                side.layers.Dense(4),
                side.head(),
            )

        def call(self, x: Any) -> Any:
            self.other(x)
            return self.last(self.used(x))

    return _of_rows(side, Unused())


def regularized(side: Side) -> Example:
    """Regularizers and constraints of weights."""
    k, layers = side.keras, side.layers
    l1_l2 = k.regularizers.L1L2(l1=0.01, l2=0.01)
    parts = [
        k.Input([8]),
        layers.Dense(4, kernel_regularizer="l2", bias_regularizer="l1"),
        layers.Dense(4, kernel_regularizer=l1_l2, kernel_constraint=k.constraints.MaxNorm(1.0)),
        side.head(),
    ]
    return example(k.Sequential(parts))


def added_loss(side: Side) -> Example:
    """A layer that adds a loss, as in the guide to own layers."""
    k, layers = side.keras, side.layers

    class Penalty(layers.Layer):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            self.add_loss(0.1 * side.mean(x * x))
            return x

    return example(k.Sequential([k.Input([8]), layers.Dense(4), Penalty(), side.head()]))


def subclassed(side: Side) -> Example:
    """A subclass of Model, with a list of layers."""

    class Own(side.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.parts = [side.layers.Dense(4, "relu"), side.layers.Dense(4, "relu"), side.head()]

        def call(self, x: Any, training: bool = False) -> Any:
            for part in self.parts:
                x = part(x)
            return x

    return _of_rows(side, Own())


def variational_autoencoder(side: Side) -> Example:
    """A layer that samples, and adds the Kullback-Leibler divergence."""
    k, layers = side.keras, side.layers

    class Sampling(layers.Layer):  # type: ignore[misc]
        def call(self, parts: Any) -> Any:
            mean, log_variance = parts
            self.add_loss(-0.05 * side.mean(1 + log_variance - mean**2 - side.exp(log_variance)))
            return mean + side.exp(0.5 * log_variance)  # a sample without chance

    inputs = k.Input([8])
    x = layers.Dense(6, "relu")(inputs)
    z = Sampling()([layers.Dense(2)(x), layers.Dense(2)(x)])
    return example(k.Model(inputs, side.head(8)(layers.Dense(6, "relu")(z))))


def _of_rows(side: Side, model: Any) -> Example:
    inputs = side.keras.Input([8])
    plain = example(side.keras.Sequential([inputs, side.layers.Dense(2)]))
    return plain._replace(model=model)


MODELS: dict[str, Callable[[Side], Example]] = {
    one.__name__.replace("_", " "): one
    for one in (
        dense, cnn, embedding, masked_lstm, stacked_gru, seq2seq, transformer,
        causal_language_model, residual, u_net, autoencoder, two_inputs_and_outputs, siamese,
        wide_and_deep, frozen, unused, regularized, added_loss, subclassed, variational_autoencoder,
    )
}  # fmt: skip
APPLICATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "convnext": ("ConvNeXtTiny", {}),
    "densenet": ("DenseNet121", {}),
    "efficientnet": ("EfficientNetB0", {}),
    "efficientnet_v2": ("EfficientNetV2B0", {}),
    "inception_resnet_v2": ("InceptionResNetV2", {"input_shape": (75, 75, 3)}),
    "inception_v3": ("InceptionV3", {"input_shape": (75, 75, 3)}),
    "mobilenet": ("MobileNet", {"alpha": 0.25}),
    "mobilenet_v2": ("MobileNetV2", {"alpha": 0.35}),
    "mobilenet_v3": ("MobileNetV3Small", {"alpha": 0.75, "minimalistic": True}),
    "nasnet": ("NASNetMobile", {}),
    "regnet": ("RegNetX002", {}),
    "resnet": ("ResNet50", {}),
    "resnet_rs": ("ResNetRS50", {}),
    "resnet_v2": ("ResNet50V2", {}),
    "vgg16": ("VGG16", {}),
    "vgg19": ("VGG19", {}),
    "xception": ("Xception", {"input_shape": (71, 71, 3)}),
}
"""The smallest model of each module of `keras.applications`. `resnet50` has a model of `resnet`."""


def applications(family: Family) -> list[str]:
    """The modules of `keras.applications`."""
    module = family.keras.applications
    return sorted(
        name
        for name, one in vars(module).items()
        if inspect.ismodule(one) and name not in ("imagenet_utils", "resnet50")
    )


def application(side: Side, name: str) -> Example:
    """The smallest model of a family, with two classes."""
    function, arguments = APPLICATIONS[name]
    shape = arguments.get("input_shape", (32, 32, 3))
    model = getattr(side.keras.applications, function)(
        **{
            "input_shape": shape,
            "weights": None,
            "include_top": False,
            "pooling": "avg",
            **arguments,
        }
    )
    return example(side.keras.Model(model.input, side.head()(model.output)))
