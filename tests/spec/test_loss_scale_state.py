# SPDX-License-Identifier: Apache-2.0
"""A loss scale in a loop of one's own, in Python, NumPy and JAX.

test_other_systems.py has PyTorch, and compares with the libraries whose state is read and written.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from compat_lossscale import LossScaleRule, LossScaleState, all_finite
from compat_lossscale.errors import (
    ConfigFormatError,
    InexpressibleLossScaleError,
    LossScaleArgumentError,
)
from compat_lossscale.spec import ScaleState, next_state
from tests.goldens.rules.steps import random_steps
from tests.support import INF, NAN, run_code

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

RULES = {
    "tensorflow": LossScaleRule.tensorflow(increment_period=9),
    "torch": LossScaleRule.torch(growth_interval=2),
    "deepspeed": LossScaleRule.deepspeed(scale_window=10, delayed_shift=2),
    "consecutive": LossScaleRule(growth_steps=30, hysteresis=3, consecutive_hysteresis=True),
    "apex": LossScaleRule.apex(scale_window=5, min_loss_scale=64.0),
}


def scales(rule: LossScaleRule, steps: list[bool]) -> list[tuple[float, int, int]]:
    """The states after each step, by the pure function."""
    state, found = ScaleState(2.0**15, 0, rule.hysteresis), []
    for finite in steps:
        state = next_state(state, finite, rule.numbers)
        found.append((state.scale, state.good_steps, state.hysteresis_left))
    return found


def values(state: LossScaleState) -> tuple[float, int, int]:
    return float(state.loss_scale), int(state.good_steps), int(state.hysteresis_left)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_state_of_pythons_numbers_follows_the_rule(rule: LossScaleRule) -> None:
    steps, state = list(random_steps(1, 2000)), rule.init()
    for finite, expected in zip(steps, scales(rule, steps), strict=True):
        state = state.adjust(finite)
        assert values(state) == expected
        assert type(state.loss_scale) is float
        assert type(state.good_steps) is int


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("start", [2.0**15, np.float32(2.0**15), jnp.float32(2.0**15)])
def test_a_scan_of_jax_follows_the_rule(rule: LossScaleRule, start: Any) -> None:
    steps = list(random_steps(2, 10_000))

    def step(state: LossScaleState, finite: Any) -> tuple[LossScaleState, LossScaleState]:
        after = state.adjust(finite)
        return after, after

    _, states = jax.lax.scan(step, rule.init(start), jnp.array(steps))
    found = zip(*(leaf.tolist() for leaf in jax.tree.leaves(states)), strict=True)
    assert list(found) == scales(rule, steps)


def test_a_step_in_jit_is_compiled_once_and_keeps_the_types() -> None:
    traced = []

    @jax.jit
    def step(state: LossScaleState, w: Any, x: Any) -> tuple[LossScaleState, Any]:
        traced.append(state)
        gradient = jax.grad(lambda w: state.scale(jnp.sum(w * x)))(w)
        gradient = state.unscale(gradient)
        finite = all_finite(gradient)
        return state.adjust(finite), jnp.where(finite, w - gradient, w)

    state, w = LossScaleRule(growth_steps=2, hysteresis=2).init(), jnp.ones([2])
    for x in (1.0, INF, 2.0, 1.0, NAN, NAN):
        state, w = step(state, w, jnp.array([x, 0.5]))
    assert len(traced) == 1
    assert values(state) == (2.0**15, 0, 1)
    assert (state.loss_scale.dtype, state.good_steps.dtype) == (jnp.float32, jnp.int32)
    assert w.tolist() == [-3.0, -0.5]


def test_in_jax_with_64_bits_the_scale_stays_one_of_32() -> None:
    jax.config.update("jax_enable_x64", True)
    try:
        state = LossScaleRule(growth_steps=1).init().adjust(jnp.array(True))
        assert (state.loss_scale.dtype, state.good_steps.dtype) == (jnp.float32, jnp.int32)
        assert state.unscale(jnp.ones([], jnp.float64)).dtype == jnp.float64
    finally:
        jax.config.update("jax_enable_x64", False)


def test_more_steps_than_an_int32_counts_are_never_reached() -> None:
    rule = LossScaleRule(growth_steps=2**40)
    assert values(rule.init(jnp.float32(8.0)).adjust(True)) == (8.0, 1, 1)


def test_another_rule_is_compiled_anew() -> None:
    step = jax.jit(lambda state: state.adjust(True))
    state = step(LossScaleRule(growth_steps=1).init(8.0))
    state = dataclasses.replace(state, rule=state.rule.replace(growth_factor=4.0))
    assert float(step(state).loss_scale) == 64.0


def test_a_state_is_a_pytree_whose_leaves_are_its_scalars() -> None:
    state = LossScaleRule().init(jnp.float32(8.0))
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    assert [jax.tree_util.keystr(path) for path, _ in leaves] == [
        ".loss_scale", ".good_steps", ".hysteresis_left",
    ]  # fmt: skip
    assert jax.tree.map(lambda leaf: leaf * 2, state).loss_scale == 16.0


def test_a_state_made_or_read_before_jax_is_imported_is_known_to_it_when_used() -> None:
    out = run_code(
        """
import pickle, sys
from collections import OrderedDict
from compat_lossscale import LossScaleRule
early = LossScaleRule().init()
assert not {"jax", "numpy", "torch", "tensorflow"} & set(sys.modules)
assert early.adjust(False).unscale(OrderedDict(a=[3.0])) == OrderedDict(a=[3.0 / 2 ** 14])
assert not {"jax", "numpy", "torch", "tensorflow"} & set(sys.modules)
import jax
print(jax.jit(lambda state: state.adjust(True))(pickle.loads(pickle.dumps(early))).good_steps)
"""
    )
    assert out.strip() == "1"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_state_can_be_copied_and_pickled(copied: Callable[[Any], Any]) -> None:
    state = LossScaleRule(hysteresis=2).init(4.0, good_steps=3)
    assert copied(state) == state


def test_a_state_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        LossScaleRule().init().loss_scale = 1.0  # type: ignore[misc]  # the mistake that is tested


@pytest.mark.parametrize("start", [0, -1.0, INF, NAN, "8", np.ones([2]), None, 1e-60])
def test_a_start_that_is_no_loss_scale_is_refused(start: Any) -> None:
    with pytest.raises(LossScaleArgumentError, match="initial_scale"):
        LossScaleRule().init(start)


@pytest.mark.parametrize("array", [np.ones, jnp.ones])
def test_arrays_with_dimensions_are_neither_a_start_nor_a_truth_value(array: Any) -> None:
    with pytest.raises(LossScaleArgumentError, match=r"initial_scale.*a single number"):
        LossScaleRule().init(array([2]))
    with pytest.raises(LossScaleArgumentError, match=r"\(2,\)\. Pass all_finite\(gradients\)"):
        LossScaleRule().init().adjust(array([2], bool))


class Pair(NamedTuple):
    first: Any
    second: Any


def test_nested_gradients_keep_their_containers() -> None:
    state = LossScaleRule().init(4.0)
    nested = {
        "b": [8.0, None], "a": (np.float64(4),), "c": OrderedDict(d=Pair(np.array([2.0]), 12)),
    }  # fmt: skip
    unscaled = state.unscale(nested)
    assert list(unscaled) == ["b", "a", "c"]
    assert unscaled == {"b": [2.0, None], "a": (1.0,), "c": {"d": Pair(np.array([0.5]), 3)}}
    assert type(unscaled["c"]) is OrderedDict
    assert type(unscaled["c"]["d"]) is Pair
    assert state.scale([1.0, {"x": 2.0}]) == [4.0, {"x": 8.0}]


def test_pytrees_that_only_jax_knows_keep_their_containers() -> None:
    gradients = jax.tree_util.Partial(max, jnp.float32(8.0))
    assert LossScaleRule().init(4.0).unscale(gradients).args == (2.0,)
    assert bool(all_finite(gradients))


@pytest.mark.parametrize("value", ["8", {1.0}, object()])
def test_what_is_neither_array_nor_container_is_refused(value: Any) -> None:
    with pytest.raises(LossScaleArgumentError, match=f"A {type(value).__name__} is neither"):
        LossScaleRule().init().unscale({"gradient": value})


@pytest.mark.parametrize("start", [2.0**15, jnp.float32(2.0**15)], ids=["python", "jax"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("array", [np.array, jnp.array], ids=["numpy", "jax array"])
def test_narrow_numbers_become_float32(array: Any, dtype: str, start: Any) -> None:
    state = LossScaleRule().init(start)
    gradient = state.unscale(array([2.0**-10], jnp.dtype(dtype)))
    assert gradient.dtype == "float32"
    assert float(gradient[0]) == 2.0**-25  # which would be 0 in float16
    loss = state.scale(array([4.0], jnp.dtype(dtype)))
    assert loss.dtype == "float32"
    assert float(loss[0]) == 2.0**17  # which would be infinite in float16


def test_a_scale_of_2_to_the_126_does_not_make_gradients_0_on_jax() -> None:
    state = LossScaleRule().init(jnp.float32(2.0**126))
    for unscale in (state.unscale, jax.jit(state.unscale)):
        assert unscale(jnp.full([2], 2.0**123)).tolist() == [0.125, 0.125]


def test_gradients_of_float64_stay_float64() -> None:
    assert LossScaleRule().init().unscale(np.ones([2])).dtype == np.float64


@pytest.mark.parametrize("array", [np.float16, np.float32, jnp.float32, jnp.bfloat16, float])
def test_all_finite_looks_at_every_number(array: Any) -> None:
    assert bool(all_finite([array(1), {"a": array(2)}, None])) is True
    for bad in (INF, -INF, NAN):
        assert bool(all_finite([array(1), {"a": (array(bad),)}])) is False


def test_all_finite_returns_what_a_loop_can_use() -> None:
    assert all_finite([]) is True
    assert all_finite([1.0, np.ones([2])]) is True
    assert isinstance(jax.jit(all_finite)([jnp.ones([2]), np.ones([2])]), jax.Array)


GRAD_SCALER = {
    "scale": 4096.0,
    "growth_factor": 4.0,
    "backoff_factor": 0.3,
    "growth_interval": 500,
    "_growth_tracker": 17,
}
"""What `torch.amp.GradScaler.state_dict()` returns."""


def test_the_state_of_grad_scaler_is_read_and_written() -> None:
    state = LossScaleState.from_grad_scaler(GRAD_SCALER)
    assert values(state) == (4096.0, 17, 1)
    assert state.rule == LossScaleRule.torch(
        growth_factor=4.0, backoff_factor=0.3, growth_interval=500
    )
    written = state.to_grad_scaler()
    assert written == GRAD_SCALER
    assert list(map(type, written.values())) == list(map(type, GRAD_SCALER.values()))
    ran = jax.jit(lambda state: state.adjust(True))(state)
    assert ran.to_grad_scaler() == {**GRAD_SCALER, "_growth_tracker": 18}


def test_a_grad_scaler_that_is_not_enabled_has_no_state() -> None:
    with pytest.raises(ConfigFormatError, match="empty if the scaler is not enabled"):
        LossScaleState.from_grad_scaler({})


@pytest.mark.parametrize(
    "changes",
    [{"min_scale": 1.0}, {"max_scale": 8.0}, {"hysteresis": 2}, {"growth_delay": 1}],
    ids=str,
)
def test_what_grad_scaler_cannot_do_is_named(changes: dict[str, Any]) -> None:
    state = LossScaleRule(min_scale=0.0).replace(**changes).init(8.0)
    (name,) = changes
    with pytest.raises(InexpressibleLossScaleError, match=f"GradScaler cannot have {name}="):
        state.to_grad_scaler()


def test_what_only_says_how_to_warn_is_no_reason_to_refuse() -> None:
    assert LossScaleRule(min_scale=0.0, on_floor="raise").init(8.0).to_grad_scaler()


def test_the_fields_of_dynamic_scale_of_flax_are_read() -> None:
    flax = SimpleNamespace(
        growth_factor=2.0, backoff_factor=0.5, growth_interval=2, fin_steps=jnp.int32(2),
        scale=jnp.float32(8.0), minimum_scale=None,
    )  # fmt: skip
    state = LossScaleState.from_dynamic_scale(flax)
    assert isinstance(state.loss_scale, jax.Array)
    assert (state.rule.growth_steps, state.rule.min_scale) == (3, 0.0)
    assert values(state.adjust(True)) == (16.0, 0, 1)
