# SPDX-License-Identifier: Apache-2.0
"""What a step costs on Keras 3: bare, with Keras' own loss scaling, and with this package's.

python -m benchmarks.keras3_steps           measures everything
python -m benchmarks.keras3_steps NUMBER    measures one case, on the backend of KERAS_BACKEND
python -m benchmarks.keras3_steps smoke     measures the smallest one, two rounds
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np

from benchmarks import machine
from benchmarks.apart import pooled
from benchmarks.keras3_page import RESULTS
from benchmarks.measure import Rounds, Spread, in_turns, overhead_ratio, ratio
from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.keras3 import LossScaleOptimizer

MODES = {"tensorflow": ("eager", "graph", "jit"), "jax": ("jit",)}
"""How a step is run on each backend. JAX compiles every step that is worth measuring."""
PROTOCOLS = ("keras3", "tf24")
"""The two protocols of this package's optimizer. Keras' own has the first."""
ROUNDS = 15
# The gradients are computed beforehand, so that no step scales a loss.
warnings.simplefilter("ignore", LossScaleMisuseWarning)


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        inner: The inner optimizer's class in `keras.optimizers`.
        variables: How many variables there are.
        size: How many elements each has.
    """

    inner: str
    variables: int
    size: int

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.inner}, {self.variables} x {self.size:,}"


CASES = (
    Case("SGD", 1, 100),
    Case("SGD", 100, 100),
    Case("SGD", 20, 1_000_000),
    Case("Adam", 1, 100),
    Case("Adam", 100, 100),
    Case("Adam", 20, 1_000_000),
)
SMOKE = Case("SGD", 3, 10)


class Training:
    """An optimizer with its variables, and a step over them.

    Args:
        case: What to train.
        candidate: `"bare"`, `"stock"`, or one of `PROTOCOLS` for this package's optimizer.
        ours: This package's optimizer.
    """

    def __init__(self, case: Case, candidate: str, ours: Any = LossScaleOptimizer) -> None:
        self.variables = [keras.Variable(np.ones(case.size, "float32")) for _ in _each(case)]
        inner = getattr(keras.optimizers, case.inner)(0.001)
        wrappers: Mapping[str, Callable[[Any], Any]] = {
            "bare": lambda optimizer: optimizer,
            "stock": keras.optimizers.LossScaleOptimizer,
        }
        self.optimizer = wrappers.get(candidate, ours)(inner)
        self.optimizer.build(self.variables)
        # Scaled gradients of about 1e-3, the same for each: the bare step's are smaller.
        scale = 1.0 if candidate == "bare" else 2.0**15
        self.gradients = [
            keras.ops.convert_to_tensor(np.full(case.size, 1e-3 * scale, "float32"))
            for _ in _each(case)
        ]
        self._unscales = candidate == "tf24"

    def step(self, *gradients: Any) -> None:
        """Applies one step, on TensorFlow."""
        if self._unscales:
            unscaled = self.optimizer.get_unscaled_gradients(gradients)
            self.optimizer.apply_gradients(zip(unscaled, self.variables, strict=True))
        else:
            self.optimizer.apply(list(gradients), self.variables)

    def stateless_step(self, own: Any, gradients: Any, trained: Any) -> Any:
        """Applies one step to values, on JAX."""
        if self._unscales:
            mapping = list(zip(self.optimizer.variables, own, strict=True))
            with keras.StatelessScope(state_mapping=mapping):
                gradients = self.optimizer.get_unscaled_gradients(gradients)
        return self.optimizer.stateless_apply(own, gradients, trained)

    def call(self, mode: str) -> Callable[[], object]:
        """The step in a mode of `MODES`, ready to be called again and again."""
        return self._on_jax() if keras.backend.backend() == "jax" else self._on_tensorflow(mode)

    def _on_tensorflow(self, mode: str) -> Callable[[], object]:
        if mode == "eager":
            return lambda: self.step(*self.gradients)
        import tensorflow as tf  # noqa: PLC0415  # not installed with every backend

        function = tf.function(self.step, jit_compile=mode == "jit")
        concrete = function.get_concrete_function(*self.gradients)
        return lambda: concrete(*self.gradients)

    def _on_jax(self) -> Callable[[], object]:
        import jax  # noqa: PLC0415  # not installed with every backend

        compiled = jax.jit(self.stateless_step)
        state = [
            [one.value for one in self.optimizer.variables],
            [one.value for one in self.variables],
        ]

        def call() -> None:
            trained, own = compiled(state[0], self.gradients, state[1])
            state[:] = own, trained
            jax.block_until_ready(state)

        return call


def _each(case: Case) -> range:
    return range(case.variables)


def rounds_of(case: Case, rounds: int = ROUNDS) -> dict[str, Rounds]:
    """Measures one case in every mode of the backend.

    Raises:
        AssertionError: The variables differ from those that Keras' own optimizer gives.
    """
    taken: dict[str, Rounds] = {}
    for mode in MODES[keras.backend.backend()]:
        trainings = {name: Training(case, name) for name in ("bare", "stock", *PROTOCOLS)}
        calls = {name: training.call(mode) for name, training in trainings.items()}
        _check(calls, trainings)
        taken[mode] = in_turns(calls, rounds=rounds)
    return taken


def _check(calls: Mapping[str, Callable[[], object]], trainings: Mapping[str, Training]) -> None:
    if keras.backend.backend() != "tensorflow":
        return  # There the steps leave the variables as they are; `tests/keras3` compares them.
    for _ in range(3):
        for call in calls.values():
            call()
    values = {
        name: [keras.ops.convert_to_numpy(one) for one in training.variables]
        for name, training in trainings.items()
    }
    for protocol in PROTOCOLS:
        for mine, stock in zip(values[protocol], values["stock"], strict=True):
            # Keras multiplies by the loss scale's reciprocal: the same for powers of two.
            np.testing.assert_array_equal(mine, stock)


def rows(name: str, backend: str, taken: Mapping[str, Rounds]) -> Iterator[dict[str, Any]]:
    """The table's rows of one case, one for each mode."""
    for mode, rounds in taken.items():
        yield {
            "case": name,
            "mode": mode if backend == "tensorflow" else f"{backend}, {mode}",
            "bare_us": Spread.of(rounds["bare"]).median * 1e6,
            "stock": dataclasses.asdict(ratio(rounds, "stock", "bare")),
            **{
                protocol: dataclasses.asdict(overhead_ratio(rounds, protocol, "stock", "bare"))
                for protocol in PROTOCOLS
            },
        }


def run() -> dict[str, Any]:
    """Measures every case on both backends, each in processes of their own."""
    found: dict[str, Any] = {"machine": machine.description(), "steps": []}
    for backend in MODES:
        os.environ["KERAS_BACKEND"] = backend
        for number, case in enumerate(CASES):
            taken = pooled("benchmarks.keras3_steps", str(number))
            for row in rows(case.name, backend, taken):
                print(json.dumps(row), file=sys.stderr, flush=True)
                found["steps"].append(row)
    return found


if __name__ == "__main__":
    arguments = [one for one in sys.argv[1:] if one.isdigit()]
    if sys.argv[1:] == ["smoke"]:
        print(json.dumps(rounds_of(SMOKE, rounds=2)))
    elif arguments:
        print(json.dumps(rounds_of(CASES[int(arguments[0])])))
    else:
        RESULTS.write_text(json.dumps(run(), indent=1) + "\n")
