# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from hypothesis import given, settings
from hypothesis import strategies as st

import compat_lossscale
from compat_lossscale import LossScaleOptimizer
from compat_lossscale.core import DynamicLossScale
from compat_lossscale.spec.update_rule import RuleNumbers, ScaleState, next_state
from tests.support import INF, NAN, Family, Mode, scalar_spec

pytestmark = pytest.mark.grid(2)

Case = tuple[Family, Mode]
stock = tf_keras.mixed_precision.LossScaleOptimizer


def step_of(mode: Mode, opt: Any, *variables: tf.Variable) -> Callable[..., Any]:
    """A training step whose gradient is the number given, for every variable."""

    def step(gradient: tf.Tensor) -> Any:
        loss = lambda: tf.add_n([tf.reduce_sum(v) for v in variables]) * gradient  # noqa: E731  # as programs write it
        return opt.minimize(loss, var_list=list(variables))

    def without_result(gradient: tf.Tensor) -> Any:
        result = step(gradient)
        return result if mode.name == "graph" else None

    return mode.compile(without_result, scalar_spec())


def scale_of(mode: Mode, opt: Any) -> float:
    # A tensor read in a graph is a node of it, and gives the value at the time it is run.
    return float(mode.value(opt.loss_scale))


# --- training -----------------------------------------------------------------------------------


def test_training_scales_applies_skips_and_grows(case: Case) -> None:
    family, mode = case
    v = tf.Variable([5.0, 3.0])
    opt = LossScaleOptimizer(family.sgd(0.5), initial_scale=8, dynamic_growth_steps=2)
    run, path = step_of(mode, opt, v), []
    for gradient in (1.0, NAN, 2.0, INF, 2.0, 2.0, -INF, 2.0):
        run(gradient)
        path.append(
            (
                mode.value(v).tolist(),
                scale_of(mode, opt),
                int(mode.value(opt.dynamic_counter)),
                int(mode.value(opt.iterations)),
            )
        )
    assert path == [
        ([4.5, 2.5], 8, 1, 1),
        ([4.5, 2.5], 4, 0, 2),
        ([3.5, 1.5], 4, 1, 3),
        ([3.5, 1.5], 2, 0, 4),
        ([2.5, 0.5], 2, 1, 5),
        ([1.5, -0.5], 4, 0, 6),
        ([1.5, -0.5], 2, 0, 7),
        ([0.5, -1.5], 2, 1, 8),
    ]


def test_a_fixed_scale_applies_every_step_and_stays(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=8)
    run = step_of(mode, opt, v)
    run(2.0)
    assert mode.value(v) == 3.0
    run(NAN)
    assert np.isnan(mode.value(v))
    assert scale_of(mode, opt) == 8


@pytest.mark.parametrize("scale", [1.0, 10.0, 2.0**15])
def test_the_gradient_is_taken_of_the_scaled_loss(case: Case, scale: float) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(2.0), initial_scale=scale)
    seen = []

    @tf.custom_gradient
    def watched(x: tf.Tensor) -> Any:
        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            seen.append(upstream)
            return upstream

        return tf.identity(x), gradient

    def step() -> tf.Tensor:
        opt.minimize(lambda: watched(tf.convert_to_tensor(v)), var_list=[v])
        return tf.identity(seen[-1])

    assert mode.compile(step)() == scale


def test_small_float16_gradients_survive_by_scaling(case: Case) -> None:
    family, mode = case
    tiny = 2.0**-30
    v = tf.Variable(1.0)
    opt = LossScaleOptimizer(family.sgd(1.0), initial_scale=2.0**15)

    def step(gradient: tf.Tensor) -> Any:
        def loss() -> tf.Tensor:
            return tf.cast(v, tf.float16) * tf.cast(gradient, tf.float16)

        # Without the scale, the gradient of the outer factor underflows in float16.
        def outer() -> tf.Tensor:
            return tf.cast(loss(), tf.float32) * tiny

        result = opt.minimize(outer, var_list=[v])
        return result if mode.name == "graph" else None

    mode.compile(step, scalar_spec())(2.0**7)
    assert mode.value(v) == 1.0 - 2.0**-23


def test_a_float16_loss_is_scaled_in_float16(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(2.0), initial_scale=2, dynamic_growth_steps=1)

    def step(gradient: tf.Tensor) -> Any:
        def loss() -> tf.Tensor:
            return tf.cast(v, tf.float16) * tf.cast(gradient, tf.float16)

        result = opt.minimize(loss, var_list=[v])
        return result if mode.name == "graph" else None

    run = mode.compile(step, scalar_spec())
    run(1.0)
    assert (mode.value(v), scale_of(mode, opt)) == (3.0, 4.0)
    run(65504.0)
    assert (mode.value(v), scale_of(mode, opt)) == (3.0, 2.0)


def test_a_loop_with_a_tape_does_what_minimize_does(family: Family) -> None:
    results = []
    for traced in (False, True):
        v = tf.Variable(5.0)
        opt = LossScaleOptimizer(family.adam(0.5), initial_scale=8, dynamic_growth_steps=1)

        def step(gradient: tf.Tensor, v: Any = v, opt: Any = opt) -> None:
            with tf.GradientTape() as tape:
                scaled = opt.get_scaled_loss(v * gradient)
            gradients = opt.get_unscaled_gradients(tape.gradient(scaled, [v]))
            opt.apply_gradients(zip(gradients, [v], strict=True))

        run = tf.function(step) if traced else step
        for gradient in (1.0, NAN, 3.0):
            run(tf.constant(gradient))
        results.append((float(v), float(opt.loss_scale)))
    w = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.adam(0.5), initial_scale=8, dynamic_growth_steps=1)
    run = step_of(Mode("eager"), opt, w)
    for gradient in (1.0, NAN, 3.0):
        run(gradient)
    results.append((float(w), float(opt.loss_scale)))
    assert results[0] == pytest.approx(results[1])
    assert results[0] == pytest.approx(results[2])


def test_training_gives_what_the_inner_optimizer_alone_gives(family: Family) -> None:
    finals = []
    for wrap in (lambda opt: opt, LossScaleOptimizer):
        v = tf.Variable([1.0, -2.0])
        opt = wrap(family.adam(0.1))
        for target in (0.5, 3.0, -1.0, 2.0):
            opt.minimize(lambda v=v, t=target: tf.reduce_sum((v - t) ** 2), var_list=[v])
        finals.append(v.numpy())
    np.testing.assert_allclose(finals[0], finals[1], rtol=1e-6)


def test_gradients_may_be_none_for_some_variables(case: Case) -> None:
    family, mode = case
    v, unused = tf.Variable(5.0), tf.Variable(7.0)
    opt = LossScaleOptimizer(family.sgd(), initial_scale=8)

    def step(gradient: tf.Tensor) -> Any:
        result = opt.apply_gradients([(gradient, v), (None, unused)])
        return result if mode.name == "graph" else None

    mode.compile(step, scalar_spec())(2.0)
    assert (mode.value(v), mode.value(unused)) == (3.0, 7.0)


def test_no_gradient_at_all_is_an_error(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd())
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        opt.apply_gradients([(None, tf.Variable(1.0))])


def test_sparse_gradients_are_applied_or_skipped(case: Case) -> None:
    family, mode = case
    table = tf.Variable([[1.0], [2.0], [3.0]])
    opt = LossScaleOptimizer(family.sgd(), initial_scale=8, dynamic_growth_steps=1)

    def step(gradient: tf.Tensor) -> Any:
        def loss() -> tf.Tensor:
            return tf.reduce_sum(tf.gather(table, [0, 2, 2])) * gradient

        result = opt.minimize(loss, var_list=[table])
        return result if mode.name == "graph" else None

    run = mode.compile(step, scalar_spec())
    run(1.0)
    assert mode.value(table).tolist() == [[0.0], [2.0], [1.0]]
    run(NAN)
    assert mode.value(table).tolist() == [[0.0], [2.0], [1.0]]
    assert scale_of(mode, opt) == 8


def test_one_bare_variable_is_understood(case: Case) -> None:
    family, mode = case
    v = tf.Variable(1.0)
    opt = LossScaleOptimizer(family.sgd(0.25))

    def step() -> Any:
        result = opt.minimize(lambda: v**2, var_list=v)
        return result if mode.name == "graph" else None

    mode.compile(step)()
    assert mode.value(v) == 0.5


@pytest.mark.parametrize("clip", ["clipnorm", "global_clipnorm", "clipvalue"])
def test_clipping_acts_on_unscaled_gradients(case: Case, clip: str) -> None:
    family, mode = case
    v = tf.Variable([5.0])
    opt = LossScaleOptimizer(family.sgd(2.0, **{clip: 2.0}), initial_scale=2**10)
    step_of(mode, opt, v)(4.0)
    assert mode.value(v).tolist() == [1.0]


@settings(max_examples=10, deadline=None)
@given(
    name=st.sampled_from(["legacy", "new"]),
    history=st.lists(st.sampled_from([1.0, NAN, INF, -INF]), max_size=10),
    growth_steps=st.integers(1, 3),
    initial=st.sampled_from([0.5, 1.0, 8.0, 2.0**127]),
)
def test_training_follows_the_update_rule_exactly(
    name: str, history: list[float], growth_steps: int, initial: float
) -> None:
    v = tf.Variable(0.0)
    opt = LossScaleOptimizer(
        Family(name).sgd(1.0), initial_scale=initial, dynamic_growth_steps=growth_steps
    )
    opt.get_scaled_loss(1.0)
    opt.get_unscaled_gradients([])
    step = tf.function(
        lambda g: opt.apply_gradients([(g, v)]) and None,
        input_signature=[tf.TensorSpec([], tf.float32)],
    )
    scale, good_steps, applied = initial, 0, 0
    for gradient in history:
        step(tf.constant(gradient))
        applied += gradient == 1.0
        numbers = RuleNumbers.of_multiplier(growth_steps, 2.0)
        state = ScaleState(scale, good_steps)
        scale, good_steps, _ = next_state(state, gradient == 1.0, numbers)
        assert (float(opt.loss_scale), int(opt.dynamic_counter)) == (scale, good_steps)
        assert float(v) == -applied
    assert int(opt.iterations) == len(history)


# --- members ------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_original(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd())
    assert opt.dynamic is True
    assert opt.initial_scale == 2**15
    assert opt.dynamic_growth_steps == 2000
    assert opt.loss_scale == 2**15
    assert opt.dynamic_counter == 0
    assert type(opt.initial_scale) is float
    assert type(opt.dynamic_growth_steps) is int


def test_a_fixed_scale_has_no_dynamic_members(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=0.5)
    assert opt.dynamic is False
    assert opt.dynamic_counter is None
    assert opt.dynamic_growth_steps is None
    assert opt.initial_scale == 0.5
    assert opt.loss_scale == 0.5


def test_the_loss_scale_is_a_float32_scalar_tensor(case: Case) -> None:
    family, _ = case
    for kwargs in ({}, {"dynamic": False, "initial_scale": 8}):
        loss_scale = LossScaleOptimizer(family.sgd(), **kwargs).loss_scale
        assert isinstance(loss_scale, tf.Tensor)
        assert loss_scale.dtype == tf.float32
        assert loss_scale.shape == []


def test_the_counter_is_an_int64_variable(family: Family) -> None:
    counter = LossScaleOptimizer(family.sgd()).dynamic_counter
    assert isinstance(counter, tf.Variable)
    assert counter.dtype == tf.int64


def test_the_inner_optimizer_is_the_one_given(family: Family) -> None:
    inner = family.sgd()
    opt = LossScaleOptimizer(inner)
    assert opt.inner_optimizer is inner
    assert opt._optimizer is inner


def test_losses_are_scaled_in_their_dtype_and_callables_give_callables(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=2)
    for dtype in (tf.float16, tf.float32):
        loss = tf.constant(5.0, dtype)
        assert opt.get_scaled_loss(loss) == 10
        assert opt.get_scaled_loss(loss).dtype == dtype
        assert opt.get_scaled_loss(lambda loss=loss: loss)() == 10


def test_gradients_are_unscaled_one_by_one(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=2)
    sparse = tf.IndexedSlices(tf.constant([[4.0, 2.0]]), tf.constant([1]), tf.constant([5, 2]))
    gradients = opt.get_unscaled_gradients(
        [tf.constant(3.0), None, tf.constant(-4.0, tf.float16), sparse]
    )
    assert isinstance(gradients, list)
    assert gradients[0] == 1.5
    assert gradients[1] is None
    assert gradients[2] == -2
    assert gradients[2].dtype == tf.float16
    assert isinstance(gradients[3], tf.IndexedSlices)
    assert gradients[3].values.numpy().tolist() == [[2.0, 1.0]]


def test_the_learning_rate_is_the_inner_optimizers_in_both_directions(family: Family) -> None:
    inner = family.sgd(0.5)
    opt = LossScaleOptimizer(inner)
    assert float(opt.learning_rate) == float(opt.lr) == 0.5
    opt.learning_rate = 0.25
    assert float(inner.learning_rate) == 0.25
    opt.lr = 0.125
    assert float(inner.learning_rate) == float(opt.learning_rate) == 0.125
    tf_keras.backend.set_value(opt.lr, 2.0)
    assert float(inner.learning_rate) == 2.0


def test_a_learning_rate_schedule_is_followed(family: Family) -> None:
    v = tf.Variable(0.0)
    schedule = tf_keras.optimizers.schedules.PiecewiseConstantDecay([1], [1.0, 10.0])
    opt = LossScaleOptimizer(family.sgd(schedule))
    run = step_of(Mode("eager"), opt, v)
    for _ in range(3):
        run(1.0)
    assert float(v) == -12.0


def test_an_attribute_of_the_users_own_stays_on_the_wrapper(family: Family) -> None:
    inner = family.sgd()
    opt = LossScaleOptimizer(inner)
    opt.my_attribute = 5
    assert opt.my_attribute == 5
    assert not hasattr(inner, "my_attribute")


def test_iterations_are_the_inner_optimizers_and_can_be_set_before_training(family: Family) -> None:
    inner = family.sgd()
    opt = LossScaleOptimizer(inner)
    assert opt.iterations is inner.iterations
    opt.iterations.assign(7)
    assert inner.iterations == 7


def test_iterations_can_be_replaced_before_training(family: Family) -> None:
    inner = family.sgd()
    opt = LossScaleOptimizer(inner)
    own = tf.Variable(7, dtype=tf.int64)
    opt.iterations = own
    assert inner.iterations is own


def test_weights_are_the_inner_optimizers_without_the_loss_scale(family: Family) -> None:
    v = tf.Variable(1.0)
    inner = family.adam()
    opt = LossScaleOptimizer(inner)
    step_of(Mode("eager"), opt, v)(1.0)
    variables = inner.variables() if callable(inner.variables) else inner.variables
    assert [id(w) for w in opt.weights] == [id(w) for w in variables]
    weights = opt.get_weights()
    assert all(isinstance(w, np.ndarray | np.generic) for w in weights)
    opt.set_weights([w * 0 for w in weights])
    assert all(np.all(w == 0) for w in opt.get_weights())


def test_variables_are_given_in_the_way_of_the_family(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(momentum=0.5))
    step_of(Mode("eager"), opt, tf.Variable(1.0))(1.0)
    inner = opt.inner_optimizer
    if family.name == "legacy":
        assert [id(w) for w in opt.variables()] == [id(w) for w in inner.variables()]
    else:
        assert [id(w) for w in opt.variables] == [id(w) for w in inner.variables]


def test_the_name_is_a_string(family: Family) -> None:
    assert isinstance(LossScaleOptimizer(family.sgd()).get_config()["inner_optimizer"], dict)
    assert (
        LossScaleOptimizer(family.sgd(name="Mine")).inner_optimizer.get_config()["name"] == "Mine"
    )


# --- types --------------------------------------------------------------------------------------


def test_an_instance_is_of_our_class_of_tf_keras_class_and_of_the_familys_base(
    family: Family,
) -> None:
    opt = LossScaleOptimizer(family.sgd())
    assert isinstance(opt, LossScaleOptimizer)
    assert isinstance(opt, stock)
    assert isinstance(opt, family.base)
    assert not isinstance(opt, family.other.base)
    assert not isinstance(opt, compat_lossscale.experimental.LossScaleOptimizer)


def test_an_optimizer_without_loss_scaling_is_no_instance(family: Family) -> None:
    assert not isinstance(family.sgd(), LossScaleOptimizer)
    assert not isinstance(stock(family.sgd()), LossScaleOptimizer)


def test_the_type_equals_the_class(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd())
    assert type(opt) == LossScaleOptimizer  # noqa: E721  # what real programs ask
    assert LossScaleOptimizer == type(opt)  # noqa: E721  # how the old programs asked
    assert type(opt) != compat_lossscale.experimental.LossScaleOptimizer  # noqa: E721  # how the old programs asked
    assert hash(type(opt)) == hash(LossScaleOptimizer)
    assert {LossScaleOptimizer: 1}[type(opt)] == 1
    assert issubclass(type(opt), LossScaleOptimizer)
    assert issubclass(LossScaleOptimizer, type(opt))
    assert type(opt) != type(family.sgd())  # noqa: E721  # how the old programs asked
    assert opt.__class__.__name__ in ("LossScaleOptimizer", "LossScaleOptimizerV3")


def test_the_type_of_an_instance_can_be_called(family: Family) -> None:
    cls = type(LossScaleOptimizer(family.sgd()))
    opt = cls(family.sgd(), dynamic=False, initial_scale=8)
    assert type(opt) is cls
    assert opt.loss_scale == 8


def test_the_type_of_an_instance_refuses_the_other_family_as_the_original_did(
    family: Family,
) -> None:
    cls = type(LossScaleOptimizer(family.sgd()))
    message = "only the classic optimizers" if family.name == "legacy" else "only the new"
    with pytest.raises(TypeError, match=message):
        cls(family.other.sgd())


def test_minimize_takes_the_gradient_of_the_loss_and_a_name(case: Case) -> None:
    family, mode = case
    v = tf.Variable([1.0, 1.0])
    opt = LossScaleOptimizer(family.sgd(1.0), initial_scale=8)
    weights = tf.constant([3.0, 5.0])

    def step(slope: Any) -> Any:
        return opt.minimize(lambda: v * slope, [v], grad_loss=weights, name="step")

    mode.compile(step, scalar_spec())(2.0)
    assert mode.value(v).tolist() == [-5.0, -9.0]


def test_another_loss_scale_may_be_assigned(family: Family, tmp_path: Path) -> None:
    opt = LossScaleOptimizer(family.sgd())
    opt._loss_scale = DynamicLossScale(8, 1)
    v = tf.Variable(1.0)
    opt.minimize(lambda: v * 2.0, [v])
    assert opt.loss_scale == 16
    path = tf.train.Checkpoint(opt=opt).save(str(tmp_path / "checkpoint"))
    names = [name for name, _ in tf.train.list_variables(path) if "loss_scale" in name]
    assert names == [
        f"opt/loss_scale/{name}/.ATTRIBUTES/VARIABLE_VALUE"
        for name in ("current_loss_scale", "good_steps")
    ]
    opt._loss_scale = 4
    assert not opt.dynamic
    assert opt.loss_scale == 4
    with pytest.raises(ValueError, match="loss scale identifier"):
        opt._loss_scale = "foo"


class Halving(tf.Module):
    """What TensorFlow 2.4's optimizer had as its loss scale was no LossScale, nor is this."""

    def __init__(self) -> None:
        super().__init__()
        self.current_loss_scale = tf.Variable(8.0, trainable=False)

    def __call__(self) -> tf.Tensor:
        """The loss scale of this moment."""
        return tf.convert_to_tensor(self.current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Halves the loss scale, whatever the gradients are."""
        del grads
        return self.current_loss_scale.assign(self.current_loss_scale / 2.0), True


def test_what_updates_itself_may_be_assigned_as_in_tensorflow_2_4(
    family: Family, tmp_path: Path
) -> None:
    opt = LossScaleOptimizer(family.sgd(1.0))
    opt._loss_scale = loss_scale = Halving()
    v = tf.Variable(1.0)
    opt.minimize(lambda: v * 2.0, [v])
    assert (opt.loss_scale, v, opt.dynamic) == (4.0, -1.0, True)
    assert loss_scale() == 4.0
    path = tf.train.Checkpoint(opt=opt).save(str(tmp_path / "checkpoint"))
    names = [name for name, _ in tf.train.list_variables(path) if "loss_scale" in name]
    assert names == ["opt/loss_scale/current_loss_scale/.ATTRIBUTES/VARIABLE_VALUE"]
    with pytest.raises(ValueError, match="Cannot serialize"):  # as in TensorFlow 2.3
        opt.get_config()
    with pytest.raises(ValueError, match="loss scale identifier"):
        compat_lossscale.experimental.LossScaleOptimizer(family.sgd(), Halving())


class Constant:
    """A plain object, which checkpoints do not know."""

    def __call__(self) -> float:
        """The loss scale."""
        return 8.0

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Applies every gradient."""
        del grads
        return tf.no_op(), True


def test_a_plain_object_may_be_assigned_too(family: Family, tmp_path: Path) -> None:
    opt = LossScaleOptimizer(family.sgd(1.0))
    opt._loss_scale = Constant()
    v = tf.Variable(1.0)
    opt.minimize(lambda: v * 2.0, [v])
    assert (opt.loss_scale, v) == (8.0, -1.0)
    checkpoint = tf.train.Checkpoint(opt=opt)
    checkpoint.restore(checkpoint.save(str(tmp_path / "checkpoint"))).assert_consumed()


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", [5, "sgd", None, object()])
def test_what_is_no_optimizer_is_both_a_type_error_and_a_value_error(what: Any) -> None:
    for error in (TypeError, ValueError):
        message = (
            '"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer` or '
            "`tf.keras.optimizers.experimental.Optimizer`, but got: "
        )
        with pytest.raises(error, match=message):
            LossScaleOptimizer(what)


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_a_tensor_without_its_tape_is_refused_as_in_either_era(
    family: Family, error: type[Exception]
) -> None:
    v = tf.Variable(1.0)
    with pytest.raises(error, match="`tape` is required"):
        LossScaleOptimizer(family.sgd()).minimize(v * 2.0, [v])


@pytest.mark.parametrize("error", [TypeError, ValueError, AttributeError])
def test_what_cannot_be_scaled_is_refused(family: Family, error: type[Exception]) -> None:
    opt = LossScaleOptimizer(family.sgd())
    for loss in (tf.constant(True), True, 3, None, "x"):
        with pytest.raises(error, match="must be a floating-point tensor"):
            opt.get_scaled_loss(loss)
        with pytest.raises(error, match="must be a floating-point tensor"):
            opt.get_scaled_loss(lambda loss=loss: loss)()
    for gradient in (8, True, "x"):
        with pytest.raises(error, match="must be a floating-point tensor"):
            opt.get_unscaled_gradients([gradient])


def test_a_fixed_loss_scale_that_float32_cannot_hold_is_refused(family: Family) -> None:
    with pytest.raises(ValueError, match=r"1e\+39 is infinite in float32"):
        LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=1e39)


def test_a_config_without_an_optimizer_is_a_key_error(family: Family) -> None:
    config = LossScaleOptimizer(family.sgd()).get_config()
    del config["inner_optimizer"]
    with pytest.raises(KeyError, match="no optimizer to wrap"):
        LossScaleOptimizer.from_config(config)


def test_a_config_with_another_multiplier_is_refused_in_the_words_of_2_4(family: Family) -> None:
    inner = tf_keras.optimizers.serialize(family.sgd())
    loss_scale = {"class_name": "DynamicLossScale", "config": {"multiplier": 4.0}}
    with pytest.raises(ValueError, match=r"multiplier is not 2\. .*: DynamicLossScale\("):
        LossScaleOptimizer.from_config({"optimizer": inner, "loss_scale": loss_scale})


def test_an_optimizer_of_tensorflow_1_is_told_where_to_go() -> None:
    with pytest.raises(TypeError, match="MixedPrecisionLossScaleOptimizer"):
        LossScaleOptimizer(tf.compat.v1.train.GradientDescentOptimizer(1.0))


def test_an_optimizer_of_tensorflows_private_keras_is_told_what_to_use() -> None:
    from tensorflow.python.keras.optimizer_v2.gradient_descent import SGD

    with pytest.raises(TypeError, match=r"of that name in tf\.keras\.optimizers\.legacy"):
        LossScaleOptimizer(SGD(1.0))


def test_an_optimizer_of_keras_3_is_told_what_to_use() -> None:
    keras_3 = type("Adam", (), {"__module__": "keras.src.optimizers.adam"})
    with pytest.raises(TypeError, match=r"is of Keras 3\. Use one of tf_keras\.optimizers"):
        LossScaleOptimizer(keras_3())


def test_the_wrapper_of_keras_3_is_not_told_to_be_in_tf_keras() -> None:
    home = "keras.src.optimizers.loss_scale_optimizer"
    keras_3 = type("LossScaleOptimizer", (), {"__module__": home})
    for cls in (keras_3, type("UsersOwn", (keras_3,), {})):
        with pytest.raises(TypeError, match=r"which scales the loss already\. Use it as it is"):
            LossScaleOptimizer(cls())


def test_a_wrapper_cannot_be_wrapped(family: Family) -> None:
    with pytest.raises(TypeError, match="LossScaleOptimizer cannot wrap another"):
        LossScaleOptimizer(LossScaleOptimizer(family.sgd()))
    with pytest.raises(TypeError, match="LossScaleOptimizer cannot wrap another"):
        LossScaleOptimizer(stock(family.sgd()))


def test_an_optimizer_can_be_wrapped_once_only(family: Family) -> None:
    inner = family.sgd()
    LossScaleOptimizer(inner)
    for error in (ValueError, TypeError):
        with pytest.raises(error, match="is already wrapped by a LossScaleOptimizer"):
            LossScaleOptimizer(inner)
    LossScaleOptimizer(type(inner).from_config(inner.get_config()))


@pytest.mark.parametrize("dynamic", ["dynamic", 128, None])
def test_dynamic_must_be_a_bool(family: Family, dynamic: Any) -> None:
    with pytest.raises(TypeError, match=r'"dynamic" argument to LossScaleOptimizer\.__init__ must'):
        LossScaleOptimizer(family.sgd(), dynamic)


def test_a_fixed_scale_needs_a_value_and_takes_no_growth_steps(family: Family) -> None:
    with pytest.raises(ValueError, match='"initial_scale" must be specified if "dynamic" is False'):
        LossScaleOptimizer(family.sgd(), dynamic=False)
    with pytest.raises(ValueError, match='must be None if "dynamic" is False, but got: 2'):
        LossScaleOptimizer(family.sgd(), False, 1, 2)


def test_the_old_argument_is_no_argument_of_this_class(family: Family) -> None:
    with pytest.raises(TypeError, match="loss_scale"):
        LossScaleOptimizer(family.sgd(), loss_scale="dynamic")  # type: ignore[call-arg]  # the mistake that is tested


# --- strategies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_replicas_stay_alike_when_one_has_a_nan(
    family: Family, mirrored: Any, traced: bool, optimizer: str
) -> None:
    with mirrored.scope():
        v = tf.Variable([1.0, 2.0])
        opt = LossScaleOptimizer(
            getattr(family, optimizer)(0.5), initial_scale=8, dynamic_growth_steps=2
        )

    def step(bad: tf.Tensor) -> None:
        def replica() -> None:
            replica_id = tf.distribute.get_replica_context().replica_id_in_sync_group
            factor = tf.where(tf.equal(replica_id, bad), NAN, 0.5)
            opt.minimize(lambda: tf.reduce_sum(v) * factor, [v])

        mirrored.run(replica)

    if traced:
        step = tf.function(step)
    path = []
    for bad in (-1, 0, -1, 1, -1, -1):
        step(tf.constant(bad))
        copies = [value.numpy().tolist() for value in v.values]
        assert copies[0] == copies[1]
        assert [float(s) for s in opt._loss_scale._current_loss_scale.values] == [
            float(opt.loss_scale)
        ] * 2
        path.append((copies[0], float(opt.loss_scale), int(opt.iterations.numpy())))
    assert [scale for _, scale, _ in path] == [8, 4, 4, 2, 2, 4]
    assert [iterations for _, _, iterations in path] == [1, 2, 3, 4, 5, 6]
    assert path[0][0] == path[1][0]
    assert path[2][0] == path[3][0]
    assert path[0][0] == pytest.approx([0.5, 1.5], abs=1e-4)
    if optimizer == "sgd":
        assert [values for values, _, _ in path] == [
            [0.5, 1.5],
            [0.5, 1.5],
            [0, 1],
            [0, 1],
            [-0.5, 0.5],
            [-1, 0],
        ]


def test_a_fixed_scale_trains_under_mirrored_strategy(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        v = tf.Variable(1.0)
        opt = LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=8)

    @tf.function
    def step() -> None:
        mirrored.run(lambda: opt.minimize(lambda: v * 0.5, [v]) and None)

    step()
    assert [float(value) for value in v.values] == [0, 0]


def test_sparse_gradients_train_under_mirrored_strategy(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        table = tf.Variable([[1.0], [2.0], [3.0]])
        opt = LossScaleOptimizer(family.sgd(), initial_scale=8, dynamic_growth_steps=1)

    @tf.function
    def step(bad: tf.Tensor) -> None:
        def replica() -> None:
            replica_id = tf.distribute.get_replica_context().replica_id_in_sync_group
            factor = tf.where(tf.equal(replica_id, bad), NAN, 1.0)
            rows = tf.stack([0, replica_id + 1])
            opt.minimize(lambda: tf.reduce_sum(tf.gather(table, rows)) * factor, [table])

        mirrored.run(replica)

    step(tf.constant(-1))
    expected = [[-1.0], [1.0], [2.0]]
    assert [value.numpy().tolist() for value in table.values] == [expected] * 2
    step(tf.constant(1))
    assert [value.numpy().tolist() for value in table.values] == [expected] * 2
    assert opt.loss_scale == 8


def test_gradients_that_the_user_aggregated_are_not_aggregated_again(
    family: Family, mirrored: Any
) -> None:
    with mirrored.scope():
        v = tf.Variable(0.0)
        opt = LossScaleOptimizer(family.sgd())

    @tf.function
    def step() -> None:
        def replica() -> None:
            context = tf.distribute.get_replica_context()
            gradient = context.all_reduce("sum", tf.constant(1.0))
            opt.apply_gradients([(gradient, v)], experimental_aggregate_gradients=False)

        mirrored.run(replica)

    step()
    assert [float(value) for value in v.values] == [-2, -2]


def test_one_device_strategy_trains(family: Family) -> None:
    strategy = tf.distribute.OneDeviceStrategy("CPU:1")
    with strategy.scope():
        v = tf.Variable(1.0)
        opt = LossScaleOptimizer(family.sgd(), initial_scale=8, dynamic_growth_steps=1)

    @tf.function
    def step(gradient: tf.Tensor) -> None:
        strategy.run(lambda: opt.minimize(lambda: v * gradient, [v]) and None)

    step(tf.constant(1.0))
    step(tf.constant(NAN))
    assert (float(v), float(opt.loss_scale)) == (0, 8)


def test_unsupported_strategies_are_refused_when_made_and_when_applied(family: Family) -> None:
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    message = "Loss scaling is not supported with the tf.distribute.Strategy: CentralStorage"
    with strategy.scope(), pytest.raises(ValueError, match=message):
        LossScaleOptimizer(family.sgd())
    opt = LossScaleOptimizer(family.sgd())
    with strategy.scope():
        v = tf.Variable(1.0)
        with pytest.raises(ValueError, match=message):
            strategy.run(lambda: opt.minimize(lambda: v * 2.0, [v]))


def test_applying_in_a_cross_replica_context_is_refused(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        v = tf.Variable(1.0)
        opt = LossScaleOptimizer(family.sgd())
        with pytest.raises(ValueError, match="must be called in a replica context"):
            opt.apply_gradients([(tf.constant(1.0), v)])


# --- configs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kwargs",
    [{}, {"initial_scale": 8, "dynamic_growth_steps": 3}, {"dynamic": False, "initial_scale": 8}],
)
def test_the_config_equals_tf_keras_own(family: Family, kwargs: dict[str, Any]) -> None:
    ours = LossScaleOptimizer(family.adam(0.5), **kwargs).get_config()
    assert ours == stock(family.adam(0.5), **kwargs).get_config()


@pytest.mark.parametrize(
    "kwargs",
    [{}, {"initial_scale": 8, "dynamic_growth_steps": 3}, {"dynamic": False, "initial_scale": 8}],
)
def test_from_config_makes_the_same_again(family: Family, kwargs: dict[str, Any]) -> None:
    opt = LossScaleOptimizer(family.adam(0.5, beta_1=0.25), **kwargs)
    config = opt.get_config()
    kept = copy.deepcopy(config)
    made = type(opt).from_config(config)
    assert config == kept
    assert type(made) is type(opt)
    assert type(made.inner_optimizer) is type(opt.inner_optimizer)
    assert made.get_config() == config
    assert LossScaleOptimizer.from_config(config).loss_scale == opt.loss_scale


OLD_SGD = {
    "class_name": "SGD",
    "config": {
        "learning_rate": 2.0,
        "momentum": 0.5,
        "decay": 0.0,
        "nesterov": False,
        "name": "SGD",
    },
}


@pytest.mark.parametrize("installed", [False, True], ids=["plain", "legacy class"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_config_of_tensorflow_2_3_is_read(dynamic: bool, installed: bool) -> None:
    loss_scale: dict[str, Any] = {
        "class_name": "FixedLossScale",
        "config": {"loss_scale_value": 2.0},
    }
    if dynamic:
        loss_scale = {
            "class_name": "DynamicLossScale",
            "config": {"initial_loss_scale": 2.0, "increment_period": 3, "multiplier": 2.0},
        }
    legacy = Family("legacy")
    cls = type(LossScaleOptimizer(legacy.sgd())) if installed else LossScaleOptimizer
    opt = cls.from_config({"optimizer": OLD_SGD, "loss_scale": loss_scale})
    assert opt.dynamic is dynamic
    assert opt.loss_scale == 2.0
    assert opt.dynamic_growth_steps == (3 if dynamic else None)
    assert float(opt.learning_rate) == 2.0
    assert float(opt.momentum) == 0.5
    if installed:
        assert isinstance(opt, legacy.base)


def test_a_multiplier_other_than_two_cannot_be_read_into_this_class() -> None:
    config = {"initial_loss_scale": 2.0, "increment_period": 3, "multiplier": 4.0}
    loss_scale = {"class_name": "DynamicLossScale", "config": config}
    with pytest.raises(ValueError, match="multiplier"):
        LossScaleOptimizer.from_config({"optimizer": OLD_SGD, "loss_scale": loss_scale})


def test_a_config_without_a_loss_scale_is_an_error() -> None:
    with pytest.raises((KeyError, ValueError), match="states no loss scale"):
        LossScaleOptimizer.from_config({"optimizer": OLD_SGD})


def test_a_config_with_only_an_inner_optimizer_has_the_default_loss_scale() -> None:
    opt = LossScaleOptimizer.from_config({"inner_optimizer": OLD_SGD})
    assert opt.get_config()["dynamic"] is True
    assert (opt.initial_scale, opt.dynamic_growth_steps) == (2**15, 2000)


def test_an_optimizer_class_of_the_users_own_comes_back_by_custom_objects(family: Family) -> None:
    cls: Any = type(family.sgd())

    class MySGD(cls):  # type: ignore[misc]  # TensorFlow has no types
        my_attribute = 123

    opt = LossScaleOptimizer(MySGD(2.0, momentum=0.5))
    made = LossScaleOptimizer.from_config(opt.get_config(), custom_objects={"MySGD": MySGD})
    assert type(made.inner_optimizer) is MySGD
    assert made.inner_optimizer.my_attribute == 123
    assert float(made.learning_rate) == 2.0


def test_a_config_may_hold_the_inner_optimizer_itself(family: Family) -> None:
    inner = family.sgd()
    config = {"inner_optimizer": inner, "dynamic": False, "initial_scale": 8}
    assert LossScaleOptimizer.from_config(config).inner_optimizer is inner


# --- checkpoints --------------------------------------------------------------------------------


def test_a_checkpoint_restores_everything_and_training_goes_on(
    family: Family, tmp_path: Path
) -> None:
    def make() -> tuple[Any, Any, Any]:
        v = tf.Variable(5.0)
        opt = LossScaleOptimizer(family.adam(0.5), initial_scale=8, dynamic_growth_steps=2)
        return v, opt, tf.train.Checkpoint(v=v, optimizer=opt)

    v, opt, checkpoint = make()
    run = step_of(Mode("eager"), opt, v)
    for gradient in (1.0, 2.0, 3.0):
        run(gradient)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    keys = {name for name, _ in tf.train.list_variables(path)}
    for name in ("current_loss_scale", "good_steps"):
        assert f"optimizer/loss_scale/{name}/.ATTRIBUTES/VARIABLE_VALUE" in keys
    run(4.0)

    w, restored, checkpoint = make()
    status = checkpoint.restore(path)
    step_of(Mode("eager"), restored, w)(4.0)
    status.assert_consumed()
    assert float(w) == pytest.approx(float(v))
    assert restored.loss_scale == opt.loss_scale == 32
    assert int(restored.iterations) == 4


def test_a_checkpoint_can_be_restored_after_training_began(family: Family, tmp_path: Path) -> None:
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(momentum=0.5), initial_scale=8, dynamic_growth_steps=2)
    checkpoint = tf.train.Checkpoint(v=v, optimizer=opt)
    run = step_of(Mode("eager"), opt, v)
    run(1.0)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    found = float(v), float(opt.loss_scale), int(opt.dynamic_counter), int(opt.iterations)
    run(NAN)
    run(1.0)
    checkpoint.restore(path).assert_consumed()
    assert found == (float(v), float(opt.loss_scale), int(opt.dynamic_counter), int(opt.iterations))


def test_checkpoints_are_interchangeable_with_tf_keras_own_wrapper(
    family: Family, tmp_path: Path
) -> None:
    for first, second in ((LossScaleOptimizer, stock), (stock, LossScaleOptimizer)):
        states = []
        for wrapper in (first, second):
            v = tf.Variable(5.0)
            opt = wrapper(family.adam(0.5), initial_scale=8, dynamic_growth_steps=5)
            checkpoint = tf.train.Checkpoint(v=v, optimizer=opt)
            if wrapper is first:
                opt.minimize(lambda v=v: v * 2.0, [v])
                path = checkpoint.save(str(tmp_path / first.__name__))
            else:
                status = checkpoint.restore(path)
            opt.minimize(lambda v=v: v * 3.0, [v])
            states.append((float(v), float(opt.loss_scale), int(opt.dynamic_counter)))
        status.assert_consumed()
        assert states[0] == pytest.approx(states[1])


# --- Model.fit ----------------------------------------------------------------------------------


def model_of(optimizer: Any, **kwargs: Any) -> Any:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
    model.compile(optimizer, "mse", **kwargs)
    model.set_weights([np.array([[1.0]])])
    return model


X, Y = np.ones((8, 1), np.float32), np.zeros((8, 1), np.float32)


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_fit_trains_and_skips_bad_batches(family: Family, run_eagerly: bool) -> None:
    opt = LossScaleOptimizer(family.sgd(0.25), initial_scale=8, dynamic_growth_steps=2)
    model = model_of(opt, run_eagerly=run_eagerly)
    assert model.optimizer is opt
    x = X.copy()
    x[2] = NAN
    model.fit(x, Y, batch_size=2, epochs=1, shuffle=False, verbose=0)
    # Three good batches each halve the weight; the second one was bad.
    assert model.get_weights()[0] == pytest.approx(0.125)
    assert (float(opt.loss_scale), int(opt.iterations)) == (8.0, 4)


def test_compile_under_mixed_float16_does_not_wrap_twice(family: Family) -> None:
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    opt = LossScaleOptimizer(family.sgd(0.25), initial_scale=8)
    model = model_of(opt)
    model.fit(X, Y, batch_size=4, verbose=0)
    assert model.optimizer is opt
    assert model.get_weights()[0] == pytest.approx(0.25)


def test_fit_trains_under_mirrored_strategy(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        opt = LossScaleOptimizer(family.sgd(0.25), initial_scale=8, dynamic_growth_steps=2)
        model = model_of(opt)
    model.fit(X, Y, batch_size=4, epochs=1, shuffle=False, verbose=0)
    assert model.get_weights()[0] == pytest.approx(0.25)
    assert opt.loss_scale == 16


def test_learning_rate_callbacks_reach_the_inner_optimizer(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(1.0))
    model = model_of(opt)
    seen = []
    callbacks = [
        tf_keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr / 2),
        tf_keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: seen.append(float(opt.inner_optimizer.learning_rate))
        ),
    ]
    model.fit(X, Y, epochs=3, verbose=0, callbacks=callbacks)
    assert seen == [0.5, 0.25, 0.125]


def test_reduce_on_plateau_reaches_the_inner_optimizer(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(0.5))
    model = model_of(opt)
    plateau = tf_keras.callbacks.ReduceLROnPlateau(
        monitor="loss", factor=0.5, patience=1, min_delta=100.0
    )
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[plateau])
    assert float(opt.inner_optimizer.learning_rate) == 0.125


@pytest.mark.parametrize("suffix", ["model.h5", "model.keras", "saved"])
def test_model_checkpoint_saves_a_model_that_loads(
    family: Family, tmp_path: Path, suffix: str
) -> None:
    opt = LossScaleOptimizer(family.adam(0.1), initial_scale=8)
    model = model_of(opt)
    path = str(tmp_path / suffix)
    model.fit(X, Y, verbose=0, callbacks=[tf_keras.callbacks.ModelCheckpoint(path)])
    loaded = tf_keras.models.load_model(path)
    assert isinstance(loaded.optimizer, LossScaleOptimizer)
    assert isinstance(loaded.optimizer, family.base)
    assert loaded.optimizer.loss_scale == 8
    np.testing.assert_array_equal(loaded.get_weights()[0], model.get_weights()[0])
    loaded.fit(X, Y, verbose=0)


def test_backup_and_restore_goes_on_where_it_stopped(family: Family, tmp_path: Path) -> None:
    class InterruptionError(Exception):
        pass

    def interrupt(epoch: int, logs: Any) -> None:
        if epoch == 2:
            raise InterruptionError

    def make() -> Any:
        return model_of(
            LossScaleOptimizer(family.sgd(0.25), initial_scale=8, dynamic_growth_steps=1)
        )

    def backup() -> Any:
        return tf_keras.callbacks.BackupAndRestore(str(tmp_path))

    stop = tf_keras.callbacks.LambdaCallback(on_epoch_begin=interrupt)
    with pytest.raises(InterruptionError):
        make().fit(X, Y, batch_size=8, epochs=4, verbose=0, callbacks=[backup(), stop])
    model = make()
    model.fit(X, Y, batch_size=8, epochs=4, verbose=0, callbacks=[backup()])
    # Four epochs of one step each, two of them in the first run.
    assert model.optimizer.loss_scale == 8 * 2**4
    assert int(model.optimizer.iterations) == 4
    assert model.get_weights()[0] == pytest.approx(0.0625)


# --- subclasses ---------------------------------------------------------------------------------


class Counting(LossScaleOptimizer):
    """As real programs subclass: counts calls, and has a config key of its own."""

    def __init__(self, inner_optimizer: Any, *, label: str = "", **kwargs: Any) -> None:
        super().__init__(inner_optimizer, **kwargs)
        self.label = label
        self.calls: list[str] = []

    def get_scaled_loss(self, loss: Any) -> Any:
        self.calls.append("scale")
        return super().get_scaled_loss(loss)

    def get_unscaled_gradients(self, grads: Any) -> Any:
        self.calls.append("unscale")
        return super().get_unscaled_gradients(grads)

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        self.calls.append("apply")
        return super().apply_gradients(grads_and_vars, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "label": self.label}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        made: Any = super().from_config(config, custom_objects)
        made.label = config["label"]
        return made


class Grandchild(Counting):
    def get_scaled_loss(self, loss: Any) -> Any:
        self.calls.append("grandchild")
        return super().get_scaled_loss(loss)


def test_a_subclass_overrides_and_calls_super(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = Counting(family.sgd(), label="mine", initial_scale=8)
    step_of(mode, opt, v)(2.0)
    assert mode.value(v) == 3
    # A new optimizer's variables are made when a function is traced first, so it may be twice.
    assert opt.calls[:3] == ["scale", "unscale", "apply"]
    assert opt.label == "mine"


def test_a_subclass_of_a_subclass_overrides_too(family: Family) -> None:
    v = tf.Variable(5.0)
    opt = Grandchild(family.sgd(), label="mine")
    step_of(Mode("eager"), opt, v)(2.0)
    assert opt.calls == ["grandchild", "scale", "unscale", "apply"]
    assert isinstance(opt, Counting)
    assert isinstance(opt, LossScaleOptimizer)
    assert type(opt) == Grandchild  # noqa: E721  # how the old programs asked
    assert type(opt) != Counting  # noqa: E721  # how the old programs asked
    assert not isinstance(Counting(family.sgd()), Grandchild)
    assert type(opt).__name__ == "Grandchild"


def test_a_subclass_has_a_config_of_its_own(family: Family) -> None:
    opt = Counting(family.sgd(0.5), label="mine", initial_scale=8)
    config = opt.get_config()
    assert config["label"] == "mine"
    made = Counting.from_config(config)
    assert type(made) == Counting  # noqa: E721  # how the old programs asked
    assert (made.label, made.loss_scale, float(made.lr)) == ("mine", 8, 0.5)


def test_one_subclass_serves_both_families() -> None:
    legacy, new = (Counting(Family(name).sgd()) for name in ("legacy", "new"))
    assert isinstance(legacy, Family("legacy").base)
    assert isinstance(new, Family("new").base)
    assert type(legacy) == type(new) == Counting  # noqa: E721  # how the old programs asked
    assert not isinstance(LossScaleOptimizer(Family("new").sgd()), Counting)


def test_a_subclass_trains_in_fit(family: Family) -> None:
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    opt = Counting(family.sgd(0.25), initial_scale=8)
    model = model_of(opt)
    model.fit(X, Y, batch_size=4, verbose=0)
    assert model.optimizer is opt
    assert model.get_weights()[0] == pytest.approx(0.25)
    assert "apply" in opt.calls


def test_a_subclass_may_take_its_arguments_in_another_order(family: Family) -> None:
    class Own(LossScaleOptimizer):
        def __init__(self, scale: float, optimizer: Any) -> None:
            super().__init__(optimizer, False, scale)

    assert Own(8, family.sgd()).loss_scale == 8


def test_a_subclass_of_the_type_of_an_instance_can_be_made(family: Family) -> None:
    parent: Any = type(LossScaleOptimizer(family.sgd()))

    class Own(parent):  # type: ignore[misc]  # TensorFlow has no types
        def get_scaled_loss(self, loss: Any) -> Any:
            self.seen = loss
            return super().get_scaled_loss(loss)

    v = tf.Variable(5.0)
    opt = Own(family.sgd())
    step_of(Mode("eager"), opt, v)(2.0)
    assert float(v) == 3
    assert callable(opt.seen)
    assert isinstance(opt, Own)
    assert isinstance(opt, LossScaleOptimizer)
    assert not isinstance(LossScaleOptimizer(family.sgd()), Own)


def test_an_optimizer_of_the_users_own_is_wrapped(family: Family) -> None:
    base: Any = type(family.sgd())

    class Negated(base):  # type: ignore[misc]  # TensorFlow has no types
        def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            return super().apply_gradients([(-g, v) for g, v in grads_and_vars], *args, **kwargs)

    v = tf.Variable(5.0)
    step_of(Mode("eager"), LossScaleOptimizer(Negated(1.0)), v)(2.0)
    assert float(v) == 7


@pytest.mark.parametrize(
    "arguments", [{"dynamic": "dynamic"}, {"dynamic": False}, {"dynamic_growth_steps": "many"}]
)
def test_a_refused_constructor_leaves_the_inner_optimizer_free_to_be_wrapped(
    family: Family, arguments: dict[str, Any]
) -> None:
    inner = family.sgd()
    with pytest.raises((TypeError, ValueError)):
        LossScaleOptimizer(inner, **arguments)
    assert LossScaleOptimizer(inner).inner_optimizer is inner


# --- reading a step -----------------------------------------------------------------------------


def test_an_eager_step_passes_at_most_ten_files(family: Family) -> None:
    opt, v = LossScaleOptimizer(family.sgd()), tf.Variable([1.0, 2.0])

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(tf.reduce_sum(v * v))
        opt.apply_gradients([(opt.get_unscaled_gradients(tape.gradient(loss, [v]))[0], v)])

    step()  # The first one also makes variables.
    files: set[str] = set()

    def note(frame: types.FrameType, event: str, argument: Any) -> None:
        del argument
        if event == "call" and "compat_lossscale" in frame.f_code.co_filename:
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(before)
    assert 0 < len(files) <= 10, files
