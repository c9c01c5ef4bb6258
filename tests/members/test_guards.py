# SPDX-License-Identifier: Apache-2.0
"""Mistakes are told once each, and what old programs rightly do is not."""

from __future__ import annotations

import contextlib
import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleOptimizer, experimental
from compat_lossscale.errors import LossScaleMisuseWarning
from tests.members.misuse import told
from tests.support import Family, Mode, scalar_spec

Step = Callable[[Any, list[tf.Variable], tf.Tensor], Any]


def scaled_gradients(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(loss_of(variables, x))
    return tape.gradient(loss, variables)


def unscaled_gradients(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return opt.get_unscaled_gradients(scaled_gradients(opt, variables, x))


def loss_of(variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return tf.add_n([tf.reduce_sum(one * one) * x for one in variables])


def apply(opt: Any, gradients: Any, variables: list[tf.Variable]) -> Any:
    return opt.apply_gradients(zip(gradients, variables, strict=True))


def right(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return apply(opt, unscaled_gradients(opt, variables, x), variables)


def scale_twice(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(opt.get_scaled_loss(loss_of(variables, x)))
    gradients = opt.get_unscaled_gradients(tape.gradient(loss, variables))
    return apply(opt, gradients, variables)


def scale_for_minimize(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return opt.minimize(lambda: opt.get_scaled_loss(loss_of(variables, x)), variables)


MISTAKES: dict[str, tuple[Step, tuple[str, ...]]] = {
    "scale twice": (scale_twice, ("get_scaled_loss()", "scaled already", "Scale each loss once")),
    "scale for minimize": (scale_for_minimize, ("scaled already", "minimize() and")),
}


def two_losses(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    gradients = [unscaled_gradients(opt, [one], x) for one in variables]
    done = [apply(opt, [one], [v]) for (one,), v in zip(gradients, variables, strict=True)]
    return done[0] if len(done) == 1 else _group(done)


def losses_in_turn(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return _group([right(opt, [one], x) for one in variables])


def _group(done: list[Any]) -> Any:
    operations = [one for one in done if isinstance(one, tf.Operation)]
    return tf.group(*operations) if operations else None


def accumulate_scaled(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    parts = [scaled_gradients(opt, variables, x) for _ in range(3)]
    sums = [tf.add_n(one) for one in zip(*parts, strict=True)]
    return apply(opt, opt.get_unscaled_gradients(sums), variables)


def accumulate_unscaled(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    parts = [unscaled_gradients(opt, variables, x) for _ in range(3)]
    return apply(opt, [tf.add_n(one) for one in zip(*parts, strict=True)], variables)


def penalize(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(variables, x)
            scaled = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(inner.gradient(scaled, variables))
        penalty = tf.add_n([tf.reduce_sum(one * one) for one in gradients])
        total = opt.get_scaled_loss(loss + penalty)
    gradients = opt.get_unscaled_gradients(outer.gradient(total, variables))
    return apply(opt, gradients, variables)


def clip_afterwards(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    gradients, _ = tf.clip_by_global_norm(unscaled_gradients(opt, variables, x), 1.0)
    return apply(opt, gradients, variables)


def apply_gradients_of_ones_own(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    done = right(opt, variables, x)
    with tf.control_dependencies([done] if isinstance(done, tf.Operation) else []):
        return apply(opt, [0.01 * x * tf.ones_like(one) for one in variables], variables)


def scale_a_loss_to_look_at(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    opt.get_scaled_loss(loss_of(variables, x))
    done = right(opt, variables, x)
    opt.get_scaled_loss(loss_of(variables, x))
    return done


def minimize(opt: Any, variables: list[tf.Variable], x: tf.Tensor) -> Any:
    return opt.minimize(lambda: loss_of(variables, x), variables)


RIGHT: list[Step] = [
    right,
    two_losses,
    losses_in_turn,
    accumulate_scaled,
    accumulate_unscaled,
    penalize,
    clip_afterwards,
    apply_gradients_of_ones_own,
    scale_a_loss_to_look_at,
    minimize,
]


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Fails at a warning of misuse."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleMisuseWarning)
        yield


def variables_of() -> list[tf.Variable]:
    return [tf.Variable([0.5, -0.25]), tf.Variable([[0.125]])]


def train(
    make: Callable[[Any], Any], case: tuple[Family, Mode], step: Step, steps: int = 2
) -> list[Any]:
    """Takes steps. Returns the variables and the loss scale after them."""
    family, mode = case
    variables = variables_of()
    opt = make(family.sgd(0.125))
    if family.name == "new":
        opt.inner_optimizer.build(variables)
    run = mode.compile(lambda x: step(opt, variables, x), scalar_spec())
    for _ in range(steps):
        run(1.0)
    after = [mode.value(one).tolist() for one in variables]
    return [*after, float(mode.value(tf.convert_to_tensor(opt.loss_scale)))]


def dynamic(inner: Any) -> Any:
    return LossScaleOptimizer(inner, initial_scale=8.0, dynamic_growth_steps=2)


@pytest.mark.grid(3)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_once(case: tuple[Family, Mode], mistake: str) -> None:
    step, words = MISTAKES[mistake]
    with told() as messages:
        train(dynamic, case, step)
    assert len(messages) == 1
    assert all(one in messages[0] for one in words)


@pytest.mark.grid(3)
@pytest.mark.parametrize("step", RIGHT, ids=lambda step: step.__name__)
def test_what_is_right_is_silent(case: tuple[Family, Mode], step: Step) -> None:
    with silent():
        train(dynamic, case, step)


@pytest.mark.parametrize("step", [scale_twice, scale_for_minimize])
def test_a_fixed_scale_of_1_is_silent(family: Family, step: Step) -> None:
    with silent():
        train(
            lambda inner: LossScaleOptimizer(inner, dynamic=False, initial_scale=1),
            (family, Mode("function")),
            step,
        )


@pytest.mark.parametrize("inside", ["scale", "unscale", "apply"])
def test_a_step_in_several_functions_is_silent(family: Family, inside: str) -> None:
    variables = variables_of()
    opt = dynamic(family.sgd(0.125))

    def step(gradients: Any) -> None:
        apply(opt, gradients, variables)

    right(opt, variables, tf.constant(1.0))  # which makes the variables
    parts = {
        "scale": lambda x: scaled_gradients(opt, variables, x),
        "unscale": opt.get_unscaled_gradients,
        "apply": step,
    }
    parts[inside] = tf.function(parts[inside])
    with silent():
        for x in (1.0, 2.0, 3.0):
            parts["apply"](parts["unscale"](parts["scale"](tf.constant(x))))


def test_functions_in_functions_that_are_traced_again_are_silent(family: Family) -> None:
    variables = variables_of()
    opt = dynamic(family.sgd(0.125))
    right(opt, variables, tf.constant(1.0))
    unscale = tf.function(opt.get_unscaled_gradients)

    def step(x: Any) -> int:
        apply(opt, unscale(scaled_gradients(opt, variables, x)), variables)
        return 0

    def step_at_times(x: Any) -> None:
        gradients = scaled_gradients(opt, variables, x)

        def last() -> int:
            apply(opt, opt.get_unscaled_gradients(gradients), variables)
            return 0

        tf.cond(x > 1.0, last, lambda: 0)

    with silent():
        for traced in (tf.function(step), tf.function(step)):
            traced(tf.constant(1.0))
        tf.function(step_at_times)(tf.constant(2.0))


def two_replicas() -> tf.distribute.MirroredStrategy:
    return tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
    )


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("step", "words"),
    [
        *((step, None) for step in (right, accumulate_unscaled, minimize)),
        (scale_twice, "scaled already"),
    ],
)
def test_replicas(family: Family, step: Step, words: str | None, compiled: bool) -> None:
    strategy = two_replicas()
    with strategy.scope():
        variables = variables_of()
        opt = dynamic(family.sgd(0.125))
        if family.name == "new":
            opt.inner_optimizer.build(variables)

    def replica() -> None:
        step(opt, variables, tf.constant(1.0))

    def run() -> None:
        strategy.run(replica)

    with told() as messages:
        run_or_traced = tf.function(run) if compiled else run
        for _ in range(2):
            run_or_traced()
    assert len(messages) == (words is not None)
    assert all(str(words) in one for one in messages)


def test_replicas_that_wait_for_each_other_between_the_calls_are_silent(family: Family) -> None:
    strategy = two_replicas()
    with strategy.scope():
        variables = variables_of()
        opt = dynamic(family.sgd(0.125))

    def wait() -> Any:
        return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0))

    def step() -> None:
        for _ in range(2):
            gradients = scaled_gradients(opt, variables, wait())
            wait()
            gradients = opt.get_unscaled_gradients(gradients)
            wait()
            apply(opt, gradients, variables)

    with silent():
        for _ in range(2):
            strategy.run(step)


def test_a_loss_scaled_by_another_optimizer_is_scaled_already(family: Family) -> None:
    first, second = dynamic(family.sgd()), dynamic(family.sgd())
    loss = tf.constant(2.0)
    with told() as messages:
        first.get_scaled_loss(loss)
        second.get_scaled_loss(loss)
    assert messages == []
    with told() as messages:
        scaled = second.get_scaled_loss(first.get_scaled_loss(loss))
    assert len(messages) == 1
    assert float(scaled) == 128.0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_experimental_optimizer_tells_of_them_too(family: Family, mistake: str) -> None:
    step, words = MISTAKES[mistake]
    with told() as messages:
        train(
            lambda inner: experimental.LossScaleOptimizer(inner, "dynamic"),
            (family, Mode("eager")),
            step,
        )
    assert len(messages) == 1
    assert all(one in messages[0] for one in words)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_warning_points_at_the_program(family: Family, compiled: bool) -> None:
    opt = dynamic(family.sgd())

    def scale_twice() -> Any:
        return opt.get_scaled_loss(opt.get_scaled_loss(tf.constant(1.0)))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (tf.function(scale_twice) if compiled else scale_twice)()
    assert [one.filename for one in caught] == [__file__]


def test_copies_have_guards_of_their_own(family: Family) -> None:
    opt = dynamic(family.sgd())
    scaled = opt.get_scaled_loss(tf.constant(1.0))
    with told() as messages:
        opt.get_scaled_loss(scaled)
        for other in (copy.deepcopy(opt), pickle.loads(pickle.dumps(opt))):
            other.get_scaled_loss(scaled)
            other.get_scaled_loss(scaled)
    assert len(messages) == 3


SCALE = "LossScaleOptimizer.get_scaled_loss()"
UNSCALE = "LossScaleOptimizer.get_unscaled_gradients()"


@pytest.mark.parametrize(
    ("called", "missing"), [("", f"{SCALE} and {UNSCALE}"), ("scale", UNSCALE), ("unscale", SCALE)]
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
