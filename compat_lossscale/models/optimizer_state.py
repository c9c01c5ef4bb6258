# SPDX-License-Identifier: Apache-2.0
"""Takes the state of an optimizer from one Keras to the other: slots by their names.

The two libraries keep the same slots in attributes of the same names, in lists with one variable
for each trained variable. The legacy optimizers of tf-keras have names of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from compat_lossscale.formats.conversion import Field, Verdict

_ADAM = {"m": "momentums", "v": "velocities", "vhat": "velocity_hats"}
_LEGACY: Mapping[str, Mapping[str, str]] = {
    "SGD": {"momentum": "momentums"},
    "Adam": _ADAM,
    "Nadam": _ADAM,
    "Adamax": {"m": "m", "v": "u"},
    "Adagrad": {"accumulator": "accumulators"},
    "Adadelta": {"accum_grad": "accumulated_grads", "accum_var": "accumulated_delta_vars"},
    "RMSprop": {"rms": "velocities", "mg": "average_gradients", "momentum": "momentums"},
    "Ftrl": {"accumulator": "accumulators", "linear": "linears"},
}
"""The slots of each legacy optimizer, and what the others call them."""
_PRODUCT = "u_product"
"""Nadam's product of its momentum schedule: the only state that is no slot."""


@dataclasses.dataclass
class OptimizerState:
    """The state of an optimizer, with or without a loss scale.

    Attributes:
        iterations: Its steps so far.
        slots: For each slot, a value for each trained variable.
        product: Nadam's product of its momentum schedule; `None` for other optimizers.
        loss_scale: The loss scale of a dynamic wrapper; `None` if there is none.
        good_steps: Its counter.
    """

    iterations: int
    slots: dict[str, list[Any]]
    product: float | None = None
    loss_scale: float | None = None
    good_steps: int | None = None


def read_state(optimizer: Any, trained: Sequence[Any]) -> OptimizerState:
    """Reads the state of an optimizer of tf-keras or Keras 3.

    Args:
        optimizer: The optimizer, or the loss-scale optimizer around it.
        trained: The variables that it trains.
    """
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    lists = _slot_lists(inner, trained)
    state = OptimizerState(
        iterations=int(_value(inner.iterations)),
        slots={name: [_value(one) for one in of_name] for name, of_name in lists.items()},
    )
    product = _product(inner)
    state.product = None if product is None else float(_value(product))
    if inner is not optimizer and getattr(optimizer, "dynamic", True):
        scale = getattr(optimizer, "dynamic_scale", None)
        counter = getattr(optimizer, "step_counter", None)
        if scale is None:
            scale, counter = optimizer.loss_scale, optimizer.dynamic_counter
        state.loss_scale, state.good_steps = float(_value(scale)), int(_value(counter))
    return state


def write_state(optimizer: Any, trained: Sequence[Any], state: OptimizerState) -> list[Field]:
    """Gives an optimizer of tf-keras or Keras 3 a state.

    Args:
        optimizer: The optimizer, built for the variables.
        trained: The variables.
        state: The state.

    Returns:
        What the optimizer has no place for, or needs and is not given.
    """
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    inner.iterations.assign(state.iterations)
    lists = _slot_lists(inner, trained)
    lost = []
    for name, values in state.slots.items():
        places = lists.pop(name, None)
        if places is None:
            if any(np.any(value) for value in values):
                lost.append(_lost(name, f"{type(inner).__name__} does not keep it"))
            continue
        for place, value in zip(places, values, strict=True):
            if tuple(place.shape) == value.shape:
                place.assign(value)
            elif value.size > 1 and np.prod(place.shape) > 1:
                lost.append(_lost(name, f"it has the shape {list(value.shape)}"))
    if lists and state.iterations:
        lost += [_lost(name, "the file does not hold it: it starts again") for name in lists]
    product = _product(inner)
    if product is not None and state.product is not None:
        product.assign(state.product)
    if state.loss_scale is not None and inner is not optimizer:
        _write_scale(optimizer, state.loss_scale, state.good_steps)
    return lost


def _write_scale(optimizer: Any, scale: float, counter: int | None) -> None:
    if hasattr(optimizer, "dynamic_scale"):
        optimizer.dynamic_scale.assign(scale)
        optimizer.step_counter.assign(counter)
    else:
        from compat_lossscale.optimizers import saving  # noqa: PLC0415  # of tf-keras only

        values = {"current_loss_scale": scale, "good_steps": counter}
        saving.give_to(optimizer, values)


def differences(before: OptimizerState, after: OptimizerState) -> list[str]:
    """Returns the names of what two states do not have in common.

    A slot that only one of them has is zero, or was noted when it was written.
    """
    names = [
        name
        for name in ("iterations", "loss_scale", "good_steps")
        if getattr(before, name) is not None
        and getattr(after, name) is not None
        and getattr(before, name) != getattr(after, name)
    ]
    if before.product is not None and after.product is not None:
        is_close = np.isclose(before.product, after.product, rtol=1e-6)
        names += [] if is_close else ["momentum_product"]
    for name in before.slots.keys() & after.slots.keys():
        pairs = zip(before.slots[name], after.slots[name], strict=True)
        if not all(one.shape != other.shape or _same(one, other) for one, other in pairs):
            names.append("slots")
    return list(dict.fromkeys(names))


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _lost(name: str, reason: str) -> Field:
    return Field(f"state.slots.{name}", Verdict.LOST, name, reason)


def _slot_lists(inner: Any, trained: Sequence[Any]) -> dict[str, list[Any]]:
    """Returns the slot variables of an optimizer by their names in the new families."""
    if hasattr(inner, "get_slot_names"):
        names = _LEGACY.get(type(inner).__name__, {})
        return {
            names.get(slot, slot): [inner.get_slot(variable, slot) for variable in trained]
            for slot in inner.get_slot_names()
        }
    found = {}
    own = {id(variable) for variable in trained}
    for name, value in vars(inner).items():
        if not isinstance(value, list) or len(value) != len(trained) or not value:
            continue
        is_slot = all(hasattr(one, "assign") and id(one) not in own for one in value)
        if is_slot and name.lstrip("_") not in ("variables", "trainable_variables"):
            found[name.lstrip("_")] = list(value)
    return found


def _product(inner: Any) -> Any:
    return vars(inner).get(f"_{_PRODUCT}") if type(inner).__name__ == "Nadam" else None


def _value(variable: Any) -> Any:
    return np.asarray(variable.numpy() if hasattr(variable, "numpy") else variable)
