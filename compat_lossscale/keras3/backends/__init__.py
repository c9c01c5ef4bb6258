# SPDX-License-Identifier: Apache-2.0
"""How a step is taken on each of Keras' backends: `Steps` is the class for the one in use."""

import keras

if keras.backend.backend() == "tensorflow":
    from compat_lossscale.keras3.backends.tensorflow import TensorFlowSteps as Steps
elif keras.backend.backend() == "jax":
    from compat_lossscale.keras3.backends.stateless import StatelessSteps as Steps  # type: ignore[assignment]
else:
    from compat_lossscale.keras3.backends.eager import EagerSteps as Steps  # type: ignore[assignment]

__all__ = ["Steps"]
