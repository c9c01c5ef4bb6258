# SPDX-License-Identifier: Apache-2.0
"""Idioms that real training code uses on loss-scale optimizers."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import tensorflow as tf

import compat_lossscale
from compat_lossscale import experimental
from tests.support import Family, run_code


class WithExtra(experimental.LossScaleOptimizer):
    def __init__(self, optimizer: Any, loss_scale: Any, extra: int = 3) -> None:
        super().__init__(optimizer, loss_scale)
        self.extra = extra

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "extra": self.extra}


class NewWithExtra(compat_lossscale.LossScaleOptimizer):
    def __init__(self, inner_optimizer: Any, extra: int = 3, **kwargs: Any) -> None:
        super().__init__(inner_optimizer, **kwargs)
        self.extra = extra

    def get_config(self) -> dict[str, Any]:
        # Wrong as soon as it is subclassed, and in real code all the same.
        return {**super(self.__class__, self).get_config(), "extra": self.extra}


def test_a_subclass_finds_its_own_keys_in_the_config(family: Family) -> None:
    old = WithExtra(family.sgd(), "dynamic", extra=9)
    assert WithExtra.from_config(old.get_config()).extra == 9
    new = NewWithExtra(family.sgd(), extra=7, initial_scale=4)
    made = NewWithExtra.from_config(new.get_config())
    assert (made.extra, made.initial_scale) == (7, 4)


def test_a_key_that_nobody_knows_is_an_error(family: Family) -> None:
    config = compat_lossscale.LossScaleOptimizer(family.sgd()).get_config()
    with pytest.raises(TypeError, match="unknown_key"):
        compat_lossscale.LossScaleOptimizer.from_config({**config, "unknown_key": 1})


def test_a_class_made_of_an_instance_wraps_as_horovod_does(family: Family) -> None:
    optimizer = experimental.LossScaleOptimizer(family.sgd(0.1), "dynamic")

    def init(self: Any, **kwargs: Any) -> None:
        self.aggregated = False
        super(self.__class__, self).__init__(**kwargs)

    made = type(type(optimizer).__name__, (type(optimizer),), {"__init__": init})
    distributed = made.from_config(optimizer.get_config())
    v = tf.Variable(1.0)
    distributed.minimize(lambda: v**2, [v])
    assert float(v) == pytest.approx(0.8)
    assert distributed.__class__ is made


def test_a_copy_goes_on_by_itself(family: Family) -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(family.sgd(0.1))
    v = tf.Variable(1.0)
    optimizer.minimize(lambda: v**2, [v])
    copied = copy.deepcopy(optimizer)
    optimizer.minimize(lambda: v**2, [v])
    assert type(copied) is type(optimizer)
    assert (int(copied.iterations), int(copied.dynamic_counter)) == (1, 1)
    assert (int(optimizer.iterations), int(optimizer.dynamic_counter)) == (2, 2)


def test_an_inner_optimizer_is_given_the_name_by_position() -> None:
    class Clipping(Family("legacy").module.SGD):  # type: ignore[misc]  # TensorFlow has no types
        def apply_gradients(self, pairs: Any, clip_norm: float = 0.5, **kwargs: Any) -> Any:
            gradients, variables = zip(*pairs, strict=True)
            clipped, _ = tf.clip_by_global_norm(gradients, clip_norm)
            return super().apply_gradients(zip(clipped, variables, strict=True), **kwargs)

    optimizer = experimental.LossScaleOptimizer(Clipping(1.0), "dynamic")
    v = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(9.0), v)], 0.25)
    optimizer.apply_gradients([(tf.constant(9.0), v)])
    assert float(v) == 1.0 - 0.25 - 0.5


def test_the_training_step_of_keras_2_3_runs_when_it_is_copied() -> None:
    optimizer = experimental.LossScaleOptimizer(Family("legacy").sgd(0.5), 8)
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(v * 1.0)
    gradients = optimizer._aggregate_gradients(zip(tape.gradient(loss, [v]), [v], strict=True))
    gradients = optimizer.get_unscaled_gradients(gradients)
    gradients = optimizer._clip_gradients(gradients)
    optimizer.apply_gradients(
        zip(gradients, [v], strict=True), experimental_aggregate_gradients=False
    )
    assert float(v) == 0.5


def test_state_answers_to_the_private_names_of_tensorflow_2_4() -> None:
    state = compat_lossscale.DynamicLossScale(8, 5)
    assert (float(state.current_loss_scale), int(state.counter), state.growth_steps) == (8, 0, 5)


def test_uninstalling_leaves_a_programs_own_policy_in_charge() -> None:
    printed = run_code(
        """
        import tensorflow as tf
        import compat_lossscale
        from compat_lossscale.experimental import Policy, set_policy
        policy = Policy("mixed_float16", 8)
        with compat_lossscale.installed():
            pass
        set_policy(policy)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        print(float(model.optimizer.loss_scale))
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert printed.split() == ["8.0"]
