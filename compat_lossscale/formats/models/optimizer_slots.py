# SPDX-License-Identifier: Apache-2.0
"""In which order each family of optimizers keeps its slot variables.

Files number the variables, so their order is all that there is. Each class keeps the same slots in
every family. tf-keras' new optimizers and those of Keras 3 keep the slots of one variable together;
the legacy family keeps one slot of all variables together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compat_lossscale.formats.inner_optimizer import Family

SAME = frozenset({"SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "Lion"})
"""The classes that tf-keras' new optimizers and Keras 3 compute alike but for the last bits."""
NEARLY = frozenset({"RMSprop", "Ftrl", "Nadam", "Adafactor"})
"""Those that round differently."""
MAPPED = SAME | NEARLY
"""All classes whose variables are converted."""
_ADAFACTOR = "Adafactor"
_NADAM = "Nadam"


@dataclasses.dataclass(frozen=True)
class Stored:
    """A variable that a file has.

    Attributes:
        path: Where.
        shape: Its shape.
    """

    path: str
    shape: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Made:
    """A variable that a file lacks, and a converted one needs.

    Attributes:
        value: Its value, the same for all elements.
        dtype: `int64` or `float32`.
        shape: Its shape.
    """

    value: float
    dtype: str = "float32"
    shape: tuple[int, ...] = ()


Variable = Stored | Made


class UnknownSlotsError(Exception):
    """The variables are not those that the optimizer keeps."""


def _own_groups(name: str, settings: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The slots of a class, those of one variable together."""
    groups: dict[str, list[tuple[str, ...]]] = {
        "SGD": [("momentum",)] if settings.get("momentum") else [],
        "Adam": [("momentum", "velocity")],
        "Adagrad": [("accumulator",)],
        "Adadelta": [("accumulated_grad", "accumulated_delta_var")],
        "Adamax": [("momentum", "norm")],
        "Nadam": [("momentum", "velocity")],
        "Ftrl": [("accumulator", "linear")],
        "Lion": [("momentum",)],
        "RMSprop": [("velocity",)],
    }
    groups["AdamW"] = groups["Adam"]
    own = list(groups[name])
    if name in ("Adam", "AdamW") and settings.get("amsgrad"):
        own.append(("velocity_hat",))
    if name == "RMSprop":
        own += [("momentum",)] if settings.get("momentum") else []
        own += [("average_gradient",)] if settings.get("centered") else []
    return own


def _groups(name: str, settings: Mapping[str, Any], family: Family) -> list[tuple[str, ...]]:
    own = _own_groups(name, settings)
    if family is Family.LEGACY:
        # Its Ftrl alone makes both slots of a variable at once.
        return own if name == "Ftrl" else [(slot,) for group in own for slot in group]
    if family is Family.NEW and name == "SGD":
        # They are made without a momentum, too.
        own = [("momentum",)]
    average = [("average",)] if settings.get("use_ema") else []
    accumulated = [("accumulated",)] if settings.get("gradient_accumulation_steps") else []
    return [*average, *(accumulated if family is Family.KERAS3 else []), *own]


@dataclasses.dataclass(frozen=True)
class Slots:
    """An optimizer's slot variables, whatever their order.

    Attributes:
        by_name: The variables of each slot, one for each trained variable.
        product: Nadam's product of its momentum schedule, if it is stored.
    """

    by_name: Mapping[str, Sequence[Variable]]
    product: Variable | None = None


def read_slots(
    name: str, settings: Mapping[str, Any], family: Family, variables: Sequence[Stored]
) -> Slots:
    """Finds out which variable is which slot.

    Args:
        name: The optimizer's class, one of `MAPPED`.
        settings: Its config.
        family: Its family.
        variables: What it has besides its iterations and its learning rate, in their order.

    Returns:
        The slots.

    Raises:
        UnknownSlotsError: There are more or fewer variables than it keeps.
    """
    if name == _ADAFACTOR:
        return _read_adafactor(variables)
    product = None
    if name == _NADAM:
        # First in the legacy family and in Keras 3.6, last in later versions.
        scalars = [one for one in variables if one.shape == ()]
        variables = [one for one in variables if one.shape != ()]
        # The legacy family has another schedule.
        is_same = family is not Family.LEGACY and len(scalars) == 1
        product = scalars[0] if is_same else None
    groups = _groups(name, settings, family)
    count = sum(map(len, groups))
    if count == 0:
        if variables:
            raise UnknownSlotsError(f"{name} has {len(variables)} variables more than it keeps")
        return Slots({})
    if len(variables) % count:
        raise UnknownSlotsError(f"{name} has {len(variables)} variables, no multiple of {count}")
    number = len(variables) // count
    rest = iter(variables)
    by_name: dict[str, list[Variable]] = {slot: [] for group in groups for slot in group}
    for group in groups:
        for _ in range(number):
            for slot in group:
                by_name[slot].append(next(rest))
    return Slots(by_name, product)


def write_slots(
    name: str,
    settings: Mapping[str, Any],
    family: Family,
    slots: Slots,
    *,
    iterations: int,
    trained: Sequence[tuple[int, ...]] | None,
    is_wrapped: bool = False,
) -> list[Variable]:
    """Puts the slots into the order of another family.

    Args:
        name: The optimizer's class.
        settings: Its config, in that family's form.
        family: The family.
        slots: Its slots.
        iterations: How many steps it has taken.
        trained: The shapes of the trained variables; `None` if they are not known.
        is_wrapped: Whether it stands in a loss-scale optimizer. Keras 3 saves no scalars of Nadam
            and Adafactor then.

    Returns:
        What it has besides its iterations and its learning rate, in that family's order.

    Raises:
        UnknownSlotsError: It needs slots that are neither stored nor can be made.
    """
    if name == _ADAFACTOR:
        return list(_adafactor(slots, has_scalars=family is Family.KERAS3 and not is_wrapped))
    by_name = dict(slots.by_name)
    groups = _groups(name, settings, family)
    for slot in {slot for group in groups for slot in group} - by_name.keys():
        if trained is None:
            raise UnknownSlotsError(
                f"{name} keeps a {slot} of each variable there, and it is not known which ones are "
                "trained"
            )
        by_name[slot] = [Made(0.0, shape=shape) for shape in trained]
    ordered: list[Variable] = []
    for group in groups:
        for together in zip(*(by_name[slot] for slot in group), strict=True):
            ordered += together
    if name == _NADAM and family is Family.KERAS3 and not is_wrapped:
        ordered.append(slots.product or Made(_momentum_product(settings, iterations)))
    return ordered


def _momentum_product(settings: Mapping[str, Any], iterations: int) -> float:
    """Returns the product of Nadam's momentum schedule, which tf-keras does not save."""
    beta = settings.get("beta_1", 0.9)
    product = 1.0
    for step in range(1, iterations + 1):
        product *= beta * (1.0 - 0.5 * 0.96**step)
        if product == 0:
            break
    return product


def _read_adafactor(variables: Sequence[Stored]) -> Slots:
    """Reads rows, columns and velocities; a vector or a scalar has only the last.

    Keras 3 stores a scalar in place of the others.
    """
    rows: list[Variable] = []
    columns: list[Variable] = []
    velocities: list[Variable] = []
    place = 0
    while place < len(variables):
        row, column, velocity = (*variables[place : place + 3], None, None, None)[:3]
        assert row is not None
        if velocity is not None and column is not None and _is_factored(row, column, velocity):
            rows.append(row)
            columns.append(column)
            velocities.append(velocity)
            place += 3
        elif row.shape == () and column is not None and column.shape == () and velocity is not None:
            velocities.append(velocity)
            place += 3
        else:
            velocities.append(row)
            place += 1
    return Slots({"row": rows, "column": columns, "velocity": velocities})


def _is_factored(row: Stored, column: Stored, velocity: Stored) -> bool:
    shape = velocity.shape
    return len(shape) > 1 and row.shape == shape[:-1] and column.shape == (*shape[:-2], shape[-1])


def _adafactor(slots: Slots, *, has_scalars: bool) -> Iterator[Variable]:
    rows, columns = iter(slots.by_name["row"]), iter(slots.by_name["column"])
    for velocity in slots.by_name["velocity"]:
        if len(velocity.shape) > 1:
            yield next(rows)
            yield next(columns)
        elif has_scalars:
            yield from (Made(0.0), Made(0.0))
        yield velocity
