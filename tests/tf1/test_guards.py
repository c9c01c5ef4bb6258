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
from tests.steps.misuse import switch_off, told
from tests.support import Family, Mode, scalar_spec

Make = Callable[[], Any]
V1 = tf.compat.v1.train


class ClipsScaled(V1.GradientDescentOptimizer):  # type: ignore[misc]  # TensorFlow has no types
    """Clips when it differentiates, as optimizers of old programs do."""

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        pairs = super().compute_gradients(*args, **kwargs)
        return [(tf.clip_by_norm(gradient, 1.0), variable) for gradient, variable in pairs]


def sgd() -> Any:
    return V1.GradientDescentOptimizer(0.125)


def minimize(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
    return opt.minimize(loss, var_list=variables)


def apply_in_parts(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
    pairs = opt.compute_gradients(loss, var_list=variables)
    return _group([opt.apply_gradients([one]) for one in pairs])


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
def test_what_is_right_is_silent_and_changes_no_number(
    mode: Mode, step: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleMisuseWarning)
        guarded = train(mode, sgd, step)
    switch_off(monkeypatch)
    assert train(mode, sgd, step) == guarded


def test_gradients_that_are_applied_in_parts_are_told_of(mode: Mode) -> None:
    with told() as messages:
        train(mode, sgd, apply_in_parts)
    assert len(messages) == 1
    assert "apply_gradients() was called twice" in messages[0]
    with told() as messages:
        train(mode, sgd, apply_in_parts, loss_scale=8)
    assert messages == []


def test_an_optimizer_in_two_wrappers_is_told_of_once(mode: Mode) -> None:
    with told() as messages:
        train(mode, lambda: MixedPrecisionLossScaleOptimizer(sgd(), "dynamic"), minimize)
    assert len(messages) == 1
    assert "given an optimizer that scales the loss already" in messages[0]


def test_a_loss_that_is_scaled_already_is_told_of() -> None:
    loss = LossScaleOptimizer(Family("legacy").sgd()).get_scaled_loss(tf.constant(1.0))
    opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)
    with told() as messages:
        opt.compute_gradients(lambda: loss, var_list=[tf.Variable(1.0)])
        opt.compute_gradients(lambda: loss, var_list=[tf.Variable(1.0)])
    assert len(messages) == 1
    assert "compute_gradients() was given a loss that is scaled already" in messages[0]


def test_an_inner_optimizer_that_clips_scaled_gradients_is_told_of_in_graphs(mode: Mode) -> None:
    with told() as messages:
        train(mode, lambda: ClipsScaled(0.125), minimize)
    assert len(messages) == (mode.name != "eager")
    assert all("tf.clip_by_norm() clipped" in one for one in messages)


def test_a_fixed_scale_that_float16_does_not_have(mode: Mode) -> None:
    def half(opt: Any, loss: Any, variables: list[tf.Variable]) -> Any:
        value = loss() if callable(loss) else loss
        return opt._scale_loss(tf.cast(value, tf.float16))

    with told() as messages:
        train(mode, sgd, half, loss_scale=65536)
    assert len(messages) == 1
    assert "65536 is infinite in float16" in messages[0]


def test_copies_have_guards_of_their_own() -> None:
    opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)
    with told() as messages:
        opt._guards.warn("a mistake", "It is told.")
        opt._guards.warn("a mistake", "It is told.")
        copy.deepcopy(opt)._guards.warn("a mistake", "It is told.")
    assert messages == ["It is told."] * 2
