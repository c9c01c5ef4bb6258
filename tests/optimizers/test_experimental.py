# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.experimental import LossScaleOptimizer
from tests.loss_scales import HalvingLossScale
from tests.support import NAN, Family, Mode, scalar_spec

pytestmark = pytest.mark.grid(2)

Case = tuple[Family, Mode]
native = tf.compat.v1.mixed_precision


class NativeSkippingLossScale(native.LossScale):  # type: ignore[misc]  # TensorFlow has no types
    """A user's own, as a subclass of TensorFlow's own class: skips every step."""

    def __call__(self) -> tf.Tensor:
        return tf.constant(4.0)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return tf.no_op(), tf.constant(False)

    def get_config(self) -> dict[str, Any]:
        return {}


def step_of(mode: Mode, opt: Any, v: tf.Variable) -> Callable[..., Any]:
    def step(gradient: tf.Tensor) -> Any:
        result = opt.minimize(lambda: v * gradient, var_list=[v])
        return result if mode.name == "graph" else None

    return mode.compile(step, scalar_spec())


def test_every_form_of_the_loss_scale_argument_is_taken(family: Family) -> None:
    given = DynamicLossScale(4.0, 3)
    cases: list[tuple[Any, float, bool]] = [
        ("dynamic", 2.0**15, True),
        (128, 128.0, False),
        (1.5, 1.5, False),
        (True, 1.0, False),
        (np.float64(8), 8.0, False),
        (FixedLossScale(8), 8.0, False),
        (given, 4.0, True),
        (native.FixedLossScale(8), 8.0, False),
        (native.DynamicLossScale(8), 8.0, True),
    ]
    for argument, value, dynamic in cases:
        opt = LossScaleOptimizer(family.sgd(), argument)
        assert (float(opt.loss_scale), opt.dynamic) == (value, dynamic)
        assert opt.initial_scale == value


@pytest.mark.parametrize("name", ["optimizer", "opt"])
def test_arguments_may_be_given_by_the_names_of_either_era(family: Family, name: str) -> None:
    inner = family.sgd()
    opt = LossScaleOptimizer(**{name: inner, "loss_scale": 8})
    assert opt._optimizer is inner
    assert opt.loss_scale == 8


@pytest.mark.parametrize("argument", ["foo", [8.0], np.float32(8), np.int64(8), object()])
def test_what_is_no_loss_scale_is_a_value_error(family: Family, argument: Any) -> None:
    with pytest.raises(ValueError, match="Could not interpret loss scale identifier"):
        LossScaleOptimizer(family.sgd(), argument)


@pytest.mark.parametrize(
    ("stated", "value", "period"),
    [
        ({"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}}, 8, None),
        ({"class_name": "DynamicLossScale", "config": {}}, 2**15, 2000),
        ({"class_name": "DynamicLossScale", "config": {"increment_period": 5}}, 2**15, 5),
    ],
)
def test_a_loss_scale_may_be_its_config(
    family: Family, stated: dict[str, Any], value: float, period: int | None
) -> None:
    opt = LossScaleOptimizer(family.sgd(), stated)
    assert opt.loss_scale == value
    assert opt.dynamic_growth_steps == period
    assert opt.loss_scale.get_config().items() >= stated["config"].items()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({}, "Improper config format"),
        ({"class_name": "DynamicLossScale"}, "Improper config format"),
        ({"class_name": "Unknown", "config": {}}, "Unknown loss scale"),
        ({"class_name": "FixedLossScale", "config": {"loss_scale_value": 0.5}}, "at least 1"),
    ],
)
def test_a_config_that_states_no_loss_scale_is_a_value_error(
    family: Family, stated: dict[str, Any], message: str
) -> None:
    inner = family.sgd()
    with pytest.raises(ValueError, match=message):
        LossScaleOptimizer(inner, stated)
    LossScaleOptimizer(inner, 8)  # It is still free to be wrapped.


def test_none_is_refused_in_the_words_of_the_original(family: Family) -> None:
    with pytest.raises(ValueError, match=r"loss_scale cannot be None\."):
        LossScaleOptimizer(family.sgd(), None)


@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_what_is_no_optimizer_is_refused_as_in_either_era(error: type[Exception]) -> None:
    with pytest.raises(error, match='"optimizer" must be an instance of OptimizerV2, but got: 5'):
        LossScaleOptimizer(5, "dynamic")


def test_a_wrapper_cannot_be_wrapped(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), "dynamic")
    for wrapper in (
        LossScaleOptimizer(family.sgd(), 8),
        compat_lossscale.LossScaleOptimizer(family.sgd()),
    ):
        for error in (ValueError, TypeError):
            with pytest.raises(error, match="cannot wrap another"):
                LossScaleOptimizer(wrapper, "dynamic")
    with pytest.raises(ValueError, match="already wrapped"):
        LossScaleOptimizer(opt.inner_optimizer, "dynamic")


def test_training_scales_applies_skips_and_grows(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(), DynamicLossScale(8, 1, 4))
    run, path = step_of(mode, opt, v), []
    for gradient in (1.0, NAN, NAN, 2.0):
        run(gradient)
        values = (v, opt.loss_scale(), opt.iterations)
        path.append(tuple(float(mode.value(value)) for value in values))
    assert path == [(4, 32, 1), (4, 8, 2), (4, 2, 3), (2, 8, 4)]


def test_the_documented_loop_gives_the_documented_result(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(0.25), "dynamic")
    var = tf.Variable(1.0)
    opt.minimize(lambda: var**2, var_list=var)
    assert var == 0.5
    with tf.GradientTape() as tape:
        scaled = opt.get_scaled_loss(var**2)
    (gradient,) = opt.get_unscaled_gradients([tape.gradient(scaled, var)])
    opt.apply_gradients([(gradient, var)])
    assert var == 0.25


def test_the_loss_scale_is_the_very_object_that_was_given(family: Family) -> None:
    given = DynamicLossScale(8, 1)
    opt = LossScaleOptimizer(family.sgd(), given)
    assert opt.loss_scale is given
    assert opt._loss_scale is given
    step_of(Mode("eager"), opt, tf.Variable(1.0))(1.0)
    assert given() == 16
    given.update([tf.constant(NAN)])
    assert opt.loss_scale == 8


def test_the_loss_scale_serves_code_of_both_eras(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), DynamicLossScale(8, 5))
    assert opt.loss_scale() == 8
    assert opt.loss_scale.increment_period == 5
    assert opt.loss_scale.initial_loss_scale == 8
    assert opt.loss_scale.multiplier == 2
    assert isinstance(opt.loss_scale, LossScale)
    assert isinstance(opt.loss_scale, tf.Tensor)
    assert float(1.0 / opt.loss_scale) == 0.125
    assert tf.cast(opt.loss_scale, tf.float16).dtype == tf.float16
    assert opt.loss_scale.numpy() == 8
    assert opt._loss_scale._increment_period == 5
    assert opt.loss_scale._current_loss_scale.numpy() == 8
    assert opt.dynamic_growth_steps == 5
    assert opt.dynamic_counter == 0


@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("traced", [False, True])
def test_strategies_sum_the_loss_scale_over_replicas_as_a_tensor(
    family: Family, mirrored: Any, traced: bool, loss_scale: Any
) -> None:
    with mirrored.scope():
        opt = LossScaleOptimizer(family.sgd(), loss_scale)
    expected = 2 * float(opt.loss_scale)

    def in_replica() -> Any:
        context = tf.distribute.get_replica_context()
        return opt.loss_scale, context.all_reduce("SUM", opt.loss_scale)

    def step() -> Any:
        found, summed = mirrored.run(in_replica)
        return mirrored.reduce("SUM", found, axis=None), mirrored.reduce("MEAN", summed, axis=None)

    assert [float(one) for one in (tf.function(step) if traced else step)()] == [expected] * 2


def test_the_loss_scale_of_a_replica_shares_its_state(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        opt = LossScaleOptimizer(family.sgd(), "dynamic")
    good_steps = mirrored.run(lambda: opt.loss_scale.good_steps)
    assert good_steps is opt.loss_scale.good_steps
    assert opt.loss_scale is opt.loss_scale


def test_two_optimizers_may_share_one_loss_scale(family: Family) -> None:
    shared = DynamicLossScale(8, 1)
    first, second = (LossScaleOptimizer(family.sgd(), shared) for _ in range(2))
    step_of(Mode("eager"), first, tf.Variable(1.0))(1.0)
    step_of(Mode("eager"), second, tf.Variable(1.0))(1.0)
    assert first.loss_scale == second.loss_scale == 32


def test_a_loss_scale_of_tensorflows_own_shares_its_state(family: Family) -> None:
    theirs = native.DynamicLossScale(8, 1)
    opt = LossScaleOptimizer(family.sgd(), theirs)
    step_of(Mode("eager"), opt, tf.Variable(1.0))(1.0)
    assert theirs() == opt.loss_scale == 16


def test_a_users_own_loss_scale_decides(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(), HalvingLossScale())
    step_of(mode, opt, v)(2.0)
    assert mode.value(v) == 3
    assert mode.value(opt.loss_scale()) == 32
    assert opt.dynamic
    assert opt.dynamic_counter is opt.dynamic_growth_steps is opt.initial_scale is None


def test_a_users_subclass_of_tensorflows_own_class_decides(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(family.sgd(), NativeSkippingLossScale())
    step_of(mode, opt, v)(2.0)
    assert mode.value(v) == 5
    assert int(mode.value(opt.iterations)) == 1


def test_a_users_own_loss_scale_is_kept_in_checkpoints(family: Family, tmp_path: Path) -> None:
    opt = LossScaleOptimizer(family.sgd(), HalvingLossScale())
    step_of(Mode("eager"), opt, tf.Variable(5.0))(2.0)
    path = tf.train.Checkpoint(opt=opt).save(str(tmp_path / "ckpt"))
    again = LossScaleOptimizer(family.sgd(), HalvingLossScale())
    tf.train.Checkpoint(opt=again).restore(path)
    assert again.loss_scale() == 32


# --- types --------------------------------------------------------------------------------------


def test_it_is_a_subclass_of_the_public_class_and_not_the_other_way_round(family: Family) -> None:
    public = compat_lossscale.LossScaleOptimizer
    opt = LossScaleOptimizer(family.sgd(), 8)
    assert issubclass(LossScaleOptimizer, public)
    assert not issubclass(public, LossScaleOptimizer)
    assert isinstance(opt, LossScaleOptimizer)
    assert isinstance(opt, public)
    assert isinstance(opt, tf_keras.mixed_precision.LossScaleOptimizer)
    assert isinstance(opt, family.base)
    assert not isinstance(public(family.sgd()), LossScaleOptimizer)
    assert type(opt) == LossScaleOptimizer  # noqa: E721  # how the old programs asked
    assert type(opt) != public  # noqa: E721  # how the old programs asked


def test_the_type_of_an_instance_can_be_called(family: Family) -> None:
    cls = type(LossScaleOptimizer(family.sgd(), "dynamic"))
    assert cls(family.sgd(), 8).loss_scale == 8
    assert type(cls(family.sgd(), 8)) is cls


# --- configs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss_scale", "kwargs"),
    [
        ("dynamic", {}),
        (8, {"dynamic": False, "initial_scale": 8}),
        (lambda: DynamicLossScale(8, 3), {"initial_scale": 8, "dynamic_growth_steps": 3}),
        (lambda: FixedLossScale(8), {"dynamic": False, "initial_scale": 8}),
    ],
)
def test_the_documented_equivalences_hold_exactly(
    family: Family, loss_scale: Any, kwargs: dict[str, Any]
) -> None:
    given = loss_scale() if callable(loss_scale) else loss_scale
    old = LossScaleOptimizer(family.sgd(0.5), given)
    new = compat_lossscale.LossScaleOptimizer(family.sgd(0.5), **kwargs)
    assert old.get_config() == new.get_config()
    for config in (old.get_config(), new.get_config()):
        for cls in (LossScaleOptimizer, compat_lossscale.LossScaleOptimizer):
            assert cls.from_config(config).get_config() == config


def test_from_config_gives_this_class(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(0.5), DynamicLossScale(8, 3))
    made = type(opt).from_config(opt.get_config())
    assert type(made) is type(opt)
    assert made.loss_scale() == 8
    assert made.loss_scale.increment_period == 3
    assert float(made.lr) == 0.5


def test_a_multiplier_other_than_two_survives_the_config(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), DynamicLossScale(8, 3, 4))
    config = opt.get_config()
    assert set(config) == {"optimizer", "loss_scale"}
    made = LossScaleOptimizer.from_config(config)
    assert made.loss_scale.multiplier == 4
    assert made.get_config() == config


@tf_keras.utils.register_keras_serializable("package")
class Registered(NativeSkippingLossScale):
    """A user's own that Keras knows by name."""


@pytest.mark.parametrize(
    ("cls", "name"),
    [(NativeSkippingLossScale, "NativeSkippingLossScale"), (Registered, "package>Registered")],
)
def test_a_subclass_of_tensorflows_own_loss_scale_is_saved_under_its_name_as_in_2_3(
    cls: Any, name: str, family: Family
) -> None:
    opt = LossScaleOptimizer(family.sgd(1.0), cls())
    config = opt.get_config()
    assert config["loss_scale"] == {"class_name": name, "config": {}}
    made = LossScaleOptimizer.from_config(config, custom_objects={name: cls})
    assert made.get_config()["loss_scale"] == config["loss_scale"]
    variable = tf.Variable(1.0)
    made.minimize(lambda: variable * 1.0, [variable])
    assert (float(variable), float(made.loss_scale())) == (1.0, 4.0)


def test_a_users_own_loss_scale_survives_the_config_by_custom_objects(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), HalvingLossScale(16.0))
    config = opt.get_config()
    assert config["loss_scale"] == {"class_name": "HalvingLossScale", "config": {"start": 16.0}}
    objects = {"HalvingLossScale": HalvingLossScale}
    made = LossScaleOptimizer.from_config(config, custom_objects=objects)
    assert type(made.loss_scale) is HalvingLossScale
    assert made.loss_scale() == 16
    with pytest.raises(ValueError, match="HalvingLossScale"):
        LossScaleOptimizer.from_config(config)


def test_configs_of_tensorflow_2_3_and_2_4_are_read(family: Family) -> None:
    sgd = {"class_name": "SGD", "config": {"learning_rate": 0.5, "name": "SGD"}}
    old = {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 8.0}}
    made = LossScaleOptimizer.from_config({"optimizer": sgd, "loss_scale": old})
    assert (made.loss_scale(), made.loss_scale.increment_period) == (8, 2000)
    new = {"inner_optimizer": sgd, "dynamic": False, "initial_scale": 8.0}
    made = LossScaleOptimizer.from_config({**new, "dynamic_growth_steps": None})
    assert (made.loss_scale(), made.dynamic) == (8, False)


def test_a_config_without_a_loss_scale_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        LossScaleOptimizer.from_config({"learning_rate": 0.5})


# --- subclasses ---------------------------------------------------------------------------------


class Own(LossScaleOptimizer):
    """A real program's: another signature, and everything overridden with super()."""

    def __init__(self, learning_rate: float, optimizer: Any, *, tag: str = "t") -> None:
        super().__init__(optimizer=optimizer, loss_scale=DynamicLossScale(8, 1))
        self.learning_rate_given = learning_rate
        self.tag = tag
        self.applied = 0

    def get_scaled_loss(self, loss: Any) -> Any:
        return super().get_scaled_loss(loss)

    def get_unscaled_gradients(self, grads: Any) -> Any:
        return [g if g is None else 2.0 * g for g in super().get_unscaled_gradients(grads)]

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        self.applied += 1
        return super().apply_gradients(grads_and_vars, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "tag": self.tag}

    @property
    def loss_scale(self) -> Any:
        return super().loss_scale


def test_a_subclass_overrides_and_calls_super(case: Case) -> None:
    family, mode = case
    v = tf.Variable(5.0)
    opt = Own(0.1, family.sgd(), tag="mine")
    step_of(mode, opt, v)(1.0)
    assert mode.value(v) == 3
    assert opt.applied >= 1
    assert opt.get_config()["tag"] == "mine"
    assert mode.value(opt.loss_scale()) == 16
    assert type(opt) == Own  # noqa: E721  # how the old programs asked
    assert isinstance(opt, LossScaleOptimizer)
    assert isinstance(opt, family.base)
    assert not isinstance(LossScaleOptimizer(family.sgd(), 8), Own)


def test_a_subclass_trains_in_fit_under_mirrored_strategy(family: Family, mirrored: Any) -> None:
    class Plain(LossScaleOptimizer):
        def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            return super().apply_gradients(grads_and_vars, *args, **kwargs)

    with mirrored.scope():
        model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
        opt = Plain(family.sgd(0.25), DynamicLossScale(8, 1))
        model.compile(opt, "mse")
        model.set_weights([np.array([[1.0]])])
    model.fit(np.ones((8, 1)), np.zeros((8, 1)), batch_size=4, verbose=0)
    assert model.get_weights()[0] == pytest.approx(0.25)
    assert opt.loss_scale() == 32


def test_a_users_own_loss_scale_is_found_in_a_custom_object_scope(family: Family) -> None:
    config = LossScaleOptimizer(family.sgd(), HalvingLossScale(16.0)).get_config()
    with tf_keras.utils.custom_object_scope({"HalvingLossScale": HalvingLossScale}):
        made = LossScaleOptimizer.from_config(config)
        given = LossScaleOptimizer(family.sgd(), config["loss_scale"])
    assert type(made.loss_scale) is HalvingLossScale
    assert type(given.loss_scale) is HalvingLossScale


def test_a_registered_loss_scale_survives_the_config_by_its_registered_name(family: Family) -> None:
    @tf_keras.utils.register_keras_serializable("mine")
    class Registered(HalvingLossScale):
        pass

    config = LossScaleOptimizer(family.sgd(), Registered(16.0)).get_config()
    assert config["loss_scale"]["class_name"] == "mine>Registered"
    assert type(LossScaleOptimizer.from_config(config).loss_scale) is Registered


def remembering(family: Family) -> Any:
    """An inner optimizer that tells which gradients it was given: 0 is none."""

    class Remembering(family.module.SGD):  # type: ignore[misc, name-defined]  # made for a family
        def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            given.append([gradient is not None for gradient, _ in pairs])
            return super().apply_gradients(pairs, *args, **kwargs)

    given: list[list[bool]] = []
    return Remembering(1.0), given


@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("traced", [False, True])
def test_the_inner_optimizer_is_given_missing_gradients_as_up_to_2_4(
    family: Family, loss_scale: Any, traced: bool
) -> None:
    inner, given = remembering(family)
    opt = LossScaleOptimizer(inner, loss_scale)
    variables = [tf.Variable(5.0), tf.Variable(7.0), tf.Variable(9.0)]
    pairs = list(zip([None, tf.constant(2.0), None], variables, strict=True))

    def step() -> None:
        opt.apply_gradients(pairs)

    (tf.function(step) if traced else step)()
    assert given[-1] == [False, True, False]
    assert [float(variable) for variable in variables] == [5, 5, 9]


def test_the_public_class_leaves_missing_gradients_out_as_since_2_5(family: Family) -> None:
    inner, given = remembering(family)
    opt = compat_lossscale.LossScaleOptimizer(inner)
    opt.apply_gradients([(None, tf.Variable(5.0)), (tf.constant(2.0), tf.Variable(7.0))])
    assert given == [[True]]


def test_replicas_may_lack_a_gradient(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        inner, given = remembering(family)
        opt = LossScaleOptimizer(inner, "dynamic")
        used, unused = tf.Variable(5.0), tf.Variable(7.0)
    mirrored.run(lambda: opt.apply_gradients([(None, unused), (tf.constant(1.0), used)]))
    assert given[-1] == [False, True]
    values = [mirrored.experimental_local_results(one)[0].numpy() for one in (used, unused)]
    assert values == [3, 7]


def test_gradients_that_are_all_missing_are_an_error(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), "dynamic")
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        opt.apply_gradients([(None, tf.Variable(1.0))])
    assert (int(opt.iterations), int(opt.dynamic_counter)) == (0, 0)


@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
def test_the_loss_scale_is_fetched_from_a_graph_that_became_final_after_it_was_read(
    family: Family, loss_scale: Any
) -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        opt = LossScaleOptimizer(family.sgd(), loss_scale)
        session.run(tf.compat.v1.global_variables_initializer())
        taken = opt.loss_scale
        operations = len(graph.get_operations())
        assert opt.loss_scale is taken
        assert len(graph.get_operations()) == operations
        graph.finalize()
        assert (
            session.run(taken) == session.run(opt.loss_scale) == (8 if loss_scale == 8 else 2**15)
        )


def test_the_loss_scale_can_be_read_in_a_final_graph_and_in_a_branch(family: Family) -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        opt = LossScaleOptimizer(family.sgd(), 8.0)
        tf.cond(tf.constant(True), lambda: opt.loss_scale * 2.0, lambda: tf.constant(0.0))
        graph.finalize()
        assert opt.loss_scale.get_config() == {"loss_scale_value": 8.0}
        assert session.run(opt.loss_scale) == 8
