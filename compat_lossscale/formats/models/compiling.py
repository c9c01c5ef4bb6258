# SPDX-License-Identifier: Apache-2.0
"""What a model was compiled with, besides its optimizer: losses, metrics and ways to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.models.class_tables import SHARED, Kind
from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

_OPTIMIZER = "optimizer"
_RUNNING: Mapping[str, Any] = {"run_eagerly": False, "steps_per_execution": 1, "jit_compile": False}
"""How a model runs, with what tf-keras' None means."""
_NAMED = {"loss": Kind.LOSS, "metrics": Kind.METRIC, "weighted_metrics": Kind.METRIC}
_SHORT = frozenset({"acc", "accuracy", "ACC", "ce", "crossentropy", "auc"}) | {
    *("mse", "mae", "mape", "msle", "bce", "kld"),
    *("MSE", "MAE", "MAPE", "MSLE", "BCE", "KLD"),
    *("binary_io_u", "f1_score", "f_beta_score", "r2_score"),
}
"""Names of losses and metrics that are no class' in another spelling."""
_RENAMED_FOR_KERAS3 = {
    "kullback_leibler_divergence": "kl_divergence",
    "logcosh": "log_cosh",
    "huber_loss": "huber",
    "cosine_proximity": "cosine_similarity",
}
"""Old names of losses and metrics, which only tf-keras still knows."""


def convert_compile_config(compiled: Mapping[str, Any], to: Translation) -> dict[str, Any]:
    """Converts what `compile` was called with.

    Args:
        compiled: A model's `compile_config`.
        to: The translation.

    Returns:
        It in the other Keras' form, with the optimizer as it was.
    """
    converted: dict[str, Any] = {}
    for key, value in compiled.items():
        if key == _OPTIMIZER:
            converted[key] = value
        elif key in _RUNNING:
            converted[key] = _RUNNING[key] if value is None else value
        elif key in _NAMED:
            named = _named(value, _NAMED[key], f"compile.{key}", to)
            converted[key] = to.value(named, f"compile.{key}")
        else:
            converted[key] = to.value(value, f"compile.{key}")
    return converted


def _named(value: Any, kind: Kind, place: str, to: Translation) -> Any:
    """Renames losses or metrics that are stored as their names, and notes the unknown ones."""
    if isinstance(value, list):
        return [_named(child, kind, place, to) for child in value]
    if isinstance(value, Mapping) and "class_name" not in value:
        return {key: _named(child, kind, f"{place}.{key}", to) for key, child in value.items()}
    if not isinstance(value, str):
        return value
    name = value
    if to.target is Generation.KERAS3:
        name = _RENAMED_FOR_KERAS3.get(value, value)
    if name not in _SHORT | SHARED[kind] and _spelled(name) not in SHARED[kind] | SHARED[Kind.LOSS]:
        noun = "loss" if kind is Kind.LOSS else "metric"
        to.noted(
            place,
            value,
            f"it is no {noun} of {to.target.title} of its own; pass your own as custom_objects",
        )
    return name


def _spelled(name: str) -> str:
    """Returns a class' name for that of its function, such as `MeanSquaredError`."""
    return {"kl_divergence": "KLDivergence"}.get(
        name, "".join(part.capitalize() for part in name.split("_"))
    )
