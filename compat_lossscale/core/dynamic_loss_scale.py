# SPDX-License-Identifier: Apache-2.0
"""`DynamicLossScale`: the state of a loss scale that follows the gradients, and its update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

import tensorflow as tf

from compat_lossscale.core import graph_names, native
from compat_lossscale.core.growth_and_backoff import GrowsAndBacksOff
from compat_lossscale.core.loss_scale import LossScale
from compat_lossscale.core.replicas import finite_on_all_replicas, grouped, must_merge
from compat_lossscale.core.rule_settings import RuleSettings
from compat_lossscale.core.tracing import as_written
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    LossScaleRule,
    LossScaleSpec,
)


class DynamicLossScale(LossScale, GrowsAndBacksOff, native.DynamicLossScale):
    """A loss scale that grows while the gradients are finite and shrinks when they are not.

    The rule is `compat_lossscale.spec.next_state`. A checkpoint has its two variables under
    `current_loss_scale` (float32) and `good_steps` (int64).

    Source: `tf.train.experimental.DynamicLossScale` of TensorFlow 1.14 to 2.4.

    Args:
        initial_loss_scale: The first value.
        increment_period: Good steps in a row after which the loss scale grows.
        multiplier: The factor by which it grows and shrinks.
        rule: The rule by which it moves instead, which no TensorFlow has. If it tolerates bad
            steps, there is a third variable, `hysteresis_left` (int64).

    Raises:
        LossScaleArgumentError: The rule contradicts the other numbers.
    """

    def __init__(
        self,
        initial_loss_scale: float = DEFAULT_INITIAL_SCALE,
        increment_period: int = DEFAULT_GROWTH_STEPS,
        multiplier: float = DEFAULT_MULTIPLIER,
        rule: LossScaleRule | None = None,
    ) -> None:
        if rule is not None:
            spec = LossScaleSpec(True, initial_loss_scale, increment_period, multiplier, rule)
            self._set_up_from(spec)
        else:
            self._set_up(initial_loss_scale, increment_period, multiplier)
        self._current_loss_scale = self._add_weight(
            name="current_loss_scale", dtype=tf.float32, initial_value=self._initial_loss_scale
        )
        self._num_good_steps = self._add_weight(name="good_steps", dtype=tf.int64, initial_value=0)
        if self._settings is not None and self._settings.rule.hysteresis > 1:
            self._hysteresis_left = self._add_weight(
                name="hysteresis_left",
                dtype=tf.int64,
                initial_value=self._settings.rule.hysteresis,
            )

    def _set_up_from(self, spec: LossScaleSpec) -> None:
        assert spec.growth_steps is not None
        assert spec.multiplier is not None
        self._set_up(spec.initial_scale, spec.growth_steps, spec.multiplier)
        if spec.rule is not None:
            self._settings = RuleSettings(spec.rule)

    def _set_up(self, initial: float, period: int, multiplier: float) -> None:
        LossScale.__init__(self)
        self._initial_loss_scale = float(initial)
        self._increment_period = int(period)
        self._multiplier = float(multiplier)

    @classmethod
    def sharing_state_of(cls, native: Any) -> DynamicLossScale:
        """Makes one that shares its variables with a `DynamicLossScale` of TensorFlow's own."""
        spec = LossScaleSpec.from_argument(native)
        loss_scale = cls.of_variables(native._current_loss_scale, native._num_good_steps, spec)
        loss_scale._weights = native._weights
        return loss_scale

    @classmethod
    def of_variables(
        cls, current: Any, good_steps: Any, spec: LossScaleSpec, hysteresis_left: Any = None
    ) -> DynamicLossScale:
        """Makes one whose state is in variables of the caller's, who puts them in checkpoints.

        Args:
            current: A float32 scalar variable, the current value.
            good_steps: An integer scalar variable, the good steps in a row so far.
            spec: The initial value and the rule.
            hysteresis_left: An integer scalar variable, if the rule tolerates bad steps.
        """
        loss_scale: DynamicLossScale = cls.__new__(cls)
        loss_scale._set_up_from(spec)
        loss_scale._hysteresis_left = hysteresis_left
        loss_scale._current_loss_scale = current
        loss_scale._num_good_steps = good_steps
        return loss_scale

    @property
    def initial_loss_scale(self) -> float:
        """The loss scale's first value."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """Good steps in a row after which the loss scale grows."""
        return (
            self._increment_period if self._settings is None else self._settings.rule.growth_steps
        )

    @property
    def multiplier(self) -> float:
        """The factor by which the loss scale grows and shrinks; of a rule, its growth factor."""
        return self._multiplier if self._settings is None else self._settings.rule.growth_factor

    @property
    def rule(self) -> LossScaleRule | None:
        """The rule by which the loss scale moves. To change it, assign another one.

        It can change if the loss scale was made with a rule that differs from TensorFlow's by more
        than the period and the multiplier. Functions that are traced already take the new numbers.
        It is `None` for numbers that no rule has, such as a multiplier of 1.

        Raises:
            LossScaleArgumentError: It cannot change. The message says why.
        """
        if self._settings is not None:
            return self._settings.rule
        return LossScaleSpec(
            True, self._initial_loss_scale, self._increment_period, self._multiplier
        ).whole_rule

    @rule.setter
    def rule(self, rule: LossScaleRule) -> None:
        if self._settings is None:
            raise LossScaleArgumentError(
                "This loss scale was made without a rule, or with one that says no more than the "
                "growth steps and one factor: these are constants of its functions. To change the "
                "rule later, make the optimizer with rule= and what differs from TensorFlow, for "
                "example rule=LossScaleRule(max_scale=2.0**127)."
            )
        self._settings.change(rule)

    @property
    def settings(self) -> RuleSettings | None:
        """Where graphs read the numbers of a rule; `None` without a rule."""
        return self._settings

    @property
    def hysteresis_left(self) -> tf.Variable | None:
        """Bad steps until the loss scale shrinks, an int64 variable.

        `None` if the first bad step shrinks it.
        """
        return self._hysteresis_left

    @property
    def good_steps(self) -> tf.Variable:
        """The number of good steps in a row so far, an int64 variable."""
        return self._num_good_steps

    # What TensorFlow 2.4 called them in the private class that its optimizers kept.
    counter = good_steps
    growth_steps = increment_period

    @property
    def current_loss_scale(self) -> tf.Variable:
        """The variable that holds the current value, a float32 scalar."""
        return self._current_loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns the current value as a float32 scalar tensor."""
        return tf.convert_to_tensor(self._current_loss_scale)

    def _as_graph_element(self) -> Any:
        """Lets a Session fetch it, as it fetches the variable: without a new operation."""
        if tf.compat.v1.executing_eagerly_outside_functions():
            return super()._as_graph_element()
        return tf.compat.v1.get_default_graph().as_graph_element(self._current_loss_scale)

    @as_written
    def update(self, grads: Any) -> tuple[Any, tf.Tensor]:
        """Moves the loss scale by the update rule.

        Args:
            grads: A nested structure of unscaled gradients; see `LossScale.update`.

        Returns:
            A pair `(update_op, should_apply)`. `should_apply` is a bool scalar tensor that says
            whether all gradients, on all replicas, are finite. In a graph, `update_op` is a tensor
            of the same value, which is evaluated after the update.
        """
        if must_merge():
            updated: tuple[Any, tf.Tensor] = tf.distribute.get_replica_context().merge_call(
                lambda _, grads: self.update(grads), args=(grads,)
            )
            return updated
        graph_names.reserve_cond()
        finite = finite_on_all_replicas(grads)
        moved = self.advance(finite)
        if tf.executing_eagerly():
            return None, finite
        with tf.control_dependencies([grouped(moved)]):
            return tf.identity(finite), finite

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's three arguments, and a rule as a dictionary, if there is one.

        A rule that has changed is stated as it is now.
        """
        config = {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }
        rule = {} if self._settings is None else {"rule": self._settings.rule.to_config()}
        return {**config, **rule}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Makes a loss scale, in its initial state, from `get_config()`'s dictionary."""
        if not isinstance(config, Mapping) or config.get("rule") is None:
            return super().from_config(config)
        return super().from_config({**config, "rule": LossScaleRule.from_config(config["rule"])})

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel" and self._settings is not None:
            # A SavedModel refuses functions whose variables it does not have.
            return {**children, "rule_settings": self._settings.variable}
        return children

    def __repr__(self) -> str:
        config = [f"{name}={value}" for name, value in self.get_config().items()]
        if tf.executing_eagerly():
            state = [
                f"current_loss_scale={self._current_loss_scale.numpy()}",
                f"num_good_steps={self._num_good_steps.numpy()}",
            ]
            config = state + config
        return f"DynamicLossScale({', '.join(config)})"


def moves_by_the_rule(loss_scale: LossScale) -> TypeGuard[DynamicLossScale]:
    """Whether a loss scale moves by this package's rule, and not by a user's subclass' own."""
    return type(loss_scale).update is DynamicLossScale.update
