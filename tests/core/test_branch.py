# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale.core.branch import either
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


def test_a_size_that_is_not_known_while_tracing_counts_as_large() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(value: tf.Tensor) -> tf.Tensor:
        return either(value[0] > 0, lambda: value * 2, lambda: value, using=[value])

    graph = step.get_concrete_function().graph
    (branching,) = (op for op in graph.get_operations() if op.type in ("If", "StatelessIf"))
    assert branching.get_attr("_lower_using_switch_merge")
    assert step(tf.constant([3.0])).numpy().tolist() == [6.0]


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
