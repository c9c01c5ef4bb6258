# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale, apply_or_skip
from tests.loss_scales import HalvingLossScale
from tests.support import NAN, Mode, run_code, scalar_spec


class Trainer:
    """An optimizer's bare bones: adds gradients to a variable, counts skipped steps."""

    def __init__(self, loss_scale: LossScale) -> None:
        self.loss_scale = loss_scale
        self.total = tf.Variable(0.0)
        self.skipped = tf.Variable(0)

    def step(self, gradient: Any) -> Any:
        def apply(gradients: Sequence[Any]) -> Any:
            # As the optimizers of Keras do, which merge.
            return tf.distribute.get_replica_context().merge_call(
                lambda strategy, g: strategy.extended.update(
                    self.total, lambda v, g: v.assign_add(g), args=(g,)
                ),
                args=(gradients[0],),
            )

        return apply_or_skip(
            self.loss_scale,
            [gradient],
            apply=apply,
            skipped=lambda scale: self.skipped.assign_add(1, read_value=False),
        )

    def state(self, mode: Mode) -> tuple[float, int, float]:
        return tuple(mode.value(v) for v in (self.total, self.skipped, self.loss_scale()))


class Unbending(LossScale):
    """A user's own, which answers with a Python bool."""

    def __init__(self, should_apply: bool) -> None:
        super().__init__()
        self.should_apply = should_apply

    def __call__(self) -> tf.Tensor:
        return tf.constant(2.0)

    def update(self, grads: Any) -> tuple[Any, bool]:
        return tf.no_op(), self.should_apply

    def get_config(self) -> dict[str, Any]:
        return {"should_apply": self.should_apply}


def test_a_good_step_is_applied_and_a_bad_one_skipped(mode: Mode) -> None:
    trainer = Trainer(DynamicLossScale(8, 2))
    run = mode.compile(trainer.step, scalar_spec())
    states = []
    for gradient in (1.0, NAN, 3.0, 5.0):
        run(gradient)
        states.append(trainer.state(mode))
    assert states == [(1, 0, 8), (1, 1, 4), (4, 1, 4), (9, 1, 8)]


def test_the_result_is_an_operation_in_a_graph_and_none_in_eager_mode() -> None:
    assert Trainer(DynamicLossScale(8)).step(tf.constant(1.0)) is None
    assert Trainer(FixedLossScale(8)).step(tf.constant(1.0)) is None
    with tf.Graph().as_default():
        for loss_scale in (DynamicLossScale(8), FixedLossScale(8), Unbending(False)):
            assert isinstance(Trainer(loss_scale).step(tf.constant(1.0)), tf.Operation)


def test_a_fixed_loss_scale_applies_whatever_comes(mode: Mode) -> None:
    trainer = Trainer(FixedLossScale(8))
    run = mode.compile(trainer.step, scalar_spec())
    run(1.0)
    assert trainer.state(mode) == (1, 0, 8)
    run(NAN)
    total, skipped, scale = trainer.state(mode)
    assert total != total  # noqa: PLR0124  # it is NaN
    assert (skipped, scale) == (0, 8)


@pytest.mark.parametrize("should_apply", [True, False])
def test_a_users_own_loss_scale_decides(mode: Mode, should_apply: bool) -> None:
    trainer = Trainer(Unbending(should_apply))
    mode.compile(trainer.step, scalar_spec())(NAN if not should_apply else 1.0)
    assert trainer.state(mode) == ((1, 0, 2) if should_apply else (0, 1, 2))


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("bad_replica", [0, 1])
def test_a_nan_on_one_replica_skips_the_step_on_all(
    mirrored: Any, traced: bool, bad_replica: int
) -> None:
    with mirrored.scope():
        trainer = Trainer(DynamicLossScale(8, 1))

    def step(bad: tf.Tensor) -> None:
        def replica() -> None:
            replica_id = tf.distribute.get_replica_context().replica_id_in_sync_group
            # Not aggregated beforehand, so one replica alone sees the NaN.
            trainer.step(tf.where(tf.equal(replica_id, bad), NAN, 1.0))

        mirrored.run(replica)

    if traced:
        step = tf.function(step)
    step(tf.constant(bad_replica))
    assert [float(v) for v in trainer.total.values] == [0, 0]
    assert [int(v) for v in trainer.skipped.values] == [1, 1]
    assert trainer.loss_scale() == 4
    step(tf.constant(-1))
    assert [float(v) for v in trainer.total.values] == [1, 1]
    assert trainer.loss_scale() == 8


def test_one_device_strategy_applies_and_skips() -> None:
    strategy = tf.distribute.OneDeviceStrategy("CPU:1")
    with strategy.scope():
        trainer = Trainer(DynamicLossScale(8, 1))

    @tf.function
    def step(gradient: tf.Tensor) -> None:
        strategy.run(trainer.step, args=(gradient,))

    step(tf.constant(1.0))
    step(tf.constant(NAN))
    assert trainer.state(Mode("eager")) == (1, 1, 8)


WORKER = """
import json, sys
import tensorflow as tf
import tf_keras
import compat_lossscale

strategy = tf.distribute.MultiWorkerMirroredStrategy()
worker = strategy.cluster_resolver.task_id
results = {}
for family in (tf_keras.optimizers.legacy, tf_keras.optimizers):
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        opt = compat_lossscale.LossScaleOptimizer(
            family.SGD(0.5), initial_scale=8, dynamic_growth_steps=1)

    @tf.function
    def step(bad):
        def replica():
            factor = tf.where(tf.equal(bad, worker), float("nan"), 1.0)
            opt.minimize(lambda: tf.reduce_sum(v) * factor, [v])
        strategy.run(replica)

    path = []
    for bad in (-1, 1, 0, -1):
        step(tf.constant(bad))
        path.append((v.numpy().tolist(), float(opt.loss_scale), int(opt.iterations.numpy())))
    results[family.__name__.split(".")[-1]] = path
print("RESULT", json.dumps(results), flush=True)
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("localhost", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        with closing(one):
            pass
    return ports


@pytest.mark.slow
def test_two_workers_decide_alike_when_one_has_a_nan() -> None:
    workers = [f"localhost:{port}" for port in free_ports(2)]

    def run(index: int) -> Any:
        cluster = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
        printed = run_code(
            WORKER,
            timeout=180,
            environment={"TF_USE_LEGACY_KERAS": "1", "TF_CONFIG": json.dumps(cluster)},
            tensorflow_may_be_imported=True,
        )
        line = next(line for line in printed.splitlines() if line.startswith("RESULT "))
        return json.loads(line.removeprefix("RESULT "))

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, range(2)))
    expected = [[[0, 1], 16, 1], [[0, 1], 8, 2], [[0, 1], 4, 3], [[-1, 0], 8, 4]]
    assert results[0] == results[1]
    assert results[0] == {"legacy": expected, "optimizers": expected}


def test_in_a_graph_a_users_update_waits_until_the_gradients_are_unscaled() -> None:
    with tf.Graph().as_default() as graph:
        loss_scale = HalvingLossScale()
        gradient = tf.identity(loss_scale()) / 2.0
        before = set(graph.get_operations())
        apply_or_skip(loss_scale, [gradient], apply=lambda gradients: None)
        added = [op for op in graph.get_operations() if op not in before]
        [assign] = [op for op in added if op.type == "AssignVariableOp"]
        waits_for = [assign]
        for op in waits_for:
            waits_for += [*op.control_inputs, *(one.op for one in op.inputs)]
        assert gradient.op in waits_for
