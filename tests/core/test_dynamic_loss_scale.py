# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, apply_or_skip, unscale_gradients
from compat_lossscale.core.loss_scale import reserve_cond


class GrowsAsEver(DynamicLossScale):
    def update(self, grads: Any) -> Any:
        return super().update(grads)


@pytest.fixture(params=["functions", "switches"])
def graph(request: pytest.FixtureRequest) -> Any:
    """A graph, with the control flow of TensorFlow 2 or of TensorFlow 1."""
    enabled = tf.compat.v1.control_flow_v2_enabled()
    if request.param == "switches":
        tf.compat.v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        yield graph
    if enabled:
        tf.compat.v1.enable_control_flow_v2()


@pytest.mark.parametrize("loss_scale", [DynamicLossScale, GrowsAsEver])
@pytest.mark.parametrize("size", [3, 5000])
def test_the_branch_that_applies_is_the_second_cond(
    graph: Any, size: int, loss_scale: type[DynamicLossScale]
) -> None:
    scale = loss_scale()
    gradients = unscale_gradients([tf.compat.v1.placeholder(tf.float32, [size])], scale())
    scopes = []

    def apply(gradients: list[Any]) -> Any:
        with tf.name_scope("inner") as scope:
            scopes.append(scope)
        return tf.no_op()

    apply_or_skip(scale, gradients, apply)
    names = [operation.name.split("/")[0] for operation in graph.get_operations()]
    assert {name for name in names if name.startswith("cond")} - {"cond"} == {"cond_1"}
    assert "all_finite" not in names  # A program may have a variable of that name.
    if not tf.compat.v1.control_flow_v2_enabled():
        assert scopes == ["cond_1/inner/"]


def test_to_update_a_loss_scale_takes_the_name_of_one_cond(graph: Any) -> None:
    DynamicLossScale().update([tf.ones([3])])
    assert graph.unique_name("cond", mark_as_used=False) == "cond_1"


def test_a_cond_in_the_branch_that_applies_is_its_first(graph: Any) -> None:
    scale = DynamicLossScale()
    results = []

    def apply(gradients: list[Any]) -> Any:
        results.append(tf.cond(gradients[0] > 0, lambda: 1.0, lambda: 2.0))
        return results[-1].op

    apply_or_skip(scale, [tf.compat.v1.placeholder(tf.float32, [])], apply)
    assert results[0].name.removeprefix("cond_1/").split("/")[0] == "cond"


def test_eager_mode_has_no_names_to_reserve() -> None:
    reserve_cond()
