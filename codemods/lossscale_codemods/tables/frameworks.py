# SPDX-License-Identifier: Apache-2.0
"""What the codemod knows of TensorFlow, Keras and Horovod besides the old names.

Like these, everything is told by its dotted path, whichever way a file reaches it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from compat_lossscale.neighbour_names import successor_of
from compat_lossscale.neighbour_names.keras_names import PRIVATE
from lossscale_codemods.tables.names import canonical

_FRAMEWORKS = frozenset({"tensorflow", "keras", "tf_keras"})
_OTHERS = frozenset({"apex", "flax", "jax", "mindspore", "mxnet", "oneflow", "paddle", "torch"})


def _is_at(*patterns: str) -> Callable[[str], bool]:
    """Returns the question whether a path is one of those that some patterns match."""
    at = re.compile("|".join(patterns))
    return lambda path: at.fullmatch(canonical(path)) is not None


is_new_optimizer = _is_at(
    r"(?:tensorflow(?:\.compat\.v1)?\.keras|tf_keras|keras|tensorflow\.python\.keras)"
    r"\.mixed_precision\.(?:loss_scale_optimizer\.)?LossScaleOptimizer",
    r"compat_lossscale\.keras3\.LossScaleOptimizer",
)
"""Whether a path is the LossScaleOptimizer of TensorFlow 2.4 and later."""
is_new_name = _is_at(
    r"(?:tensorflow(?:\.compat\.v1)?\.keras|tf_keras|keras)\.mixed_precision"
    r"(?:\.(?:LossScaleOptimizer|Policy|set_global_policy|global_policy|dtype_policy))?",
    r"tensorflow\.compat\.v1\.mixed_precision\.(?:\w*LossScale|MixedPrecisionLossScaleOptimizer"
    r"|(?:en|dis)able_mixed_precision_graph_rewrite)",
)
"""Whether a path is a public mixed precision name of TensorFlow 2.4 and later."""
is_v1_optimizer = _is_at(
    r"tensorflow(?:\.compat\.v1)?\.train\.(?:\w*Optimizer|experimental\.\w+Optimizer)",
    r"tensorflow\.compat\.v1\.tpu\.CrossShardOptimizer",
    r"tensorflow\.contrib\.(?:opt|optimizer_v2|tpu)\.\w*Optimizer",
)
"""Whether calling what is at a path gives a `tf.compat.v1.train.Optimizer`."""
is_horovod_wrapper = _is_at(r"horovod\.tensorflow(?:\.keras)?\.DistributedOptimizer")
"""Whether a path is Horovod's wrapper, which keeps the kind of the optimizer it wraps."""
is_rewrite_of_today = _is_at(
    r"tensorflow\.compat\.v1\.mixed_precision\.enable_mixed_precision_graph_rewrite"
)
"""Whether a path is the graph rewrite under the name that is still there."""
ONLY_IN_TF1 = (
    "ConfigProto", "GraphKeys", "Session", "app", "enable_eager_execution", "flags",
    "get_collection", "get_default_graph", "get_variable", "gfile", "global_variables_initializer",
    "layers", "logging", "placeholder", "reset_default_graph", "set_random_seed", "to_float",
    "trainable_variables", "variable_scope",
)  # fmt: skip
"""Common names that TensorFlow 1 had at its top, and TensorFlow 2 has under `compat.v1` alone."""
is_only_in_tf1 = _is_at(
    rf"tensorflow\.(?:{'|'.join(ONLY_IN_TF1)}|contrib|train\.get_or_create_global_step|"
    r"train\.\w+Optimizer)(?:\..*)?"
)
"""Whether a path is public in TensorFlow 1, and in TensorFlow 2 only under `compat.v1`."""
_is_of_optimizers = _is_at(
    r"(?:(?:tensorflow(?:\.compat\.v1)?\.|tensorflow\.python\.)?keras|tf_keras|tensorflow)"
    r"\.optimizers?(?:\.legacy|\.experimental|_v2\.\w+)?\.(?:[A-Z]\w*|get|deserialize)",
    r"tensorflow_addons\.optimizers\.[A-Z]\w*",
)
_KERAS = r"(?:tensorflow\.|tensorflow\.compat\.v1\.)?(?:tf_)?keras"
_is_new_model = _is_at(
    _KERAS + r"\.(?:(?:models\.)?(?:Sequential|Model)|applications\.(?:\w+\.)?[A-Z]\w*)"
)
_is_loaded_model = _is_at(_KERAS + r"\.models\.(?:load_model|clone_model|model_from_\w+)")


def is_framework(path: str) -> bool:
    """Whether a path is in TensorFlow or Keras."""
    return path.partition(".")[0] in _FRAMEWORKS


def is_other_framework(path: str) -> bool:
    """Whether a path is in a framework whose programs do without TensorFlow and Keras."""
    return path.partition(".")[0] in _OTHERS


def is_keras_optimizer(path: str) -> bool:
    """Whether calling what is at a path gives a Keras optimizer."""
    return _is_of_optimizers(path) and not is_new_optimizer(path)


def _public(path: str) -> str:
    """Returns the public path of what was in `tensorflow.python.keras`, and any other as it is."""
    path = canonical(path)
    return (successor_of(path) or path) if path.startswith(PRIVATE) else path


def is_new_keras_model(path: str) -> bool:
    """Whether calling what is at a path makes a new model of Keras."""
    return _is_new_model(_public(path))


def is_keras_model(path: str) -> bool:
    """Whether calling what is at a path gives a model of Keras, new or not."""
    return is_new_keras_model(path) or _is_loaded_model(_public(path))


def is_layer(path: str) -> bool:
    """Whether a path is that of a layer or a model of Keras."""
    return (is_framework(path) and ".layers." in path) or is_keras_model(path)


def is_keras_3(path: str) -> bool:
    """Whether a path is in the package `keras`, which is Keras 3 today."""
    return path.partition(".")[0] == "keras"
