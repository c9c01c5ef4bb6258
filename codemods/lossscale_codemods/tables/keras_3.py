# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 lacks, or has otherwise than the Keras of TensorFlow 2.0 to 2.10: plain data.

Names and members are recorded, and optimizers measured, on Keras 3.15 beside tf-keras 2.21.
`tests/codemods/tables/test_keras_3.py` compares them with both Keras of today.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from compat_lossscale.legacy.neighbour_names import successor_of
from compat_lossscale.legacy.neighbour_names.keras_names import (
    GONE,
    GONE_V1,
    MODEL_MEMBERS,
    PRIVATE,
    instead_of,
)
from lossscale_codemods.tables import optimizer_families
from lossscale_codemods.tables.names import Meaning, OldName, canonical

ONLY_IN_KERAS = frozenset(
    below for below in GONE if below == "saving" or instead_of(below).startswith("tf.keras.")
)
"""Those that `keras` has, and `tf.keras` lacks or has under another name on Keras 3."""
_SHORT = "KLD MAE MAPE MSE MSLE kld kullback_leibler_divergence logcosh mae mape mse msle"
_FROM_KERAS = {
    "layers": "RandomHeight RandomWidth ThresholdedReLU",
    "losses": f"Reduction {_SHORT}",
    "metrics": _SHORT,
    "preprocessing": "text",
    "preprocessing.image": "DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator "
    "apply_affine_transform apply_brightness_shift apply_channel_shift random_brightness "
    "random_channel_shift random_rotation random_shear random_shift random_zoom",
    "preprocessing.sequence": "TimeseriesGenerator make_sampling_table skipgrams",
}
GONE_FROM_KERAS = frozenset(f"{m}.{name}" for m in _FROM_KERAS for name in _FROM_KERAS[m].split())
"""Those that `tf.keras` has on Keras 3, and `keras` lacks, outside of the backend."""
BACKEND_OF_KERAS = frozenset(
    {
        "backend", "clear_session", "epsilon", "floatx", "get_uid", "image_data_format",
        "is_keras_tensor", "set_epsilon", "set_floatx", "set_image_data_format",
    }
)  # fmt: skip
"""What `keras.backend` kept; `tf.keras.backend` has more."""
PREPROCESSING = "layers.experimental.preprocessing"
"""A module whose layers are in `layers` now."""
NOT_IN_LAYERS = frozenset({"CategoryCrossing", "PreprocessingLayer"})
"""What it had besides."""
OLD_MODULE = re.compile(
    r"engine|objectives|optimizer_v[12]|utils\.\w+_utils|layers\.(?:advanced_activations|convolutional"
    r"|core|embeddings|merge|noise|normalization|pooling|preprocessing|recurrent|wrappers)"
)
"""Modules of the package `keras` up to 2.12 that were never public, and that programs import."""
BROKEN = {"ndim": "takes no symbolic tensor", "set_value": "takes no variable"}
"""Functions of the backend that are there, and fail."""
LOGS = ("history", "logs")
"""What training writes its values into."""
LOG_THE_RATE = frozenset({"ReduceLROnPlateau", "LearningRateScheduler"})
"""Callbacks that write the learning rate there."""
STEPS = ("train_step", "test_step")
"""Methods of models that return what `fit` shows."""
MEMBERS_OF_DTYPES = frozenset(
    {"as_numpy_dtype", "base_dtype", "is_bool", "is_floating", "is_integer", "limits", "max"}
    | {"min", "name", "real_dtype", "size"}
)
"""Members of `tf.DType`."""
MEMBERS_OF_SHAPES = frozenset({"as_list", "dims", "ndims", "num_elements", "rank"})
"""Members of `tf.TensorShape` that a tuple lacks."""
LISTS_OF_VARIABLES = frozenset(
    {"non_trainable_variables", "non_trainable_weights", "trainable_variables"}
    | {"trainable_weights", "variables", "weights"}
)
"""Members of layers and models that are lists of variables, whose `dtype` is a string."""
OF_WEIGHTS = frozenset({"bias", "embeddings", "gamma", "kernel"})
"""Weights of layers, whose `dtype` is a string."""
OF_MODELS = {
    **MODEL_MEMBERS,
    "add_metric": "a metric that the class makes itself and updates in `call`",
    "_get_optimizer": (
        "keras.optimizers.get(optimizer), and under a mixed_float16 policy a LossScaleOptimizer "
        "around it"
    ),
    "reset_states": "reset_state() of each layer that keeps its state from batch to batch",
}
"""Methods of models and layers that are gone, and what to use instead."""
GRAPH_MODE = frozenset(
    f"tensorflow.{version}{name}"
    for version in ("", "compat.v1.")
    for name in ("Graph", "Session", "disable_eager_execution", "disable_v2_behavior")
)
"""What has a program build graphs by itself, which Keras 3 does not support."""
SIZES = {
    **dict.fromkeys(
        ("Dense", "GRU", "GRUCell", "LSTM", "LSTMCell", "SimpleRNN", "SimpleRNNCell"), ("units",)
    ),
    "Embedding": ("input_dim", "output_dim"),
}
"""Layers of Keras 3 that take no other sizes than ints, and their first parameters."""
WITH_WEIGHTS = (
    "BatchNorm", "Bidirectional", "Conv", "Dense", "DepthwiseConv", "Embedding", "GRU", "LSTM",
    "LayerNorm", "SeparableConv",
)  # fmt: skip
"""How layers that have weights begin."""
KERNELS = ("layers.Conv", "layers.Dense", "layers.EinsumDense", "layers.Embedding")
"""How layers begin whose kernel, or embeddings, no class derived from them can set."""
_BY_LOADER = "Leave it out; Keras 3 takes it in a PyDataset."
WEIGHT = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
"""What `Layer.add_weight` takes in tf-keras, in this order."""
_OF_COMPILE = (
    "cloning", "experimental_run_tf_function", "experimental_steps_per_execution",
    "sample_weight_mode", "target_tensors",
)  # fmt: skip
ARGUMENTS_GONE = (
    (
        (".add_variable", ".add_weight"),
        {
            "aggregation": "Leave it out of a metric, which sums; for a layer, write 'mean' or so.",
            "synchronization": "Leave it out.",
            "use_resource": "Leave it out.",
        },
    ),
    ((".compile",), dict.fromkeys(_OF_COMPILE, "Leave it out.")),
    (
        (".evaluate", ".fit", ".predict"),
        dict.fromkeys(("max_queue_size", "use_multiprocessing", "workers"), _BY_LOADER),
    ),
    (
        ("keras.callbacks.ModelCheckpoint",),
        {"period": "Leave out a 1; else give `save_freq` the steps of so many epochs."},
    ),
    (
        ("keras.utils.to_categorical",),
        {"dtype": "Write `.astype(...)` behind the call.", "y": "Leave out the name."},
    ),
    (("keras.callbacks.TensorBoard",), {"write_grads": "Leave it out."}),
    (
        (".test_on_batch", ".train_on_batch"),
        {"reset_metrics": "Leave it out, and call reset_metrics() of the model."},
    ),
    (
        ("keras.layers.*",),
        {
            "batch_input_shape": "Put keras.Input(batch_shape=...) in front of the layer.",
            "dynamic": "Leave it out.",
            "experimental_autocast": "Write `autocast`.",
            "fused": "Leave it out.",
            "time_major": "Transpose the input and the output.",
            "virtual_batch_size": "Leave it out; nothing of Keras 3 does the same.",
        },
    ),
)
"""Arguments that Keras 3 refuses, by what is called, with what to do without them."""
TENSORS = tuple(
    f"tensorflow.{name}"
    for name in ("equal", "greater", "less", "logical_", "math.", "not_equal", "random.", "reduce_")
)
"""How functions begin whose results are tensors that a program tests."""
NOT_BUILT = re.compile(rb"(?s)(?!.*(Input\(|input_shape=|\.build\()).*(Sequential\(|\bModel\))")
"""A file that makes models, and builds none."""
FLOAT16_ALONE = re.compile(rb"(?s)(?!.*(?<!astype\(.)(?<!astype\(np\.)float32).*mixed_float16")
"""A file whose models give float16."""
LOSSES = {
    "huber_loss": "huber", "kullback_leibler_divergence": "kl_divergence", "logcosh": "log_cosh",
}  # fmt: skip
"""Names of losses, as texts, that Keras 3 has under others."""
OF_LABELS = re.compile(r"(?i)metrics\s*=\s*\[[^]]*binary_?crossentropy")
"""Metrics whose labels need the axes of the predictions."""
INDEXED = {"tensorflow.gather": 1, "tensorflow.one_hot": 0}
"""Functions that need integers, with the place of these."""
_HOME = re.compile(r"^(?:tensorflow\.(?:compat\.v1\.|python\.)?)?keras\.")

_STATE = {"add_slot", "get_slot", "get_slot_names", "get_weights", "set_weights"}
_HOOKS = {"_create_slots", "_get_hyper", "_hyper", "_resource_apply_dense", "add_weight"}
OF_OPTIMIZERS = (
    (
        _STATE | {"variables", "weights"},
        "Keras 3's optimizers have the learning rate among their variables, and no slots by name",
        "Read `variables`, each of which has a `path`, or save the optimizer with the model.",
    ),
    (
        _HOOKS | {"_resource_apply_sparse", "_serialize_hyperparameter", "_set_hyper"},
        "Keras 3's optimizers have no hyperparameters by name, and other methods",
        "Use the attributes of Keras 3's optimizers, and `build` and `update_step` in subclasses.",
    ),
    (
        ("_compute_gradients", "get_gradients", "get_updates"),
        "Keras 3's optimizers take gradients, and compute none",
        "Compute them with tf.GradientTape, and give them to `apply`.",
    ),
    (
        # In copies of TensorFlow's own training step.
        ("_HAS_AGGREGATE_GRAD", "_aggregate_gradients"),
        "Keras 3's optimizers sum gradients over the replicas when they apply them",
        "Leave it out, with `experimental_aggregate_gradients=False`.",
    ),
    (
        ("_decayed_lr",),
        "Keras 3's optimizers have no `_decayed_lr`",
        "Read `learning_rate`, which is the current value.",
    ),
    (
        ("decay",),
        "Keras 3's optimizers have no `decay`",
        "Ask the schedule that took its place, or take it out.",
    ),
)
"""Members of optimizers that are not there as they were, what is otherwise, and what to do."""
MEMBERS_GONE = frozenset(name for names, _, _ in OF_OPTIMIZERS for name in names)
"""All members of optimizers that are not there as they were."""
ONLY_OF_OPTIMIZERS = MEMBERS_GONE - {
    "add_weight", "decay", "get_weights", "set_weights", "variables", "weights",
}  # fmt: skip
"""Those of them that nothing else has."""
OF_LEGACY = MEMBERS_GONE - {"_serialize_hyperparameter", "set_weights", "variables"}
"""Those of them that the new optimizers of tf-keras lack as well."""
NOT_OF_VARIABLES = frozenset({"eval", "initializer", "op", "read_value"})
"""Members of a `tf.Variable` that `iterations` and `learning_rate` had, and lack in Keras 3."""
AGGREGATION = ("experimental_aggregate_gradients", "skip_gradients_aggregation")
"""Arguments of `apply_gradients` that say whether replicas sum their gradients."""


class OptimizerClass(NamedTuple):
    """One class of optimizers.

    Attributes:
        positional: The first arguments, as far as both have them in this order.
        learning_rate: The default, as it is written.
        computes: How Keras 3's computes another result of the same gradients, if it does.
    """

    positional: tuple[str, ...]
    learning_rate: str = "0.001"
    computes: str = ""


_ADAM = ("learning_rate", "beta_1", "beta_2", "epsilon")
CLASSES = {
    "Adadelta": OptimizerClass(("learning_rate", "rho", "epsilon")),
    "Adagrad": OptimizerClass(("learning_rate", "initial_accumulator_value", "epsilon")),
    "Adam": OptimizerClass((*_ADAM, "amsgrad")),
    "Adamax": OptimizerClass(_ADAM),
    "Ftrl": OptimizerClass(
        (
            "learning_rate",
            "learning_rate_power",
            "initial_accumulator_value",
            "l1_regularization_strength",
            "l2_regularization_strength",
        )
    ),
    "Nadam": OptimizerClass(
        _ADAM, computes="Keras 3's Nadam lets its momentum grow by another schedule"
    ),
    "RMSprop": OptimizerClass(
        ("learning_rate", "rho", "momentum", "epsilon", "centered"),
        computes="without momentum, Keras 3's RMSprop adds epsilon under the root, so that small "
        "gradients move the weights less",
    ),
    "SGD": OptimizerClass(("learning_rate", "momentum", "nesterov"), "0.01"),
}
"""The classes by their names; `Optimizer` itself is only inherited from and tested for."""
REFUSED = frozenset({"gradient_aggregator", "gradient_transformers", "schedule_decay"})
"""Arguments that have no successor."""
CLIPS = frozenset({"clipnorm", "clipvalue", "global_clipnorm"})
"""Arguments of which Keras 3 takes one at a time."""
HYPERPARAMETERS = frozenset(
    {"amsgrad", "beta_1", "beta_2", "centered", "initial_accumulator_value", "momentum"}
    | {"nesterov", "rho", "l1_regularization_strength", "l2_regularization_strength"}
    | {"l2_shrinkage_regularization_strength", "learning_rate_power", "beta"}
    | CLIPS
)
"""Attributes that TensorFlow 2.4's LossScaleOptimizer had of the optimizer that it wraps."""
SPARSE = frozenset(
    {"Embedding", "IndexedSlices", "embedding_lookup", "embedding_lookup_sparse", "gather"}
    | {"gather_nd", "safe_embedding_lookup_sparse"}
)
"""What makes gradients that hold some rows of a variable alone."""
MOVES_ALL_ROWS = frozenset({"Adadelta", "Adagrad", "Adam"})
"""Classes that leave rows without a gradient what they were left in TensorFlow."""

_LATER = {"legacy", "experimental"}


def gone_at(path: str) -> str | None:
    """Returns the name below `tf.keras` that a path leads to, if Keras 3 lacks it."""
    below = below_keras(path)
    if below in ONLY_IN_KERAS and path.startswith(("keras.", "tensorflow.python.")):
        return None
    return below if below in GONE or below in GONE_V1 else None


def moved_name(path: str) -> OldName | None:
    """Returns a name that Keras 3 has elsewhere, or `tf.keras` under another name alone."""
    if path == "keras.backend" or gone_from_keras(path) not in (None, "losses.Reduction"):
        return OldName(path, Meaning.NEIGHBOUR, (f"tensorflow.{path}",))
    full, below = canonical(path), below_keras(path)
    module, _, name = below.rpartition(".")
    new = instead_of(below if module == "experimental" else gone_at(path) or "")
    if below == PREPROCESSING or (module == PREPROCESSING and name not in NOT_IN_LAYERS):
        new = f"tf.keras.layers{below.removeprefix(PREPROCESSING)}"
    if OLD_MODULE.match(module) and path.startswith("keras."):
        new = successor_of(f"{PRIVATE}.{below}").replace("tensorflow", "tf")
    if not new.startswith("tf.keras."):
        return None
    home = full.removesuffix(below)
    return OldName(path, Meaning.NEIGHBOUR, (home + new.removeprefix("tf.keras."),))


def gone_from_keras(path: str) -> str | None:
    """Returns the name below `keras` that a path leads to, if `tf.keras` alone has it."""
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


def class_at(path: str) -> str | None:
    """Returns the name of the class of optimizers at a path, if Keras 3 has it as well.

    Args:
        path: A path in `tf.keras.optimizers`, of either family, in `keras.optimizers`, or in
            TensorFlow's private copy of Keras.
    """
    public = optimizer_families.public_class(path)
    home, _, name = canonical(public or path).rpartition(".")
    above, _, last = home.rpartition(".")
    home = above if last in _LATER else home
    is_home = home == "keras.optimizers" or optimizer_families.is_home(home)
    return name if is_home and name in optimizer_families.CLASSES else None


def without_family(path: str) -> str | None:
    """Returns the path in Keras 3 of a class, or a module, of one family alone.

    Returns:
        The path; nothing if the path says no family.
    """
    parts = path.split(".")
    for family in _LATER & set(parts):
        place = parts.index(family)
        home = ".".join(parts[:place])
        if home == "keras.optimizers" or optimizer_families.is_home(home):
            return ".".join([home, *parts[place + 1 :]])
    return None
