# SPDX-License-Identifier: Apache-2.0
"""What a stored artefact states and holds, and the search for configs in its JSON values."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from compat_lossscale.errors import CompatLossScaleError, UnreadableArtefactError
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.configs import own_loss_scale
from compat_lossscale.spec.inner_optimizers import class_name
from compat_lossscale.spec.wrapper_configs import read_wrapper_config, states_loss_scale

__all__ = ["Artefact", "LiveState", "StatedConfig", "UnreadableArtefactError"]


def whole(value: float | None, what: str) -> int | None:
    """Returns a number of steps from an artefact as an int, and `None` for none."""
    if value is None:
        return None
    if not math.isfinite(value) or value != int(value):
        raise UnreadableArtefactError(f"{what} is {value}, which is not a number of steps")
    return int(value)


@dataclasses.dataclass(frozen=True)
class StatedConfig:
    """One config of a loss scale that an artefact states.

    Attributes:
        where: Its place in the artefact, such as `training_config.optimizer_config`.
        generation: The generation of its form.
        spec: The loss scale that it states.
        config: The config itself, in its own form.
        keys: The keys that lead to it from the root of the JSON value.
        automatic: Whether the artefact holds only the config of the wrapped optimizer, which Keras
            wraps when it compiles the model, because of its policy. Then `config` is the config
            that the wrapper would have.
        note: What happens to the loss scale when the model is loaded and compiled; empty if nothing
            does.
    """

    where: str
    generation: Generation
    spec: LossScaleSpec
    config: Mapping[str, Any]
    keys: tuple[str | int, ...] = ()
    automatic: bool = False
    note: str = ""


def layout_of(configs: Iterable[StatedConfig]) -> str:
    """Returns the generations of configs, for the `layout` of an artefact."""
    titles = dict.fromkeys(config.generation.title for config in configs)
    return ", ".join(titles) or "no loss scale"


@dataclasses.dataclass(frozen=True)
class LiveState:
    """The state of one optimizer with loss scaling that an artefact holds.

    Attributes:
        where: The name or the path of the optimizer in the artefact.
        loss_scale: The current scale; `None` if the artefact does not hold it.
        good_steps: Good steps in a row so far; `None` if the artefact does not hold them.
        iterations: Steps so far; `None` if the artefact does not hold them.
        slots: The number of slot variables of the wrapped optimizer, such as momenta.
        hysteresis_left: Bad steps until the scale shrinks; `None` if the artefact does not hold
            them, as its rule needs no such state.
    """

    where: str
    loss_scale: float | None = None
    good_steps: int | None = None
    iterations: int | None = None
    slots: int = 0
    hysteresis_left: int | None = None


@dataclasses.dataclass(frozen=True)
class Artefact:
    """What one stored artefact says about loss scaling.

    Attributes:
        path: The path that was passed to `read`.
        format: The name of its format, such as `HDF5 model (.h5)`.
        layout: The generations that write this form.
        writer: The version that wrote it, if the artefact says so.
        configs: The loss-scale configs that it states.
        states: The live state that it holds.
        missing: What an optimizer needs to continue and the artefact does not hold, with the
            reason.
        lost: What no conversion keeps, with the reason: loss scales of the user's own classes.
        notes: What to know before it is loaded.
    """

    path: str
    format: str
    layout: str
    writer: str | None = None
    configs: tuple[StatedConfig, ...] = ()
    states: tuple[LiveState, ...] = ()
    missing: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has_loss_scale(self) -> bool:
        """Whether it states a loss scale or holds the state of one."""
        has_state = any(state.loss_scale is not None for state in self.states)
        return bool(self.configs or self.lost) or has_state

    @property
    def is_of_keras3(self) -> bool:
        """Whether Keras 3 has written it."""
        library, _, version = (self.writer or "").partition(" ")
        return library == "Keras" and is_keras3(version)


def is_of_layers(stated: StatedConfig, artefact: Artefact) -> bool:
    """Whether a config is that of layers, in an artefact that has one of an optimizer too.

    Policies of layers can state the loss scale with which `compile` wraps the optimizer.
    """
    inners = (read_wrapper_config(one.config).inner for one in (stated, *artefact.configs))
    return next(inners) is None and any(inners)


def is_keras3(version: str | None) -> bool:
    """Whether a version of Keras, if known, is one of Keras 3."""
    return version is not None and not version.startswith(("0.", "1.", "2."))


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


def find_configs(tree: Any, where: str = "") -> tuple[list[StatedConfig], list[str]]:
    """Finds the outermost configs in a JSON value of an artefact, at a place in it.

    Returns:
        Them, and what can be read of loss scales of the user's own classes, which no conversion
        keeps.
    """
    configs, lost = [], []
    for config, place, keys, beside in _find(tree, where, (), {}):
        own = own_loss_scale(config)
        if own is not None:
            lost.append(_described(config, own, place))
            continue
        try:
            parts = read_wrapper_config(config)
        except CompatLossScaleError as error:
            named = f"the config at {place}" if place else "the config"
            raise UnreadableArtefactError(f"{named} is not valid: {error}") from None
        # What `compile` was called with is beside the optimizer.
        is_dropped = not parts.is_wrapper and beside.get("auto_scale_loss") is not False
        note = DROPPED_BY_COMPILE if is_dropped else ""
        configs.append(StatedConfig(place, parts.generation, parts.spec, config, keys, note=note))
    return configs, lost


def put_config(tree: Any, keys: Sequence[str | int], config: Mapping[str, Any]) -> None:
    """Puts another config into a JSON value, in the place to which its keys lead."""
    *above, last = keys
    functools.reduce(operator.getitem, above, tree)[last] = config


def _find(
    tree: Any, where: str, keys: tuple[str | int, ...], beside: Mapping[Any, Any]
) -> Iterator[tuple[Mapping[str, Any], str, tuple[str | int, ...], Mapping[Any, Any]]]:
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


def _described(config: Mapping[str, Any], own: Mapping[str, Any], where: str) -> str:
    bare = config.get("config", config)
    inner = bare.get("optimizer", bare.get("inner_optimizer")) if bare else None
    around = f", around {class_name(inner)}" if isinstance(inner, Mapping) else ""
    settings = json.dumps(own.get("config", own))
    return _OWN_LOSS_SCALE.format(where or "the root", own.get("class_name"), settings, around)
