# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.mixed_precision` went away with TensorFlow 1; its uses are reported.

Its optimizer wraps v1 optimizers and takes a manager. A `FixedLossScaleManager(n)` is a
`FixedLossScale(n)`. An `ExponentialUpdateLossScaleManager(init, n, 1, 2, 0.5)` is a
`DynamicLossScale(init, n)`; its defaults, `decr_every_n_nan_or_inf=2` and `decr_ratio=0.8`, have no
equivalent.
"""

from __future__ import annotations

import libcst as cst

from lossscale_codemods.evaluate import constant
from lossscale_codemods.names import Meaning
from lossscale_codemods.program import Occurrence, Program
from lossscale_codemods.verdict import Case, Review, Rule, Verdict

_HEAD = "import tensorflow as tf\n"
_MANAGER = (
    "init_loss_scale",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "incr_ratio",
    "decr_ratio",
)
_EXACT = {"decr_every_n_nan_or_inf": 1, "incr_ratio": 2, "decr_ratio": 0.5}
_HOME = "tf.compat.v1.mixed_precision"


class Contrib(Rule):
    """Reports tf.contrib, with what each manager would be."""

    id = "LS603"
    title = "tf.contrib.mixed_precision"
    valid = (
        Case(
            f"{_HEAD}m = tf.contrib.mixed_precision.FixedLossScaleManager(128)\n",
            review="FixedLossScale(128)",
        ),
        Case(
            f"{_HEAD}m = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager"
            "(2 ** 15, 1000)\n",
            review="no equivalent",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every use."""
        if occurrence.meaning is not Meaning.CONTRIB:
            return None
        last = occurrence.names[0].path.rsplit(".", 1)[-1]
        call = program.call(occurrence)
        given = self._given(call, program) if call is not None else {}
        if last == "FixedLossScaleManager" and given:
            value = given.get("init_loss_scale", given.get("loss_scale", "..."))
            return Review(
                f"tf.contrib is gone; this manager is {_HOME}.FixedLossScale({value})",
                f"Wrap the v1 optimizer with {_HOME}.MixedPrecisionLossScaleOptimizer.",
            )
        if last == "ExponentialUpdateLossScaleManager" and given:
            if all(_number(given.get(key)) == value for key, value in _EXACT.items()):
                start = given.get("init_loss_scale", "...")
                steps = given.get("incr_every_n_steps", "...")
                return Review(
                    f"tf.contrib is gone; this manager is {_HOME}.DynamicLossScale({start}, {steps})",
                    f"Wrap the v1 optimizer with {_HOME}.MixedPrecisionLossScaleOptimizer.",
                )
            return Review(
                "tf.contrib is gone, and this manager's rules have no equivalent: a DynamicLossScale "
                "halves at the first step that is not finite and doubles after so many that are",
                f"If that is fine, use {_HOME}.DynamicLossScale and "
                f"{_HOME}.MixedPrecisionLossScaleOptimizer.",
            )
        return Review(
            "tf.contrib went away with TensorFlow 1",
            f"Use {_HOME}.MixedPrecisionLossScaleOptimizer for v1 optimizers, or "
            "tf.keras.mixed_precision.LossScaleOptimizer for Keras ones.",
        )

    @staticmethod
    def _given(call: cst.Call, program: Program) -> dict[str, str]:
        found: dict[str, str] = {}
        for index, argument in enumerate(call.args):
            if argument.keyword is not None:
                found[argument.keyword.value] = program.tree.source(argument.value)
            elif not argument.star and index < len(_MANAGER):
                found[_MANAGER[index]] = program.tree.source(argument.value)
        return found


def _number(source: str | None) -> object:
    if source is None:
        return None
    try:
        value: object = constant(source)
    except ValueError:
        return None
    return value
