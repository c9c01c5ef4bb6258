# SPDX-License-Identifier: Apache-2.0
"""Private names that moved are served from where they are, and take what they took."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import pytest

from compat_lossscale.neighbour_names import MOVED
from compat_lossscale.neighbour_names.neighbour import Neighbour
from tests.support import python, run_code

RECORDED = json.loads(Path(__file__).with_name("signatures-2.2.json").read_text())["names"]
# TensorFlow's own class says nothing of its parameters any more; nobody makes a tensor of them.
_CHANGED = {"tensorflow.python.framework.ops.Tensor"}


@pytest.mark.parametrize("neighbour", MOVED, ids=lambda one: one.name)
def test_a_name_takes_what_it_took_in_tensorflow_2_2(neighbour: Neighbour) -> None:
    parameters = RECORDED[neighbour.name]
    served = neighbour.resolve()
    if parameters is not None and neighbour.name not in _CHANGED:
        assert list(inspect.signature(served).parameters)[: len(parameters)] == parameters


@pytest.mark.parametrize(
    "neighbour", [one for one in MOVED if one.exactly], ids=lambda one: one.name
)
def test_the_public_name_is_the_same_object(neighbour: Neighbour) -> None:
    module, _, name = neighbour.exactly.rpartition(".")
    value = importlib.import_module("tensorflow")
    for part in [*module.split(".")[1:], name]:
        value = getattr(value, part)
    assert value is neighbour.resolve()


def test_programs_find_them_under_install_and_not_after_uninstall() -> None:
    names = [one.name for one in MOVED]
    run_code(
        f"""
        import importlib
        import tensorflow as tf
        import compat_lossscale
        def found():
            names = set()
            for name in {names!r}:
                module, _, short = name.rpartition(".")
                if hasattr(importlib.import_module(module), short):
                    names.add(name)
            return names
        before = found()
        compat_lossscale.install()
        assert found() == set({names!r})
        compat_lossscale.uninstall()
        assert found() == before
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )


def test_modules_that_moved_are_imported_from_where_they_are() -> None:
    code = """
import tensorflow as tf
from tensorflow.python.distribute import distribution_strategy_context as context
from tensorflow.python.training import training_ops
from tensorflow.python.training.saving import functional_saver
from tensorflow.python.ops import control_flow_ops, array_ops
assert context.get_strategy() is tf.distribute.get_strategy()
assert context.get_replica_context() and not context.in_cross_replica_context()
v = tf.Variable(1.0)
training_ops.resource_apply_gradient_descent(v.handle, 0.5, 1.0)
assert v.numpy() == 0.5
assert control_flow_ops.cond(v > 1, lambda: 1, lambda: 2) == 2
assert array_ops.stack([1, 2]).shape == (2,)
assert functional_saver.MultiDeviceSaver
"""
    arguments = ("-m", "compat_lossscale", "run", "-c", code)
    done = python(*arguments, tensorflow_may_be_imported=True)
    assert done.returncode == 0, done.stderr[-2000:]
