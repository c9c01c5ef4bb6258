# SPDX-License-Identifier: Apache-2.0
"""Joining classes with families; what users see of it is tested in test_base.py."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import experimental
from compat_lossscale.optimizers import LossScaleOptimizer, base, stock
from tests.support import Family


def installed_class(declared: type) -> Any:
    """What `install()` puts in the old place: the class of one family."""
    return base.joined(declared, base.FRONT_ENDS[stock.OptimizerV2])


def test_a_subclass_of_a_joined_class_serves_both_families(family: Family) -> None:
    base = installed_class(experimental.LossScaleOptimizer)

    class Own(base):  # type: ignore[misc]  # TensorFlow has no types
        def __init__(self, optimizer: Any, loss_scale: Any = "dynamic") -> None:
            super().__init__(optimizer, loss_scale)

        def get_scaled_loss(self, loss: Any) -> Any:
            return super().get_scaled_loss(loss)

    class Further(Own):
        pass

    for cls in (Own, Further):
        opt = cls(family.sgd(0.5))
        assert isinstance(opt, cls)
        assert isinstance(opt, base)
        assert isinstance(opt, type(family.sgd()).__bases__[0])
        assert opt.__class__ is cls
        assert issubclass(cls, base)
        v = tf.Variable(1.0)
        opt.minimize(lambda v=v: v * 2.0, [v])
        assert v.numpy() == 0.0


def test_a_subclass_may_skip_the_joined_class_in_its_super_calls() -> None:
    base = installed_class(LossScaleOptimizer)

    class Own(base):  # type: ignore[misc]  # TensorFlow has no types
        def get_scaled_loss(self, loss: Any) -> Any:
            return super(base, self).get_scaled_loss(loss) * 2.0

    opt = Own(tf_keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8)
    assert opt.get_scaled_loss(tf.constant(1.0)) == 16


def test_the_family_of_an_optimizer_is_its_base_class(family: Family) -> None:
    assert isinstance(family.sgd(), base.family_of(family.sgd()))  # type: ignore[arg-type]  # it is not None here


@pytest.mark.parametrize("what", [None, "sgd", 5])
def test_what_is_no_optimizer_has_no_family(what: Any) -> None:
    assert base.family_of(what) is None
