# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import DynamicLossScale, LossScaleRule
from compat_lossscale.core import apply_or_skip
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import ScaleState, next_state
from tests.reliability.rules import INITIAL, RULES, SHORT, random_steps, start
from tests.support import NAN, Mode, scalar_spec

STEPS = 20_000 if os.environ.get("ALL_CASES") else 5 * SHORT
"""Of `make nightly`, in functions; elsewhere a step takes too long. `soak` runs 200,000."""


def state_of(loss_scale: DynamicLossScale, mode: Mode) -> ScaleState:
    left = loss_scale.hysteresis_left
    return ScaleState(
        float(mode.value(loss_scale.current_loss_scale)),
        int(mode.value(loss_scale.good_steps)),
        None if left is None else int(mode.value(left)),
    )


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("name", ["eager", "function", "jit", "graph"])
def test_every_way_to_run_a_step_moves_by_the_pure_rule(name: str, rule: LossScaleRule) -> None:
    with tf.Graph().as_default() if name == "graph" else tf.name_scope(""):
        session = tf.compat.v1.Session() if name == "graph" else None
        mode = Mode(name, session)
        loss_scale = DynamicLossScale(INITIAL, rule=rule)
        step = mode.compile(lambda gradient: loss_scale.update([gradient])[0], scalar_spec())
        expected = start(rule)
        for finite in random_steps(5 * SHORT if name in ("eager", "graph") else min(STEPS, 2000)):
            step(1.0 if finite else NAN)
            expected = next_state(expected, finite, rule.numbers)
            after = state_of(loss_scale, mode)
            if name == "graph" and rule is RULES["factors"]:
                # A constant divisor becomes a product with its reciprocal, rounded otherwise.
                assert after.scale == pytest.approx(expected.scale, rel=1e-6)
                expected = expected._replace(scale=after.scale)
            assert after == expected


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("replicas", [1, 2])
def test_long_runs_in_a_function_move_by_the_pure_rule(
    replicas: int, rule: LossScaleRule, mirrored: Any
) -> None:
    strategy = mirrored if replicas == 2 else tf.distribute.get_strategy()
    with strategy.scope():
        loss_scale, variable = DynamicLossScale(INITIAL, rule=rule), tf.Variable(0.0)

    @tf.function(autograph=False)
    def run(gradient: tf.Tensor) -> None:
        strategy.run(
            lambda: (
                apply_or_skip(
                    loss_scale,
                    [gradient * 1.0],
                    apply=lambda gradients: variable.assign_add(gradients[0], read_value=False),
                )
                and None
            )
        )

    expected = start(rule)
    for finite in random_steps(STEPS if replicas == 1 else min(STEPS, 5 * SHORT)):
        run(tf.constant(0.0 if finite else NAN))
        expected = next_state(expected, finite, rule.numbers)
        assert state_of(loss_scale, Mode("eager")) == expected


@pytest.mark.parametrize("name", ["eager", "function", "jit"])
def test_another_rule_acts_without_tracing_again(name: str) -> None:
    rule, traces = LossScaleRule(growth_steps=1, max_scale=64.0), []
    loss_scale = DynamicLossScale(8.0, rule=rule)

    def update(gradient: tf.Tensor) -> None:
        traces.append(1)
        loss_scale.update([gradient])

    mode = Mode(name)
    step = mode.compile(update, scalar_spec())
    for _ in range(5):
        step(1.0)
    assert float(loss_scale) == 64
    count = len(traces)
    loss_scale.rule = rule.replace(max_scale=1000.0, growth_factor=4.0, min_scale=16.0)
    seen = []
    for gradient in (1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, NAN, NAN):
        step(gradient)
        seen.append(float(loss_scale))
    assert seen == [256, 1000, 1000, 500, 250, 125, 62.5, 31.25, 16]
    assert name == "eager" or len(traces) == count


@pytest.mark.parametrize("rule", [LossScaleRule(), LossScaleRule.tensorflow(), None])
def test_a_rule_that_is_the_default_adds_nothing(rule: LossScaleRule | None) -> None:
    def operations(**arguments: Any) -> list[str]:
        loss_scale = DynamicLossScale(**arguments)
        traced = tf.function(lambda gradient: loss_scale.update([gradient])[1])
        graph = traced.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
        functions = graph.as_graph_def().library.function
        return [
            *(one.type for one in graph.get_operations()),
            *(node.op for function in functions for node in function.node_def),
        ]

    assert operations(rule=rule) == operations()
    assert sorted(DynamicLossScale(rule=rule).state) == ["current_loss_scale", "good_steps"]
    assert DynamicLossScale(rule=rule).get_config() == DynamicLossScale().get_config()


def test_checkpoints_have_the_state_and_not_the_settings(tmp_path: Path) -> None:
    loss_scale = DynamicLossScale(8.0, rule=LossScaleRule.megatron())
    path = tf.train.Checkpoint(loss_scale=loss_scale).save(tmp_path / "ckpt")
    names = {name.split("/")[1] for name, _ in tf.train.list_variables(path) if "/" in name}
    names -= {".ATTRIBUTES"}
    assert names == {"current_loss_scale", "good_steps", "hysteresis_left"}


def test_a_function_with_settings_is_exported_with_them(tmp_path: Path) -> None:
    module = tf.Module()
    module.loss_scale = DynamicLossScale(8.0, rule=LossScaleRule.torch(growth_interval=1))
    module.update = tf.function(
        lambda gradient: module.loss_scale.update([gradient])[1],
        input_signature=[tf.TensorSpec([], tf.float32)],
    )
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    loaded.update(tf.constant(1.0))
    assert float(loaded.loss_scale.current_loss_scale) == 16


def test_what_cannot_change_is_refused_with_what_to_do() -> None:
    with pytest.raises(LossScaleArgumentError, match="make the optimizer with rule="):
        DynamicLossScale().rule = LossScaleRule(max_scale=8.0)
    rule = LossScaleRule(max_scale=8.0)
    loss_scale = DynamicLossScale(rule=rule)
    with pytest.raises(LossScaleArgumentError, match="hysteresis cannot change from 1 to 2"):
        loss_scale.rule = rule.replace(hysteresis=2)
    with pytest.raises(LossScaleArgumentError, match="must be a LossScaleRule"):
        loss_scale.rule = 8.0  # type: ignore[assignment]  # the mistake that is tested
    assert loss_scale.rule == rule


def test_in_a_graph_of_tensorflow_1_the_numbers_are_constants() -> None:
    rule = LossScaleRule(max_scale=8.0)
    with tf.Graph().as_default():
        loss_scale = DynamicLossScale(rule=rule)
        names = [variable.op.name for variable in tf.compat.v1.global_variables()]
        assert names == ["current_loss_scale", "good_steps"]
        with pytest.raises(LossScaleArgumentError, match="Make a new optimizer"):
            loss_scale.rule = rule.replace(max_scale=16.0)
        with pytest.raises(LossScaleArgumentError, match="Use floor_steps=1"):
            DynamicLossScale(rule=rule.replace(on_floor="raise", floor_steps=2))
