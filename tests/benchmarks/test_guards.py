# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest
import tensorflow as tf

from benchmarks.guards import (
    OPTIMIZERS,
    PAGE,
    RESULTS,
    TRACED,
    NoGuards,
    rounds_of,
    rows,
    text,
)
from compat_lossscale.steps.guards import MisuseGuards
from tests.steps.misuse import told


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RESULTS.read_text()))


def test_steps_are_measured_and_how_long_graphs_take() -> None:
    measured = list(rows(TRACED, rounds_of(TRACED, rounds=1, names=["TensorFlow 1"])))
    assert [row["step"] for row in measured] == ["eager", "trace"]
    assert all(row["ratio"]["median"] > 0 for row in measured)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "TensorFlow 1"])
def test_guards_that_are_replaced_look_at_nothing(name: str) -> None:
    found = []
    for guards in (None, NoGuards()):
        optimizer = OPTIMIZERS[name]()
        if guards is not None:
            optimizer.__dict__["_guards"] = guards
        with told() as messages:
            optimizer.get_scaled_loss(optimizer.get_scaled_loss(tf.constant(1.0)))
        found.append(len(messages))
    assert found == [1, 0]


def test_each_public_method_of_the_guards_is_replaced() -> None:
    methods = [name for name in vars(MisuseGuards) if not name.startswith("_")]
    assert methods
    assert all(getattr(NoGuards(), name)("something") is None for name in methods)
    assert NoGuards().order.note("get_scaled_loss") is None
