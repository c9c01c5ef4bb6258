# SPDX-License-Identifier: Apache-2.0
"""Which classes tf-keras and Keras 3 both have, and where their settings differ.

Read off tf-keras 2.21 and Keras 3.6, 3.10 and 3.15, which agree on all of it. The tests of
`translate.py` train converted models on both.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from compat_lossscale.spec import Generation


class Kind(enum.Enum):
    """The kinds of serialized objects in a model's config; the value is their public module."""

    LAYER = "keras.layers"
    MODEL = "keras"
    INITIALIZER = "keras.initializers"
    REGULARIZER = "keras.regularizers"
    CONSTRAINT = "keras.constraints"
    LOSS = "keras.losses"
    METRIC = "keras.metrics"
    SCHEDULE = "keras.optimizers.schedules"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _by_dimension(*names: str) -> list[str]:
    return [f"{name}{number}D" for name in names for number in (1, 2, 3)]


RECURRENT = frozenset({"RNN", "SimpleRNN", "GRU", "LSTM", *_by_dimension("ConvLSTM")})
"""Layers that take an initial state besides their input."""
NETWORKS = frozenset({"Sequential", "Functional", "Model"})
"""Models that consist of layers and no code of their own."""
SHARED: Mapping[Kind, frozenset[str]] = {
    Kind.LAYER: _names(
        """
        Activation ActivityRegularization Add AdditiveAttention AlphaDropout Attention Average
        BatchNormalization Bidirectional CategoryEncoding CenterCrop Concatenate Dense
        DepthwiseConv1D DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense Embedding
        Flatten GRUCell GaussianDropout GaussianNoise GroupNormalization HashedCrossing Hashing
        Identity InputLayer IntegerLookup LSTMCell LayerNormalization LeakyReLU Masking Maximum
        Minimum MultiHeadAttention Multiply Normalization PReLU Permute RandomBrightness
        RandomContrast RandomCrop RandomFlip RandomRotation RandomTranslation RandomZoom ReLU
        RepeatVector Rescaling Reshape Resizing SeparableConv1D SeparableConv2D SimpleRNNCell
        Softmax SpectralNormalization StackedRNNCells StringLookup Subtract TextVectorization
        TimeDistributed UnitNormalization
        """
    )
    | frozenset(
        _by_dimension(
            "AveragePooling",
            "Conv",
            "Cropping",
            "GlobalAveragePooling",
            "GlobalMaxPooling",
            "MaxPooling",
            "SpatialDropout",
            "UpSampling",
            "ZeroPadding",
        )
    )
    | {"Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"}
    | RECURRENT,
    Kind.MODEL: NETWORKS,
    Kind.INITIALIZER: _names(
        """
        Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity LecunNormal LecunUniform
        Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros
        """
    ),
    Kind.REGULARIZER: frozenset({"L1", "L1L2", "L2", "OrthogonalRegularizer"}),
    Kind.CONSTRAINT: frozenset({"MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm"}),
    Kind.LOSS: _names(
        """
        BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy
        CategoricalFocalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber KLDivergence
        LogCosh MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError
        MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge
        """
    ),
    Kind.METRIC: _names(
        """
        AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy
        CategoricalCrossentropy CategoricalHinge CosineSimilarity F1Score FBetaScore
        FalseNegatives FalsePositives Hinge IoU KLDivergence LogCoshError Mean MeanAbsoluteError
        MeanAbsolutePercentageError MeanIoU MeanMetricWrapper MeanSquaredError
        MeanSquaredLogarithmicError OneHotIoU OneHotMeanIoU Poisson Precision PrecisionAtRecall
        R2Score Recall RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity
        SparseCategoricalAccuracy SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy
        SpecificityAtSensitivity SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives
        TruePositives
        """
    ),
    Kind.SCHEDULE: _names(
        """
        CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay
        PolynomialDecay
        """
    ),
}
"""The classes that both have, under one name."""

INSTEAD: Mapping[str, str] = {
    "ThresholdedReLU": "ReLU(threshold=theta) is nearly the same",
    "SyncBatchNormalization": "BatchNormalization(synchronized=True) is the same",
    "LocallyConnected1D": "write a layer of your own",
    "LocallyConnected2D": "write a layer of your own",
    "RandomHeight": "write a layer of your own",
    "RandomWidth": "write a layer of your own",
    "TFOpLambda": "it stands for a TensorFlow function: use a layer or keras.ops",
    "SlicingOpLambda": "it stands for x[...]: use a layer or keras.ops",
    "RadialConstraint": "write a constraint of your own",
}
"""What to use in place of what only tf-keras has."""

ANYTHING = object()
"""A setting that may have any value: leaving it out changes nothing."""
_RANDOM = ("Brightness", "Contrast", "Crop", "Flip", "Rotation", "Translation", "Zoom")
_GROUPS = {"groups": 1}
_SEPARABLE = {
    **_GROUPS,
    # Those of the base class, of which a separable convolution has two each.
    "kernel_initializer": ANYTHING,
    "kernel_regularizer": ANYTHING,
    "kernel_constraint": ANYTHING,
}
# How a cell computes the same.
_CELL = {"implementation": ANYTHING}
_ONLY_TF_KERAS: Mapping[str, Mapping[str, Any]] = {
    **{f"Conv{number}DTranspose": _GROUPS for number in (1, 2, 3)},
    **{f"DepthwiseConv{number}D": _GROUPS for number in (1, 2)},
    **{f"SeparableConv{number}D": _SEPARABLE for number in (1, 2)},
    **{f"Random{name}": {"rng_type": ANYTHING} for name in _RANDOM},
    **{f"SpatialDropout{n}D": {"trainable": True, "noise_shape": ANYTHING} for n in (1, 2, 3)},
    **{name: {"time_major": False, **_CELL} for name in RECURRENT},
    "GRUCell": _CELL,
    "LSTMCell": _CELL,
    "Discretization": {"trainable": True},
    "HashedCrossing": {"trainable": True},
    "Embedding": {"input_length": ANYTHING},
    # Checks shapes only, and is learned from the input again.
    "MultiHeadAttention": {
        "query_shape": ANYTHING,
        "key_shape": ANYTHING,
        "value_shape": ANYTHING,
        "softmax_robust_masking": False,
    },
    "Softmax": {"robust_masking": False},
    "InputLayer": {"ragged": False, "optional": False, "type_spec": None},
}
_FORMAT = {"data_format": "channels_last"}
_SEED = {"seed": ANYTHING}
_ONLY_KERAS3: Mapping[str, Mapping[str, Any]] = {
    **{f"Random{name}": _FORMAT for name in _RANDOM},
    **dict.fromkeys(RECURRENT, _SEED),
    **{f"{name}Cell": _SEED for name in ("SimpleRNN", "GRU", "LSTM")},
    **{f"SpatialDropout{number}D": _FORMAT for number in (2, 3)},
    **{
        name: {"quantization_config": None, "lora_rank": None, "lora_alpha": None}
        for name in ("Dense", "EinsumDense", "Embedding")
    },
    "AdditiveAttention": _SEED,
    "Attention": _SEED,
    "AlphaDropout": {"noise_shape": None},
    "BatchNormalization": {"renorm": False, "renorm_clipping": None, "renorm_momentum": ANYTHING},
    "CenterCrop": _FORMAT,
    "IntegerLookup": {"oov_method": "floormod", "salt": None},
    "StringLookup": {"oov_method": "floormod", "salt": None},
    "LayerNormalization": {"rms_scaling": False},
    "MultiHeadAttention": {"use_gate": False, "sliding_window": None, "flash_attention": None}
    | _SEED,
    "RandomContrast": {**_FORMAT, "value_range": [0, 255]},
    "Resizing": {
        **_FORMAT,
        "pad_to_aspect_ratio": False,
        "fill_mode": ANYTHING,
        "fill_value": ANYTHING,
        "antialias": False,
    },
    "ZeroPadding1D": _FORMAT,
}
_EVERY_LAYER_TF_KERAS: Mapping[str, Any] = {
    # The input layer says the same.
    "batch_input_shape": ANYTHING,
    "dynamic": False,
}
_EVERY_LAYER_KERAS3: Mapping[str, Any] = {"autocast": True}
_SCALED = ("GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform")
_AXES = {"input_axes": None, "output_axes": None}
_OTHERS_ONLY_KERAS3: Mapping[tuple[Kind, str], Mapping[str, Any]] = {
    **{(Kind.INITIALIZER, name): _AXES for name in (*_SCALED, "VarianceScaling")},
    **{(Kind.LOSS, name): {"dtype": ANYTHING} for name in SHARED[Kind.LOSS]},
    (Kind.LOSS, "SparseCategoricalCrossentropy"): {"dtype": ANYTHING, "axis": -1},
    (Kind.METRIC, "SparseTopKCategoricalAccuracy"): {"from_sorted_ids": False},
}
_OTHERS_ONLY_TF_KERAS: Mapping[tuple[Kind, str], Mapping[str, Any]] = {
    # The function that a loss of this class calls.
    **{(Kind.LOSS, name): {"fn": ANYTHING} for name in SHARED[Kind.LOSS]},
    # Keras 3.6 does not have it.
    (Kind.METRIC, "SparseCategoricalCrossentropy"): {"ignore_class": None},
}

RENAMED_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "LeakyReLU": {"alpha": "negative_slope"},
    "InputLayer": {"batch_input_shape": "batch_shape"},
}
"""Layers' settings of which tf-keras has one name and Keras 3 the other."""
OLD_NAMES: Mapping[str, str] = {
    "OrthogonalInitializer": "Orthogonal",
    "IdentityInitializer": "Identity",
}
"""What versions of Keras 3 before 3.10 name some classes."""

ACTIVATIONS = _names(
    """
    elu exponential gelu leaky_relu linear log_softmax mish relu relu6 selu sigmoid silu
    softmax softplus softsign swish tanh
    """
)
"""The activations that are the same function in both."""
OTHER_ACTIVATIONS: Mapping[str, str] = {
    "hard_sigmoid": (
        "hard_sigmoid is clip(0.2 * x + 0.5, 0, 1) in tf-keras and clip(x / 6 + 0.5, 0, 1) in "
        "Keras 3: the layer computes something else there"
    )
}
"""Activations that have one name and are two functions."""
OTHER_LAYERS: Mapping[str, str] = {
    "RandomCrop": (
        "outside of training, RandomCrop resizes images in tf-keras and returns them as they are "
        "in Keras 3 from 3.10 on"
    ),
}
"""Layers that both have and that compute something else in each."""
INTERPOLATIONS = frozenset({"bilinear", "nearest", "bicubic", "lanczos3", "lanczos5"})
"""The interpolations of images that both have."""


def settings_of_one(kind: Kind, name: str, source: Generation) -> dict[str, Any]:
    """Returns the settings of a class that only one Keras has.

    Args:
        kind: The class' kind.
        name: The class.
        source: The Keras that has them: tf-keras or Keras 3.

    Returns:
        By name, the value that says no more than leaving the setting out: `ANYTHING` if every
        value does.
    """
    is_tf_keras = source is Generation.TF_KERAS
    if kind is Kind.LAYER:
        own = (_ONLY_TF_KERAS if is_tf_keras else _ONLY_KERAS3).get(name, {})
        return {**(_EVERY_LAYER_TF_KERAS if is_tf_keras else _EVERY_LAYER_KERAS3), **own}
    others = _OTHERS_ONLY_TF_KERAS if is_tf_keras else _OTHERS_ONLY_KERAS3
    return dict(others.get((kind, name), {}))


def renamed(name: str, source: Generation) -> Mapping[str, str]:
    """Returns the settings of a layer that have another name in the other Keras."""
    names = RENAMED_SETTINGS.get(name, {})
    if source is Generation.TF_KERAS:
        return names
    return {new: old for old, new in names.items()}
