# SPDX-License-Identifier: Apache-2.0
"""What `model.fit` costs under the `mixed_float16` policy, with each kind of loss scaling.

A batch is measured as `fit` trains on it, by the function that it calls for each one. What `fit`
does around that takes many times as long as loss scaling, and varies by more.

python -m benchmarks.fit
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from benchmarks.cases import CANDIDATES
from benchmarks.measure import Rounds, in_turns
from compat_lossscale import LossScaleOptimizer

BATCHES = 20
LAYERS = 20
NAME = f"legacy, SGD, a batch of fit, {2 * LAYERS} variables"


class Fitting:
    """A model of many small layers, trained by `fit`.

    Args:
        candidate: `"bare"`, `"stock"` or `"ours"`.
        layers: Dense layers, each with a kernel and a bias.
        units: Their width.
    """

    def __init__(self, candidate: str, layers: int = LAYERS, units: int = 16) -> None:
        tf_keras.utils.set_random_seed(1)
        tf_keras.mixed_precision.set_global_policy("mixed_float16")
        try:
            hidden = [tf_keras.layers.Dense(units, activation="relu") for _ in range(layers - 1)]
            self.model = tf_keras.Sequential([*hidden, tf_keras.layers.Dense(1, dtype="float32")])
            inner = tf_keras.optimizers.legacy.SGD(0.01)
            wrapper = LossScaleOptimizer if candidate == "ours" else _STOCK
            self.model.compile(wrapper(inner), "mse")
            if candidate == "bare":
                # `compile` wraps an optimizer under this policy, so it is taken out afterwards.
                self.model.optimizer = inner
        finally:
            tf_keras.mixed_precision.set_global_policy("float32")
        inputs = np.linspace(-1, 1, 32 * BATCHES * units, dtype="f").reshape(-1, units)
        targets = inputs.sum(axis=1, keepdims=True)
        self._data = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(32).cache()

    def fit(self) -> None:
        """Trains for an epoch."""
        self.model.fit(self._data, verbose=0)

    def batch(self) -> Callable[[], Any]:
        """What `fit` calls for each batch, given the same one again and again."""
        train = self.model.make_train_function()
        batches = iter(self._data.take(1).cache().repeat())
        return lambda: train(batches)


_STOCK = tf_keras.mixed_precision.LossScaleOptimizer


def same_results() -> bool:
    """Whether training ends with the same weights as under tf-keras' own optimizer, to the bit."""
    ends = []
    for candidate in ("stock", "ours"):
        fitting = Fitting(candidate, layers=3)
        for _ in range(3):
            fitting.fit()
        ends.append(fitting.model.get_weights())
    return all(np.array_equal(a, b) for a, b in zip(*ends, strict=True))


def rounds_of(rounds: int = 60, layers: int = LAYERS) -> dict[str, Rounds]:
    """Measures a batch.

    Raises:
        AssertionError: The weights are not those under tf-keras' own optimizer.
    """
    if not same_results():
        raise AssertionError("fit: the weights differ from those under tf-keras' own optimizer.")
    batches = {name: Fitting(name, layers).batch() for name in CANDIDATES}
    return {"graph": in_turns(batches, rounds=rounds)}


if __name__ == "__main__":
    print(json.dumps(rounds_of()))
