# SPDX-License-Identifier: Apache-2.0
"""Mistakes with optimizers of `tf.compat.v1.train` are told once each."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleOptimizer
from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer
from tests.members.misuse import told
from tests.support import Family, Mode, scalar_spec

Make = Callable[[], Any]
V1 = tf.compat.v1.train


def sgd() -> Any:
    return V1.GradientDescentOptimizer(0.125)


def minimize(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
    return opt.minimize(loss, var_list=variables)


def clip_afterwards(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
    pairs = opt.compute_gradients(loss, var_list=variables)
    return opt.apply_gradients([(tf.clip_by_norm(one, 1.0), variable) for one, variable in pairs])


def two_losses(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
    return _group([opt.minimize(loss, var_list=[one]) for one in variables])


def _group(done: list[Any]) -> Any:
    operations = [one for one in done if isinstance(one, tf.Operation)]
    return tf.group(*operations) if operations else None


def train(mode: Mode, inner: Make, step: Callable[..., Any], loss_scale: Any = "dynamic") -> Any:
    """Takes two steps and returns the variables."""
    variables = [tf.Variable([0.5, -0.25]), tf.Variable([[0.125]])]
    opt = MixedPrecisionLossScaleOptimizer(inner(), loss_scale)

    def take(x: tf.Tensor) -> Any:
        def loss() -> Any:
            return tf.add_n([tf.reduce_sum(one * one) * x for one in variables])

        return step(opt, loss() if mode.name == "graph" else loss, variables)

    run = mode.compile(take, scalar_spec())
    for _ in range(2):
        run(1.0)
    return [mode.value(one).tolist() for one in variables]


@pytest.mark.parametrize("step", [minimize, clip_afterwards, two_losses])
def test_what_is_right_is_silent(mode: Mode, step: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleMisuseWarning)
        train(mode, sgd, step)


def test_an_optimizer_in_two_wrappers_is_told_of_once(mode: Mode) -> None:
    with told() as messages:
        train(mode, lambda: MixedPrecisionLossScaleOptimizer(sgd(), "dynamic"), minimize)
    assert len(messages) == 1
    assert "compute_gradients() was given a loss that is scaled already" in messages[0]


def test_a_loss_that_is_scaled_already_is_told_of() -> None:
    loss = LossScaleOptimizer(Family("legacy").sgd()).get_scaled_loss(tf.constant(1.0))
    opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)
    with told() as messages:
        opt.compute_gradients(lambda: loss, var_list=[tf.Variable(1.0)])
        opt.compute_gradients(lambda: loss, var_list=[tf.Variable(1.0)])
    assert len(messages) == 1
    assert "compute_gradients() was given a loss that is scaled already" in messages[0]


def test_copies_have_guards_of_their_own() -> None:
    opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)
    with told() as messages:
        opt._guards.warn("a mistake", "It is told.")
        opt._guards.warn("a mistake", "It is told.")
        copy.deepcopy(opt)._guards.warn("a mistake", "It is told.")
    assert messages == ["It is told."] * 2
