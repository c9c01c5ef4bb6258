# SPDX-License-Identifier: Apache-2.0
"""Names of Keras that are gone: its private package in TensorFlow, and what Keras 3 lacks.

`tf.keras` was implemented in `tensorflow.python.keras` up to TensorFlow 2.5. TensorFlow keeps a
copy of that package for itself. Its classes are none of `tf.keras`' any more: layers of the one
cannot be used in models of the other.

What Keras 3 has no more of the Keras of TensorFlow 2.0 to 2.10, and cannot have exactly, is in
`MEMBERS`, `HOOKS`, `MODEL_MEMBERS`, `GONE` and `GONE_V1`. `compat-lossscale run --keras3` says so
where one of these is used, and serves the others. `doctor` and the codemod look them up.
"""

from __future__ import annotations

from compat_lossscale.legacy.neighbour_names.neighbour import Neighbour

PRIVATE = "tensorflow.python.keras"
"""Where Keras was up to TensorFlow 2.5."""

PACKAGES_FOR_KERAS_2 = ("tensorflow_addons", "transformers")
"""Packages that import modules of Keras 2 as `keras`, in the last version for TensorFlow."""

_SOURCE = "tf_keras.src"
_LAYERS = f"{_SOURCE}.layers"
_LEGACY_OPTIMIZERS = f"{_SOURCE}.optimizers.legacy"
_LEGACY_SAVING = f"{_SOURCE}.saving.legacy"

_IN_LAYERS = (
    *("advanced_activations", "convolutional", "convolutional_recurrent", "core"),
    *("cudnn_recurrent", "dense_attention", "einsum_dense", "embeddings", "local"),
    *("multi_head_attention", "noise", "normalization_v2", "pooling", "rnn_cell_wrapper_v2"),
    "wrappers",
)
"""Modules of layers whose classes are all in one package today."""
# By their place below `tensorflow.python.keras`: where what the module had is today.
_MOVED = {
    "": (_SOURCE, "tf_keras.api._v2.keras"),
    "initializers.initializers_v2": (f"{_SOURCE}.initializers.initializers",),
    "keras_parameterized": (f"{_SOURCE}.testing_infra.test_combinations",),
    **{f"layers.{name}": (_LAYERS,) for name in _IN_LAYERS},
    "layers.merge": (_LAYERS, f"{_LAYERS}.merging.base_merge"),
    "layers.normalization": (f"{_LAYERS}.normalization.batch_normalization_v1", _LAYERS),
    "layers.recurrent": (
        *(f"{_LAYERS}.rnn.{name}" for name in ("base_rnn", "gru_v1", "lstm_v1", "rnn_utils")),
        _LAYERS,
    ),
    "layers.recurrent_v2": (
        *(f"{_LAYERS}.rnn.{name}" for name in ("gru", "lstm", "gru_lstm_utils")),
        _LAYERS,
    ),
    "models": (f"{_SOURCE}.models", f"{_SOURCE}.models.cloning"),
    "optimizer_v2": (_LEGACY_OPTIMIZERS,),
    "optimizer_v2.learning_rate_schedule": (
        f"{_SOURCE}.optimizers.schedules.learning_rate_schedule",
    ),
    "optimizer_v2.utils": (f"{_SOURCE}.optimizers.utils",),
    "optimizers": ("tf_keras.api._v2.keras.optimizers", f"{_SOURCE}.optimizers"),
    "saving": (_LEGACY_SAVING, f"{_SOURCE}.saving"),
    "testing_utils": (f"{_SOURCE}.testing_infra.test_utils",),
    "utils.generic_utils": (
        f"{_SOURCE}.utils.generic_utils",
        f"{_SOURCE}.saving.object_registration",
        f"{_LEGACY_SAVING}.serialization",
    ),
}

MODULES = tuple(
    Neighbour(
        f"{PRIVATE}.{below}.*".replace("..", "."),
        "TensorFlow 2.5",
        ", ".join(paths),
        "tf-keras' own, and so `tf.keras`'; names that tf-keras no longer has are missing",
        "tf.keras.optimizers.legacy" if below in ("optimizer_v2", "optimizers") else "tf.keras",
    )
    for below, paths in _MOVED.items()
)
"""Modules, with what is below them."""

_V1 = "compat.v1.keras"
ELSEWHERE = {
    "backend.get_session": f"{_V1}.backend.get_session",
    "backend.set_session": f"{_V1}.backend.set_session",
    "engine.base_layer_utils.disable_v2_dtype_behavior": f"{_V1}.layers.disable_v2_dtype_behavior",
    "engine.base_layer_utils.enable_v2_dtype_behavior": f"{_V1}.layers.enable_v2_dtype_behavior",
    "utils.generic_utils.deserialize_keras_object": "keras.utils.legacy.deserialize_keras_object",
    "utils.generic_utils.serialize_keras_object": "keras.utils.legacy.serialize_keras_object",
    "utils.losses_utils.ReductionV2": "keras.losses.Reduction",
}
"""Names that are public in `compat.v1` alone, or under another name, by their private place."""

_HOMES = {
    "backend_config": ("backend",),
    "callbacks_v1": ("callbacks",),
    "engine": ("", "layers", "models"),
    "layers.legacy_rnn": (),
    "saving.save": ("models",),
    "saving.model_config": ("models",),
}


def homes(module: str) -> tuple[str, ...]:
    """Returns the public modules in which the names of a private one can be.

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


_GRAPHS = (
    "tf.GradientTape and apply_gradients(), or Model.fit(); it made operations in graphs of "
    "TensorFlow 1"
)
_SLOTS = (
    "the optimizer's own lists, such as SGD's `momentums`, or its `variables`, whose `path` says "
    "what each is"
)

MEMBERS = {
    "get_gradients": _GRAPHS,
    "get_updates": _GRAPHS,
    "get_slot": _SLOTS,
    "get_slot_names": _SLOTS,
    "add_slot": "add_variable_from_reference(), called in build()",
    "add_weight": "add_variable(), called in build()",
}
"""Members that programs call, and what to use instead."""

HOOKS = {
    "_create_hypers": "__init__()",
    "_create_slots": "build()",
    "_get_hyper": "attributes of the optimizer, and its `learning_rate`",
    "_prepare_local": "build()",
    "_resource_apply_dense": "update_step(gradient, variable, learning_rate)",
    "_resource_apply_sparse": "update_step(gradient, variable, learning_rate)",
    "_resource_apply_sparse_duplicate_indices": "update_step(gradient, variable, learning_rate)",
    "_set_hyper": "attributes of the optimizer, and super().__init__(learning_rate=...)",
}
"""Methods that subclasses of OptimizerV2 define or call, and what Keras 3 has in their place."""

DECAY = (
    "a schedule as the learning rate: keras.optimizers.schedules.InverseTimeDecay(learning_rate, "
    "decay_steps=1, decay_rate=decay)"
)
"""What takes the place of `decay=`, which divided the learning rate by `1 + decay * iterations`."""

MODEL_MEMBERS = {
    "add_update": "assign() in call(), which is run at every step",
    "evaluate_generator": "evaluate()",
    "fit_generator": "fit()",
    "get_weight_paths": "the `path` of each of `weights`",
    "predict_generator": "predict()",
    "state_updates": "assign() in call(), which is run at every step",
    "to_yaml": "to_json()",
    "updates": "assign() in call(), which is run at every step",
}
"""Members of models and layers, and what to use instead."""

GONE = frozenset(
    {
        "backend.experimental", "backend.function", "backend.in_test_phase",
        "backend.in_train_phase", "backend.learning_phase", "backend.learning_phase_scope",
        "backend.local_conv1d", "backend.local_conv2d", "backend.manual_variable_initialization",
        "backend.normalize_batch_in_training", "backend.placeholder", "backend.print_tensor",
        "backend.random_binomial", "backend.reset_uids", "backend.set_learning_phase",
        "callbacks.BaseLogger", "callbacks.SidecarEvaluatorModelExport", "callbacks.experimental",
        "constraints.RadialConstraint", "constraints.radial_constraint", "dtensor", "estimator",
        "experimental", "layers.AbstractRNNCell", "layers.DenseFeatures",
        "layers.LocallyConnected1D", "layers.LocallyConnected2D", "layers.experimental",
        "losses.kl_divergence", "losses.log_cosh", "losses.mean_absolute_error",
        "losses.mean_absolute_percentage_error", "losses.mean_squared_error",
        "losses.mean_squared_logarithmic_error", "metrics.MeanRelativeError", "metrics.MeanTensor",
        "metrics.experimental", "metrics.kl_divergence", "metrics.log_cosh",
        "metrics.mean_absolute_error", "metrics.mean_absolute_percentage_error",
        "metrics.mean_squared_error", "metrics.mean_squared_logarithmic_error",
        "models.experimental", "models.model_from_config", "models.model_from_yaml", "saving",
        "utils.GeneratorEnqueuer", "utils.OrderedEnqueuer", "utils.SequenceEnqueuer",
        "utils.SidecarEvaluator", "utils.StepsPerExecutionTuner", "utils.TimedThread",
        "utils.experimental", "utils.to_ordinal", "utils.warmstart_embedding_matrix",
    }
)  # fmt: skip
"""Public names of tf-keras that `tf.keras` lacks; models of `applications` are left out."""
GONE_V1 = frozenset(
    {
        "backend.get_session", "backend.set_session", "initializers.normal", "initializers.uniform",
        "layers.CuDNNGRU", "layers.CuDNNLSTM", "layers.disable_v2_dtype_behavior",
        "layers.enable_v2_dtype_behavior", "losses.cosine", "losses.cosine_proximity",
        "metrics.cosine", "metrics.cosine_proximity", "models.LinearModel", "models.WideDeepModel",
        "utils.DeterministicRandomTestTool", "utils.get_or_create_layer",
        "utils.track_tf1_style_variables",
    }
)  # fmt: skip
"""The same of tf-keras' `tf.compat.v1.keras`, which is Keras 3 too."""

_TRAINING = "the argument `training` of the layer's call"
_EAGER = "eager mode, which needs no session"
_INSTEAD_ON_KERAS_3 = {
    "backend.function": "tf.function",
    "backend.get_session": _EAGER,
    "backend.in_test_phase": _TRAINING,
    "backend.in_train_phase": _TRAINING,
    "backend.learning_phase": _TRAINING,
    "backend.learning_phase_scope": _TRAINING,
    "backend.placeholder": "keras.Input",
    "backend.print_tensor": "tf.print",
    "backend.set_learning_phase": _TRAINING,
    "backend.set_session": _EAGER,
    "initializers.normal": "keras.initializers.RandomNormal",
    "initializers.uniform": "keras.initializers.RandomUniform",
    "layers.CuDNNGRU": (
        "keras.layers.GRU with its default arguments, which uses cuDNN on a GPU by itself"
    ),
    "layers.CuDNNLSTM": (
        "keras.layers.LSTM with its default arguments, which uses cuDNN on a GPU by itself. It has "
        "one bias for each gate, where this had two"
    ),
    "layers.experimental": "keras.layers, where its layers are today",
    "losses.cosine": "keras.losses.cosine_similarity",
    "losses.cosine_proximity": "keras.losses.cosine_similarity",
    "metrics.cosine": "keras.losses.cosine_similarity",
    "metrics.cosine_proximity": "keras.losses.cosine_similarity",
    "models.model_from_yaml": "keras.models.model_from_json",
    "saving": "keras.saving, after `import keras`",
}
_ELSEWHERE = "what https://keras.io/guides/migrating_to_keras_3/ says"


def instead_of(below: str) -> str:
    """Returns what to use instead of a name that Keras 3 lacks."""
    return _INSTEAD_ON_KERAS_3.get(below, _ELSEWHERE)
