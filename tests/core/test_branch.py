# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

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
    )

step(tf.constant(True))
for options in {}, {"jit_compile": True}:
    traced = tf.function(step, **options)
    for good in (True, False, True):
        traced(tf.constant(good))
graph = tf.function(step).get_concrete_function(tf.constant(True)).graph
(branching,) = (op for op in graph.get_operations() if op.type in ("If", "StatelessIf"))
print(count.numpy(), other.numpy(), branching.get_attr("_lower_using_switch_merge"))
"""


@pytest.mark.parametrize(("devices", "is_spread"), [(1, False), (2, True)])
def test_a_branch_is_left_whole_where_there_is_one_device(devices: int, is_spread: bool) -> None:
    done = python("-c", PROGRAM, str(devices))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["5", "-2", str(is_spread)]
