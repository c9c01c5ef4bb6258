# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer
from compat_lossscale.core import DynamicLossScale, apply_or_skip
from compat_lossscale.core.deferred import is_unscaling
from compat_lossscale.core.gradients import unscale_gradients
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer

LARGE = [200, 200]
MANY = [40, 50]
SHAPES = [LARGE, [3], LARGE, *[MANY] * 20]
ALL = len(SHAPES)
FIXED = {"dynamic": False, "initial_scale": 8.0}
FOLDING = [
    ("legacy.SGD", {}, ALL),
    ("legacy.SGD", {"momentum": 0.9}, ALL),
    ("legacy.SGD", {"momentum": 0.9, "nesterov": True}, ALL),
    ("SGD", {}, ALL),
    ("SGD", {"momentum": 0.9}, ALL),
    ("SGD", {"momentum": 0.9, "nesterov": True}, 2 * ALL),
]


def inner(name: str, config: dict[str, Any]) -> Any:
    rate = config.get("learning_rate", 0.3)
    return operator.attrgetter(name)(tf_keras.optimizers)(**{**config, "learning_rate": rate})


def values(shapes: Sequence[Any], step: int = 0, dtype: str = "float32") -> list[Any]:
    """The same ones every time, of some variety."""
    random = np.random.default_rng(step)
    return [random.standard_normal(shape).astype(dtype) for shape in shapes]


def folded(function: Any) -> int:
    """How many gradients a graph multiplies by learning rates that were divided, with repeats."""
    definitions = function.get_concrete_function().graph.as_graph_def().library.function
    taken = [
        source
        for definition in definitions
        for choices in [{node.name for node in definition.node_def if node.op == "StatelessIf"}]
        for node in definition.node_def
        for source in node.input
        if node.op != "Identity" and source.split(":")[0] in choices
    ]
    # Of each the gradient and the learning rate.
    return len(taken) // 2


class Training:
    """Two steps with given gradients, and a skipped one between them."""

    def __init__(
        self,
        optimizer: Any,
        shapes: Sequence[Any] = SHAPES,
        dtype: str = "float32",
        change: Callable[[list[Any]], list[Any]] = list,
    ) -> None:
        self.variables = [tf.Variable(value) for value in values(shapes, 7)]
        self.optimizer = optimizer
        self._change = change
        self._shapes, self._dtype = shapes, dtype
        self._number = tf.Variable(0)

    def step(self) -> Any:
        scale = tf.convert_to_tensor(self.optimizer.loss_scale)
        factor = tf.where(tf.equal(self._number, 1), np.nan, 1.0)
        first = tf.less(self._number, 1)
        self._number.assign_add(1)
        scaled = [
            tf.where(first, one, other) * tf.cast(scale, one.dtype) * tf.cast(factor, one.dtype)
            for one, other in zip(
                values(self._shapes, 1, self._dtype),
                values(self._shapes, 2, self._dtype),
                strict=True,
            )
        ]
        gradients = self._change(self.optimizer.get_unscaled_gradients(scaled))
        self.optimizer.apply_gradients(list(zip(gradients, self.variables, strict=True)))
        return gradients

    def after(self, step: Callable[[], Any], *, skips: bool = True) -> list[Any]:
        """What the variables are after the steps."""
        for number in range(3):
            if number == 1 and not skips:
                self._number.assign_add(1)
            else:
                step()
        return [variable.numpy() for variable in self.variables]


def bare(
    optimizer: Any,
    shapes: Sequence[Any] = SHAPES,
    dtype: str = "float32",
    change: Callable[[list[Any]], list[Any]] = list,
) -> list[Any]:
    """What the variables are without loss scaling."""
    variables = [tf.Variable(value) for value in values(shapes, 7)]

    @tf.function
    def step(gradients: list[Any]) -> None:
        optimizer.apply_gradients(list(zip(change(gradients), variables, strict=True)))

    for number in (1, 2):
        step([tf.constant(value) for value in values(shapes, number, dtype)])
    return [variable.numpy() for variable in variables]


def assert_equal(some: Sequence[Any], others: Sequence[Any]) -> None:
    for one, other in zip(some, others, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("name", "config", "count"), FOLDING)
def test_a_learning_rate_unscales_what_it_multiplies(
    name: str, config: dict[str, Any], count: int
) -> None:
    training = Training(LossScaleOptimizer(inner(name, config), initial_scale=2.0**20))
    step = tf.function(training.step)
    assert folded(step) == count
    assert_equal(training.after(step), bare(inner(name, config)))
    assert training.optimizer.loss_scale.numpy() == 2.0**19


@pytest.mark.parametrize(("name", "config", "count"), FOLDING)
def test_so_it_does_with_a_fixed_loss_scale(name: str, config: dict[str, Any], count: int) -> None:
    training = Training(LossScaleOptimizer(inner(name, config), **FIXED))

    @tf.function
    def step() -> Any:
        return training.step()

    assert_equal(training.after(step, skips=False), bare(inner(name, config)))
    # The gradients that are returned are unscaled all the same.
    training._number.assign(2)
    assert_equal([one.numpy() for one in step()], values(SHAPES, 2))


def unscaled_ones(function: Any) -> set[str]:
    """The operations by which the gradients of a graph were unscaled that it applies."""
    operations = function.get_concrete_function().graph.get_operations()
    uses = {"ResourceApplyGradientDescent": 2, "Neg": 0}
    given = [one.inputs[uses[one.type]].op for one in operations if one.type in uses]
    assert given
    return {one.type for one in given if is_unscaling(one) or one.type == "SplitV"}


@pytest.mark.parametrize("name", ["legacy.SGD", "SGD"])
@pytest.mark.parametrize("scale", [1.0, 8.0, 2.0**64])
def test_with_a_fixed_loss_scale_gradients_of_any_size_are_applied_as_they_came(
    name: str, scale: float
) -> None:
    shapes = [LARGE, [], [3], [5], MANY]
    config = {"dynamic": False, "initial_scale": scale}
    training = Training(LossScaleOptimizer(inner(name, {}), **config), shapes)

    @tf.function
    def step() -> None:
        factor = tf.convert_to_tensor(training.optimizer.loss_scale)
        scaled = [tf.constant(one) * factor for one in values(shapes, 1)]
        gradients = training.optimizer.get_unscaled_gradients(scaled)
        training.optimizer.apply_gradients(list(zip(gradients, training.variables, strict=True)))

    assert unscaled_ones(step) == set()
    step()
    optimizer, variables = inner(name, {}), [tf.Variable(one) for one in values(shapes, 7)]
    gradients = [tf.constant(one) for one in values(shapes, 1)]

    @tf.function
    def bare_step() -> None:
        optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))

    bare_step()
    for one, other in zip(training.variables, variables, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("initial_scale", "by"), [(2.0**65, {"SplitV"}), (10.0, {"SplitV"}), (8.0, set())]
)
def test_short_gradients_that_cannot_be_applied_as_they_came_are_unscaled_together(
    initial_scale: float, by: set[str]
) -> None:
    shapes = [[3]] * 4
    config = {"dynamic": False, "initial_scale": initial_scale}
    training = Training(LossScaleOptimizer(inner("legacy.SGD", {}), **config), shapes)

    @tf.function
    def step() -> None:
        training.step()

    assert unscaled_ones(step) == by
    after = training.after(step, skips=False)
    for one, other in zip(after, bare(inner("legacy.SGD", {}), shapes), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_gradients_that_another_loss_scale_was_taken_off_are_none_of_a_fixed_ones() -> None:
    variable = tf.Variable(tf.zeros(LARGE))
    config = {"learning_rate": 2.0**-10}
    other = LossScaleOptimizer(inner("legacy.SGD", config), initial_scale=2.0**120)
    fixed = LossScaleOptimizer(inner("legacy.SGD", config), **FIXED)

    @tf.function
    def step(gradient: tf.Tensor) -> None:
        gradients = other.get_unscaled_gradients([gradient * other.loss_scale])
        fixed.apply_gradients([(gradients[0], variable)])

    step(tf.ones(LARGE))
    np.testing.assert_array_equal(variable, np.full(LARGE, -(2.0**-10)))


@pytest.mark.parametrize("scale", [2.0**100, 2.0**120])
@pytest.mark.parametrize("name", ["legacy.SGD", "SGD"])
def test_a_huge_loss_scale_leaves_something_of_the_learning_rate(name: str, scale: float) -> None:
    config = {"learning_rate": 2.0**-10}
    training = Training(LossScaleOptimizer(inner(name, config), initial_scale=scale))
    step = tf.function(training.step)
    assert folded(step)
    assert_equal(training.after(step), bare(inner(name, config)))


@pytest.mark.parametrize(
    ("name", "config", "scale"),
    [
        ("legacy.Adam", {}, {}),
        ("Adam", {}, {}),
        ("legacy.SGD", {}, {"initial_scale": 10.0}),
        ("legacy.SGD", {}, {"dynamic": False, "initial_scale": 10.0}),
        ("legacy.SGD", {"clipnorm": 1.0}, {}),
        ("legacy.SGD", {"global_clipnorm": 1.0}, {}),
        ("legacy.SGD", {"clipvalue": 0.5}, FIXED),
        ("SGD", {"clipnorm": 1.0}, {}),
    ],
)
def test_other_gradients_are_unscaled_themselves(
    name: str, config: dict[str, Any], scale: dict[str, Any]
) -> None:
    training = Training(LossScaleOptimizer(inner(name, config), **scale))
    step = tf.function(training.step)
    assert not folded(step)
    # A skipped step counts as an iteration, and Adam's next one is another.
    after = training.after(step, skips=False)
    for one, other in zip(after, bare(inner(name, config)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_multiplier_that_is_no_power_of_2_makes_other_loss_scales() -> None:
    sgd = tf_keras.optimizers.legacy.SGD(1.0)
    variable = tf.Variable(tf.zeros(LARGE))

    def graph(multiplier: float) -> Any:
        loss_scale = DynamicLossScale(8, multiplier=multiplier)

        @tf.function
        def step() -> None:
            gradients = unscale_gradients([tf.ones(LARGE)], loss_scale())
            apply_or_skip(
                loss_scale,
                gradients,
                apply=lambda gradients: sgd.apply_gradients(
                    [(gradients[0], variable)], experimental_aggregate_gradients=False
                ),
            )

        return step

    assert folded(graph(4.0)) == 1
    assert folded(graph(3.0)) == 0


@pytest.mark.parametrize(
    ("shapes", "count"),
    [([MANY] * 2, 0), ([[]], 0), ([[2**15]], 1), ([[2**15 - 1]], 0), ([[2**14] for _ in "ab"], 2)],
)
def test_it_has_to_be_worth_it(shapes: list[Any], count: int) -> None:
    training = Training(LossScaleOptimizer(inner("legacy.SGD", {})), shapes)
    step = tf.function(training.step)
    assert folded(step) == count
    assert_equal(training.after(step), bare(inner("legacy.SGD", {}), shapes))


@pytest.mark.parametrize("scale", [{}, FIXED])
@pytest.mark.parametrize(
    "change",
    [
        lambda gradients: [gradient * 0.5 for gradient in gradients],
        lambda gradients: [gradients[2], gradients[1], gradients[0], *gradients[3:]],
        lambda gradients: tf.clip_by_global_norm(gradients, 1.0)[0],
        lambda gradients: [gradients[2], gradients[1], gradients[2], *gradients[3:]],
    ],
    ids=["halved", "reordered", "clipped", "one applied twice"],
)
def test_what_a_user_does_with_gradients_stays_done(
    scale: dict[str, Any], change: Callable[[list[Any]], list[Any]]
) -> None:
    training = Training(LossScaleOptimizer(inner("legacy.SGD", {}), **scale), change=change)
    after = training.after(tf.function(training.step), skips=not scale)
    for one, other in zip(after, bare(inner("legacy.SGD", {}), change=change), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_an_optimizer_that_looks_at_its_gradients_sees_them_unscaled() -> None:
    class Watched(tf_keras.optimizers.legacy.SGD):  # type: ignore[misc]  # Keras is untyped
        seen = tf.Variable(0.0)

        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            pairs = list(grads_and_vars)
            self.seen.assign(tf.reduce_max([tf.reduce_max(gradient) for gradient, _ in pairs]))
            return super().apply_gradients(pairs, **options)

    training = Training(LossScaleOptimizer(Watched(0.3)))
    step = tf.function(training.step)
    assert not folded(step)
    assert_equal(training.after(step), bare(inner("legacy.SGD", {})))
    assert Watched.seen.numpy() == max(one.max() for one in values(SHAPES, 2))


def test_a_scalar_gradient_is_no_learning_rate_of_itself() -> None:
    class Crossed(tf_keras.optimizers.legacy.SGD):  # type: ignore[misc]  # Keras is untyped
        """Multiplies a large gradient by a scalar one, and that one by itself."""

        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            (large, first), (scalar, second) = grads_and_vars
            negative = -scalar
            return tf.group(
                first.assign_add(-large * negative, read_value=False),
                second.assign_add(-scalar * -scalar, read_value=False),
            )

    shapes: list[Any] = [LARGE, []]
    training = Training(LossScaleOptimizer(Crossed(0.3), initial_scale=2.0), shapes)
    assert_equal(training.after(tf.function(training.step)), bare(Crossed(0.3), shapes))


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("scale", [{"initial_scale": 8.0}, FIXED])
def test_gradients_that_are_cast_afterwards_are_as_they_were(
    dtype: str, scale: dict[str, Any]
) -> None:
    def cast(gradients: list[Any]) -> list[Any]:
        return [tf.cast(gradient, tf.float32) for gradient in gradients]

    training = Training(
        LossScaleOptimizer(inner("legacy.SGD", {}), **scale), dtype=dtype, change=cast
    )
    step = tf.function(training.step)
    assert not folded(step)
    expected = bare(inner("legacy.SGD", {}), dtype=dtype, change=cast)
    assert_equal(training.after(step, skips=scale is not FIXED), expected)


@pytest.mark.parametrize("scale", [{}, FIXED])
def test_a_gradient_of_unknown_shape_is_unscaled(scale: dict[str, Any]) -> None:
    variable = tf.Variable(tf.zeros(LARGE))
    optimizer = LossScaleOptimizer(inner("legacy.SGD", {"learning_rate": 1.0}), **scale)

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def step(gradient: tf.Tensor) -> None:
        [unscaled] = optimizer.get_unscaled_gradients([gradient])
        optimizer.apply_gradients([(unscaled, variable)])

    step(tf.ones(LARGE) * optimizer.loss_scale)
    assert not folded(step)
    np.testing.assert_array_equal(variable, -np.ones(LARGE))


@pytest.mark.parametrize("scale", [{}, FIXED])
def test_under_xla_nothing_is_folded(scale: dict[str, Any]) -> None:
    training = Training(LossScaleOptimizer(inner("legacy.SGD", {}), **scale))
    step = tf.function(training.step, jit_compile=True)
    assert not folded(step)
    after = training.after(step, skips=not scale)
    for one, other in zip(after, bare(inner("legacy.SGD", {})), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_tensorflow_1_optimizers_have_learning_rates_too() -> None:
    variable = tf.Variable(tf.zeros(LARGE))
    optimizer = MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(0.5), "dynamic"
    )

    @tf.function
    def step(target: tf.Tensor) -> None:
        optimizer.minimize(lambda: tf.reduce_sum(variable * target), var_list=[variable])

    step(tf.ones(LARGE))
    np.testing.assert_array_equal(variable, np.full(LARGE, -0.5))
    step(tf.fill(LARGE, np.nan))
    np.testing.assert_array_equal(variable, np.full(LARGE, -0.5))


@pytest.mark.parametrize("name", ["legacy.SGD", "SGD"])
def test_each_replica_has_its_own(name: str, mirrored: Any) -> None:
    with mirrored.scope():
        variable = tf.Variable(tf.zeros(LARGE))
        optimizer = LossScaleOptimizer(inner(name, {"learning_rate": 1.0}), initial_scale=8.0)

    def replica(gradient: tf.Tensor) -> None:
        [unscaled] = optimizer.get_unscaled_gradients([gradient * optimizer.loss_scale])
        optimizer.apply_gradients([(unscaled, variable)])

    @tf.function
    def step(gradient: tf.Tensor) -> None:
        mirrored.run(replica, args=(gradient,))

    step(tf.ones(LARGE))
    for copy in mirrored.experimental_local_results(variable):
        np.testing.assert_array_equal(copy, np.full(LARGE, -2.0))


def test_a_saved_step_trains_on_where_it_is_loaded(tmp_path: Path) -> None:
    module = tf.Module()
    module.variable = tf.Variable(tf.zeros(LARGE))
    module.optimizer = LossScaleOptimizer(inner("legacy.SGD", {"learning_rate": 1.0}))

    def step(gradient: tf.Tensor) -> tf.Tensor:
        [unscaled] = module.optimizer.get_unscaled_gradients([gradient])
        module.optimizer.apply_gradients([(unscaled, module.variable)])
        return tf.reduce_max(module.variable)

    module.step = tf.function(step, input_signature=[tf.TensorSpec(LARGE)])
    module.step(tf.ones(LARGE) * 2.0**15)
    assert folded(module.step) == 1
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.step(tf.ones(LARGE) * 2.0**15).numpy() == -2.0
    assert loaded.step(tf.fill(LARGE, np.nan)).numpy() == -2.0
    assert loaded.step(tf.ones(LARGE) * 2.0**14).numpy() == -3.0


@pytest.mark.parametrize("name", ["legacy.SGD", "SGD"])
def test_a_schedule_gives_learning_rates_too(name: str) -> None:
    schedule = tf_keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    training = Training(LossScaleOptimizer(inner(name, {"learning_rate": schedule})))
    step = tf.function(training.step)
    assert folded(step) == ALL
    assert_equal(training.after(step, skips=False), bare(inner(name, {"learning_rate": schedule})))


def test_a_gradient_that_is_applied_in_a_branch_of_the_users_own() -> None:
    variable = tf.Variable(tf.zeros(LARGE))
    optimizer = LossScaleOptimizer(inner("SGD", {"learning_rate": 0.5}), **FIXED)
    optimizer.build([variable])

    @tf.function
    def step(scaled: tf.Tensor, apply: tf.Tensor) -> tf.Tensor:
        rate = tf.constant(0.5)
        [gradient] = optimizer.get_unscaled_gradients([scaled])
        half = -gradient * rate
        if apply:
            optimizer.apply_gradients([(gradient, variable)])
        return tf.reduce_max(half)

    results = [step(tf.ones(LARGE) * 16, tf.constant(apply)).numpy() for apply in (True, False)]
    assert results == [-1.0, -1.0]
    np.testing.assert_array_equal(variable, np.full(LARGE, -1.0))


def test_a_gradient_that_depends_on_how_another_was_used() -> None:
    variables = [tf.Variable(tf.zeros(LARGE)) for _ in range(2)]
    optimizer = LossScaleOptimizer(inner("legacy.SGD", {"learning_rate": 1.0}), **FIXED)

    @tf.function(input_signature=[tf.TensorSpec(LARGE)])
    def step(scaled: tf.Tensor) -> None:
        [first] = optimizer.get_unscaled_gradients([scaled])
        [second] = optimizer.get_unscaled_gradients([-first * tf.constant(3.0)])
        optimizer.apply_gradients(zip([first, second], variables, strict=True))

    step(tf.ones(LARGE) * 16)
    assert not folded(step)
    assert [variable.numpy()[0, 0] for variable in variables] == [-2.0, 0.75]


@pytest.mark.parametrize("name", ["legacy.SGD", "SGD"])
def test_what_a_user_made_of_a_gradient_stays_what_it_was(name: str) -> None:
    variable = tf.Variable(tf.zeros(LARGE))
    optimizer = LossScaleOptimizer(inner(name, {"learning_rate": 0.5}), **FIXED)

    @tf.function
    def step(scaled: tf.Tensor) -> list[tf.Tensor]:
        rate = tf.constant(0.5)
        [gradient] = optimizer.get_unscaled_gradients([scaled])
        negative = -gradient
        half = negative * rate
        optimizer.apply_gradients([(gradient, variable)])
        return [negative, half, negative * 3.0]

    results = step(tf.ones(LARGE) * 16)
    assert [result.numpy()[0, 0] for result in results] == [-2.0, -1.0, -6.0]
    np.testing.assert_array_equal(variable, np.full(LARGE, -1.0))


def test_a_learning_rate_that_changes_between_two_updates() -> None:
    class Slowing(tf_keras.optimizers.legacy.SGD):  # type: ignore[misc]  # Keras is untyped
        rate = tf.Variable(1.0)

        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            self.rate.assign(1.0)
            for gradient, variable in grads_and_vars:
                done = variable.assign_sub(-gradient * self.rate, read_value=False)
                with tf.control_dependencies([done]):
                    self.rate.assign(self.rate * 0.5)
            return self.rate.assign_add(0.0, read_value=False)

    shapes = [LARGE] * 3
    training = Training(LossScaleOptimizer(Slowing(1.0)), shapes)
    step = tf.function(training.step)
    expected = bare(Slowing(1.0), shapes)
    assert_equal(training.after(step), expected)
    assert not np.array_equal(expected[0] - values(shapes, 7)[0], expected[1])


def test_learning_rates_that_were_read_before_and_after_a_change() -> None:
    class Halving(tf_keras.optimizers.legacy.SGD):  # type: ignore[misc]  # Keras is untyped
        rate = tf.Variable(1.0)

        def apply_gradients(self, grads_and_vars: Any, **options: Any) -> Any:
            rates = [tf.convert_to_tensor(self.rate)]
            self.rate.assign(self.rate * 0.5)
            rates.append(tf.convert_to_tensor(self.rate))
            updates = [
                variable.assign_sub(-gradient * rate, read_value=False)
                for (gradient, variable), rate in zip(grads_and_vars, rates, strict=True)
            ]
            return tf.group(*updates)

    shapes = [LARGE] * 2
    training = Training(LossScaleOptimizer(Halving(1.0)), shapes)
    step = tf.function(training.step)
    assert folded(step) == 2
    after = training.after(step)
    Halving.rate.assign(1.0)
    assert_equal(after, bare(Halving(1.0), shapes))


def test_two_optimizers_in_one_function() -> None:
    trainings = [Training(LossScaleOptimizer(inner("SGD", {}))) for _ in range(2)]

    @tf.function
    def step() -> None:
        for training in trainings:
            training.step()

    for _ in range(3):
        step()
    for training in trainings:
        assert_equal([one.numpy() for one in training.variables], bare(inner("SGD", {})))
