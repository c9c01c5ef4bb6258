# SPDX-License-Identifier: Apache-2.0
"""Dtype policies: `Policy` in tf-keras, `DTypePolicy` in Keras 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

NAMES = frozenset({"Policy", "PolicyV1", "DTypePolicy", "FloatDTypePolicy"})
"""The classes of plain policies. Keras 3.0 to 3.3 had the last one."""
OF_KERAS3 = frozenset({"QuantizedDTypePolicy", "QuantizedFloat8DTypePolicy", "GPTQDTypePolicy"})
"""Those that only Keras 3 has."""
_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


def convert_policy(policy: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    """Converts a dtype policy.

    Args:
        policy: A serialized policy.
        place: Where it stands.
        to: The translation.

    Returns:
        A policy of the other Keras, of the same name.
    """
    name = _name(policy)
    if policy["class_name"] not in NAMES:
        to.lost(place, name, f"{to.target.title} has no {policy['class_name']}")
    is_keras3 = to.target is Generation.KERAS3
    if name == "bfloat16" and not is_keras3:
        to.lost(place, name, f"{to.target.title} cannot load variables of that dtype from a file")
    return {
        "module": "keras" if is_keras3 else "keras.mixed_precision",
        "class_name": "DTypePolicy" if is_keras3 else "Policy",
        "config": {"name": name},
        "registered_name": None,
    }


def compute_dtype(dtype: Any) -> str:
    """Returns the dtype in which a layer computes.

    Args:
        dtype: What its config has as `dtype`: a name, or a serialized policy of either Keras.
    """
    name = _name(dtype) if isinstance(dtype, Mapping) else dtype
    return _MIXED.get(name, name) if isinstance(name, str) else "float32"


def _name(policy: Mapping[str, Any]) -> Any:
    config = policy.get("config")
    return config.get("name") if isinstance(config, Mapping) else None
