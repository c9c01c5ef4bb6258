# SPDX-License-Identifier: Apache-2.0
"""Rewrites what upstream's test files import: names that have moved since, and nothing else.

Loss scales, optimizers around them and policies come from the old private modules, which
`compat_lossscale.install()` puts back; all else comes from where today's TensorFlow and tf-keras
have it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_KERAS = {
    "": "tf_keras.src",
    "combinations": "tf_keras.src.testing_infra.test_combinations",
    "keras_parameterized": "tf_keras.src.testing_infra.test_combinations",
    "layers": "tf_keras.layers",
    # The modules of layers of one kind; the first had TensorFlow 1's.
    "layers.recurrent": "tf_keras.api._v1.keras.layers",
    **{
        f"layers.{name}": "tf_keras.layers"
        for name in (
            "advanced_activations",
            "convolutional",
            "convolutional_recurrent",
            "core",
            "dense_attention",
            "embeddings",
            "local",
            "merge",
            "noise",
            "normalization",
            "normalization_v2",
            "pooling",
            "recurrent_v2",
            "wrappers",
        )
    },
    "mixed_precision.test_util": "tf_keras.src.mixed_precision.test_util",
    "models": "tf_keras.models",
    "optimizer_v1": "tf_keras.src.optimizers.optimizer_v1",
    "optimizer_v2": "tf_keras.src.optimizers.legacy",
    "optimizer_v2.gradient_descent": "tf_keras.src.optimizers.legacy.gradient_descent",
    "optimizers": "tensorflow.keras.optimizers",
    "saving": "tf_keras.models",
    "saving.save": "tf_keras.models",
    "testing_utils": "tf_keras.src.testing_infra.test_utils",
    "utils.generic_utils": "tf_keras.utils",
}
_TENSORFLOW = {
    "tensorflow.python.distribute.distribution_strategy_context": (
        "tensorflow.python.distribute.distribute_lib"
    ),
    "tensorflow.python.ops.control_flow_ops": "tensorflow.python.ops.cond",
    "tensorflow.python.training.tracking.util": "tensorflow.python.checkpoint.checkpoint",
}
_MIXED_PRECISION = "tensorflow.python.keras.mixed_precision"


def _below(prefix: str) -> dict[str, str]:
    return {f"{prefix}.{name}".rstrip("."): new for name, new in _KERAS.items()}


TABLES = {
    "keras": {
        **_below("keras"),
        "keras.mixed_precision": _MIXED_PRECISION,
        "keras.mixed_precision.test_util": "tf_keras.src.mixed_precision.test_util",
    },
    "tensorflow": {
        **_TENSORFLOW,
        **_below("tensorflow.python.keras"),
        _MIXED_PRECISION: _MIXED_PRECISION,
        f"{_MIXED_PRECISION}.experimental.test_util": "tf_keras.src.mixed_precision.test_util",
    },
}
"""Old names and today's, by repository. The longest old name that fits counts."""

_FROM = re.compile(r"^( *)from ([\w.]+) import (\w+)(?: as (\w+))?$", re.MULTILINE)
_IMPORT = re.compile(r"^import keras$", re.MULTILINE)


def rewritten(source: str, repository: str, more: Mapping[str, str] | None = None) -> str:
    """Returns a test file with today's imports, line by line.

    Args:
        source: The file as upstream has it.
        repository: Whose it is: a key of `TABLES`.
        more: Names for this file besides those of the table.
    """
    table = {**TABLES[repository], **(more or {})}

    def replace(match: re.Match[str]) -> str:
        indent, module, name, alias = match.groups()
        if module == "__future__":
            return match[0]
        new_module, _, new_name = _moved(f"{module}.{name}", table).rpartition(".")
        return f"{indent}from {new_module} import {new_name} as {alias or name}"

    return _IMPORT.sub("import tf_keras as keras", _FROM.sub(replace, source))


def _moved(name: str, table: Mapping[str, str]) -> str:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        old = ".".join(parts[:end])
        if old in table:
            return ".".join((table[old], *parts[end:]))
    return name
