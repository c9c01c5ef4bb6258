# SPDX-License-Identifier: Apache-2.0
"""A loss scale of PyTorch's tensors, and beside GradScaler, flax and jmp, step by step.

`make test-torch` has all of them. Without one of them, `conftest.py` leaves this file out.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

from compat_lossscale import LossScaleRule, LossScaleState, all_finite
from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.spec import ScaleState, next_state
from tests.goldens.rules.steps import random_steps

STEPS = 5000


def bits(number: Any) -> bytes:
    return np.float32(number).tobytes()


@pytest.mark.parametrize("interval", [1, 2])
@pytest.mark.parametrize("start", ["python", "tensor"])
def test_grad_scaler_of_pytorch_moves_in_the_same_way(interval: int, start: str) -> None:
    torch = importlib.import_module("torch")
    scaler = torch.amp.GradScaler("cpu", growth_interval=interval)
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.0)
    scaler.scale(torch.zeros(1))
    state = LossScaleState.from_grad_scaler(scaler.state_dict())
    if start == "tensor":
        state = state.rule.init(torch.tensor(state.loss_scale))
    for finite in random_steps(interval, STEPS):
        gradient = torch.tensor([0.0 if finite else math.inf])
        parameter.grad = gradient.clone()
        scaler.step(optimizer)
        scaler.update()
        state = state.adjust(all_finite(state.unscale([gradient, None])))
        assert state.to_grad_scaler() == scaler.state_dict()
        if not finite:  # goes on from what was written
            other = torch.amp.GradScaler("cpu")
            other.load_state_dict(state.to_grad_scaler())
            assert other.state_dict() == scaler.state_dict()


@pytest.mark.parametrize("start", ["python", "tensor"])
def test_a_step_in_torch_compile_follows_the_rule_without_a_break(start: str) -> None:
    torch = importlib.import_module("torch")
    compiled = []

    def counted(graph: Any, inputs: Any) -> Any:
        del inputs
        compiled.append(graph)
        return graph

    @torch.compile(fullgraph=True, backend=counted)
    def step(state: LossScaleState, w: Any, x: Any) -> tuple[LossScaleState, Any]:
        gradient = torch.func.grad(lambda w: state.scale(torch.sum(w * x)))(w)
        gradients = state.unscale({"w": gradient})
        finite = all_finite(gradients)
        return state.adjust(finite), torch.where(finite, w - gradients["w"], w)

    torch._dynamo.reset()
    rule = LossScaleRule(growth_steps=3, hysteresis=2, max_scale=2.0**17, growth_delay=1)
    state = rule.init(torch.tensor(2.0**15) if start == "tensor" else 2.0**15)
    expected, w, applied = ScaleState(2.0**15, 0, 2), torch.zeros(2), 0
    for finite in random_steps(3, 600):
        state, w = step(state, w, torch.tensor([1.0, 0.0 if finite else math.nan]))
        expected, applied = next_state(expected, finite, rule.numbers), applied + finite
        assert (state.loss_scale, state.good_steps, state.hysteresis_left) == expected
    assert w.tolist() == [-applied, 0.0]
    assert (state.loss_scale.dtype, state.good_steps.dtype) == (torch.float32, torch.int32)
    assert len(compiled) == (1 if start == "tensor" else 2)


def test_narrow_tensors_of_pytorch_become_float32() -> None:
    torch = importlib.import_module("torch")
    for start in (2.0**15, torch.tensor(2.0**15)):
        state = LossScaleRule().init(start)
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            (gradient,) = state.unscale([torch.full([2], 2.0**-10, dtype=dtype)])
            assert gradient.dtype == torch.float32
            assert gradient.tolist() == [2.0**-25] * 2
            assert float(state.scale(torch.tensor(4.0, dtype=dtype))) == 2.0**17
        assert state.unscale(torch.ones([2], dtype=torch.float64)).dtype == torch.float64


@pytest.mark.parametrize("consecutive", [True, False])
def test_tensors_of_pytorch_stay_on_their_device(consecutive: bool) -> None:
    torch = importlib.import_module("torch")
    rule = LossScaleRule(hysteresis=2, consecutive_hysteresis=consecutive, max_scale=2.0**20)
    state = rule.init(torch.tensor(2.0**15, device="meta"))  # a device without values
    finite = all_finite(state.unscale([torch.ones([2], device="meta")]))
    assert finite.device.type == "meta"
    for said in (finite, True):
        after = state.adjust(said)
        for scalar in (after.loss_scale, after.good_steps, after.hysteresis_left):
            assert scalar.device.type == "meta"
    assert state.unscale(torch.ones([], device="meta")).device.type == "meta"


def test_more_steps_than_an_int32_of_pytorch_counts_are_never_reached() -> None:
    torch = importlib.import_module("torch")
    state = LossScaleRule(growth_steps=2**40).init(torch.tensor(8.0)).adjust(True)
    assert (float(state.loss_scale), int(state.good_steps)) == (8.0, 1)


@pytest.mark.parametrize(
    ("interval", "factor", "backoff", "minimum"),
    [(9, 2.0, 0.5, 0.5), (0, 4.0, 0.25, 2.0**-126), (1, 1.1, 0.9, 1.0)],
)
def test_dynamic_scale_of_flax_moves_in_the_same_way(
    interval: int, factor: float, backoff: float, minimum: float
) -> None:
    jax = importlib.import_module("jax")
    dynamic_scale = importlib.import_module("flax.training.dynamic_scale")
    theirs = dynamic_scale.DynamicScale(
        growth_interval=interval,
        growth_factor=factor,
        backoff_factor=backoff,
        minimum_scale=minimum,
        scale=jax.numpy.float32(65536.0),
    )
    ours = LossScaleState.from_dynamic_scale(theirs)
    theirs = ours.to_dynamic_scale()

    @jax.jit
    def step(theirs: Any, ours: LossScaleState, slope: Any) -> tuple[Any, Any, LossScaleState]:
        theirs, finite, *_ = theirs.value_and_grad(lambda x: x * slope)(1.0)
        gradient = jax.grad(lambda x: ours.scale(x * slope))(1.0)
        return finite, theirs, ours.adjust(all_finite([ours.unscale(gradient)]))

    for finite in random_steps(interval, STEPS):
        said, theirs, ours = step(theirs, ours, 0.0 if finite else math.nan)
        assert bool(said) == finite
        assert bits(ours.loss_scale) == bits(theirs.scale)
        assert int(ours.good_steps) == int(theirs.fin_steps)
    assert LossScaleState.from_dynamic_scale(ours.to_dynamic_scale()) == ours


def test_what_dynamic_scale_of_flax_cannot_do_is_named() -> None:
    with pytest.raises(InexpressibleLossScaleError, match="DynamicScale cannot have hysteresis=2"):
        LossScaleRule(hysteresis=2).init().to_dynamic_scale()


@pytest.mark.parametrize(("period", "factor"), [(9, 2), (3, 3)])
@pytest.mark.parametrize("compiled", [True, False])
def test_jmp_moves_in_the_same_way(period: int, factor: int, compiled: bool) -> None:
    jax = importlib.import_module("jax")
    jmp = importlib.import_module("jmp")
    start = jax.numpy.float32(2.0**15)
    theirs = jmp.DynamicLossScale(start, period=period, factor=factor)
    ours = LossScaleRule.tensorflow(increment_period=period, multiplier=factor).init(start)

    def step(theirs: Any, ours: Any, finite: Any) -> tuple[Any, Any]:
        return theirs.adjust(finite), ours.adjust(finite)

    step = jax.jit(step) if compiled else step
    for finite in random_steps(period, STEPS if compiled else 500):
        theirs, ours = step(theirs, ours, jax.numpy.array(finite))
        assert bits(ours.loss_scale) == bits(theirs.loss_scale)
        assert int(ours.good_steps) == int(theirs.counter)
    gradients = {"a": jax.numpy.ones([2], "float16")}
    mine, others = ours.unscale(gradients)["a"], theirs.unscale(gradients)["a"]
    assert mine.dtype == others.dtype
    assert mine.tolist() == pytest.approx(others.tolist(), rel=1e-6)
