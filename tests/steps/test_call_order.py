# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

from compat_lossscale.steps.call_order import CallOrder


class Function:
    """A traced function."""


def outside() -> None:
    """No function is traced."""


def test_each_step_uses_one_call() -> None:
    order = CallOrder(outside)
    order.note("unscale")
    order.note("unscale")
    assert [order.use("unscale") for _ in range(3)] == [True, True, False]
    order.note("scale")
    order.note("scale")
    assert [order.use_all("scale") for _ in range(2)] == [True, False]


def test_a_call_in_another_function_may_be_for_each_step() -> None:
    here: list[Any] = [None]
    order = CallOrder(lambda: here[0])
    traced = here[0] = Function()
    order.note("unscale")
    here[0] = None
    assert [order.use("unscale") for _ in range(3)] == [True, True, True]
    here[0] = traced
    assert order.use("unscale")
    here[0] = None
    assert not order.use("unscale")


def test_a_function_that_is_gone_leaves_its_calls_possible() -> None:
    here: list[Any] = [Function()]
    order = CallOrder(lambda: here[0])
    order.note("unscale")
    here[0] = None
    gc.collect()
    assert order.use("unscale")


def test_a_copy_begins_with_a_step_of_its_own() -> None:
    order = CallOrder(outside)
    order.note("unscale")
    for copied in (copy.deepcopy(order), pickle.loads(pickle.dumps(order))):
        assert not copied.use("unscale")
    assert order.use("unscale")
