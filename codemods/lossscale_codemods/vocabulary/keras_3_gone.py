# SPDX-License-Identifier: Apache-2.0
"""What `tf.keras` lacks, or has otherwise, where it is Keras 3: plain data, recorded.

`tests/codemods/vocabulary/test_keras_3_gone.py` compares the names with both Keras of today.
"""

from __future__ import annotations

import re

from compat_lossscale.neighbour_names.keras_3_names import GONE, GONE_V1, MODEL_MEMBERS
from lossscale_codemods.vocabulary.paths import canonical

GONE_FROM_KERAS = frozenset(
    {
        "layers.RandomHeight", "layers.RandomWidth", "layers.ThresholdedReLU", "losses.KLD",
        "losses.MAE", "losses.MAPE", "losses.MSE", "losses.MSLE", "losses.Reduction",
        "losses.kld", "losses.kullback_leibler_divergence", "losses.logcosh", "losses.mae",
        "losses.mape", "losses.mse", "losses.msle", "metrics.KLD", "metrics.MAE",
        "metrics.MAPE", "metrics.MSE", "metrics.MSLE", "metrics.kld",
        "metrics.kullback_leibler_divergence", "metrics.logcosh", "metrics.mae", "metrics.mape",
        "metrics.mse", "metrics.msle", "preprocessing.image.DirectoryIterator",
        "preprocessing.image.ImageDataGenerator", "preprocessing.image.Iterator",
        "preprocessing.image.NumpyArrayIterator", "preprocessing.image.apply_affine_transform",
        "preprocessing.image.apply_brightness_shift", "preprocessing.image.apply_channel_shift",
        "preprocessing.image.random_brightness", "preprocessing.image.random_channel_shift",
        "preprocessing.image.random_rotation", "preprocessing.image.random_shear",
        "preprocessing.image.random_shift", "preprocessing.image.random_zoom",
        "preprocessing.sequence.TimeseriesGenerator",
        "preprocessing.sequence.make_sampling_table", "preprocessing.sequence.skipgrams",
        "preprocessing.text",
    }
)  # fmt: skip
"""Those that `tf.keras` has on Keras 3, and `keras` lacks, outside of the backend."""
BACKEND_OF_KERAS = frozenset(
    {
        "backend", "clear_session", "epsilon", "floatx", "get_uid", "image_data_format",
        "is_keras_tensor", "set_epsilon", "set_floatx", "set_image_data_format",
    }
)  # fmt: skip
"""What `keras.backend` kept; `tf.keras.backend` has more."""
BROKEN = {
    "backend.ndim": "takes no symbolic tensor",
    "backend.set_value": "takes no variable",
}
"""Functions that are there, and fail."""
OF_WEIGHTS = frozenset({"bias", "embeddings", "gamma", "kernel"})
"""Weights of layers, whose `dtype` is a string."""
OF_MODELS = {
    **MODEL_MEMBERS,
    "_get_optimizer": (
        "keras.optimizers.get(optimizer), and under a mixed_float16 policy a LossScaleOptimizer "
        "around it"
    ),
    "reset_states": "reset_state() of each layer that keeps its state from batch to batch",
}
"""Methods of models and layers that are gone, and what to use instead."""
WEIGHT_ARGUMENTS = ("name", "shape", "dtype", "initializer", "regularizer", "trainable")
"""What `Layer.add_weight` took, in this order; Keras 3 takes the shape first."""
METRIC_WEIGHT_ARGUMENTS = ("name", "shape")
"""The same of metrics; what came next, Keras 3 does not take."""
GRAPH_MODE = frozenset(
    {
        "tensorflow.compat.v1.Graph",
        "tensorflow.compat.v1.Session",
        "tensorflow.compat.v1.disable_eager_execution",
        "tensorflow.compat.v1.disable_v2_behavior",
        "tensorflow.Graph",
        "tensorflow.Session",
        "tensorflow.disable_eager_execution",
        "tensorflow.disable_v2_behavior",
    }
)
"""What has a program build graphs by itself, which Keras 3 does not support."""
_HOME = re.compile(r"^(?:tensorflow\.(?:compat\.v1\.|python\.)?)?keras\.")


def gone_at(path: str) -> str | None:
    """Returns the name below `tf.keras` that a path leads to, if Keras 3 lacks it.

    Args:
        path: A dotted path.
    """
    below = below_keras(path)
    return below if below in GONE or below in GONE_V1 else None


def gone_from_keras(path: str) -> str | None:
    """Returns the name below `keras` that a path leads to, if `tf.keras` alone has it.

    Args:
        path: A dotted path.
    """
    below = path.removeprefix("keras.")
    module, _, name = below.partition(".")
    if below == path or below in GONE:
        return None
    if module == "backend":
        return below if name and "." not in name and name not in BACKEND_OF_KERAS else None
    return below if below in GONE_FROM_KERAS else None


def below_keras(path: str) -> str:
    """Returns what a path is below `tf.keras`; an empty text if it is elsewhere."""
    below, count = _HOME.subn("", canonical(path))
    return below if count else ""
