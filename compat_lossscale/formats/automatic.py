# SPDX-License-Identifier: Apache-2.0
"""Loss scaling that a `.keras` archive does not state, because Keras itself wrapped the optimizer.

`Model.compile` wraps the optimizer under the policy `mixed_float16`. The archive then has the
config of the optimizer that was passed to `compile`, and the variables of the wrapper. Loading the
model compiles it again. If the policy is the same, Keras wraps the optimizer again, with defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.artefact import StatedConfig
from compat_lossscale.formats.config import WrapperConfig
from compat_lossscale.formats.config_writing import write_config
from compat_lossscale.formats.finding import ConfigSearch
from compat_lossscale.formats.hdf5 import Description
from compat_lossscale.formats.inner_optimizer import CANONICAL
from compat_lossscale.formats.optimizer_state import is_legacy_wrapper, wrapper_of
from compat_lossscale.spec import Generation, LossScaleSpec

POLICY = "mixed_float16"
"""The policy under which Keras wraps the optimizer."""
NOT_STATED = (
    "the loss scale's config: Keras itself wrapped the optimizer, and wraps it again only if the "
    "policy is mixed_float16 when the model is loaded; otherwise it trains without loss scaling. "
    "Set the policy before loading, or state the config: --to {} --output FILE"
)
_KEYS = ("compile_config", "optimizer")


def may_be_wrapped(model: Any) -> bool:
    """Whether a model's config has an optimizer, and the policy under which Keras wraps it."""
    return _optimizer(model) is not None and _mentions_policy(model)


def _optimizer(model: Any) -> Mapping[str, Any] | None:
    node = model
    for key in _KEYS:
        node = node.get(key) if isinstance(node, Mapping) else None
    if isinstance(node, str):
        # A name, if one was passed to `compile` of tf-keras.
        return {"class_name": CANONICAL.get(node.lower(), node), "config": {}}
    if not isinstance(node, Mapping):
        return None
    is_serialized = isinstance(node.get("class_name"), str)
    return node if is_serialized and isinstance(node.get("config"), Mapping) else None


def _mentions_policy(tree: Any) -> bool:
    if isinstance(tree, Mapping):
        return any(_mentions_policy(child) for child in tree.values())
    if isinstance(tree, list):
        return any(_mentions_policy(child) for child in tree)
    return bool(tree == POLICY)


def find_config(
    model: Any, where: str, version: str | None, description: Description | None
) -> tuple[StatedConfig, ...]:
    """Finds the loss scale of a model's optimizer if the model's config does not state it.

    Args:
        model: The model's config, which states no loss scale.
        where: The name of its place.
        version: The version of Keras that wrote it.
        description: The content of its weights; `None` if it has none.

    Returns:
        The config that would state it; nothing if the variables are those of an optimizer that is
        not wrapped.

    Raises:
        UnreadableArtefactError: The config is larger than `MAX_CONFIG_BYTES`.
    """
    optimizer = _optimizer(model)
    if optimizer is None or not _mentions_policy(model):
        return ()
    wrapper = None if description is None else wrapper_of(description)
    if wrapper is None and description is not None and _has_variables(description):
        return ()
    written_by = Generation.KERAS3 if is_keras3(version) else Generation.TF_KERAS
    generation = wrapper or written_by
    spec = LossScaleSpec()
    if not optimizer["config"]:
        is_legacy = description is not None and is_legacy_wrapper(description)
        module = "keras.optimizers.legacy" if is_legacy else "keras.optimizers"
        optimizer = {"module": module, **optimizer}
    parts = WrapperConfig(generation, spec, optimizer, class_name="LossScaleOptimizer")
    config = write_config(parts, generation, {})
    place = ".".join((where, *_KEYS))
    stated = StatedConfig(place, generation, spec, config, _KEYS, automatic=True)
    found = ConfigSearch()
    found.add(stated)
    return tuple(found.configs)


def is_keras3(version: str | None) -> bool:
    """Whether a version of Keras, if known, is one of Keras 3."""
    return version is not None and not version.startswith(("0.", "1.", "2."))


def _has_variables(description: Description) -> bool:
    return bool(description["scalars"] or description["arrays"])


def missing(configs: tuple[StatedConfig, ...]) -> tuple[str, ...]:
    """Returns what an artefact misses because it does not state its configs."""
    return tuple(NOT_STATED.format(c.generation.value) for c in configs if c.automatic)
