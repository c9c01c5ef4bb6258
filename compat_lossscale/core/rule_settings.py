# SPDX-License-Identifier: Apache-2.0
"""The numbers of a `LossScaleRule` where graphs read them, so that they can change while training.

They are settings and not state, so checkpoints do not have them.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleRule, RuleNumbers

_RAISES = "raise"
_COUNTS = ("growth_steps", "hysteresis", "growth_delay")


class RuleSettings:
    """Holds a rule, and its numbers in one variable that traced functions read.

    In a graph of TensorFlow 1 there is no variable, because a Saver would save it with the model:
    the numbers are constants of the graph.

    Args:
        rule: The rule at first.

    Attributes:
        rule: The rule now.
        variable: A float64 vector of the numbers, of how many steps at the floor are too many, and
            of whether they are an error; `None` in a graph of TensorFlow 1.

    Raises:
        LossScaleArgumentError: In a graph of TensorFlow 1, the rule needs to count steps.
    """

    def __init__(self, rule: LossScaleRule) -> None:
        self.rule = rule
        self.variable: Any = None
        if tf.compat.v1.executing_eagerly_outside_functions():
            self.variable = tf.Variable(
                _values(rule),
                dtype=tf.float64,
                trainable=False,
                synchronization=tf.VariableSynchronization.AUTO,
                aggregation=tf.VariableAggregation.NONE,
            )
        elif rule.on_floor == _RAISES and rule.floor_steps > 1:
            raise LossScaleArgumentError(
                f'on_floor="raise" with floor_steps={rule.floor_steps} needs a count of steps, and '
                "there is none in a graph of TensorFlow 1. Use floor_steps=1."
            )

    @property
    def numbers(self) -> RuleNumbers:
        """The rule's numbers: of Python in eager mode, and tensors in a `tf.function`."""
        if tf.executing_eagerly():
            return self.rule.numbers
        if self.variable is None:
            numbers = self.rule.numbers
            counts = {name: tf.constant(getattr(numbers, name), tf.int64) for name in _COUNTS}
            return numbers._replace(**counts)
        dtypes = {**dict.fromkeys(_COUNTS, tf.int64), "consecutive_hysteresis": tf.bool}
        values = zip(RuleNumbers._fields, tf.unstack(self.variable), strict=False)
        return RuleNumbers(
            **{name: tf.cast(value, dtypes.get(name, tf.float32)) for name, value in values}
        )

    @property
    def floor_steps_to_raise(self) -> Any:
        """Steps at the floor after which a `tf.function` raises, an int64 scalar tensor."""
        values = tf.unstack(self.variable)
        never = tf.constant(tf.int64.max, tf.int64)
        return tf.where(values[-1] > 0, tf.cast(values[-2], tf.int64), never)

    def change(self, rule: LossScaleRule) -> None:
        """Takes another rule, in functions that are traced already as well.

        Raises:
            LossScaleArgumentError: It is no rule, it needs a variable that is not there, or the
                settings are constants of a graph.
        """
        if not isinstance(rule, LossScaleRule):
            raise LossScaleArgumentError(f"loss_scale_rule must be a LossScaleRule, not {rule!r}.")
        if self.variable is None:
            raise LossScaleArgumentError(
                "In a graph of TensorFlow 1, the numbers of a rule are constants. Make a new "
                "optimizer with the other rule."
            )
        check_same_state(self.rule, rule)
        self.variable.assign(_values(rule))
        self.rule = rule


def check_same_state(before: LossScaleRule, after: LossScaleRule) -> None:
    """Refuses another rule that needs another set of variables.

    Raises:
        LossScaleArgumentError: One of the two tolerates bad steps, and the other does not.
    """
    if (before.hysteresis > 1) != (after.hysteresis > 1):
        raise LossScaleArgumentError(
            f"hysteresis cannot change from {before.hysteresis} to {after.hysteresis}: above 1 "
            "it needs a variable, which an optimizer has from the start or never. Make a new "
            "optimizer with the other rule."
        )


def _values(rule: LossScaleRule) -> list[float]:
    numbers = rule.numbers
    if numbers.max_scale is None:
        numbers = numbers._replace(max_scale=math.inf)
    return [*map(float, numbers), float(rule.floor_steps), float(rule.on_floor == _RAISES)]
