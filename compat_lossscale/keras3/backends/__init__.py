# SPDX-License-Identifier: Apache-2.0
"""How a step is taken on each of Keras' backends: `Steps` is the class for the one in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import keras

if keras.backend.backend() == "tensorflow":
    from compat_lossscale.keras3.backends.tensorflow import TensorFlowSteps as Steps
elif keras.backend.backend() == "jax":
    from compat_lossscale.keras3.backends.stateless import StatelessSteps as Steps
else:
    from compat_lossscale.keras3.backends.stateless import EagerSteps as Steps

Method = TypeVar("Method", bound=Callable[..., Any])


def uncompiled(method: Method) -> Method:
    """Keeps `torch.compile` from compiling a method; on other backends, it stays as it is.

    The compiler of PyTorch cannot follow notes on tensors, and a step asks for values.
    """
    if keras.backend.backend() != "torch":
        return method
    import torch  # noqa: PLC0415  # not installed with every backend

    plain: Method = torch.compiler.disable(method)
    return plain


__all__ = ["Steps", "uncompiled"]
