# SPDX-License-Identifier: Apache-2.0
"""Removed names of TensorFlow become the current names for the same objects.

`tensorflow.python.keras` was the implementation of `tf.keras`. Today it is a private copy, whose
layers cannot be used in models of `tf.keras`. Names that are public in `tf.keras` get their public
name, if everything that a file uses of a module is public. `tensorflow.python.training.tracking` is
now `tensorflow.python.trackable`, which is private too. Names that moved from one private module to
another get their public name, if they have one. Functions of the private copy that work as they
did stay, such as `conv_utils.convert_data_format`. The rule reports the rest: `tf.estimator`,
`tf.contrib`, and names that were never public.

It looks at the same files as LS901. For optimizers of the private copy, see LS214. For
`tf.contrib.mixed_precision`, see LS603.
"""

from __future__ import annotations

import re

from compat_lossscale.neighbour_names import MEMBERS
from lossscale_codemods.rules.base import Case
from lossscale_codemods.rules.shared.neighbour_rule import NeighbourRule
from lossscale_codemods.rules.shared.neighbour_uses import markers
from lossscale_codemods.vocabulary import optimizer_families

_ROOTS = frozenset({"tensorflow"})
_METHODS = tuple(one.name for one in MEMBERS)
_LOSS_SCALES = re.compile(r"^tensorflow\.python\.keras\.mixed_precision\.experimental(?:\.|$)")
_FUNCTION_OF_OPTIMIZERS = re.compile(r"^tensorflow\.python\.keras\.optimizer_v2\.\w+\.[a-z_]\w*$")
_WORKING = re.compile(
    r"^tensorflow\.python\.keras\.utils\.(?:"
    r"conv_utils\.(?:conv_input_length|conv_output_length|conv_output_shape|convert_data_format"
    r"|deconv_output_length|normalize_data_format|normalize_padding|normalize_tuple"
    r"|squeeze_batch_dims)"
    r"|generic_utils\.(?:check_for_unexpected_keys|has_arg|is_all_none|slice_arrays|to_list"
    r"|to_snake_case)"
    r"|io_utils\.path_to_string"
    r"|tf_utils\.(?:convert_shapes|is_tensor_or_tensor_list|shape_type_conversion))$"
)
"""Functions of the private copy that work as they did, and have nothing to do with its classes."""
_HEAD = "import tensorflow as tf\n"
_OLD = f"{_HEAD}tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
_NEW = f"{_HEAD}tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"


class TensorFlow(NeighbourRule):
    """Respells names of TensorFlow's modules."""

    id = "LS902"
    title = "Removed names of TensorFlow"
    group_markers = markers(_ROOTS)
    shows_imports = True
    invalid = (
        Case(
            "from tensorflow.python.keras import backend as K\n"
            "from tensorflow.python.keras.layers.core import Dense\n"
            f"{_OLD}print(Dense(1), K.floatx())\n",
            "from tensorflow.keras import backend as K\n"
            "from tensorflow.keras.layers import Dense\n"
            f"{_NEW}print(Dense(1), K.floatx())\n",
        ),
        Case(
            "from tensorflow.python.training.tracking import data_structures\n"
            f"{_OLD}print(data_structures.ListWrapper)\n",
            "from tensorflow.python.trackable import data_structures\n"
            f"{_NEW}print(data_structures.ListWrapper)\n",
        ),
        Case(
            "from tensorflow.python.ops import array_ops, control_flow_ops\n"
            f"{_OLD}x = control_flow_ops.cond(True, lambda: 1, lambda: 2)\n"
            "print(array_ops.stack([x, x]), array_ops.zeros([1]))\n",
            "from tensorflow.python.ops import array_ops\n"
            f"{_NEW}x = tf.compat.v1.cond(True, lambda: 1, lambda: 2)\n"
            "print(tf.stack([x, x]), array_ops.zeros([1]))\n",
        ),
    )
    valid = (
        Case(
            f"{_OLD}config = tf.estimator.RunConfig()\n",
            f"{_NEW}config = tf.estimator.RunConfig()\n",
            review="it ended with TensorFlow 2.15",
        ),
        Case(
            f"{_OLD}from tensorflow.contrib import slim\n",
            f"{_NEW}from tensorflow.contrib import slim\n",
            review="moved to packages of its own",
        ),
        Case(
            f"from tensorflow.python.keras.utils import tf_utils\n{_OLD}print(tf_utils)\n",
            f"from tensorflow.python.keras.utils import tf_utils\n{_NEW}print(tf_utils)\n",
            review="TensorFlow's private copy of Keras",
        ),
        Case(
            f"from tensorflow.python.eager import tape\n{_OLD}print(tape.stop_recording)\n",
            f"from tensorflow.python.eager import tape\n{_NEW}print(tape.stop_recording)\n",
            review="In new code: tensorflow.python.eager.record.stop_recording",
        ),
    )

    def is_mine(self, path: str) -> bool:
        """Whether it is of TensorFlow, and no other rule says more of it."""
        if not path.startswith("tensorflow.") or path.startswith(_METHODS):
            return False
        if optimizer_families.is_private_module(path):
            is_function = _FUNCTION_OF_OPTIMIZERS.match(path)
            return bool(is_function) and not optimizer_families.is_private(path)
        return _LOSS_SCALES.match(path) is None and _WORKING.match(path) is None
