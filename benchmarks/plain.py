# SPDX-License-Identifier: Apache-2.0
"""A plain step beside ours and tf-keras': it unscales, asks, applies, and does nothing else.

Its loss scale is a constant. It keeps no state, checks no argument and handles no special case, and
AutoGraph leaves it alone. So it shows what is left to TensorFlow's own operations, branches and
calls. A step that only unscales does not ask, and has no branch; one that only asks does not
unscale. Whatever a step with a dynamic loss scale does, it does both; with a fixed one, only the
first.

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
from benchmarks.measure import Rounds, in_turns, overhead_ratio, ratio
from benchmarks.steps import ROUNDS, traces
from compat_lossscale.core.gradients import values_of, with_values
from compat_lossscale.core.traced import as_written

CASES = (
    Case("legacy", 20, (1_000_000,)),
    Case("new", 20, (1_000_000,)),
    Case("legacy", 20, (1000, 1000), inner="Adam"),
    Case("legacy", 40, (1000, 32), gradients="sparse"),
    Case("legacy", 1, (100,)),
    Case("legacy", 10, (100,)),
    Case("legacy", 100, (100,), fixed=True),
    Case("legacy", 20, (1_000_000,), fixed=True),
    Case("new", 20, (1_000_000,), fixed=True),
    Case("new", 100, (100,), inner="Adam"),
    Case("legacy", 100, (100,), replicas=2),
    Case("new", 100, (100,), replicas=2),
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

    @as_written
    def _step(self, gradients: list[Any]) -> None:
        values = list(map(values_of, gradients))

        def apply(unscaled: list[tf.Tensor]) -> None:
            pairs = zip(with_values(gradients, unscaled), self.variables, strict=True)
            self.optimizer.apply_gradients(list(pairs))

        def unscale_and_apply(values: list[tf.Tensor]) -> None:
            apply(self._unscaled(values))

        def ask(strategy: tf.distribute.Strategy, values: list[Any]) -> None:
            every = [one for each in values for one in strategy.experimental_local_results(each)]
            on_each = strategy.extended.call_for_each_replica
            tf.cond(
                _are_finite(every),
                lambda: on_each(unscale_and_apply, args=(values,)),
                lambda: None,
            )

        if tf.executing_eagerly():
            unscaled = self._unscale(values)
            if not self._asks or self._ask(unscaled):
                apply(unscaled)
        elif not self._asks:
            unscale_and_apply(values)
        else:
            tf.distribute.get_replica_context().merge_call(as_written(ask), args=(values,))


@as_written
def _unscaled(values: list[tf.Tensor]) -> list[tf.Tensor]:
    factor = tf.constant(_FACTOR)
    return [value * factor for value in values]


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
    makers["unscales"] = functools.partial(Plain, case, asks=False)
    if not case.fixed:
        makers["plain"] = functools.partial(Plain, case)
        makers["asks"] = functools.partial(Plain, case, unscales=False)
    trainings = {name: make() for name, make in makers.items()}
    taken: dict[str, Rounds] = {}
    if case.replicas == 1:
        taken["eager"] = in_turns({n: t.eager() for n, t in trainings.items()}, rounds=ROUNDS)
    graphs = {name: t.graph().get_concrete_function() for name, t in trainings.items()}
    taken["graph"] = in_turns(graphs, rounds=ROUNDS)
    return taken | {"trace": traces(makers)}


def _shares(rounds: Rounds) -> dict[str, float]:
    """Overheads as shares of tf-keras', if that is more than the spread of its own rounds."""
    if ratio(rounds, "stock", "bare").low <= 1:
        return {}
    return {n: overhead_ratio(rounds, n, "stock", "bare").median for n in SHOWN if n in rounds}


if __name__ == "__main__":
    chosen = CASES[int(sys.argv[1])]
    chosen.make_devices()
    print(json.dumps(rounds_of(chosen)))
