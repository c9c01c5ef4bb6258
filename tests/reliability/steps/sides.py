# SPDX-License-Identifier: Apache-2.0
"""The two sides that are compared, this package's wrappers and stock ones, and their state."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import experimental, v1

Bits = tuple[str, tuple[int, ...], bytes]
"""A value's dtype, shape and bytes."""
State = dict[str, Any]


def wrapper(api: str, is_ours: bool) -> Callable[..., Any]:
    """Returns `wrap(inner, dynamic=, initial_scale=, dynamic_growth_steps=)` of one side."""
    if api == "v1":
        return functools.partial(_wrap_v1, is_ours)
    if not is_ours:
        return tf_keras.mixed_precision.LossScaleOptimizer  # type: ignore[no-any-return]
    return compat_lossscale.LossScaleOptimizer if api == "public" else _wrap_experimental


def _wrap_experimental(
    inner: Any, dynamic: bool, initial_scale: float, dynamic_growth_steps: int | None = None
) -> Any:
    if not dynamic:
        return experimental.LossScaleOptimizer(inner, initial_scale)
    loss_scale = compat_lossscale.DynamicLossScale(initial_scale, dynamic_growth_steps)
    return experimental.LossScaleOptimizer(inner, loss_scale)


def _wrap_v1(
    is_ours: bool,
    inner: Any,
    dynamic: bool,
    initial_scale: float,
    dynamic_growth_steps: int | None = None,
) -> Any:
    classes = compat_lossscale if is_ours else tf.compat.v1.mixed_precision
    wrap = (v1 if is_ours else tf.compat.v1.mixed_precision).MixedPrecisionLossScaleOptimizer
    if dynamic:
        return wrap(inner, classes.DynamicLossScale(initial_scale, dynamic_growth_steps))
    return wrap(inner, classes.FixedLossScale(initial_scale))


def scale_variable(optimizer: Any) -> Any:
    """The variable of a dynamic loss scale; `None` of a fixed one."""
    loss_scale = optimizer._loss_scale
    for name in ("current_loss_scale", "_current_loss_scale"):
        found = getattr(loss_scale, name, None)
        if isinstance(found, tf.Variable):
            return found
    return None


def _counter(optimizer: Any) -> Any:
    loss_scale = optimizer._loss_scale
    for name in ("good_steps", "counter", "_num_good_steps"):
        found = getattr(loss_scale, name, None)
        if isinstance(found, tf.Variable):
            return found
    return None


def restore_scale(optimizer: Any, value: float) -> None:
    """Brings a loss scale from a checkpoint."""
    variable = scale_variable(optimizer)
    checkpoint = tf.train.Checkpoint(optimizer=optimizer)
    with tempfile.TemporaryDirectory() as folder:
        kept = variable.numpy()
        variable.assign(value)
        path = checkpoint.write(str(Path(folder) / "checkpoint"))
        variable.assign(kept)
        checkpoint.read(path)


@functools.cache
def two_replicas() -> Any:
    """A MirroredStrategy over two logical CPUs. One a process, for its collective operations."""
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def distributed(feed: Sequence[Any]) -> tuple[Any, ...]:
    """Gives the feed to the first replica, and half of it, without faults, to the second."""

    def of_replica(values: Any, number: int) -> Any:
        if number == 0 or values.dtype == np.int32:
            return tf.constant(values)
        calm = np.nan_to_num(values.astype(np.float64), nan=1.0, posinf=1.0, neginf=-1.0)
        with np.errstate(over="ignore", under="ignore"):
            return tf.constant((calm * 0.5).astype(values.dtype))

    return tuple(
        two_replicas().experimental_distribute_values_from_function(
            lambda context, values=values: of_replica(values, context.replica_id_in_sync_group)
        )
        for values in feed
    )


def state_variables(optimizer: Any, variables: Sequence[Any], others: Iterable[Any]) -> State:
    """All variables of a training, by their role."""
    found: State = {f"variable {number}": one for number, one in enumerate(variables)}
    inner = getattr(optimizer, "inner_optimizer", None) or optimizer._optimizer
    if hasattr(inner, "_slots") and hasattr(inner, "_non_slot_dict"):
        for slot, by_variable in sorted(inner._slots.items()):
            found |= {f"slot {slot} {n}": v for n, v in enumerate(by_variable.values())}
        for key, value in sorted(inner._non_slot_dict.items(), key=lambda item: item[0][0]):
            found[f"inner {key[0]}"] = value
    else:
        weights = inner.weights if hasattr(inner, "weights") else inner.variables
        found |= {f"inner {number}": one for number, one in enumerate(weights)}
        found["iterations"] = inner.iterations
    found |= {f"other {number}": one for number, one in enumerate(others)}
    scale, counter = scale_variable(optimizer), _counter(optimizer)
    if scale is not None:
        found |= {"loss scale": scale, "good steps": counter}
    return found


def bits(value: Any) -> Any:
    """What is compared of a value: everything but what kind of NaN a NaN is."""
    if value is None or isinstance(value, str) or _is_bits(value):
        return value
    if isinstance(value, tf.Operation):
        return "an operation"
    if isinstance(value, (list, tuple)):
        return [bits(one) for one in value]
    if isinstance(value, tf.IndexedSlices):
        return bits([value.values, value.indices])
    replicas = getattr(value, "values", None)
    if isinstance(replicas, tuple):
        return [bits(one) for one in replicas]
    found = np.array(value.numpy() if hasattr(value, "numpy") else value)
    if found.dtype.kind in "fV":
        found[np.isnan(found)] = np.nan
    return (str(found.dtype), found.shape, found.tobytes())


def state(optimizer: Any, variables: Sequence[Any], others: Iterable[Any], outputs: Any) -> State:
    """The bits of a training's state after a step, by role, and of what the step returned."""
    found = state_variables(optimizer, variables, others)
    return flat({**found, "output": outputs})


def flat(values: State) -> State:
    """The bits of values, and of those in lists and on replicas, each under a role of its own."""
    found = {}
    for role, value in values.items():
        one = bits(value)
        if isinstance(one, list):
            found |= flat({f"{role}.{number}": each for number, each in enumerate(one)})
        else:
            found[role] = one
    return found


def _is_bits(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], bytes)


def kind(value: Any) -> str:
    """Whether something is an operation, a tensor, or what else."""
    kinds = {tf.Operation: "operation", tf.Variable: "variable", tf.Tensor: "tensor"}
    return next((name for one, name in kinds.items() if isinstance(value, one)), str(type(value)))


def saved_and_loaded(module: tf.Module) -> Any:
    """Exports a module as a SavedModel and loads it."""
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder)


def difference(ours: Iterator[State], stock: Iterator[State], roundings: int = 0) -> str:
    """Compares two trainings step by step.

    Args:
        ours: Gives this package's state after each step, or raises.
        stock: Gives stock's.
        roundings: By how many roundings floating-point numbers may differ.

    Returns:
        What differs first: `match`, `refused: ...` if stock raises, else a description that
        begins with the kind of the difference and a colon.
    """
    # One after the other: a training in a graph of TensorFlow 1 has that graph entered.
    found, error = _all(ours)
    expected, refusal = _all(stock)
    for number, (mine, stocks) in enumerate(zip(found, expected, strict=False)):
        if mine != stocks and not _are_close(mine, stocks, roundings):
            return f"{_roles(mine, stocks)}, after step {number}"
    if refusal is not None:
        if error is not None and _is_internal(error) and type(error) is not type(refusal):
            return f"another error: {_said(error)}; stock: {_said(refusal)}"
        return f"refused: {_said(refusal)}"
    if error is not None:
        return f"raises: {_said(error)}"
    if len(found) != len(expected):
        return f"stopped: after {len(found)} of {len(expected)} steps"
    return "match"


def _are_close(found: State, expected: State, roundings: int) -> bool:
    """Whether two states differ by a few roundings of the largest number of an array at most."""
    if not roundings or found.keys() != expected.keys():
        return False
    for role, stock in expected.items():
        mine = found[role]
        if mine == stock:
            continue
        if not (_is_bits(mine) and _is_bits(stock)) or mine[:2] != stock[:2] or "scale" in role:
            return False
        dtype = tf.as_dtype(stock[0])
        if not dtype.is_floating:
            return False
        one, other = (
            np.frombuffer(raw, dtype.as_numpy_dtype).astype(np.float64)
            for raw in (mine[2], stock[2])
        )
        if not np.array_equal(np.isfinite(one), np.isfinite(other)):
            return False
        epsilon = float(np.finfo(dtype.as_numpy_dtype).eps) if dtype != tf.bfloat16 else 2.0**-7
        largest = np.max(np.abs(other[np.isfinite(other)]), initial=0.0)
        if not np.allclose(one, other, 0, roundings * epsilon * largest, equal_nan=True):
            return False
    return True


def _all(states: Iterator[State]) -> tuple[list[State], Exception | None]:
    found = []
    try:
        for one in states:
            found.append(one)
    except Exception as error:
        return found, error
    return found, None


def _is_internal(error: Exception) -> bool:
    return isinstance(
        error, (AttributeError, LookupError, AssertionError, NameError, tf.errors.InternalError)
    )


def _said(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    picked = next((line for line in lines if "Error" in line or "Detected" in line), "")
    return f"{type(error).__name__}: {picked or (lines or [''])[0]}"[:300]


def _roles(found: State, expected: State) -> str:
    if found.keys() != expected.keys():
        return f"roles: {sorted(found.keys() ^ expected.keys())}"
    roles = [role for role in expected if found[role] != expected[role]]
    shown = "; ".join(f"{role} {_shown(found[role], expected[role])}" for role in roles[:3])
    kinds = sorted({role.rstrip("0123456789. ") for role in roles})
    return f"{', '.join(kinds)}: {shown}"


def _shown(found: Any, expected: Any) -> str:
    values = []
    for one in (found, expected):
        if isinstance(one, tuple):
            dtype, shape, raw = one
            decoded = np.frombuffer(raw, tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)
            values.append(decoded)
    if len(values) == 2 and values[0].shape == values[1].shape:
        differs = found[2] != expected[2] and values[0].view(f"V{values[0].itemsize}") != values[
            1
        ].view(f"V{values[1].itemsize}")
        place = int(np.flatnonzero(differs)[0]) if np.any(differs) else 0
        return f"{values[0].flat[place]!r} instead of {values[1].flat[place]!r}"
    return f"{found} instead of {expected}"[:200]
