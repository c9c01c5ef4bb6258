# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 has no more of the Keras of TensorFlow 2.0 to 2.10, and cannot have exactly.

`compat-lossscale run --keras3` says so where one of these is used, and serves the others. `doctor`
and the codemod look them up.
"""

from __future__ import annotations

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
_INSTEAD = {
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
    """Returns what to use instead of a name that Keras 3 lacks.

    Args:
        below: The name, one of `GONE` or `GONE_V1`.
    """
    return _INSTEAD.get(below, _ELSEWHERE)
