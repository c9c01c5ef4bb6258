# SPDX-License-Identifier: Apache-2.0
"""Plans what becomes of an optimizer's variables: its iterations, its slots and the loss scale's.

tf-keras' wrapper has the wrapped optimizer's variables a second time, Keras 3's has four of its own
before them, and a fixed loss scale is no wrapper in Keras 3.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import ConversionError
from compat_lossscale.formats.artefact import LiveState
from compat_lossscale.formats.inner_optimizer import Family, class_name
from compat_lossscale.formats.models.optimizer_slots import (
    MAPPED,
    Made,
    Stored,
    UnknownSlotsError,
    Variable,
    read_slots,
    write_slots,
)
from compat_lossscale.formats.models.weights import (
    ASIDE,
    OPTIMIZER,
    VariablePlan,
    Variables,
    aside,
    numbered,
)
from compat_lossscale.spec import LossScaleSpec

INNER = "optimizer/inner_optimizer"
LOSS_SCALE = "optimizer/loss_scale/vars"
"""Where this package has a loss scale's state in an archive of tf-keras."""


@dataclasses.dataclass(frozen=True)
class OptimizerForm:
    """An optimizer as an archive has it.

    Attributes:
        optimizer: The optimizer inside of the wrapper: its serialized form.
        family: Its family.
        is_wrapped: Whether it stands in a loss-scale optimizer.
    """

    optimizer: Mapping[str, Any]
    family: Family
    is_wrapped: bool

    @property
    def name(self) -> str:
        """The optimizer's class."""
        return class_name(self.optimizer)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The optimizer's config."""
        config = self.optimizer.get("config")
        return config if isinstance(config, Mapping) else {}

    @property
    def rate(self) -> float | None:
        """Its learning rate; `None` if that is a schedule, of which Keras 3 has no variable."""
        rate = self.settings.get("learning_rate")
        return rate if isinstance(rate, int | float) else None


def plan_optimizer(
    plan: VariablePlan,
    before: OptimizerForm,
    after: OptimizerForm,
    state: LiveState | None,
    spec: LossScaleSpec,
    variables: Variables,
    trained: list[tuple[int, ...]] | None,
) -> None:
    """Adds to a plan what becomes of the optimizer's variables.

    Args:
        plan: The plan.
        before: The optimizer in the file.
        after: What it becomes.
        state: Its state in the file.
        spec: The loss scale, which says what to begin with where the file has none.
        variables: The variables of the file.
        trained: The shapes of the trained variables, as far as they are known.

    Raises:
        UnknownSlotsError: The optimizer's variables are not those that its class keeps.
        ConversionError: Its learning rate is larger than any float.
    """
    stored = stored_variables(before, variables)
    if not stored:
        if any(path.startswith(f"{OPTIMIZER}/") for path in variables):
            raise UnknownSlotsError(
                f"the file does not have the variables of {before.name} where its Keras saves "
                "them; load the model there and save it again"
            )
        return
    iterations, slots = stored[0], stored[1 + _has_rate(before) :]
    steps = state.iterations if state is not None and state.iterations is not None else 0
    written = write_slots(
        after.name,
        after.settings,
        after.family,
        read_slots(before.name, before.settings, before.family, slots),
        iterations=steps,
        trained=trained,
        is_wrapped=after.is_wrapped,
    )
    rate = [] if not _has_rate(after) else [Made(_float32(after.rate or 0.0))]
    inner = aside([iterations, *rate, *written])
    plan.moves.append((OPTIMIZER, ASIDE))
    plan.removed.append(ASIDE)
    if not after.is_wrapped:
        plan.number(inner, OPTIMIZER)
        return
    scale, counter = _scale(state, spec)
    own: list[Variable] = []
    if after.family is Family.KERAS3:
        own = [Made(0, "int64"), Made(0.0), counter, scale]
    elif before.family is Family.KERAS3 and before.is_wrapped and spec.dynamic:
        plan.made.append((f"{LOSS_SCALE}/current_loss_scale", scale.value, scale.dtype, []))
        plan.made.append((f"{LOSS_SCALE}/good_steps", counter.value, counter.dtype, []))
    plan.number(inner, INNER)
    plan.number([*own, *inner], OPTIMIZER)


def stored_variables(form: OptimizerForm, variables: Variables) -> list[Stored]:
    """Returns the variables of the optimizer itself that a file has, in their order."""
    is_inner = form.is_wrapped and form.family is not Family.LEGACY
    stored = numbered(variables, INNER if is_inner else OPTIMIZER)
    return stored if stored and stored[0].shape == () else []


def why_unmapped(
    before: OptimizerForm,
    after: OptimizerForm,
    variables: Variables,
    trained: list[tuple[int, ...]] | None,
) -> str | None:
    """Returns why an optimizer's variables cannot be converted; `None` if they can."""
    if before.name not in MAPPED:
        return f"the variables of {before.name} are not known"
    try:
        plan_optimizer(VariablePlan(), before, after, None, LossScaleSpec(), variables, trained)
    except UnknownSlotsError as error:
        return str(error)
    except ConversionError:
        # Writing it says so.
        return None
    return None


def _has_rate(form: OptimizerForm) -> bool:
    return form.family is Family.KERAS3 and form.rate is not None


def _scale(state: LiveState | None, spec: LossScaleSpec) -> tuple[Made, Made]:
    scale, counter = (None, None) if state is None else (state.loss_scale, state.good_steps)
    return Made(spec.initial_scale if scale is None else scale), Made(counter or 0, "int64")


def _float32(rate: float) -> float:
    try:
        return ctypes.c_float(rate).value
    except OverflowError:
        raise ConversionError("its learning rate is larger than any float") from None
