# SPDX-License-Identifier: Apache-2.0
"""What is private in Keras 3 has a fallback: without the name, steps do the same."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.keras3 import LossScaleOptimizer, private
from tests.keras3.stepping import BACKEND, stepper, values_in, variables_of
from tests.support import NAN


class WithoutPrivateNames:
    """An object whose private attributes cannot be read."""

    def __init__(self, wrapped: Any) -> None:
        self.__dict__["wrapped"] = wrapped

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.wrapped, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.wrapped, name, value)


@pytest.fixture
def without_private_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has every function of `private` see objects that have lost their private names."""

    def hidden(function: Any) -> Any:
        return lambda first, *rest: function(WithoutPrivateNames(first), *rest)

    for name in ("step_variable", "takes_the_gradient_as_value", "track"):
        monkeypatch.setattr(private, name, hidden(getattr(private, name)))
    if BACKEND == "tensorflow":
        monkeypatch.setattr(private, "tensorflow_variable", lambda one: getattr(one, "value", one))


def trained() -> list[Any]:
    """What variables, loss scale, count and iterations are after steps, one of them skipped."""
    variables = variables_of([1.0, 2.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0)
    step = stepper(optimizer, variables, "eager")
    for gradients in ([8.0, 16.0], [NAN, 0.0], [4.0, 4.0]):
        step(gradients)
    state = [optimizer.dynamic_scale, optimizer.step_counter, optimizer.iterations]
    return [one.tolist() for one in values_in([*variables, *state])]


@pytest.mark.usefixtures("without_private_names")
def test_steps_are_the_same_without_private_names() -> None:
    assert trained() == [[0.0, 0.5], 4.0, 1, 2]


def test_a_scalar_is_made_where_add_variable_takes_no_aggregation() -> None:
    class Old(keras.optimizers.SGD):
        def add_variable(self, *args: Any, **kwargs: Any) -> Any:
            if "aggregation" in kwargs:
                raise ValueError("Unexpected keyword: aggregation")
            return super().add_variable(*args, **kwargs)

    variable = private.add_scalar(Old(0.5), "scale", "float32", 4.0)
    assert np.asarray(keras.ops.convert_to_numpy(variable)).tolist() == 4.0
