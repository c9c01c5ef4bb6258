# SPDX-License-Identifier: Apache-2.0
"""What the old constructors took: `loss_scale`, made into a LossScale, and `opt=`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.dynamic_loss_scale import DynamicLossScale
from compat_lossscale.core.loss_scale import FixedLossScale, LossScale
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleRule, LossScaleSpec, check_rule


class ForeignLossScale(LossScale):
    """A user's own subclass of TensorFlow's own `LossScale`, adapted to this package's classes.

    Args:
        loss_scale: The user's object. It keeps its state and decides everything.
    """

    def __init__(self, loss_scale: Any) -> None:
        super().__init__()
        self._foreign = loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns what the user's object returns."""
        return self._foreign()

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Lets the user's object update itself."""
        return self._foreign.update(grads)  # type: ignore[no-any-return]  # TensorFlow has no types

    def get_config(self) -> dict[str, Any]:
        """Returns the config of the user's object."""
        return self._foreign.get_config()  # type: ignore[no-any-return]  # TensorFlow has no types

    def __getattr__(self, name: str) -> Any:
        if name == "_foreign" or not hasattr(self._foreign, name):
            return super().__getattr__(name)
        return getattr(self._foreign, name)

    def _trackable_children(self, *args: Any, **kwargs: Any) -> Any:
        return self._foreign._trackable_children(*args, **kwargs)

    def _lookup_dependency(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._foreign._lookup_dependency(name, *args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._foreign)


def class_of(loss_scale: LossScale) -> type:
    """Returns a loss scale's class: of an adapted one, the user's own, as which it is saved."""
    return type(loss_scale._foreign if isinstance(loss_scale, ForeignLossScale) else loss_scale)


def as_loss_scale(loss_scale: Any, *, below_one: bool = False) -> LossScale:
    """Turns what the old constructors took as `loss_scale` into a LossScale.

    Args:
        loss_scale: `"dynamic"`, a Python int or float, or a LossScale. An object of this package,
            or of a subclass, is returned as it is, so that its state is shared with the caller, as
            in TensorFlow 1.14 to 2.3. TensorFlow's own objects are adapted and share their state
            too.
        below_one: Whether a number below 1 is taken, as by the optimizer of TensorFlow 2.4.

    Returns:
        The LossScale.

    Raises:
        LossScaleArgumentError: For anything else, `None` and a multiplier of 0 included.
    """
    if isinstance(loss_scale, native.DynamicLossScale) and loss_scale.multiplier == 0:
        # 2.4 refuses every multiplier but 2. Before, the loss scale became infinite for good.
        raise LossScaleArgumentError(
            "This DynamicLossScale has a multiplier of 0, by which the first bad step would make "
            "the loss scale infinite, and the first growth would make it 0. Use one above 1."
        )
    if isinstance(loss_scale, LossScale):
        return loss_scale
    if isinstance(loss_scale, native.LossScale):
        if type(loss_scale) is native.DynamicLossScale:
            return DynamicLossScale.sharing_state_of(loss_scale)
        if type(loss_scale) is native.FixedLossScale:
            return from_spec(LossScaleSpec.from_argument(loss_scale))
        return ForeignLossScale(loss_scale)
    if isinstance(loss_scale, int | float) and not below_one:
        return FixedLossScale(loss_scale)
    return from_spec(LossScaleSpec.from_argument(loss_scale))


def with_rule(loss_scale: Any, rule: LossScaleRule) -> DynamicLossScale:
    """Makes the dynamic loss scale of an old constructor that is given a rule too.

    Args:
        loss_scale: The constructor's `loss_scale`, which must be `"dynamic"`.
        rule: The rule.

    Returns:
        The loss scale.

    Raises:
        LossScaleArgumentError: `loss_scale` is anything else, or `rule` is no rule.
    """
    check_rule(rule)
    if not isinstance(loss_scale, str) or loss_scale != "dynamic":
        raise LossScaleArgumentError(
            f'With a "rule", "loss_scale" must be "dynamic", but is {loss_scale!r}. For another '
            "first value, pass loss_scale=DynamicLossScale(value, rule=rule) and leave out the "
            "rule."
        )
    return DynamicLossScale(rule=rule)


def from_spec(spec: LossScaleSpec) -> FixedLossScale | DynamicLossScale:
    """Makes the LossScale, in its initial state, that a spec describes."""
    if not spec.dynamic:
        return FixedLossScale.of_any_value(spec.initial_scale)
    assert spec.growth_steps is not None
    assert spec.multiplier is not None
    return DynamicLossScale(spec.initial_scale, spec.growth_steps, spec.multiplier, spec.rule)


def opt_means_optimizer(init: Callable[..., None]) -> Callable[..., None]:
    """Lets the first argument be given as `opt=`, its name in TensorFlow 1.14 and 1.15."""

    @functools.wraps(init)
    def init_with_either_name(self: Any, *args: Any, **kwargs: Any) -> None:
        if "opt" in kwargs and "optimizer" not in kwargs:
            kwargs["optimizer"] = kwargs.pop("opt")
        init(self, *args, **kwargs)

    return init_with_either_name
