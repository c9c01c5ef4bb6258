# SPDX-License-Identifier: Apache-2.0
"""What the codemod knows of TensorFlow, Keras and Horovod besides the old names.

Like these, everything is told by its dotted path, whichever way a file reaches it.
"""

from __future__ import annotations

import re

from compat_lossscale.legacy.neighbour_names import successor_of
from compat_lossscale.legacy.neighbour_names.keras_names import PRIVATE
from lossscale_codemods.tables.names import canonical

_FRAMEWORKS = frozenset({"tensorflow", "keras", "tf_keras"})
_OTHERS = frozenset({"apex", "flax", "jax", "mindspore", "mxnet", "oneflow", "paddle", "torch"})
_NEW_OPTIMIZER = re.compile(
    r"^(?:tensorflow(?:\.compat\.v1)?\.keras|tf_keras|keras|tensorflow\.python\.keras)"
    r"\.mixed_precision\.(?:loss_scale_optimizer\.)?LossScaleOptimizer$"
    r"|^compat_lossscale\.keras3\.LossScaleOptimizer$"
)
_NEW_NAME = re.compile(
    r"^(?:tensorflow(?:\.compat\.v1)?\.keras|tf_keras|keras)\.mixed_precision"
    r"(?:\.(?:LossScaleOptimizer|Policy|set_global_policy|global_policy|dtype_policy))?$"
    r"|^tensorflow\.compat\.v1\.mixed_precision\.(?:\w*LossScale|MixedPrecisionLossScaleOptimizer"
    r"|(?:en|dis)able_mixed_precision_graph_rewrite)$"
)
_KERAS_OPTIMIZER = re.compile(
    r"^(?:(?:tensorflow(?:\.compat\.v1)?\.|tensorflow\.python\.)?keras|tf_keras|tensorflow)"
    r"\.optimizers?(?:\.legacy|\.experimental|_v2\.\w+)?\.(?:[A-Z]\w*|get|deserialize)$"
    r"|^tensorflow_addons\.optimizers\.[A-Z]\w*$"
)
_V1_BASE = re.compile(
    r"^tensorflow(?:\.compat\.v1)?\.train\.(?:\w*Optimizer|experimental\.\w+Optimizer)$"
    r"|^tensorflow\.compat\.v1\.tpu\.CrossShardOptimizer$"
    r"|^tensorflow\.contrib\.(?:opt|optimizer_v2|tpu)\.\w*Optimizer$"
)
_KERAS = r"^(?:tensorflow\.|tensorflow\.compat\.v1\.)?(?:tf_)?keras"
_NEW_MODEL = re.compile(
    _KERAS + r"\.(?:(?:models\.)?(?:Sequential|Model)|applications\.(?:\w+\.)?[A-Z]\w*)$"
)
_LOADED_MODEL = re.compile(_KERAS + r"\.models\.(?:load_model|clone_model|model_from_\w+)$")
_HOROVOD = re.compile(r"^horovod\.tensorflow(?:\.keras)?\.DistributedOptimizer$")
_REWRITE_TODAY = re.compile(
    r"^tensorflow\.compat\.v1\.mixed_precision\.enable_mixed_precision_graph_rewrite$"
)
_ONLY_IN_TF1 = re.compile(
    r"^tensorflow\.(?:Session|placeholder|get_variable|variable_scope|contrib|flags|app|logging|"
    r"ConfigProto|global_variables_initializer|get_default_graph|set_random_seed|gfile|"
    r"trainable_variables|train\.get_or_create_global_step|train\.\w+Optimizer)(?:\.|$)"
)


def is_framework(path: str) -> bool:
    """Whether a path is in TensorFlow or Keras."""
    return path.partition(".")[0] in _FRAMEWORKS


def is_other_framework(path: str) -> bool:
    """Whether a path is in a framework whose programs do without TensorFlow and Keras."""
    return path.partition(".")[0] in _OTHERS


def is_only_in_tf1(path: str) -> bool:
    """Whether a path is public in TensorFlow 1, and in TensorFlow 2 only under `compat.v1`."""
    return bool(_ONLY_IN_TF1.match(path))


def is_new_optimizer(path: str) -> bool:
    """Whether a path is the LossScaleOptimizer of TensorFlow 2.4 and later."""
    return bool(_NEW_OPTIMIZER.match(canonical(path)))


def is_new_name(path: str) -> bool:
    """Whether a path is a public mixed precision name of TensorFlow 2.4 and later."""
    return bool(_NEW_NAME.match(canonical(path)))


def is_keras_optimizer(path: str) -> bool:
    """Whether calling what is at a path gives a Keras optimizer."""
    return bool(_KERAS_OPTIMIZER.match(canonical(path))) and not is_new_optimizer(path)


def _public(path: str) -> str:
    """Returns the public path of what was in `tensorflow.python.keras`, and any other as it is."""
    path = canonical(path)
    return (successor_of(path) or path) if path.startswith(PRIVATE) else path


def is_new_keras_model(path: str) -> bool:
    """Whether calling what is at a path makes a new model of Keras."""
    return bool(_NEW_MODEL.match(_public(path)))


def is_keras_model(path: str) -> bool:
    """Whether calling what is at a path gives a model of Keras, new or not."""
    return is_new_keras_model(path) or bool(_LOADED_MODEL.match(_public(path)))


def is_layer(path: str) -> bool:
    """Whether a path is that of a layer or a model of Keras."""
    return (is_framework(path) and ".layers." in path) or is_keras_model(path)


def is_keras_3(path: str) -> bool:
    """Whether a path is in the package `keras`, which is Keras 3 today."""
    return path.partition(".")[0] == "keras"


def is_v1_optimizer(path: str) -> bool:
    """Whether calling what is at a path gives a `tf.compat.v1.train.Optimizer`."""
    return bool(_V1_BASE.match(canonical(path)))


def is_horovod_wrapper(path: str) -> bool:
    """Whether a path is Horovod's wrapper, which keeps the kind of the optimizer it wraps."""
    return bool(_HOROVOD.match(path))


def is_rewrite_of_today(path: str) -> bool:
    """Whether a path is the graph rewrite under the name that is still there."""
    return bool(_REWRITE_TODAY.match(canonical(path)))
