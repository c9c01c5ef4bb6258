# SPDX-License-Identifier: Apache-2.0
"""What loss scaling takes of a whole training step: forward pass, gradients, optimizer.

python -m benchmarks.whole_steps [NUMBER]

Steps are measured in processor time, with one thread for TensorFlow's operations. What loss scaling
adds to a step is a few percent, and the wall time of a step with two threads varies by more.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np
import tensorflow as tf
import tf_keras

from benchmarks import machine, models
from benchmarks.apart import result_of
from benchmarks.cases import CANDIDATES, WRAPPERS
from benchmarks.measure import Rounds, Spread, in_turns, ratio

RESULTS = Path(__file__).parent / "results" / "whole.json"
LOOPS = ("fit", "custom loop")
BATCHES = 5
"""Batches of an epoch of `fit`."""
_ROUNDS = {"fit": 40, "custom loop": 120}
_INITIAL_SCALE = 4.0
"""Small, as processors take longer for some numbers in float16: gradients have to be much alike."""
_SMOKE_ROUNDS = dict.fromkeys(LOOPS, 2)


@dataclasses.dataclass(frozen=True)
class WholeStep:
    """A model, its policy and its optimizer.

    Attributes:
        model: `"ResNet-20"` or `"Transformer"`.
        policy: `"float32"` or `"mixed_float16"`.
        family: `"legacy"` for OptimizerV2, `"new"` for tf-keras' Optimizer.
        batch: Examples in a batch.
        size: Pixels of an image's side, or tokens of a sequence.
        depth: Residual blocks in each stage of the ResNet, or layers of the Transformer.
    """

    model: str
    policy: str
    family: str
    batch: int
    size: int
    depth: int

    @property
    def name(self) -> str:
        """What the row is called."""
        size = f"{self.size} x {self.size}" if self.model == "ResNet-20" else f"{self.size} tokens"
        return f"{self.model}, {self.batch} x {size}, {self.policy}, {self.family}"

    def build(self) -> tf_keras.Model:
        """Returns a new model, the same at each call."""
        tf_keras.utils.set_random_seed(1)
        tf_keras.mixed_precision.set_global_policy(self.policy)
        try:
            if self.model == "ResNet-20":
                return models.resnet(self.size, self.depth)
            return models.transformer(self.size, self.depth)
        finally:
            tf_keras.mixed_precision.set_global_policy("float32")

    def inner(self) -> Any:
        """Returns a new optimizer without loss scaling."""
        optimizers = tf_keras.optimizers
        family = optimizers.legacy if self.family == "legacy" else optimizers
        if self.model == "ResNet-20":
            return family.SGD(0.01, momentum=0.9)
        return family.Adam(0.001)


CASES = tuple(
    WholeStep(model, policy, family, batch, size, depth)
    for model, policy, batch, size, depth in (
        ("ResNet-20", "float32", 32, 32, 3),
        # Processors take hundreds of times as long for a convolution's gradient in float16.
        ("ResNet-20", "mixed_float16", 4, 8, 3),
        ("Transformer", "float32", 32, 64, 2),
        ("Transformer", "mixed_float16", 32, 64, 2),
    )
    for family in ("legacy", "new")
)
SMOKE = (
    WholeStep("ResNet-20", "float32", "legacy", batch=2, size=4, depth=1),
    WholeStep("Transformer", "mixed_float16", "new", batch=2, size=4, depth=1),
)


class ModelTraining:
    """A model with its optimizer, trained by `fit` or by a custom loop.

    Args:
        case: What to train.
        candidate: `"bare"`, `"stock"` or `"ours"`.
    """

    def __init__(self, case: WholeStep, candidate: str) -> None:
        self.model = case.build()
        inner = case.inner()
        self._scaled = candidate != "bare"
        self.optimizer = (
            WRAPPERS[candidate](inner, initial_scale=_INITIAL_SCALE) if self._scaled else inner
        )
        self._loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.model.compile(self.optimizer, self._loss)
        # Under mixed_float16, compile wraps an optimizer that has no loss scaling.
        self.model.optimizer = self.optimizer
        self._inputs, self._targets = models.examples(self.model, case.batch)
        self._finite = self._dataset(1.0)
        self._batch = tf.constant(self._inputs), tf.constant(self._targets)
        self._step = tf.function(self._train)

    def _dataset(self, weight: float, batches: int = BATCHES) -> tf.data.Dataset:
        """An epoch of one batch, again and again, with a weight for each example."""
        weights = np.full(len(self._targets), weight, np.float32)
        batch = (self._inputs, self._targets, weights)
        return tf.data.Dataset.from_tensors(batch).repeat(batches).cache()

    def fit(self, dataset: tf.data.Dataset | None = None) -> None:
        """Trains for an epoch by `Model.fit`."""
        self.model.fit(self._finite if dataset is None else dataset, verbose=0)

    def step(self, weight: float = 1.0) -> None:
        """Trains on one batch by the custom loop's function."""
        self._step(*self._batch, tf.constant(weight))

    def _train(self, inputs: tf.Tensor, targets: tf.Tensor, weight: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = weight * self._loss(targets, self.model(inputs, training=True))
            if self._scaled:
                loss = self.optimizer.get_scaled_loss(loss)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        if self._scaled:
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        pairs = zip(gradients, self.model.trainable_variables, strict=True)
        self.optimizer.apply_gradients(list(pairs))

    def train(self, loop: str) -> None:
        """Trains on a few batches, one of which gives gradients that are not finite.

        Without loss scaling, the weights are NaN afterwards.

        Args:
            loop: One of `LOOPS`.
        """
        if loop == "fit":
            self.fit()
            self.fit(self._dataset(float("inf"), batches=1))
            self.fit()
        else:
            for weight in (1.0, 1.0, float("inf"), 1.0, 1.0):
                self.step(weight)

    def steps_before_last_skip(self) -> int:
        """Returns how many steps were applied before the last one that was skipped."""
        return int(self.optimizer.iterations) - int(self.optimizer.dynamic_counter)

    def state(self) -> list[bytes]:
        """Returns the bytes of weights, iterations, loss scale and counter."""
        optimizer = self.optimizer
        numbers = (optimizer.iterations, optimizer.loss_scale, optimizer.dynamic_counter)
        values = [*self.model.get_weights(), *(number.numpy() for number in numbers)]
        return [value.tobytes() for value in values]


def rounds_of(case: WholeStep, rounds: dict[str, int] = _ROUNDS) -> dict[str, Rounds]:
    """Measures a step in each loop, in seconds of processor time.

    Args:
        case: What to train.
        rounds: How many rounds, by loop.

    Raises:
        AssertionError: Weights or loss scale differ from those with tf-keras' wrapper in the last
            bit, or a measured step was skipped.
    """
    trainings = {name: ModelTraining(case, name) for name in CANDIDATES}
    taken = {}
    for loop in LOOPS:
        for name in ("stock", "ours"):
            trainings[name].train(loop)
        if trainings["stock"].state() != trainings["ours"].state():
            raise AssertionError(f"{case.name}, {loop}: the results differ from tf-keras' own.")
        before = trainings["ours"].steps_before_last_skip()
        if loop == "fit":
            epochs = _in_turns({n: t.fit for n, t in trainings.items()}, rounds[loop])
            taken[loop] = {n: [t / BATCHES for t in times] for n, times in epochs.items()}
        else:
            taken[loop] = _in_turns({n: t.step for n, t in trainings.items()}, rounds[loop])
        if trainings["ours"].steps_before_last_skip() != before:
            raise AssertionError(f"{case.name}, {loop}: a step was skipped while it was measured.")
    return taken


def _in_turns(candidates: dict[str, Callable[[], None]], rounds: int) -> dict[str, list[float]]:
    return in_turns(candidates, rounds=rounds, clock=time.process_time)


def row(case: str, taken: dict[str, Rounds]) -> dict[str, Any]:
    """A row of the table.

    Returns:
        By loop, the bare step's milliseconds, and what loss scaling adds as a share of that.
    """
    return {"case": case, **{loop: _figures(rounds) for loop, rounds in taken.items()}}


def _figures(rounds: Rounds) -> dict[str, Any]:
    return {"bare_ms": 1000 * Spread.of(rounds["bare"]).median} | {
        name: dataclasses.asdict(added(rounds, name)) for name in ("stock", "ours")
    }


def added(rounds: Rounds, candidate: str) -> Spread:
    """What a candidate's step takes more than the bare step, as a share of the bare step."""
    share = ratio(rounds, candidate, "bare")
    return Spread(share.median - 1, share.low - 1, share.high - 1)


def run(*, smoke: bool = False) -> dict[str, Any]:
    """Measures every case, each in a process of its own. A smoke run's times mean nothing."""
    results: dict[str, Any] = {"machine": machine.description(), "steps": []}
    for number, case in enumerate(SMOKE if smoke else CASES):
        taken = (
            rounds_of(case, _SMOKE_ROUNDS)
            if smoke
            else result_of("benchmarks.whole_steps", str(number))
        )
        results["steps"].append(row(case.name, taken))
        print(json.dumps(results["steps"][-1]), file=sys.stderr, flush=True)
    return results


if __name__ == "__main__":
    if sys.argv[1:]:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        print(json.dumps(rounds_of(CASES[int(sys.argv[1])])))
    else:
        RESULTS.write_text(json.dumps(run(), indent=1) + "\n")
