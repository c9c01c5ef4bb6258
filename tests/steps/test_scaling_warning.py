# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleOptimizer
from tests.support import Family

SCALE = "LossScaleOptimizer.get_scaled_loss()"
UNSCALE = "LossScaleOptimizer.get_unscaled_gradients()"


@pytest.mark.parametrize(
    ("called", "missing"),
    [
        ("", f"{SCALE} and {UNSCALE}"),
        ("scale", UNSCALE),
        ("unscale", SCALE),
    ],
)
def test_what_was_forgotten_before_applying_is_named_in_a_warning(
    family: Family, logged: list[str], called: str, missing: str
) -> None:
    opt = LossScaleOptimizer(family.sgd())
    if called == "scale":
        opt.get_scaled_loss(tf.constant(1.0))
    if called == "unscale":
        opt.get_unscaled_gradients([tf.constant(1.0)])
    opt.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert len(logged) == 1
    assert f"You forgot to call {missing} before LossScaleOptimizer.apply" in logged[0]


def test_nothing_is_said_when_both_were_called(family: Family, logged: list[str]) -> None:
    opt = LossScaleOptimizer(family.sgd())
    opt.get_scaled_loss(lambda: tf.constant(1.0))
    opt.get_unscaled_gradients([None])
    opt.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert logged == []


def test_nothing_is_said_when_minimize_does_everything(family: Family, logged: list[str]) -> None:
    v = tf.Variable(1.0)
    LossScaleOptimizer(family.sgd()).minimize(lambda: v * 2.0, [v])
    assert logged == []
