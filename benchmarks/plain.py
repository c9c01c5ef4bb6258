# SPDX-License-Identifier: Apache-2.0
"""A plain step beside ours and tf-keras': it unscales, asks, applies, and does nothing else.

Its loss scale is a constant. It keeps no state, checks no argument and handles no special case. So
it shows what is left to TensorFlow's own operations, branches and calls. A step that only unscales
does not ask, and has no branch; one that only asks does not unscale. Whatever a step with a dynamic
loss scale does, it does both.

python -m benchmarks.plain NUMBER
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from benchmarks.apart import pooled
from benchmarks.cases import CANDIDATES, Case, Training
from benchmarks.measure import Rounds, in_turns, overhead_ratio
from benchmarks.steps import ROUNDS, traces
from compat_lossscale.core.gradients import values_of, with_values

CASES = (
    Case("legacy", 20, (1_000_000,)),
    Case("new", 20, (1_000_000,)),
    Case("legacy", 20, (1000, 1000), inner="Adam"),
    Case("legacy", 40, (1000, 32), gradients="sparse"),
    Case("legacy", 10, (100,)),
)
SHOWN = {"ours": "ours", "plain": "plain", "unscales": "only unscales", "asks": "only asks"}
"""The candidates whose overhead is shown, by what they are called there."""
_FACTOR = 2.0**-15


class Plain(Training):
    """The bare optimizer, in a step that does what no step with loss scaling can do without.

    Args:
        case: What to train.
        unscales: Whether it multiplies the gradients by a constant.
        asks: Whether it asks if all are finite, and applies them only then.
    """

    def __init__(self, case: Case, *, unscales: bool = True, asks: bool = True) -> None:
        super().__init__(case, "bare")
        self._unscaled = _unscaled if unscales else list
        self._unscale = tf.function(_unscaled) if unscales else list
        self._asks = asks
        self._ask = tf.function(_are_finite)

    def _step(self, gradients: list[Any]) -> None:
        values = list(map(values_of, gradients))

        def apply(unscaled: list[tf.Tensor]) -> None:
            pairs = zip(with_values(gradients, unscaled), self.variables, strict=True)
            self.optimizer.apply_gradients(list(pairs))

        if tf.executing_eagerly():
            unscaled = self._unscale(values)
            if not self._asks or self._ask(unscaled):
                apply(unscaled)
        elif not self._asks:
            apply(self._unscaled(values))
        else:
            tf.cond(_are_finite(values), lambda: apply(self._unscaled(values)), lambda: None)


def _unscaled(values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [value * _FACTOR for value in values]


def _are_finite(values: list[tf.Tensor]) -> tf.Tensor:
    summaries = [
        tf.raw_ops.DebugNumericSummaryV2(input=value, tensor_debug_mode=2, tensor_id=0)
        for value in values
    ]
    return tf.reduce_all(tf.equal(tf.add_n(summaries), 0))


def run() -> Iterator[dict[str, Any]]:
    """Measures every case, each in processes of its own.

    Yields:
        For each case and mode, the overhead of those in `SHOWN` as shares of tf-keras'.
    """
    for number, case in enumerate(CASES):
        taken = pooled("benchmarks.plain", str(number))
        yield {"case": case.name, **{mode: _shares(rounds) for mode, rounds in taken.items()}}


def rounds_of(case: Case) -> dict[str, Rounds]:
    """Measures one case."""
    makers: dict[str, Callable[[], Training]] = {
        name: functools.partial(Training, case, name) for name in CANDIDATES
    }
    makers["plain"] = functools.partial(Plain, case)
    makers["unscales"] = functools.partial(Plain, case, asks=False)
    makers["asks"] = functools.partial(Plain, case, unscales=False)
    trainings = {name: make() for name, make in makers.items()}
    graphs = {name: t.graph().get_concrete_function() for name, t in trainings.items()}
    return {
        "eager": in_turns({name: t.eager() for name, t in trainings.items()}, rounds=ROUNDS),
        "graph": in_turns(graphs, rounds=ROUNDS),
        "trace": traces(makers),
    }


def _shares(rounds: Rounds) -> dict[str, float]:
    return {n: overhead_ratio(rounds, n, "stock", "bare").median for n in SHOWN}


if __name__ == "__main__":
    print(json.dumps(rounds_of(CASES[int(sys.argv[1])])))
