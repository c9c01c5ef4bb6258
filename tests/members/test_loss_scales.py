# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleSpec
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.members.loss_scales import as_loss_scale, from_spec
from tests.support import NAN

native = tf.compat.v1.mixed_precision


class OwnLossScale(LossScale):
    """A user's own, as a subclass of this package's class."""

    def __call__(self) -> tf.Tensor:
        return tf.constant(4.0)

    def update(self, grads: Any) -> tuple[Any, bool]:
        return tf.no_op(), True

    def get_config(self) -> dict[str, Any]:
        return {}


class NativeHalvingLossScale(native.LossScale):  # type: ignore[misc]  # TensorFlow has no types
    """A user's own, as a subclass of TensorFlow's own class."""

    def __init__(self, start: float = 64.0) -> None:
        super().__init__()
        self.start = start
        self._scale = self._add_weight("halving_scale", start, tf.float32)

    def __call__(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return self._scale.assign(self._scale / 2.0), True

    def get_config(self) -> dict[str, Any]:
        return {"start": self.start}


@pytest.mark.parametrize(
    "spec", [LossScaleSpec(), LossScaleSpec(True, 8, 5, 4), LossScaleSpec.fixed(0.25)]
)
def test_from_spec_makes_what_the_spec_says(spec: LossScaleSpec) -> None:
    loss_scale = from_spec(spec)
    assert loss_scale.spec == spec
    assert loss_scale() == spec.initial_scale


@pytest.mark.parametrize(
    ("argument", "kind", "value"),
    [
        ("dynamic", DynamicLossScale, 2**15),
        (8, FixedLossScale, 8),
        (8.5, FixedLossScale, 8.5),
        (True, FixedLossScale, 1),
    ],
)
def test_every_old_argument_becomes_a_loss_scale(argument: Any, kind: type, value: float) -> None:
    loss_scale = as_loss_scale(argument)
    assert type(loss_scale) is kind
    assert loss_scale() == value


def test_a_number_below_one_is_taken_only_where_tensorflow_2_4_took_it() -> None:
    with pytest.raises(ValueError, match="loss_scale_value must be at least 1"):
        as_loss_scale(0.5)
    assert as_loss_scale(0.5, below_one=True)() == 0.5
    assert as_loss_scale(8, below_one=True)() == 8


def test_an_object_of_ours_is_taken_as_it_is() -> None:
    for loss_scale in (DynamicLossScale(8), FixedLossScale(8), OwnLossScale()):
        assert as_loss_scale(loss_scale) is loss_scale


def test_a_dynamic_loss_scale_of_tensorflows_own_shares_its_state() -> None:
    theirs = native.DynamicLossScale(8, 2, 4)
    ours = as_loss_scale(theirs)
    assert isinstance(ours, DynamicLossScale)
    assert ours.get_config() == theirs.get_config()
    ours.update([])
    ours.update([])
    assert theirs() == ours() == 32
    theirs.update([tf.constant(NAN)])
    assert theirs() == ours() == 8


def test_a_fixed_loss_scale_of_tensorflows_own_becomes_ours() -> None:
    ours = as_loss_scale(native.FixedLossScale(8))
    assert type(ours) is FixedLossScale
    assert ours() == 8


def test_a_users_subclass_of_tensorflows_own_class_decides_for_itself(tmp_path: Path) -> None:
    theirs = NativeHalvingLossScale()
    ours = as_loss_scale(theirs)
    assert isinstance(ours, LossScale)
    ours.update([tf.constant(NAN)])
    assert theirs() == ours() == 32
    assert ours.get_config() == {"start": 64.0}
    assert ours.start == 64.0  # type: ignore[attr-defined]  # the user's own attribute
    path = tf.train.Checkpoint(ls=ours).save(str(tmp_path / "ckpt"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "ls/halving_scale/.ATTRIBUTES/VARIABLE_VALUE" in names
    ours.update([])
    tf.train.Checkpoint(ls=ours).restore(path).assert_existing_objects_matched()
    assert theirs() == 32


@pytest.mark.parametrize("argument", [None, "foo", [8.0], object()])
def test_what_is_no_loss_scale_is_refused(argument: Any) -> None:
    with pytest.raises(ValueError, match=re.compile("loss_scale cannot be None|loss scale ident")):
        as_loss_scale(argument)


def test_a_multiplier_of_zero_is_refused() -> None:
    for made in (DynamicLossScale(8, 3, 0), native.DynamicLossScale(8, 3, 0)):
        with pytest.raises(LossScaleArgumentError, match="multiplier of 0"):
            as_loss_scale(made)
