# SPDX-License-Identifier: Apache-2.0
"""Takes steps with an optimizer of Keras 3, on whichever backend the tests run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

BACKEND = keras.backend.backend()
MODES = {
    "tensorflow": ("eager", "function", "jit"),
    "jax": ("eager", "jit"),
    "torch": ("eager", "jit"),
}[BACKEND]
"""The ways of running a step that the backend has."""


def variables_of(*values: Any, dtype: str = "float32") -> list[Any]:
    """Makes variables."""
    return [keras.Variable(np.asarray(value, dtype), dtype=dtype) for value in values]


def tensors_of(*values: Any, dtype: str = "float32") -> list[Any]:
    """Makes tensors; `None` stays `None`."""
    return [None if one is None else keras.ops.convert_to_tensor(one, dtype) for one in values]


def values_in(tensors: Sequence[Any]) -> list[Any]:
    """Reads tensors or variables."""
    return [keras.ops.convert_to_numpy(one) for one in tensors]


def take_step(
    optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any], unscaled: bool = False
) -> None:
    """Applies scaled gradients; `unscaled` has the optimizer unscale them by a call of its own."""
    if not optimizer.built:
        optimizer.build(list(variables))
    gradients = list(gradients)
    if unscaled:
        gradients = optimizer.get_unscaled_gradients(gradients)
    if BACKEND != "jax":
        if unscaled:
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
        else:
            optimizer.apply(gradients, variables)
        return
    trained, own = optimizer.stateless_apply(
        [one.value for one in optimizer.variables], gradients, [one.value for one in variables]
    )
    for variable, value in zip([*variables, *optimizer.variables], [*trained, *own], strict=True):
        variable.assign(value)


def stepper(
    optimizer: Any,
    variables: Sequence[Any],
    mode: str,
    unscaled: bool = False,
    dtype: str = "float32",
) -> Callable[..., None]:
    """Returns a function of gradients (arrays) that takes a step in a mode of `MODES`."""
    tensors = functools.partial(tensors_of, dtype=dtype)
    optimizer.build(list(variables))
    if mode == "eager":
        return lambda *gradients: take_step(optimizer, tensors(*gradients), variables, unscaled)
    if BACKEND == "tensorflow":
        import tensorflow as tf

        compiled = tf.function(
            lambda *gradients: take_step(optimizer, gradients, variables, unscaled),
            jit_compile=mode == "jit",
        )
        return lambda *gradients: compiled(*tensors(*gradients))
    if BACKEND == "torch":
        import torch

        # Nothing is gained by machine code here.
        traced = torch.compile(take_step, backend="eager")
        return lambda *gradients: traced(optimizer, tensors(*gradients), variables, unscaled)
    import jax

    @jax.jit
    def step(own: Any, gradients: Any, trained: Any) -> Any:
        gradients = list(gradients)
        if unscaled:
            with keras.StatelessScope(state_mapping=zip(optimizer.variables, own, strict=True)):
                gradients = optimizer.get_unscaled_gradients(gradients)
        return optimizer.stateless_apply(own, gradients, trained)

    def call(*gradients: Any) -> None:
        own = [one.value for one in optimizer.variables]
        after = step(own, tensors(*gradients), [one.value for one in variables])
        every = [*variables, *optimizer.variables]
        for variable, value in zip(every, [*after[0], *after[1]], strict=True):
            variable.assign(value)

    return call
