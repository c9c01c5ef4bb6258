# SPDX-License-Identifier: Apache-2.0
"""The result of reading a stored artefact: the configs it states and the live state it holds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from compat_lossscale.errors import UnreadableArtefactError
from compat_lossscale.spec import Generation, LossScaleSpec

__all__ = ["Artefact", "LiveState", "StatedConfig", "UnreadableArtefactError"]


def whole(value: float, what: str) -> int:
    """Returns a number of steps from an artefact as an int.

    Args:
        value: The stored number, which may be a float.
        what: What is counted, for the message.

    Raises:
        UnreadableArtefactError: It is infinite, NaN or not a whole number.
    """
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
