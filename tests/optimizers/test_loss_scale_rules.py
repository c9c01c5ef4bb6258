# SPDX-License-Identifier: Apache-2.0
"""`rule=` on the constructors for tf-keras and TensorFlow 1, and what keeps a rule."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import (
    LossScaleOptimizer,
    LossScaleRule,
    LossScaleSpec,
    assert_equivalent,
    configs_equivalent,
    experimental,
    v1,
)
from compat_lossscale.errors import (
    InexpressibleLossScaleError,
    LossScaleArgumentError,
    LossScaleStuckError,
    LossScaleStuckWarning,
)
from compat_lossscale.formats.reading import read
from compat_lossscale.formats.verification import as_json, verify_artefact
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer
from tests.support import NAN, Family, Mode, scalar_spec

pytestmark = pytest.mark.grid(2)

RULE = LossScaleRule.megatron(growth_interval=3).replace(max_scale=2.0**20)
AT_ONCE = LossScaleRule(growth_steps=1, max_scale=16.0)
WAYS: dict[str, Any] = {
    "eager": lambda function: function,
    "function": tf.function,
    "jit": lambda function: tf.function(function, jit_compile=True),
}


def step_of(optimizer: Any, variable: Any, wrap: Any = lambda function: function) -> Any:
    return wrap(lambda gradient: optimizer.apply_gradients([(gradient, variable)]) and None)


def test_each_constructor_takes_a_rule(family: Family) -> None:
    opt = LossScaleOptimizer(family.sgd(), initial_scale=8.0, rule=RULE)
    assert (opt.loss_scale_rule, opt.initial_scale) == (RULE, 8)
    assert experimental.LossScaleOptimizer(family.sgd(), "dynamic", rule=RULE).loss_scale_rule == (
        RULE
    )
    inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
    assert MixedPrecisionLossScaleOptimizer(inner, "dynamic", rule=RULE).loss_scale_rule == RULE
    assert LossScaleOptimizer(family.sgd()).loss_scale_rule == LossScaleRule()
    assert LossScaleOptimizer(family.sgd(), dynamic=False, initial_scale=2).loss_scale_rule is None


def test_policies_and_the_graph_rewrite_keep_the_rule_of_a_loss_scale(family: Family) -> None:
    loss_scale = compat_lossscale.DynamicLossScale(8.0, rule=RULE)
    policy = experimental.Policy("mixed_float16", loss_scale)
    kept = experimental.Policy.from_config(json.loads(json.dumps(policy.get_config())))
    assert kept.wrap_optimizer(family.sgd()).loss_scale_rule == RULE
    opt = v1.enable_mixed_precision_graph_rewrite(family.sgd(), loss_scale)
    assert opt.loss_scale_rule == RULE


def test_optimizers_with_other_rules_are_told_apart(family: Family) -> None:
    def config(**changes: Any) -> dict[str, Any]:
        config: dict[str, Any] = LossScaleOptimizer(
            family.sgd(), rule=RULE.replace(**changes)
        ).get_config()
        return config

    assert configs_equivalent(config(), config())
    assert not configs_equivalent(config(), config(hysteresis=3))
    assert not configs_equivalent(config(), LossScaleOptimizer(family.sgd()).get_config())
    assert_equivalent(*(LossScaleOptimizer(family.sgd(), rule=RULE) for _ in range(2)))
    with pytest.raises(AssertionError, match="loss_scale"):
        assert_equivalent(
            LossScaleOptimizer(family.sgd(), rule=RULE), LossScaleOptimizer(family.sgd())
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dynamic": False, "initial_scale": 2.0}, "fixed loss scale has no"),
        ({"dynamic_growth_steps": 5}, r"rule=rule.replace\(growth_steps=5\)"),
        ({"rule": "torch"}, "must be a LossScaleRule"),
    ],
)
def test_arguments_that_contradict_a_rule_are_refused(
    family: Family, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(LossScaleArgumentError, match=message):
        LossScaleOptimizer(family.sgd(), **{"rule": RULE, **arguments})


@pytest.mark.parametrize("loss_scale", [128, compat_lossscale.FixedLossScale(2.0)])
def test_with_a_rule_the_old_constructors_take_dynamic_only(
    family: Family, loss_scale: Any
) -> None:
    with pytest.raises(LossScaleArgumentError, match='must be "dynamic"'):
        experimental.LossScaleOptimizer(family.sgd(), loss_scale, rule=RULE)
    inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
    with pytest.raises(LossScaleArgumentError, match='must be "dynamic"'):
        MixedPrecisionLossScaleOptimizer(inner, loss_scale, rule=RULE)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_rule_changes_while_training(family: Family, wrap: Any) -> None:
    opt, variable = (
        LossScaleOptimizer(family.sgd(), initial_scale=8, rule=AT_ONCE),
        tf.Variable(1.0),
    )
    step = step_of(opt, variable, wrap)
    for _ in range(4):
        step(tf.constant(0.0))
    assert float(opt.loss_scale) == 16
    opt.loss_scale_rule = AT_ONCE.replace(max_scale=64.0)
    for _ in range(4):
        step(tf.constant(0.0))
    assert float(opt.loss_scale) == 64
    with pytest.raises(LossScaleArgumentError, match="make the optimizer with rule="):
        LossScaleOptimizer(family.sgd()).loss_scale_rule = AT_ONCE


def test_a_callback_changes_the_rule_and_nothing_is_traced_again(family: Family) -> None:
    class Raise(tf_keras.callbacks.Callback):  # type: ignore[misc]  # tf-keras has no types
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            del logs
            rule = self.model.optimizer.loss_scale_rule
            self.model.optimizer.loss_scale_rule = rule.replace(max_scale=32.0 * 2**epoch)

    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))])
    model.compile(LossScaleOptimizer(family.sgd(0.0), initial_scale=8, rule=AT_ONCE), "mse")
    data = tf.data.Dataset.from_tensors(([[1.0]], [[1.0]])).repeat(2)
    model.fit(data, verbose=0)
    assert float(model.optimizer.loss_scale) == 16
    count = model.train_function.experimental_get_tracing_count()
    model.fit(data, epochs=3, verbose=0, callbacks=[Raise()])
    assert float(model.optimizer.loss_scale) == 128
    assert model.train_function.experimental_get_tracing_count() == count


def test_on_replicas_a_rule_changes_and_a_floor_is_an_error(family: Family, mirrored: Any) -> None:
    rule, traces = AT_ONCE.replace(min_scale=4.0, on_floor="raise"), []
    with mirrored.scope():
        opt, variable = (
            LossScaleOptimizer(family.sgd(), initial_scale=8, rule=rule),
            tf.Variable(1.0),
        )

    @tf.function(autograph=False)
    def step(gradients: tf.Tensor) -> None:
        traces.append(1)

        def on_replica() -> None:
            here = tf.distribute.get_replica_context().replica_id_in_sync_group
            opt.apply_gradients([(gradients[here], variable)])

        mirrored.run(on_replica)

    def scales(*gradients: float) -> list[float]:
        seen = []
        for gradient in gradients:
            step(tf.constant([0.0, gradient]))
            seen.append(float(opt.loss_scale))
        return seen

    assert scales(0.0, 0.0) == [16, 16]
    count = len(traces)
    opt.loss_scale_rule = rule.replace(max_scale=64.0)
    assert scales(0.0, 0.0, 0.0, NAN, NAN, NAN, NAN) == [32, 64, 64, 32, 16, 8, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="floor of its rule"):
        scales(NAN)
    assert len(traces) == count


@pytest.mark.parametrize(
    "keep",
    [
        lambda opt: type(opt).from_config(opt.get_config()),
        lambda opt: type(opt).from_config(json.loads(json.dumps(opt.get_config()))),
        copy.copy,
        copy.deepcopy,
        lambda opt: pickle.loads(pickle.dumps(opt)),
    ],
    ids=["config", "json", "copy", "deepcopy", "pickle"],
)
@pytest.mark.parametrize("old", [False, True], ids=["2.4", "2.3"])
def test_copies_keep_the_rule(family: Family, keep: Any, old: bool) -> None:
    opt: Any = (
        experimental.LossScaleOptimizer(family.sgd(), "dynamic", rule=RULE)
        if old
        else LossScaleOptimizer(family.sgd(), rule=RULE)
    )
    kept = keep(opt)
    assert kept.loss_scale_rule == RULE
    assert kept._loss_scale.hysteresis_left is not None


def test_other_generations_cannot_say_a_rule() -> None:
    with pytest.raises(InexpressibleLossScaleError, match="hysteresis=2"):
        LossScaleSpec(rule=RULE).to_config("keras3")


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "saved_model", "weights"])
def test_files_keep_the_rule_and_its_state(family: Family, tmp_path: Path, name: str) -> None:
    compat_lossscale.install()
    try:
        model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))])
        opt = LossScaleOptimizer(family.sgd(0.0), initial_scale=8.0, rule=RULE)
        model.compile(opt, "mse")
        model.fit([[1.0]], [[1.0]], verbose=0)
        opt.apply_gradients([(tf.constant([[NAN]]), model.trainable_variables[0])][:1])
        assert int(opt._loss_scale.hysteresis_left) == 1
        path = str(tmp_path / name)
        if name == "weights":
            model.save_weights(path)
            state = read(path).states[0]
            assert state.hysteresis_left == 1
            return
        model.save(path)
        loaded = tf_keras.models.load_model(path)
        assert loaded.optimizer.loss_scale_rule == RULE
        assert int(loaded.optimizer._loss_scale.hysteresis_left) == 1
        artefact = read(path)
        assert [stated.spec.rule for stated in artefact.configs] == [RULE]
        assert artefact.states[0].hysteresis_left == 1
        result = verify_artefact(path)
        value = as_json([result])["artefacts"][0]
        assert result.status.value == "lossy"
        assert value["configs"][0]["spec"]["rule"] == RULE.to_config()
        lost = {one["name"] for one in value["configs"][0]["conversions"][0]["fields"]}
        assert {"rule.hysteresis", "rule.max_scale"} <= lost
    finally:
        compat_lossscale.uninstall()


def test_a_floor_can_be_an_error(family: Family) -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise", floor_steps=2)
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=8, rule=rule), tf.Variable(1.0)
    bad = [(tf.constant(NAN), variable)]
    for _ in range(2):  # to the floor, and the first step there
        opt.apply_gradients(bad)
    for _ in range(2):
        with pytest.raises(LossScaleStuckError, match="floor of its rule"):
            opt.apply_gradients(bad)
    assert (int(opt.skipped_steps), float(opt.loss_scale)) == (4, 4)


def test_a_function_raises_at_the_floor_and_stops_when_told_to(family: Family) -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise")
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=8, rule=rule), tf.Variable(1.0)
    step = step_of(opt, variable, tf.function)
    step(tf.constant(NAN))
    with pytest.raises(tf.errors.InvalidArgumentError, match="floor of its rule"):
        step(tf.constant(NAN))
    opt.loss_scale_rule = rule.replace(on_floor="ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(tf.constant(NAN))
        assert int(opt.skipped_steps) == 3


def test_what_xla_compiles_raises_when_somebody_looks(family: Family) -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise")
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=4, rule=rule), tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(0.0), variable)])
    step_of(opt, variable, lambda f: tf.function(f, jit_compile=True))(tf.constant(NAN))
    with pytest.raises(LossScaleStuckError, match="floor of its rule"):
        _ = opt.skipped_steps
    assert int(opt.skipped_steps) == 1


@pytest.mark.parametrize("on_floor", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("name", ["eager", "function", "jit"])
def test_each_way_to_meet_the_floor_waits_for_as_many_steps(
    family: Family, name: str, on_floor: Any
) -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor=on_floor, floor_steps=2)
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=8, rule=rule), tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(0.0), variable)])
    step = step_of(opt, variable, WAYS[name])
    warned, raised = [], []
    for number in range(4):  # to the floor, and three steps there
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                step(tf.constant(NAN))
                int(opt.skipped_steps)
            except (LossScaleStuckError, tf.errors.InvalidArgumentError):
                raised.append(number)
        warned += [number for one in caught if one.category is LossScaleStuckWarning]
    assert warned == ([2] if on_floor == "warn" else [])
    assert raised == ([] if on_floor != "raise" else [2] if name == "jit" else [2, 3])


def test_a_graph_of_tensorflow_1_raises_at_the_floor() -> None:
    rule = LossScaleRule(min_scale=4.0, on_floor="raise")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        mode, variable = Mode("graph", session), tf.compat.v1.get_variable("v", initializer=1.0)
        inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
        opt = MixedPrecisionLossScaleOptimizer(
            inner, compat_lossscale.DynamicLossScale(8.0, rule=rule)
        )
        step = mode.compile(lambda g: opt.apply_gradients([(g, variable)]), scalar_spec())
        step(NAN)
        with pytest.raises(tf.errors.InvalidArgumentError, match="floor of its rule"):
            step(NAN)


def test_a_scale_at_its_cap_is_not_stuck_and_a_warning_names_the_floor(family: Family) -> None:
    rule = LossScaleRule(growth_steps=1, max_scale=16.0, min_scale=8.0)
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=16, rule=rule), tf.Variable(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opt.apply_gradients([(tf.constant(0.0), variable)])
        opt.apply_gradients([(tf.constant(NAN), variable)])
    with pytest.warns(LossScaleStuckWarning, match="At 8, the lowest"):
        opt.apply_gradients([(tf.constant(NAN), variable)])


def test_a_step_that_is_tolerated_at_the_floor_is_not_stuck(family: Family) -> None:
    rule = LossScaleRule(min_scale=8.0, hysteresis=2)
    opt, variable = LossScaleOptimizer(family.sgd(), initial_scale=8, rule=rule), tf.Variable(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opt.apply_gradients([(tf.constant(NAN), variable)])
    with pytest.warns(LossScaleStuckWarning):
        opt.apply_gradients([(tf.constant(NAN), variable)])
