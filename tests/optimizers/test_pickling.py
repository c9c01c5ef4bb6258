# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import compat_lossscale
from compat_lossscale import experimental
from compat_lossscale.core import DynamicLossScale, LossScale
from tests.loss_scales import CappedLossScale
from tests.support import NAN, Family, run_code

pytestmark = pytest.mark.grid(2)


class OwnLossScale(LossScale):
    def __init__(self, start: float = 4.0) -> None:
        super().__init__()
        self.start = start
        self._scale = self._add_weight("own_scale", start, tf.float32)

    def __call__(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return self._scale.assign(self._scale * 2.0), True

    def get_config(self) -> dict[str, Any]:
        return {"start": self.start}


class Own(experimental.LossScaleOptimizer):
    def __init__(self, optimizer: Any, loss_scale: Any = "dynamic", extra: int = 1) -> None:
        super().__init__(optimizer, loss_scale)
        self.extra = extra

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "extra": self.extra}


MAKE = {
    "dynamic": lambda inner: compat_lossscale.LossScaleOptimizer(inner, True, 64, 2),
    "fixed": lambda inner: compat_lossscale.LossScaleOptimizer(inner, False, 64),
    "experimental": lambda inner: experimental.LossScaleOptimizer(inner, "dynamic"),
    "multiplier": lambda inner: experimental.LossScaleOptimizer(inner, DynamicLossScale(64, 2, 4)),
    "own loss scale": lambda inner: experimental.LossScaleOptimizer(inner, OwnLossScale()),
    "subclass of a known one": lambda inner: experimental.LossScaleOptimizer(
        inner, CappedLossScale()
    ),
    "own optimizer": lambda inner: Own(inner, 8, extra=5),
}


def train(opt: Any, variables: list[Any], gradients: list[float]) -> None:
    for gradient in gradients:
        opt.apply_gradients([(tf.fill(v.shape, gradient), v) for v in variables])


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
@pytest.mark.parametrize("steps", [0, 3])
def test_an_unpickled_optimizer_goes_on_to_the_bit(family: Family, make: Any, steps: int) -> None:
    opt = make(family.adam(0.1))
    variables = [tf.Variable(1.0), tf.Variable([1.0, 2.0])]
    train(opt, variables, [1.0, NAN, 0.5][:steps])
    again = pickled(pickled(opt))
    assert again.__class__ == opt.__class__
    assert type(again._loss_scale) is type(opt._loss_scale)
    assert float(again.loss_scale) == float(opt.loss_scale)
    assert int(again.iterations) == int(opt.iterations)
    assert getattr(again, "extra", 5) == 5
    others = [tf.Variable(v) for v in variables]
    train(opt, variables, [0.25, 2.0])
    train(again, others, [0.25, 2.0])
    for variable, other in zip(variables, others, strict=True):
        np.testing.assert_array_equal(other, variable)
    assert float(again.loss_scale) == float(opt.loss_scale)
    assert again.get_config() == opt.get_config()


def test_slots_of_other_shapes_start_anew_with_a_warning(family: Family, logged: list[str]) -> None:
    opt = compat_lossscale.LossScaleOptimizer(family.adam(0.1))
    train(opt, [tf.Variable(1.0)], [1.0])
    again = pickled(opt)
    v = tf.Variable([1.0, 2.0])
    train(again, [v], [1.0])
    assert int(again.iterations) == 2
    assert v.numpy() == pytest.approx([0.9, 1.9], abs=0.1)
    assert sum("The slots start again" in message for message in logged) == 1


def test_a_pickle_is_read_in_another_process(family: Family, tmp_path: Any) -> None:
    opt = experimental.LossScaleOptimizer(family.sgd(0.5, momentum=0.5), DynamicLossScale(8, 1))
    v = tf.Variable(1.0)
    train(opt, [v], [1.0])
    path = tmp_path / "opt.pickle"
    path.write_bytes(pickle.dumps(opt))
    train(opt, [v], [1.0])
    out = run_code(
        f"""
import pickle, pathlib
import tensorflow as tf
opt = pickle.loads(pathlib.Path({str(path)!r}).read_bytes())
v = tf.Variable(0.5)
opt.apply_gradients([(tf.constant(1.0), v)])
print(v.numpy(), opt.loss_scale().numpy())
""",
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert out.splitlines()[-1] == f"{v.numpy()} {opt.loss_scale.numpy()}"


@pytest.mark.parametrize("cls", [compat_lossscale.LossScaleOptimizer, Own], ids=["public", "own"])
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_the_type_of_an_optimizer_is_pickled_as_in_2_3(
    family: Family, cls: Any, protocol: int
) -> None:
    made = type(cls(family.sgd()))
    assert pickle.loads(pickle.dumps(made, protocol)) is made
    assert pickle.loads(pickle.dumps(cls, protocol)) is cls


def test_loss_scales_and_policies_are_pickled() -> None:
    loss_scale = DynamicLossScale(8, 1)
    loss_scale.update([])
    assert pickled(loss_scale)() == 16
    assert pickled(experimental.FixedLossScale(8))() == 8
    assert pickled(experimental.Policy("mixed_float16", 8)).loss_scale() == 8


def test_a_shallow_copy_shares_the_inner_optimizer(family: Family) -> None:
    opt = compat_lossscale.LossScaleOptimizer(family.sgd())
    copied = copy.copy(opt)
    assert type(copied) is type(opt)
    assert copied.inner_optimizer is opt.inner_optimizer
