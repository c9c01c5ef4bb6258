# SPDX-License-Identifier: Apache-2.0
"""Small models that tf-keras and Keras 3 both can make, each with the data it is trained on.

A model is a function of the Keras that makes it. All layers that both have are in one of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Sample:
    """A model of the zoo.

    Attributes:
        make: Makes it, given the Keras to make it with.
        shapes: The shapes of its inputs, without the batch.
        targets: The shapes of its outputs, without the batch.
        integers: Its inputs are whole numbers below this; 0 if they are not whole.
        sensitive: How many times as much as others it may differ: it divides by small numbers.
        random: Whether training draws random numbers, which the two Keras draw differently.
        loss: What it is compiled with.
        trains: Whether it is compiled and trained.
    """

    make: Callable[[Any], Any]
    shapes: tuple[tuple[int, ...], ...] = ((4,),)
    targets: tuple[tuple[int, ...], ...] = ((2,),)
    integers: int = 0
    sensitive: float = 1.0
    random: bool = False
    loss: Any = "mse"
    trains: bool = True


BATCH = 6


def data(sample: Sample, step: int, *, bad: bool = False) -> tuple[Any, Any]:
    """Returns the inputs and targets of a step, with a NaN among the targets of a bad one."""
    random = np.random.default_rng(step)
    inputs = [
        random.integers(0, sample.integers, (BATCH, *shape)).astype("int32")
        if sample.integers
        else random.normal(size=(BATCH, *shape)).astype("float32")
        for shape in sample.shapes
    ]
    targets = [random.normal(size=(BATCH, *shape)).astype("float32") for shape in sample.targets]
    if bad:
        targets[0].flat[0] = np.nan
    return _one(inputs), _one(targets)


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _sequential(*layers: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda keras: keras.Sequential([layer(keras) for layer in layers])


def dense(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(5, activation="tanh", name="first"),
            layers.BatchNormalization(momentum=0.75),
            layers.Dense(3, activation="gelu", use_bias=False),
            layers.Dense(2, dtype="float32", name="last"),
        ]
    )


def built_when_called(keras: Any) -> Any:
    layers = keras.layers
    model = keras.Sequential([layers.Dense(5, activation="relu"), layers.Dense(2, dtype="float32")])
    model(np.zeros((BATCH, 4), "float32"))
    return model


def convolutions_1d(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 3)),
            layers.Conv1D(4, 3, padding="causal", dilation_rate=2, activation="elu"),
            layers.ZeroPadding1D(1),
            layers.SeparableConv1D(4, 3, depth_multiplier=2, activation="softsign"),
            layers.MaxPooling1D(2, padding="same"),
            layers.UpSampling1D(2),
            layers.DepthwiseConv1D(2, depth_multiplier=2, activation="swish"),
            layers.Cropping1D((1, 1)),
            layers.Conv1DTranspose(3, 2, strides=2),
            layers.AveragePooling1D(2),
            layers.GlobalAveragePooling1D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def convolutions_2d(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.ZeroPadding2D(((1, 0), (0, 1))),
            layers.Conv2D(4, 3, strides=2, padding="same", groups=1),
            layers.ReLU(max_value=2.0, negative_slope=0.1, threshold=0.1),
            layers.SeparableConv2D(4, 2, padding="same", activation="selu"),
            layers.DepthwiseConv2D(2, padding="same", depth_multiplier=2),
            layers.UpSampling2D(2, interpolation="bilinear"),
            layers.Conv2DTranspose(3, 3, strides=2, padding="same", activation="softplus"),
            layers.Cropping2D(((1, 2), (2, 1))),
            layers.AveragePooling2D((2, 2), padding="same"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def fused_batch_normalization(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((4, 4, 3)),
            layers.Conv2D(4, 3, use_bias=False),
            layers.BatchNormalization(momentum=0.5),
            layers.GlobalMaxPooling2D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def convolutions_3d(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((4, 4, 4, 2)),
            layers.ZeroPadding3D(1),
            layers.Conv3D(3, 2, activation="relu"),
            # TensorFlow has no such operation for float16 on CPUs.
            layers.MaxPooling3D(2, padding="same", dtype="float32"),
            layers.UpSampling3D(2),
            layers.Conv3DTranspose(2, 2, activation="tanh"),
            layers.Cropping3D(1),
            layers.AveragePooling3D(2, dtype="float32"),
            layers.GlobalAveragePooling3D(dtype="float32"),
            layers.Dense(2, dtype="float32"),
        ]
    )


def normalizations(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((3, 4)),
            layers.LayerNormalization(epsilon=0.01),
            layers.Dense(4, activation="relu"),
            layers.GroupNormalization(2),
            layers.Dense(4, activation="tanh"),
            layers.BatchNormalization(center=False, momentum=0.5),
            layers.LayerNormalization(axis=[1, 2], scale=False, epsilon=0.1),
            layers.UnitNormalization(),
            layers.GlobalMaxPooling1D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def recurrent(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            layers.Embedding(7, 4, mask_zero=True),
            layers.LSTM(3, return_sequences=True, unit_forget_bias=False),
            layers.GRU(4, return_sequences=True, go_backwards=True),
            layers.GRU(3, reset_after=False, return_sequences=True),
            layers.SimpleRNN(3),
            layers.Dense(2, dtype="float32"),
        ]
    )


def bidirectional(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((5, 3)),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.Bidirectional(
                layers.GRU(2, return_sequences=True),
                merge_mode="sum",
                backward_layer=layers.LSTM(2, return_sequences=True, go_backwards=True),
            ),
            layers.TimeDistributed(layers.Dense(3, activation="sigmoid")),
            layers.RNN([layers.LSTMCell(2), layers.GRUCell(2), layers.LSTMCell(3)]),
            layers.Dense(2, dtype="float32"),
        ]
    )


def recurrent_convolutions(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((3, 5, 5, 2)),
            layers.ConvLSTM2D(
                2, 2, return_sequences=True, recurrent_activation="sigmoid", dtype="float32"
            ),
            layers.Reshape((3, 4, 8)),
            layers.ConvLSTM1D(3, 2, recurrent_activation="sigmoid", dtype="float32"),
            layers.GlobalAveragePooling1D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def encoder_and_decoder(keras: Any) -> Any:
    layers = keras.layers
    source, target = keras.Input((4, 3), name="source"), keras.Input((3, 3), name="target")
    _, hidden, carry = layers.LSTM(4, return_state=True, name="encoder")(source)
    decoded = layers.LSTM(4, return_sequences=True, name="decoder")(
        target, initial_state=[hidden, carry]
    )
    summed = layers.GRU(4, name="second")(decoded, initial_state=hidden)
    result = layers.Dense(2, dtype="float32")(summed)
    return keras.Model([source, target], result)


def attention(keras: Any) -> Any:
    layers = keras.layers
    query, value = keras.Input((3, 4), name="query"), keras.Input((5, 4), name="value")
    key = layers.Dense(4, name="keys")(value)
    attended = layers.MultiHeadAttention(2, 3, value_dim=2, name="heads")(
        query, key=key, value=value
    )
    attended = layers.LayerNormalization()(layers.Add()([query, attended]))
    again = layers.MultiHeadAttention(1, 2, use_bias=False)(attended, attended)
    plain = layers.Attention(use_scale=True)([again, value])
    additive = layers.AdditiveAttention()([plain, key])
    result = layers.Dense(2, dtype="float32")(layers.GlobalAveragePooling1D()(additive))
    return keras.Model([query, value], result)


def several_ends(keras: Any) -> Any:
    layers = keras.layers
    first, second = keras.Input((4,), name="first_input"), keras.Input((4,), name="second_input")
    shared = layers.Dense(4, activation="tanh", name="shared")
    one, two = shared(first), shared(second)
    joined = layers.Concatenate()([one, shared(layers.Add()([one, two])), two])
    top = layers.Dense(2, name="top", dtype="float32")(joined)
    side = layers.Dense(3, name="side", dtype="float32")(two)
    return keras.Model([first, second], [top, side], name="several")


def named_ends(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((4,), name="given")
    hidden = layers.Dense(3, name="hidden")(given)
    return keras.Model(
        {"given": given},
        {
            "sum": layers.Dense(2, name="sum", dtype="float32")(hidden),
            "rest": layers.Dense(3, name="rest", dtype="float32")(hidden),
        },
    )


def nested(keras: Any) -> Any:
    layers = keras.layers
    below, beside = (
        keras.Sequential(
            [keras.Input((4,)), layers.Dense(4, activation="relu"), layers.BatchNormalization()],
            name=name,
        )
        for name in ("below", "beside")
    )
    given = keras.Input((4,), name="inner_input")
    again = layers.Dense(3, activation="tanh")(below(given))
    inner = keras.Model(given, [again, layers.Dense(2)(again)], name="inner")
    left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
    one_more = layers.Dense(4)
    one, two = inner(left)
    three, four = inner(right)
    joined = layers.Concatenate()([one, two, three, four, beside(left), beside(one_more(right))])
    return keras.Model([left, right], layers.Dense(2, dtype="float32")(joined))


def merges(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((4,), name="merged")
    one, two = layers.Dense(3, activation="tanh")(given), layers.Dense(3)(given)
    pairs = [
        layer([one, two])
        for layer in (
            layers.Add(),
            layers.Subtract(),
            layers.Multiply(),
            layers.Average(),
            layers.Maximum(),
            layers.Minimum(),
            layers.Dot(axes=1, normalize=True),
        )
    ]
    joined = layers.Concatenate(axis=-1)([*pairs, given])
    return keras.Model(given, layers.Dense(2, dtype="float32")(joined))


def activations(keras: Any) -> Any:
    layers = keras.layers
    tf_keras = keras.__name__ == "tf_keras"
    leaky = layers.LeakyReLU(**{"alpha" if tf_keras else "negative_slope": 0.25})
    return keras.Sequential(
        [
            keras.Input((3, 4)),
            layers.Dense(4, activation="mish"),
            leaky,
            layers.Dense(4, activation="exponential", kernel_initializer="zeros"),
            layers.ELU(0.5),
            layers.PReLU(shared_axes=[1]),
            layers.Softmax(axis=1),
            layers.Activation("softmax"),
            layers.Dense(4, activation=layers.ReLU(1.5)),
            layers.Dense(2, activation="silu"),
            layers.ActivityRegularization(l2=0.01, dtype="float32"),
            layers.GlobalAveragePooling1D(),
            layers.Dense(2, dtype="float32", activation="linear"),
        ]
    )


def shapes(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((2, 6)),
            layers.Masking(0.5),
            layers.Reshape((3, 4)),
            layers.Permute((2, 1)),
            layers.Flatten(),
            layers.RepeatVector(2),
            layers.EinsumDense("ijk,kl->ijl", (None, 3), bias_axes="l", activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def preprocessing(keras: Any) -> Any:
    layers = keras.layers
    adapted = layers.Normalization(axis=-1)
    adapted.adapt(np.arange(48, dtype="float32").reshape(4, 2, 2, 3) / 16 - 1.5)
    return keras.Sequential(
        [
            keras.Input((6, 6, 3)),
            layers.Rescaling(0.5, offset=0.25),
            layers.Resizing(5, 5, interpolation="nearest"),
            layers.CenterCrop(4, 4),
            adapted,
            layers.Normalization(mean=[0.5, 0.25, 1.0], variance=[1.0, 2.0, 4.0]),
            layers.Conv2D(2, 2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, dtype="float32"),
        ]
    )


def augmentations(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((6, 6, 3)),
            layers.RandomFlip("horizontal", seed=1),
            layers.RandomRotation(0.1, fill_mode="nearest"),
            layers.RandomZoom(0.1, 0.2),
            layers.RandomTranslation(0.1, 0.1, interpolation="nearest"),
            layers.RandomContrast(0.25, dtype="float32"),
            layers.RandomBrightness(0.1),
            layers.Rescaling(1 / 256),
            layers.Conv2D(2, 2),
            layers.SpatialDropout2D(0.25),
            layers.Flatten(),
            layers.Dropout(0.5, noise_shape=None, seed=7),
            layers.AlphaDropout(0.1),
            layers.GaussianDropout(0.1),
            layers.GaussianNoise(0.1),
            layers.Dense(2, dtype="float32"),
        ]
    )


def random_recurrent(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((4, 3), name="random_input")
    hidden = layers.SpatialDropout1D(0.1)(given)
    hidden = layers.LSTM(3, dropout=0.25, recurrent_dropout=0.25, return_sequences=True)(hidden)
    hidden = layers.Bidirectional(layers.GRU(2, dropout=0.1, return_sequences=True))(hidden)
    hidden = layers.MultiHeadAttention(1, 2, dropout=0.25)(hidden, hidden)
    hidden = layers.SimpleRNN(2, dropout=0.1)(hidden)
    return keras.Model(given, layers.Dense(2, dtype="float32")(hidden))


def regularized(keras: Any) -> Any:
    layers, kept = keras.layers, keras.regularizers
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(
                6,
                activation="relu",
                kernel_initializer=keras.initializers.HeNormal(seed=3),
                bias_initializer=keras.initializers.Constant(0.25),
                kernel_regularizer=kept.L1L2(l1=0.01, l2=0.02),
                bias_regularizer="l2",
                kernel_constraint=keras.constraints.MaxNorm(1.5),
            ),
            layers.Dense(
                4,
                kernel_initializer=keras.initializers.Orthogonal(gain=0.5),
                kernel_regularizer=kept.OrthogonalRegularizer(0.01),
                bias_constraint="non_neg",
            ),
            layers.Dense(
                4,
                kernel_initializer=keras.initializers.VarianceScaling(0.5, "fan_out"),
                activity_regularizer=kept.L1(0.01),
                dtype="float32",
                kernel_constraint=keras.constraints.MinMaxNorm(0.1, 2.0),
            ),
            layers.Dense(2, dtype="float32", kernel_constraint="unit_norm"),
        ]
    )


def partly_frozen(keras: Any) -> Any:
    model = dense(keras)
    model.layers[0].trainable = False
    return model


def slashes(keras: Any) -> Any:
    # Keras 3 takes no such names.
    slash = "/" if keras.__name__ == "tf_keras" else "_"
    layers = keras.layers
    given = keras.Input((4,), name="given")
    hidden = layers.Dense(3, name=f"block{slash}dense")(given)
    other = layers.Dense(3, name="block_dense_2", activation="tanh")(hidden)
    joined = layers.Add(name=f"block{slash}add")([hidden, other])
    return keras.Model(given, layers.Dense(2, dtype="float32", name=f"block{slash}top")(joined))


def narrow_output(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(4, activation="tanh"), layers.Dense(2)]
    )


def policies_per_layer(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(4, dtype="mixed_bfloat16", activation="tanh"),
            layers.Dense(4, dtype="float32", activation="relu"),
            layers.Dense(4, dtype="mixed_float16"),
            layers.Dense(2, dtype="float64"),
            layers.Activation("linear", dtype="float32"),
        ]
    )


def lookups(keras: Any) -> Any:
    layers = keras.layers
    given = keras.Input((4,), dtype="int64", name="keys")
    known = layers.IntegerLookup(vocabulary=[1, 3, 5], output_mode="multi_hot", dtype="float32")
    ranges = layers.Discretization([2.0, 4.0], output_mode="multi_hot", dtype="float32")
    coded = layers.CategoryEncoding(6, output_mode="count")
    joined = layers.Concatenate()([known(given), ranges(given), coded(given)])
    return keras.Model(given, layers.Dense(2, dtype="float32")(joined))


MODELS: dict[str, Sample] = {
    "dense": Sample(dense),
    "built when called": Sample(built_when_called),
    "convolutions 1d": Sample(convolutions_1d, ((8, 3),)),
    "convolutions 2d": Sample(convolutions_2d, ((8, 8, 3),)),
    "fused batch normalization": Sample(fused_batch_normalization, ((4, 4, 3),)),
    "convolutions 3d": Sample(convolutions_3d, ((4, 4, 4, 2),)),
    "normalizations": Sample(normalizations, ((3, 4),), sensitive=4.0),
    "recurrent": Sample(recurrent, ((5,),), integers=7),
    "bidirectional": Sample(bidirectional, ((5, 3),)),
    "recurrent convolutions": Sample(recurrent_convolutions, ((3, 5, 5, 2),)),
    "encoder and decoder": Sample(encoder_and_decoder, ((4, 3), (3, 3))),
    "attention": Sample(attention, ((3, 4), (5, 4))),
    "several ends": Sample(several_ends, ((4,), (4,)), ((2,), (3,))),
    "nested": Sample(nested, ((4,), (4,))),
    "merges": Sample(merges),
    "activations": Sample(activations, ((3, 4),)),
    "shapes": Sample(shapes, ((2, 6),)),
    "preprocessing": Sample(preprocessing, ((6, 6, 3),)),
    "augmentations": Sample(augmentations, ((6, 6, 3),), random=True),
    "random recurrent": Sample(random_recurrent, ((4, 3),), random=True),
    "regularized": Sample(regularized),
    "partly frozen": Sample(partly_frozen),
    "slashes": Sample(slashes),
    "narrow output": Sample(narrow_output),
    "policies per layer": Sample(policies_per_layer),
    "lookups": Sample(lookups, ((4,),), integers=6),
}
