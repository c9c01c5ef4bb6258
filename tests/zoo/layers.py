# SPDX-License-Identifier: Apache-2.0
"""Every layer of `keras.layers`, in a small model.

A row is the arguments of the layer, or a function of a `Side` that makes it. Its table says where
the layer stands: `model_around` makes the model.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.zoo.examples import BATCH, Example, example
from tests.zoo.families import Family, Side

Row = Mapping[str, Any] | Callable[[Side], Any]


def own_layer(side: Side) -> Any:
    """A layer as the guides write one."""

    class Linear(side.layers.Layer):  # type: ignore[misc]  # of either Keras
        def build(self, shape: Any) -> None:
            self.w = self.add_weight(name="w", shape=(shape[-1], 4), initializer="ones")

        def call(self, inputs: Any) -> Any:
            return inputs @ self.w

    return Linear()


def own_cell(side: Side) -> Any:
    """A cell as the guide to RNNs writes one."""
    base = getattr(side.layers, "AbstractRNNCell", side.layers.Layer)

    class Cell(base):  # type: ignore[misc]
        state_size = 4
        output_size = 4

        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(name="k", shape=(shape[-1], 4), initializer="ones")
            self.recurrent = self.add_weight(name="r", shape=(4, 4), initializer="zeros")

        def call(self, inputs: Any, states: Any) -> Any:
            output = inputs @ self.kernel + states[0] @ self.recurrent
            return output, [output]

    return side.layers.RNN(Cell())


def own_wrapper(side: Side) -> Any:
    class Own(side.layers.Wrapper):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return self.layer(x)

    return Own(side.layers.Dense(4))


def saved_model(side: Side) -> Any:
    """A SavedModel as a layer. It has no variables that train."""
    import tensorflow as tf

    folder = tempfile.mkdtemp(prefix="zoo-")
    module = tf.Module()
    module.serve = tf.function(lambda x: 2 * x, [tf.TensorSpec([None, 8], tf.float32)])
    tf.saved_model.save(module, folder, signatures=module.serve)
    return side.layers.TFSMLayer(folder, call_endpoint="serve")


def torch_module(side: Side) -> Any:
    import torch

    return side.layers.TorchModuleWrapper(torch.nn.Linear(8, 8))


def jax_function(side: Side) -> Any:
    return side.layers.JaxLayer(lambda params, inputs: inputs @ params, params=np.eye(8, dtype="f"))


def flax_module(side: Side) -> Any:
    import flax

    return side.layers.FlaxLayer(flax.linen.Dense(4))


def cell(name: str) -> Callable[[Side], Any]:
    return lambda side: side.layers.RNN(getattr(side.layers, name)(4))


def around(name: str, inner: str, **kwargs: Any) -> Callable[[Side], Any]:
    """A layer around another one."""
    return lambda side: getattr(side.layers, name)(getattr(side.layers, inner)(**kwargs))


def vocabulary(name: str, *words: Any) -> Callable[[Side], Any]:
    return lambda side: getattr(side.layers, name)(vocabulary=list(words))


def feature_columns(side: Side) -> Any:
    import tensorflow as tf

    return side.layers.DenseFeatures([tf.feature_column.numeric_column("a", [8])])


# fmt: off
TABLES: Mapping[str, Mapping[str, Row]] = {
    "row": {
        "Activation": {"activation": "relu"}, "ActivityRegularization": {"l2": 0.01},
        "AlphaDropout": {"rate": 0.2}, "BatchNormalization": {}, "Dense": {"units": 4},
        "Dropout": {"rate": 0.2}, "ELU": {},
        "EinsumDense": {"equation": "ab,bc->ac", "output_shape": 4},
        "Flatten": {}, "FlaxLayer": flax_module, "GaussianDropout": {"rate": 0.2},
        "GaussianNoise": {"stddev": 0.1}, "GroupNormalization": {"groups": 2}, "Identity": {},
        "InputLayer": lambda side: side.layers.Dense(4),  # every model has one
        "JaxLayer": jax_function, "Lambda": {"function": abs}, "Layer": own_layer,
        "LayerNormalization": {}, "LeakyReLU": {}, "PReLU": {}, "RMSNormalization": {}, "ReLU": {},
        "RepeatVector": {"n": 2}, "Rescaling": {"scale": 0.5}, "Reshape": {"target_shape": (2, 4)},
        "Softmax": {}, "SpectralNormalization": around("SpectralNormalization", "Dense", units=4),
        "TFSMLayer": saved_model, "ThresholdedReLU": {"theta": 0.1},
        "TorchModuleWrapper": torch_module, "UnitNormalization": {},
        "Wrapper": own_wrapper,
    },
    "sequence": {
        "AbstractRNNCell": own_cell, "AdaptiveAveragePooling1D": {"output_size": 2},
        "AdaptiveMaxPooling1D": {"output_size": 2}, "AveragePooling1D": {"pool_size": 2},
        "Bidirectional": around("Bidirectional", "LSTM", units=4),
        "Conv1D": {"filters": 4, "kernel_size": 3},
        "Conv1DTranspose": {"filters": 4, "kernel_size": 3, "strides": 2},
        "Cropping1D": {"cropping": 1}, "DepthwiseConv1D": {"kernel_size": 3}, "GRU": {"units": 4},
        "GRUCell": cell("GRUCell"), "GlobalAveragePooling1D": {}, "GlobalMaxPooling1D": {},
        "LSTM": {"units": 4}, "LSTMCell": cell("LSTMCell"),
        "LocallyConnected1D": {"filters": 4, "kernel_size": 3},
        "Masking": lambda side: side.keras.Sequential([
            side.layers.Masking(0.0), side.layers.LSTM(4)]),
        "MaxPooling1D": {}, "Permute": {"dims": (2, 1)}, "RNN": own_cell,
        "SeparableConv1D": {"filters": 4, "kernel_size": 3}, "SimpleRNN": {"units": 4},
        "SimpleRNNCell": cell("SimpleRNNCell"), "SpatialDropout1D": {"rate": 0.2},
        "StackedRNNCells": lambda side: side.layers.RNN([
            side.layers.LSTMCell(4), side.layers.GRUCell(4)]),
        "TimeDistributed": around("TimeDistributed", "Dense", units=4), "UpSampling1D": {},
        "ZeroPadding1D": {},
    },
    "image": {
        "AdaptiveAveragePooling2D": {"output_size": 2}, "AdaptiveMaxPooling2D": {"output_size": 2},
        "AveragePooling2D": {"pool_size": 2}, "CenterCrop": {"height": 4, "width": 4},
        "Conv2D": {"filters": 4, "kernel_size": 3},
        "Conv2DTranspose": {"filters": 4, "kernel_size": 3, "strides": 2},
        "Cropping2D": {"cropping": 1}, "DepthwiseConv2D": {"kernel_size": 3},
        "GlobalAveragePooling2D": {}, "GlobalMaxPooling2D": {},
        "LocallyConnected2D": {"filters": 2, "kernel_size": 3}, "MaxPooling2D": {},
        "Resizing": {"height": 4, "width": 4}, "SeparableConv2D": {"filters": 4, "kernel_size": 3},
        "SpatialDropout2D": {"rate": 0.2}, "UpSampling2D": {}, "ZeroPadding2D": {},
    },
    "volume": {
        "AdaptiveAveragePooling3D": {"output_size": 2}, "AdaptiveMaxPooling3D": {"output_size": 2},
        "AveragePooling3D": {"pool_size": 2}, "Conv3D": {"filters": 2, "kernel_size": 3},
        "Conv3DTranspose": {"filters": 2, "kernel_size": 3, "strides": 2},
        "ConvLSTM2D": {"filters": 2, "kernel_size": 3}, "Cropping3D": {"cropping": 1},
        "GlobalAveragePooling3D": {}, "GlobalMaxPooling3D": {}, "MaxPooling3D": {},
        "SpatialDropout3D": {"rate": 0.2}, "UpSampling3D": {}, "ZeroPadding3D": {},
    },
    "frames": {
        "ConvLSTM1D": {"filters": 2, "kernel_size": 3},
        "ConvLSTM3D": lambda side: side.keras.Sequential([
            side.layers.Reshape((2, 2, 2, 2, 2)), side.layers.ConvLSTM3D(2, 2)]),
    },
    "tokens": {
        "Embedding": {"input_dim": 10, "output_dim": 4},
        "ReversibleEmbedding": {"input_dim": 10, "output_dim": 4},
    },
    "two": {name: {} for name in (
        "Add", "Average", "Concatenate", "Maximum", "Minimum", "Multiply", "Subtract")}
    | {"Dot": {"axes": 1}},
    "two sequences": {
        "AdditiveAttention": {}, "Attention": {},
        "GroupQueryAttention": {"head_dim": 2, "num_query_heads": 2, "num_key_value_heads": 1},
        "MultiHeadAttention": {"num_heads": 2, "key_dim": 3},
    },
    "first, on images": {  # in the model, as its first layer
        "AugMix": {}, "AutoContrast": {}, "ContrastLimitedAdaptiveHistogramEqualization": {},
        "Equalization": {},
        "Pipeline": lambda side: side.layers.Pipeline([side.layers.RandomFlip(seed=1)]),
        "RandAugment": {}, "RandomBrightness": {"factor": 0.2},
        "RandomColorDegeneration": {"factor": 0.2}, "RandomColorJitter": {},
        "RandomContrast": {"factor": 0.2}, "RandomCrop": {"height": 6, "width": 6},
        "RandomElasticTransform": {}, "RandomErasing": {}, "RandomFlip": {},
        "RandomGaussianBlur": {}, "RandomGrayscale": {}, "RandomHeight": {"factor": 0.2},
        "RandomHue": {"factor": 0.2}, "RandomInvert": {}, "RandomPerspective": {},
        "RandomPosterization": {"factor": 4}, "RandomRotation": {"factor": 0.2},
        "RandomSaturation": {"factor": 0.2}, "RandomSharpness": {"factor": 0.2}, "RandomShear": {},
        "RandomTranslation": {"height_factor": 0.2, "width_factor": 0.2},
        "RandomWidth": {"factor": 0.2}, "RandomZoom": {"height_factor": 0.2}, "Solarization": {},
    },
    "first, on rows": {
        "DenseFeatures": feature_columns,
        "MelSpectrogram": {"fft_length": 8, "sequence_stride": 4, "num_mel_bins": 4},
        "Normalization": {"mean": 1.0, "variance": 2.0},
        "STFTSpectrogram": {"frame_length": 4, "frame_step": 2, "fft_length": 4},
    },
    "before, on images": {
        "CutMix": {}, "MaxNumBoundingBoxes": {"max_number": 2, "bounding_box_format": "xyxy"},
        "MixUp": {},
    },
    "before, on numbers": {
        "CategoryEncoding": {"num_tokens": 10}, "Discretization": {"bin_boundaries": [2.0, 5.0]},
        "Hashing": {"num_bins": 5}, "IntegerLookup": vocabulary("IntegerLookup", 1, 2, 3),
    },
    "before, on words": {
        "HashedCrossing": {"num_bins": 5}, "StringLookup": vocabulary("StringLookup", "a", "b"),
        "TextVectorization": vocabulary("TextVectorization", "a", "b"),
    },
}
# fmt: on
ROWS = {name: (place, row) for place, table in TABLES.items() for name, row in table.items()}
ONLY_ON = {
    "TFSMLayer": "tensorflow",
    "JaxLayer": "jax",
    "FlaxLayer": "jax",
    "TorchModuleWrapper": "torch",
}


def names(family: Family) -> list[str]:
    """The classes of `keras.layers`, each once: by its own name, if that is public."""
    module = family.keras.layers
    found: dict[Any, str] = {}
    for name, one in vars(module).items():
        if (
            inspect.isclass(one)
            and issubclass(one, module.Layer)
            and found.get(one) != one.__name__
        ):
            found[one] = name
    return sorted(
        one for one in found.values() if ONLY_ON.get(one, family.backend) == family.backend
    )


def layer(side: Side, name: str) -> Any:
    """Makes the layer of a row."""
    _, row = ROWS[name]
    return row(side) if callable(row) else getattr(side.layers, name)(**row)


def model_around(side: Side, name: str) -> Example:
    """A small model that has the layer, with data."""
    k, layers = side.keras, side.layers
    place, _ = ROWS[name]
    one = layer(side, name)
    if place.startswith("before"):
        return _prepared(side, place, name, one)
    inputs = [k.Input(shape) for shape in INPUTS[place]]
    if place == "tokens":
        inputs = [k.Input([6], dtype="int32")]
        x = one(inputs[0])
    elif place == "first, on images":
        x = layers.GlobalAveragePooling2D()(layers.Conv2D(4, 3)(one(inputs[0])))
    elif place == "first, on rows":
        x = one({"a": inputs[0]} if name == "DenseFeatures" else inputs[0])
    elif len(inputs) == 2:
        both = [layers.Dense(4)(each) for each in inputs]
        x = one(*both) if name in ("MultiHeadAttention", "GroupQueryAttention") else one(both)
    else:
        x = one(_BEFORE[place](layers)(inputs[0]))
    return example(k.Model(inputs, side.head()(layers.Flatten()(x))))


INPUTS = {
    "row": [[8]],
    "sequence": [[8, 6]],
    "image": [[8, 8, 3]],
    "volume": [[4, 4, 4, 2]],
    "frames": [[2, 8, 2]],
    "tokens": [[6]],
    "two": [[8], [8]],
    "two sequences": [[6, 8], [6, 8]],
    "first, on images": [[8, 8, 3]],
    "first, on rows": [[8]],
}
_BEFORE: Mapping[str, Callable[[Any], Any]] = {
    "row": lambda layers: layers.Dense(8),
    "sequence": lambda layers: layers.Dense(6),
    "image": lambda layers: layers.Conv2D(4, 3, padding="same"),
    "volume": lambda layers: layers.Conv3D(2, 2, padding="same"),
    "frames": lambda layers: layers.Dense(2),
}


def _prepared(side: Side, place: str, name: str, one: Any) -> Example:
    """A model of data that the layer has prepared, as guides do it in `Dataset.map`."""
    rng = np.random.default_rng(0)
    if place == "before, on images":
        images = rng.uniform(0, 255, [BATCH, 8, 8, 3]).astype("float32")
        made = {"images": images, "labels": np.eye(2, dtype="float32")[rng.integers(2, size=BATCH)]}
        if name == "MaxNumBoundingBoxes":
            boxes = np.ones([BATCH, 3, 4], "float32")
            made = {"images": images, "bounding_boxes": {"boxes": boxes, "labels": boxes[..., 0]}}
        x = one(made, training=True)["images"]
    elif place == "before, on numbers":
        x = one(rng.integers(10, size=[BATCH, 4]))
    else:
        words = rng.choice(["a", "b", "c"], size=[BATCH, 1])
        x = one((words, words) if name == "HashedCrossing" else words)
    x = np.asarray(side.family.numpy(x), "float32").reshape(BATCH, -1)
    return example(side.keras.Sequential([side.keras.Input(x.shape[1:]), side.head()]), x)
