# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.python.keras`, where `tf.keras` was implemented up to TensorFlow 2.5.

TensorFlow keeps a copy of that package for itself. Its classes are none of `tf.keras`' any more:
layers of the one cannot be used in models of the other.
"""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

PRIVATE = "tensorflow.python.keras"
"""Where Keras was up to TensorFlow 2.5."""

PACKAGES_FOR_KERAS_2 = ("tensorflow_addons", "transformers")
"""Packages that import modules of Keras 2 as `keras`, in the last version for TensorFlow."""

_UNTIL = "TensorFlow 2.5"
_SOURCE = "tf_keras.src"
_LAYERS = f"{_SOURCE}.layers"
_LEGACY_OPTIMIZERS = f"{_SOURCE}.optimizers.legacy"
_LEGACY_SAVING = f"{_SOURCE}.saving.legacy"

# By their place below `tensorflow.python.keras`: where what the module had is today.
_MOVED = {
    "": (_SOURCE, "tf_keras.api._v2.keras"),
    "api": ("tf_keras.api",),
    "combinations": (f"{_SOURCE}.testing_infra.test_combinations",),
    "engine.network": (f"{_SOURCE}.engine.functional",),
    "initializers.initializers_v1": (f"{_SOURCE}.initializers.initializers_v1",),
    "initializers.initializers_v2": (f"{_SOURCE}.initializers.initializers",),
    "keras_parameterized": (f"{_SOURCE}.testing_infra.test_combinations",),
    "layers.advanced_activations": (f"{_LAYERS}.activation", _LAYERS),
    "layers.convolutional": (f"{_LAYERS}.convolutional", _LAYERS),
    "layers.convolutional_recurrent": (f"{_LAYERS}.rnn.base_conv_rnn", _LAYERS),
    "layers.core": (f"{_LAYERS}.core", _LAYERS),
    "layers.cudnn_recurrent": (f"{_LAYERS}.rnn.base_cudnn_rnn", _LAYERS),
    "layers.dense_attention": (f"{_LAYERS}.attention", _LAYERS),
    "layers.einsum_dense": (f"{_LAYERS}.core.einsum_dense",),
    "layers.embeddings": (f"{_LAYERS}.core.embedding",),
    "layers.legacy_rnn.rnn_cell_impl": (f"{_LAYERS}.rnn.legacy_cells",),
    "layers.legacy_rnn.rnn_cell_wrapper_impl": (f"{_LAYERS}.rnn.legacy_cell_wrappers",),
    "layers.local": (f"{_LAYERS}.locally_connected",),
    "layers.merge": (f"{_LAYERS}.merging", f"{_LAYERS}.merging.base_merge", _LAYERS),
    "layers.multi_head_attention": (f"{_LAYERS}.attention.multi_head_attention",),
    "layers.noise": (f"{_LAYERS}.regularization", _LAYERS),
    "layers.normalization": (f"{_LAYERS}.normalization.batch_normalization_v1", _LAYERS),
    "layers.normalization_v2": (f"{_LAYERS}.normalization.batch_normalization", _LAYERS),
    "layers.pooling": (f"{_LAYERS}.pooling", _LAYERS),
    "layers.recurrent": (
        *(f"{_LAYERS}.rnn.{name}" for name in ("base_rnn", "gru_v1", "lstm_v1", "rnn_utils")),
        _LAYERS,
    ),
    "layers.recurrent_v2": (
        *(f"{_LAYERS}.rnn.{name}" for name in ("gru", "lstm", "gru_lstm_utils")),
        _LAYERS,
    ),
    "layers.rnn_cell_wrapper_v2": (f"{_LAYERS}.rnn.cell_wrappers",),
    "layers.wrappers": (f"{_LAYERS}.rnn.base_wrapper", _LAYERS),
    "models": (f"{_SOURCE}.models", f"{_SOURCE}.models.cloning"),
    "optimizer_v1": (f"{_SOURCE}.optimizers.optimizer_v1",),
    "optimizer_v2": (_LEGACY_OPTIMIZERS,),
    "optimizer_v2.learning_rate_schedule": (
        f"{_SOURCE}.optimizers.schedules.learning_rate_schedule",
    ),
    "optimizer_v2.legacy_learning_rate_decay": (
        f"{_SOURCE}.optimizers.legacy_learning_rate_decay",
    ),
    "optimizer_v2.utils": (f"{_SOURCE}.optimizers.utils",),
    "optimizers": ("tf_keras.api._v2.keras.optimizers", f"{_SOURCE}.optimizers"),
    "premade": (f"{_SOURCE}.premade_models",),
    "protobuf": ("tf_keras.protobuf",),
    "saving": (f"{_SOURCE}.saving", _LEGACY_SAVING),
    "saving.hdf5_format": (f"{_LEGACY_SAVING}.hdf5_format",),
    "saving.model_config": (f"{_LEGACY_SAVING}.model_config",),
    "saving.save": (f"{_LEGACY_SAVING}.save",),
    "saving.saved_model": (f"{_LEGACY_SAVING}.saved_model",),
    "saving.saving_utils": (f"{_LEGACY_SAVING}.saving_utils",),
    "testing_utils": (f"{_SOURCE}.testing_infra.test_utils",),
    "utils.all_utils": (f"{_SOURCE}.utils",),
    "utils.generic_utils": (
        f"{_SOURCE}.utils.generic_utils",
        f"{_SOURCE}.saving.object_registration",
        f"{_LEGACY_SAVING}.serialization",
    ),
}
_INSTEAD = {
    "optimizer_v2": "tf.keras.optimizers.legacy",
    "optimizers": "tf.keras.optimizers.legacy",
}

NAMES = (
    Neighbour(
        f"{PRIVATE}.engine.network.Network",
        "TensorFlow 2.2",
        f"{_SOURCE}.engine.functional:Functional",
        "the base class of functional models; subclassed models are no Network",
        "tf.keras.Model",
    ),
    Neighbour(
        f"{PRIVATE}.layers.normalization.LayerNormalization",
        _UNTIL,
        f"{_LAYERS}:LayerNormalization",
        THE_SAME,
        "tf.keras.layers.LayerNormalization",
    ),
)
"""Names in the modules below."""

MODULES = tuple(
    Neighbour(
        f"{PRIVATE}.{below}.*".replace("..", "."),
        _UNTIL,
        ", ".join(paths),
        "tf-keras' own, and so `tf.keras`'; names that tf-keras no longer has are missing",
        _INSTEAD.get(below, "tf.keras"),
    )
    for below, paths in _MOVED.items()
)
"""Modules, with what is below them."""

_V1 = "compat.v1.keras"
_V1_INITIALIZERS = {
    "HeNormal": "he_normal",
    "HeUniform": "he_uniform",
    "LecunNormal": "lecun_normal",
    "LecunUniform": "lecun_uniform",
    "RandomNormal": "RandomNormal",
    "RandomUniform": "RandomUniform",
    "TruncatedNormal": "TruncatedNormal",
}
ELSEWHERE = {
    "backend.get_session": f"{_V1}.backend.get_session",
    "backend.set_session": f"{_V1}.backend.set_session",
    "callbacks_v1.TensorBoard": f"{_V1}.callbacks.TensorBoard",
    "engine.base_layer_utils.disable_v2_dtype_behavior": f"{_V1}.layers.disable_v2_dtype_behavior",
    "engine.base_layer_utils.enable_v2_dtype_behavior": f"{_V1}.layers.enable_v2_dtype_behavior",
    "engine.base_preprocessing_layer.PreprocessingLayer": (
        "keras.layers.experimental.preprocessing.PreprocessingLayer"
    ),
    "engine.data_adapter.pack_x_y_sample_weight": "keras.utils.pack_x_y_sample_weight",
    "engine.data_adapter.unpack_x_y_sample_weight": "keras.utils.unpack_x_y_sample_weight",
    **{
        f"initializers.initializers_v1.{name}": f"{_V1}.initializers.{public}"
        for name, public in _V1_INITIALIZERS.items()
    },
    "layers.recurrent.GRU": f"{_V1}.layers.GRU",
    "layers.recurrent.GRUCell": f"{_V1}.layers.GRUCell",
    "layers.recurrent.LSTM": f"{_V1}.layers.LSTM",
    "layers.recurrent.LSTMCell": f"{_V1}.layers.LSTMCell",
    "utils.dataset_creator.DatasetCreator": "keras.utils.experimental.DatasetCreator",
    "utils.generic_utils.deserialize_keras_object": "keras.utils.legacy.deserialize_keras_object",
    "utils.generic_utils.serialize_keras_object": "keras.utils.legacy.serialize_keras_object",
    "utils.losses_utils.ReductionV2": "keras.losses.Reduction",
}
"""Names that are public in `compat.v1` alone, or under another name, by their private place."""

_HOMES = {
    "backend_config": ("backend",),
    "callbacks_v1": ("callbacks",),
    "engine": ("", "layers", "models"),
    "saving.save": ("models",),
    "saving.model_config": ("models",),
}


def homes(module: str) -> tuple[str, ...]:
    """Returns the public modules in which the names of a private one can be.

    Args:
        module: The private module, by its place below `tensorflow.python.keras`.

    Returns:
        Their places below `tf.keras`, the most likely first.
    """
    above = module
    while above:
        if above in _HOMES:
            return _HOMES[above]
        above = above.rpartition(".")[0]
    parents = module.split(".")
    return tuple(".".join(parents[:end]) for end in range(len(parents), 0, -1)) if module else ("",)
