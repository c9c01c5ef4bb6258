# SPDX-License-Identifier: Apache-2.0
"""The old graph view tells keys of checkpoints, and the first copy of a variable with copies."""

from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale.legacy.graph_view import ObjectGraphView


@pytest.mark.parametrize("copies", [False, True])
def test_variables_are_found_by_their_keys(copies: bool) -> None:
    strategy = (
        tf.distribute.MirroredStrategy(["/cpu:0"]) if copies else tf.distribute.get_strategy()
    )
    with strategy.scope():
        root = tf.Module()
        root.part = tf.Module()
        root.part.weights = tf.Variable([1.0, 2.0])
    saved, graph, fed = ObjectGraphView(root).serialize_object_graph()
    assert [one.name for one in saved] == ["part/weights/.ATTRIBUTES/VARIABLE_VALUE"]
    variable = root.part.weights
    assert saved[0].op is (variable.values[0] if copies else variable)
    assert len(graph.nodes) >= 3
    assert not fed
