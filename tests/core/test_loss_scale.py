# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleSpec
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.spec.update_rule import RuleNumbers, ScaleState, next_state
from tests.loss_scales import HalvingLossScale
from tests.support import NAN, Mode, scalar_spec

native = tf.compat.v1.mixed_precision


def test_a_dynamic_loss_scale_has_the_defaults_of_the_original() -> None:
    loss_scale = DynamicLossScale()
    assert loss_scale.initial_loss_scale == 2**15
    assert loss_scale.increment_period == 2000
    assert loss_scale.multiplier == 2.0
    assert [
        type(v)
        for v in (loss_scale.initial_loss_scale, loss_scale.increment_period, loss_scale.multiplier)
    ] == [float, int, float]


def test_a_dynamic_loss_scale_follows_the_gradients(mode: Mode) -> None:
    loss_scale = DynamicLossScale(8, 2, 4)

    def step(gradient: tf.Tensor) -> tf.Tensor:
        update, should_apply = loss_scale.update([gradient])
        with tf.control_dependencies([] if update is None else [update]):
            return tf.identity(should_apply)

    run, path = mode.compile(step, scalar_spec()), []
    for gradient in (1.0, 1.0, 1.0, NAN, NAN, NAN):
        applied = bool(run(gradient))
        path.append((applied, mode.value(loss_scale()), mode.value(loss_scale.good_steps)))
    assert path == [
        (True, 8, 1),
        (True, 32, 0),
        (True, 32, 1),
        (False, 8, 0),
        (False, 2, 0),
        (False, 1, 0),
    ]


def test_in_a_graph_the_update_is_a_tensor_to_evaluate() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loss_scale = DynamicLossScale(8, 1)
        update, should_apply = loss_scale.update([tf.constant(1.0)])
        session.run(tf.compat.v1.global_variables_initializer())
        assert isinstance(update, tf.Tensor)
        assert session.run(loss_scale()) == 8
        assert session.run([update, should_apply])[1]
        assert session.run(loss_scale()) == 16


def test_gradients_may_be_nested_and_none() -> None:
    loss_scale = DynamicLossScale(8, 1)
    _, should_apply = loss_scale.update({"a": [None, tf.ones([2])], "b": (tf.constant(NAN),)})
    assert not should_apply
    assert loss_scale() == 4
    assert loss_scale.update([])[1]
    assert loss_scale() == 8


def test_the_value_is_a_float32_scalar_tensor(mode: Mode) -> None:
    for loss_scale in (DynamicLossScale(8), FixedLossScale(8)):
        value = loss_scale()
        assert value.dtype == tf.float32
        assert value.shape == []
        assert mode.value(value) == 8


def test_a_fixed_loss_scale_never_changes_and_always_applies(mode: Mode) -> None:
    loss_scale = FixedLossScale(8)
    update, should_apply = loss_scale.update([tf.constant(NAN)])
    assert should_apply is True
    if mode.name == "graph":
        mode.value(update)
    assert mode.value(loss_scale()) == 8


@pytest.mark.parametrize("value", ["8", [8.0], None])
def test_a_fixed_loss_scale_takes_python_numbers_only(value: Any) -> None:
    with pytest.raises(ValueError, match="loss_scale_value must be a Python int or float"):
        FixedLossScale(value)


@pytest.mark.parametrize("value", [0.5, 0, -1])
def test_a_fixed_loss_scale_below_one_is_refused_in_the_words_of_the_original(value: Any) -> None:
    with pytest.raises(ValueError, match="loss_scale_value must be at least 1"):
        FixedLossScale(value)
    assert FixedLossScale.of_any_value(value)() == value


def test_configs_hold_the_constructor_arguments() -> None:
    assert FixedLossScale(8).get_config() == {"loss_scale_value": 8.0}
    assert DynamicLossScale(8, 5, 3).get_config() == {
        "initial_loss_scale": 8.0,
        "increment_period": 5,
        "multiplier": 3.0,
    }


@pytest.mark.parametrize("cls", [FixedLossScale, HalvingLossScale])
def test_from_config_makes_the_same_again(cls: type) -> None:
    original = cls(8.0)
    made = type(original).from_config(original.get_config())
    assert type(made) is type(original)
    assert made.get_config() == original.get_config()


def test_from_config_starts_again_at_the_initial_value() -> None:
    loss_scale = DynamicLossScale(8, 1)
    loss_scale.update([])
    made = DynamicLossScale.from_config(loss_scale.get_config())
    assert made() == 8
    assert loss_scale() == 16


def test_a_repr_says_what_it_is_and_in_eager_mode_its_state() -> None:
    assert repr(FixedLossScale(8)) == "FixedLossScale(8.0)"
    assert repr(DynamicLossScale(8, 5)) == (
        "DynamicLossScale(current_loss_scale=8.0, num_good_steps=0, initial_loss_scale=8.0, "
        "increment_period=5, multiplier=2.0)"
    )
    assert repr(HalvingLossScale()) == "<HalvingLossScale>"
    with tf.Graph().as_default():
        assert repr(DynamicLossScale(8, 5)) == (
            "DynamicLossScale(initial_loss_scale=8.0, increment_period=5, multiplier=2.0)"
        )


def test_str_is_the_repr() -> None:
    assert str(FixedLossScale(8)) == "FixedLossScale(8.0)"


def test_the_base_class_has_no_behaviour_of_its_own() -> None:
    class Incomplete(LossScale):
        def __call__(self) -> tf.Tensor:
            return tf.constant(1.0)

    with pytest.raises(TypeError, match=r"abstract .*get_config.*update"):
        Incomplete()
    with pytest.raises(TypeError, match="abstract"):
        LossScale()


def test_ours_are_instances_of_tensorflows_own_classes() -> None:
    assert isinstance(FixedLossScale(8), native.FixedLossScale)
    assert isinstance(DynamicLossScale(8), native.DynamicLossScale)
    assert isinstance(HalvingLossScale(), native.LossScale)
    assert not isinstance(FixedLossScale(8), native.DynamicLossScale)


def test_private_names_that_real_programs_read_answer() -> None:
    loss_scale = DynamicLossScale(8, 5, 4)
    assert isinstance(loss_scale._current_loss_scale, tf.Variable)
    assert loss_scale._current_loss_scale.dtype == tf.float32
    assert loss_scale._num_good_steps.dtype == tf.int64
    assert loss_scale._increment_period == 5
    assert loss_scale._multiplier == 4
    assert loss_scale._initial_loss_scale == 8
    assert FixedLossScale(8)._loss_scale_value == 8.0


def test_the_state_is_not_trainable() -> None:
    loss_scale = DynamicLossScale()
    assert not loss_scale._current_loss_scale.trainable
    assert not loss_scale.good_steps.trainable


def test_a_checkpoint_has_the_state_under_the_names_it_always_had(tmp_path: Path) -> None:
    loss_scale = DynamicLossScale(8, 3)
    loss_scale.update([])
    path = tf.train.Checkpoint(ls=loss_scale).save(str(tmp_path / "ckpt"))
    saved = dict(tf.train.list_variables(path))
    suffix = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert {f"ls/current_loss_scale{suffix}", f"ls/good_steps{suffix}"} <= set(saved)
    restored = DynamicLossScale(2, 3)
    status = tf.train.Checkpoint(ls=restored).restore(path)
    status.assert_existing_objects_matched()
    assert (restored(), restored.good_steps) == (8, 1)


def test_a_fixed_loss_scale_saves_nothing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(ls=FixedLossScale(8)).save(str(tmp_path / "ckpt"))
    assert not [name for name, _ in tf.train.list_variables(path) if name.startswith("ls/")]


def test_a_users_own_variables_are_saved_under_their_names(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(ls=HalvingLossScale()).save(str(tmp_path / "ckpt"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "ls/halving_scale/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_a_spec_describes_every_loss_scale_but_users_own() -> None:
    assert FixedLossScale(8).spec == LossScaleSpec.fixed(8)
    assert DynamicLossScale(8, 5, 4).spec == LossScaleSpec(True, 8.0, 5, 4.0)
    with pytest.raises(ValueError, match="HalvingLossScale is neither"):
        _ = HalvingLossScale().spec


def test_one_loss_scale_may_be_shared_and_copied() -> None:
    loss_scale = DynamicLossScale(8, 1)
    copied = copy.deepcopy(loss_scale)
    loss_scale.update([])
    assert loss_scale() == 16
    assert copied() == 8
    assert copied.increment_period == 1
    copied.update([tf.constant(NAN)])
    assert (loss_scale(), copied()) == (16, 4)


def test_replicas_decide_alike(mirrored: Any) -> None:
    with mirrored.scope():
        loss_scale = DynamicLossScale(8, 1)

    @tf.function
    def step(bad_replica: tf.Tensor) -> Any:
        def replica() -> tf.Tensor:
            replica_id = tf.distribute.get_replica_context().replica_id_in_sync_group
            gradient = tf.where(replica_id == bad_replica, NAN, 1.0)
            return loss_scale.update([gradient])[1]

        return mirrored.experimental_local_results(mirrored.run(replica))

    assert {bool(applied) for applied in step(-1)} == {True}
    assert loss_scale() == 16
    assert {bool(applied) for applied in step(1)} == {False}
    assert loss_scale() == 8
    assert {bool(applied) for applied in step(0)} == {False}
    assert [float(v) for v in loss_scale._current_loss_scale.values] == [4, 4]


def test_in_a_cross_replica_context_gradients_may_hold_one_value_per_replica(mirrored: Any) -> None:
    with mirrored.scope():
        loss_scale = DynamicLossScale(8, 1)

    def gradients(bad: int) -> Any:
        return mirrored.experimental_distribute_values_from_function(
            lambda context: tf.constant(NAN if context.replica_id_in_sync_group == bad else 1.0)
        )

    with mirrored.scope():
        assert loss_scale.update([gradients(-1)])[1]
        assert not loss_scale.update([gradients(1), None])[1]
    assert loss_scale() == 8


def test_in_eager_mode_the_update_has_happened_and_there_is_no_operation() -> None:
    loss_scale = DynamicLossScale(8, 1)
    update, should_apply = loss_scale.update([tf.constant(1.0)])
    assert update is None
    assert isinstance(should_apply, tf.Tensor)
    assert should_apply.dtype == tf.bool
    assert loss_scale() == 16


@pytest.mark.grid(3)
@pytest.mark.parametrize("multiplier", [2.0, 3.0, 1.1, 10.0])
@pytest.mark.parametrize("initial", [32768.0, 1000.0])
def test_it_moves_as_tensorflows_own_to_the_bit(
    mode: Mode, initial: float, multiplier: float
) -> None:
    # In a graph, TensorFlow divides by a constant by multiplying by its reciprocal, which gives
    # other bits than the division in eager mode.
    def path(loss_scale: Any) -> list[float]:
        def step(gradient: tf.Tensor) -> Any:
            update, finite = loss_scale.update([gradient])
            with tf.control_dependencies(
                [] if update is None or mode.name == "eager" else [update]
            ):
                return tf.identity(finite)

        run = mode.compile(step, scalar_spec())
        return [(run(gradient), mode.value(loss_scale()))[1] for gradient in (NAN, 1, NAN, 1, 1)]

    settings = (initial, 2, multiplier)
    assert path(DynamicLossScale(*settings)) == path(native.DynamicLossScale(*settings))


@pytest.mark.parametrize("xla", [False, True], ids=["", "xla"])
@pytest.mark.parametrize("growth_steps", [1, 2, 3, 5])
def test_moved_in_branches_it_follows_the_rule(growth_steps: int, xla: bool) -> None:
    loss_scale = DynamicLossScale(8, growth_steps)

    def move(finite: bool) -> tf.Operation:
        return tf.group(loss_scale.advance(finite))

    @tf.function(jit_compile=xla or None, autograph=False)
    def run(finite: tf.Tensor) -> None:
        tf.cond(finite, lambda: move(True), lambda: move(False))

    expected, chance = ScaleState(8.0, 0), random.Random(growth_steps)
    numbers = RuleNumbers.of_multiplier(growth_steps, 2.0)
    for finite in (chance.random() < 0.7 for _ in range(40)):
        run(tf.constant(finite))
        expected = next_state(expected, finite, numbers)
        assert (float(loss_scale), int(loss_scale.good_steps)) == expected[:2]


def test_a_session_fetches_it_without_a_new_operation() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        loss_scales = [DynamicLossScale(8), FixedLossScale(8)]
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(loss_scales) == [8, 8]
        graph.finalize()
        assert session.run(loss_scales) == [8, 8]


@pytest.mark.parametrize("gradient", [1.0, NAN])
def test_what_an_update_gives_a_function_can_return(mode: Mode, gradient: float) -> None:
    def updated(loss_scale: Any) -> Any:
        run = mode.compile(lambda gradient: loss_scale.update([gradient]), scalar_spec())
        return *run(gradient), mode.value(loss_scale())

    update, *others = updated(DynamicLossScale(8, 1))
    expected, *as_stock = updated(native.DynamicLossScale(8, 1))
    assert others == as_stock
    assert update is None if mode.name == "eager" else update == expected


@pytest.mark.parametrize("growth_steps", [1, 2, 3])
def test_in_eager_mode_it_follows_the_rule_from_any_state(growth_steps: int) -> None:
    numbers = RuleNumbers.of_multiplier(growth_steps, 2.0)
    for scale in (1.0, 8.0, 2.0**127):
        for good_steps in range(5):
            for gradient in (1.0, NAN):
                loss_scale = DynamicLossScale(scale, growth_steps)
                loss_scale.good_steps.assign(good_steps)
                loss_scale.update([gradient])
                expected = next_state(ScaleState(scale, good_steps), gradient == 1, numbers)
                assert (float(loss_scale), int(loss_scale.good_steps)) == expected[:2]
