# SPDX-License-Identifier: Apache-2.0
"""Finds the loss-scale configs in a JSON value, such as the config of a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from compat_lossscale.errors import CompatLossScaleError
from compat_lossscale.formats.artefact import StatedConfig, UnreadableArtefactError
from compat_lossscale.spec.inner_optimizers import class_name
from compat_lossscale.spec.wrapper_configs import (
    own_loss_scale,
    read_wrapper_config,
    states_loss_scale,
)

MAX_CONFIGS = 1000
"""The largest number of configs in one file. A model states one, or one per layer in policies."""
MAX_CONFIG_BYTES = 2**20
"""The largest size of all of them together, as JSON. One has some five hundred characters."""
DROPPED_BY_COMPILE = (
    "under the policy mixed_float16, compile() of Keras 3 drops this loss_scale_factor and wraps "
    "the optimizer in a dynamic loss scale, when the model is loaded too. To keep it fixed, load "
    "the model with compile=False, and compile it with auto_scale_loss=False or with "
    "compat_lossscale.keras3.LossScaleOptimizer(optimizer, dynamic=False)"
)
_OWN_LOSS_SCALE = (
    "the loss scale at {}: it is of the class {}, whose rule is in the code of that class. Its "
    "config says {}{}. compat_lossscale.experimental.LossScaleOptimizer.from_config makes it, "
    "given the class in custom_objects"
)


class ConfigSearch:
    """A search for configs in the JSON values of one artefact.

    Attributes:
        configs: The outermost configs that were found: a loss scale inside an optimizer's config is
            part of that config.
        lost: What can be read of loss scales of the user's own classes, which no conversion keeps.
    """

    def __init__(self) -> None:
        self.configs: list[StatedConfig] = []
        self.lost: list[str] = []
        self._size = 0

    def search(self, tree: Any, where: str = "") -> ConfigSearch:
        """Searches a value.

        Args:
            tree: A config, the config of a model, or any value that contains configs.
            where: The name of the value's place.

        Returns:
            The search itself.

        Raises:
            UnreadableArtefactError: A config is invalid, or the configs exceed the limits.
        """
        for config, place, keys, beside in _find(tree, where, (), {}):
            own = own_loss_scale(config)
            if own is not None:
                self._check_limits(config)
                self.lost.append(_described(config, own, place))
                continue
            # What `compile` was called with is beside the optimizer.
            may_wrap = beside.get("auto_scale_loss") is not False
            self.add(_stated_config(config, place, keys, may_wrap=may_wrap))
        return self

    def add(self, stated: StatedConfig) -> None:
        """Adds a config.

        Raises:
            UnreadableArtefactError: The configs exceed the limits.
        """
        self._check_limits(stated.config)
        self.configs.append(stated)

    def _check_limits(self, config: Mapping[str, Any]) -> None:
        self._size += len(json.dumps(config))
        if len(self.configs) + len(self.lost) == MAX_CONFIGS:
            raise UnreadableArtefactError(f"it states more than {MAX_CONFIGS} loss scales")
        if self._size > MAX_CONFIG_BYTES:
            raise UnreadableArtefactError(
                f"the loss-scale configs in it exceed {MAX_CONFIG_BYTES // 2**20} MB"
            )


_Found = tuple[Mapping[str, Any], str, tuple[str | int, ...], Mapping[Any, Any]]


def _find(
    tree: Any, where: str, keys: tuple[str | int, ...], beside: Mapping[Any, Any]
) -> Iterator[_Found]:
    if isinstance(tree, Mapping):
        if states_loss_scale(tree):
            yield tree, where, keys, beside
            return
        children: Iterator[tuple[Any, Any]] = iter(tree.items())
        beside = tree
    elif isinstance(tree, list):
        children = iter(enumerate(tree))
    else:
        return
    for key, child in children:
        if child:
            yield from _find(child, f"{where}.{key}" if where else str(key), (*keys, key), beside)


def _stated_config(
    config: Mapping[str, Any], where: str, keys: tuple[str | int, ...], *, may_wrap: bool
) -> StatedConfig:
    try:
        parts = read_wrapper_config(config)
    except CompatLossScaleError as error:
        place = f"the config at {where}" if where else "the config"
        raise UnreadableArtefactError(f"{place} is not valid: {error}") from None
    note = "" if parts.is_wrapper or not may_wrap else DROPPED_BY_COMPILE
    return StatedConfig(where, parts.generation, parts.spec, config, keys, note=note)


def _described(config: Mapping[str, Any], own: Mapping[str, Any], where: str) -> str:
    bare = config.get("config", config)
    inner = bare.get("optimizer", bare.get("inner_optimizer")) if bare else None
    around = f", around {class_name(inner)}" if isinstance(inner, Mapping) else ""
    settings = json.dumps(own.get("config", own))
    return _OWN_LOSS_SCALE.format(where or "the root", own.get("class_name"), settings, around)
