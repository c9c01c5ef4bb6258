# SPDX-License-Identifier: Apache-2.0
"""What a saved model keeps of a loss scale, whichever way it gets there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale.optimizers import stock
from compat_lossscale.optimizers.base import LossScaleOptimizer

H5_GROUP = "optimizer_weights/loss_scale"
"""Where a `.h5` file of a model has it."""


def read_from(optimizer: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the values of a loss scale's variables by name; none for other optimizers."""
    if not isinstance(optimizer, LossScaleOptimizer):
        return {}
    variables = optimizer._loss_scale.state
    values = tf_keras.backend.batch_get_value(list(variables.values()))
    return dict(zip(variables, map(np.asarray, values), strict=True))


def give_to(optimizer: Any, state: Mapping[str, Any]) -> None:
    """Sets those variables; what other optimizers are given goes nowhere."""
    if isinstance(optimizer, LossScaleOptimizer):
        variables = optimizer._loss_scale.state
        known = [(variables[name], value) for name, value in state.items() if name in variables]
        tf_keras.backend.batch_set_value(known)


def make_variables(optimizer: Any, trained: Any) -> None:
    """Makes all variables of an optimizer, so that their values are not deferred.

    Args:
        optimizer: An optimizer of either family, or of Keras 3.
        trained: The variables that it trains.
    """
    if isinstance(optimizer, stock.OptimizerV2):
        optimizer._create_all_weights(trained)
    else:
        optimizer.build(trained)


def restore_from_saved_model(model: Any, path: Any) -> None:
    """Restores a loaded model's optimizer from the SavedModel's own checkpoint."""
    optimizer = getattr(model, "optimizer", None)
    if isinstance(optimizer, LossScaleOptimizer) and tf.executing_eagerly():
        make_variables(optimizer, model.trainable_variables)
        variables = Path(str(path)) / "variables" / "variables"
        tf.train.Checkpoint(model).read(str(variables)).expect_partial()
