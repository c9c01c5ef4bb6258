# SPDX-License-Identifier: Apache-2.0
"""The inner optimizer's own step, by the method that its class defines."""

from __future__ import annotations

from typing import Any

import keras


def apply_by_inner(inner_optimizer: Any, gradients: list[Any], variables: Any) -> None:
    """Lets the inner optimizer apply gradients.

    A class that has an `apply_gradients` of its own, as in programs for tf-keras, is called by it:
    tf-keras' wrapper did so. Keras 3's wrapper calls `apply` and passes such a method over.

    Args:
        inner_optimizer: An optimizer of Keras 3.
        gradients: Unscaled gradients.
        variables: Their variables; `None` for those that the optimizer was built for.
    """
    base = keras.optimizers.Optimizer.apply_gradients
    if variables is None or type(inner_optimizer).apply_gradients is base:
        inner_optimizer.apply(gradients, variables)
    else:
        inner_optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))
