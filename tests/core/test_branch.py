# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core.branch import either
from compat_lossscale.core.traced import call_of
from tests.support import python

PROGRAM = """
import sys
import tensorflow as tf
from compat_lossscale.core.branch import either

devices = [tf.config.LogicalDeviceConfiguration()] * int(sys.argv[1])
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], devices)
count, other = tf.Variable(0), tf.Variable(0)

def step(good):
    either(
        good,
        lambda: tf.group(count.assign_add(1, read_value=False)),
        lambda: tf.group(other.assign_sub(1, read_value=False)),
        using=[tf.zeros([int(sys.argv[2])])],
    )

for options in {}, {"jit_compile": True}:
    traced = tf.function(step, **options)
    for good in (True, False, True):
        traced(tf.constant(good))
graph = tf.function(step).get_concrete_function(tf.constant(True)).graph
(branching,) = (op for op in graph.get_operations() if op.type in ("If", "StatelessIf"))
print(count.numpy(), other.numpy(), branching.get_attr("_lower_using_switch_merge"))
"""


@pytest.mark.parametrize(
    ("devices", "elements", "is_spread"), [(1, 1000, False), (1, 2_000_000, True), (2, 1000, True)]
)
def test_a_branch_is_left_whole_where_there_is_one_device_and_little_to_compute(
    devices: int, elements: int, is_spread: bool
) -> None:
    done = python("-c", PROGRAM, str(devices), str(elements))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "-2", str(is_spread)]


def _branching(function: Any, *arguments: Any) -> Any:
    """The branch in a function's graph."""
    operations = function.get_concrete_function(*arguments).graph.get_operations()
    (branching,) = (operation for operation in operations if operation.type == "If")
    return branching


def test_a_size_that_is_not_known_while_tracing_counts_as_large() -> None:
    total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(value: tf.Tensor) -> None:
        either(
            value[0] > 0,
            lambda: total.assign_add(tf.reduce_sum(value), read_value=False),
            lambda: total.assign(0.0, read_value=False),
            using=[value],
        )

    assert _branching(step).get_attr("_lower_using_switch_merge")
    step(tf.constant([3.0, 4.0]))
    assert total.numpy() == 7.0


@tf.function
def _difference(first: tf.Tensor, second: tf.Tensor) -> tf.Tensor:
    return first - second


class Sums:
    """A sum of many variables in one branch, two of another's own in the other one."""

    def __init__(self) -> None:
        self.many = [tf.Variable(float(number)) for number in range(30)]
        self.few = [tf.Variable(200.0), tf.Variable(100.0)]
        self.sum = tf.Variable(0.0)

    def take(self, good: tf.Tensor, value: tf.Tensor) -> Any:
        return either(
            good,
            lambda: self.sum.assign(tf.add_n(self.many), read_value=False),
            lambda: self.sum.assign(_difference(*self.few) + value, read_value=False),
            using=[],
        )

    def taken(self, step: Callable[..., Any]) -> list[float]:
        sums = []
        for good in (True, False):
            step(tf.constant(good), tf.constant(5.0))
            sums.append(float(self.sum.numpy()))
        return sums


def test_each_branch_uses_what_it_needs() -> None:
    sums = Sums()

    @tf.function
    def step(good: tf.Tensor, value: tf.Tensor) -> None:
        sums.take(good, value)

    assert sums.taken(step) == [435.0, 105.0]


def test_there_is_no_placeholder_for_what_the_second_branch_does_not_use() -> None:
    sums = Sums()

    @tf.function
    def step(good: tf.Tensor, value: tf.Tensor) -> None:
        sums.take(good, value)

    graph = step.get_concrete_function(tf.constant(True), tf.constant(5.0)).graph
    inputs = [
        len(function.signature.input_arg) for function in graph.as_graph_def().library.function
    ]
    # Of the function that is called in it, of the second branch, of what stands for it, and of the
    # first one.
    assert sorted(inputs) == [2, 4, 34, 34]


def _adds_one(handle: tf.Tensor) -> tf.Tensor:
    added = tf.raw_ops.AssignAddVariableOp(resource=handle, value=1.0)
    with tf.control_dependencies([added]):
        return tf.constant(True)


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_a_call_can_stand_for_the_second_branch_of_several_steps(compiled: bool) -> None:
    total, count = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function(jit_compile=compiled or None)
    def steps(good: tf.Tensor, value: tf.Tensor) -> None:
        for _ in range(2):
            either(
                good,
                lambda: total.assign_add(value, read_value=False),
                call_of(_adds_one, [count.handle]),
                using=[],
            )

    for good in (True, False, False):
        steps(tf.constant(good), tf.constant(5.0))
    assert (total.numpy(), count.numpy()) == (10.0, 4.0)


def test_nothing_is_traced_for_a_call() -> None:
    total, count = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(good: tf.Tensor) -> None:
        either(
            good,
            lambda: total.assign_add(1.0, read_value=False),
            call_of(_adds_one, [count.handle]),
            using=[],
        )

    graph = step.get_concrete_function(tf.constant(True)).graph
    inputs = [
        len(function.signature.input_arg) for function in graph.as_graph_def().library.function
    ]
    # Of the function that is called, of what calls it, and of the first branch.
    assert sorted(inputs) == [1, 2, 2]


def test_what_comes_later_sees_what_a_branch_did() -> None:
    sums = Sums()

    @tf.function
    def step(good: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
        sums.few[1].assign(50.0)
        sums.take(good, value)
        return sums.sum * 2.0

    assert step(tf.constant(False), tf.constant(5.0)).numpy() == 310.0
    assert step(tf.constant(True), tf.constant(5.0)).numpy() == 870.0


def test_a_branch_waits_for_what_it_is_told_to_outside_of_it() -> None:
    sums = Sums()

    @tf.function
    def step() -> tf.Tensor:
        with tf.control_dependencies(None):
            before = tf.raw_ops.AssignVariableOp(
                resource=sums.few[0].handle, value=tf.constant(7.0)
            )

        def otherwise() -> Any:
            with tf.control_dependencies([before]):
                return sums.sum.assign(sums.few[0] + 1.0, read_value=False)

        either(
            sums.sum > 1.0,
            lambda: sums.sum.assign(tf.add_n(sums.many), read_value=False),
            otherwise,
            using=[],
        )
        return sums.sum.read_value()

    assert step().numpy() == 8.0


def test_it_works_in_a_loop() -> None:
    sums = Sums()

    @tf.function
    def steps(times: tf.Tensor) -> tf.Tensor:
        total = tf.constant(0.0)
        for number in tf.range(times):
            sums.take(number % 2 == 0, tf.cast(number, tf.float32))
            total += sums.sum
        return total

    assert steps(tf.constant(4)).numpy() == 2 * 435.0 + 101.0 + 103.0


def test_a_function_with_a_branch_is_saved(tmp_path: Path) -> None:
    module = tf.Module()
    module.sums = sums = Sums()
    module.variables_of_it = [*sums.many, *sums.few, sums.sum]

    def step(good: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
        sums.take(good, value)
        return sums.sum.read_value()

    signature = [tf.TensorSpec([], tf.bool), tf.TensorSpec([])]
    module.step = tf.function(step, input_signature=signature)
    tf.saved_model.save(module, str(tmp_path))
    for _ in range(2):
        loaded = tf.saved_model.load(str(tmp_path))
        taken = [loaded.step(tf.constant(good), tf.constant(5.0)) for good in (True, False)]
        assert [one.numpy() for one in taken] == [435.0, 105.0]
        # What was loaded is saved again.
        tf.saved_model.save(loaded, str(tmp_path))


def test_an_error_in_the_second_branch_is_told() -> None:
    total = tf.Variable(0.0)

    @tf.function
    def step(value: tf.Tensor) -> None:
        either(
            value > 0,
            lambda: total.assign_add(value, read_value=False),
            lambda: tf.debugging.assert_positive(value, message="It is not above 0."),
            using=[value],
        )

    step(tf.constant(2.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="It is not above 0"):
        step(tf.constant(-2.0))
    assert total.numpy() == 2.0


def test_a_graph_of_tensorflow_1_has_branches_too() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        total = tf.compat.v1.get_variable("total", [], use_resource=True)
        good = tf.compat.v1.placeholder(tf.bool, [])
        step = either(
            good,
            lambda: total.assign(1.0).op,
            lambda: total.assign(2.0).op,
            using=[],
        )
        for fed in (True, False):
            session.run(step, {good: fed})
            assert session.run(total) == (1.0 if fed else 2.0)


STEPS = """
import tensorflow as tf
import tf_keras
from compat_lossscale import LossScaleOptimizer

def optimizer(inner):
    return LossScaleOptimizer(inner, initial_scale=64.0, dynamic_growth_steps=2)

def step(optimizer, variables, value):
    scaled = [tf.fill(variable.shape, value) * optimizer.loss_scale for variable in variables]
    unscaled = optimizer.get_unscaled_gradients(scaled)
    optimizer.apply_gradients(list(zip(unscaled, variables)))

kept = []
for make in (
    lambda: tf_keras.optimizers.legacy.Adam(0.5),
    lambda: tf_keras.optimizers.legacy.SGD(0.5, momentum=0.9, global_clipnorm=1.0),
    lambda: tf_keras.optimizers.Adam(0.5),
):
    shapes = [[3], [5], [2, 2], [1, 2], [], [40, 40]]
    runs = []
    for eager in (True, False):
        variables = [tf.Variable(tf.ones(shape)) for shape in shapes]
        one = optimizer(make())
        run = step if eager else tf.function(step)
        for value in 1.0, 0.5, float("nan"), 0.25, float("inf"), 1.0, 1.0, 1.0:
            run(one, variables, tf.constant(value))
        slots = one.variables() if callable(one.variables) else one.variables
        state = [one.loss_scale, one.dynamic_counter, *slots, *variables]
        runs.append([tf.convert_to_tensor(value).numpy().tolist() for value in state])
    kept.append(runs[0] == runs[1])
    graph = run.get_concrete_function(one, variables, tf.constant(1.0)).graph
    branching = [op for op in graph.get_operations() if op.type == "If"]
    kept.append([op.get_attr("_lower_using_switch_merge") for op in branching])
print(kept)
"""


def test_a_step_whose_branch_is_left_whole_is_the_eager_one() -> None:
    done = python("-c", STEPS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([True, [False]] * 3)
