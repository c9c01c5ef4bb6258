# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.mixed_precision` is reported: what each of its names would be."""

from __future__ import annotations

import dataclasses

import libcst as cst

from lossscale_codemods.domain import Occurrence, Program
from lossscale_codemods.rules.base import Review, Rule, Verdict
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import Meaning

_V1 = "tf.compat.v1.mixed_precision"
_SAID = {
    "FixedLossScaleManager": Review(
        "tf.contrib is gone, and its optimizer skipped steps that are not finite, which current "
        "ones apply under a fixed loss scale",
        f"If that is fine, use {_V1}.MixedPrecisionLossScaleOptimizer with the number.",
    ),
    "ExponentialUpdateLossScaleManager": Review(
        "tf.contrib is gone; a DynamicLossScale halves at the first step that is not finite and "
        "doubles after so many that are, which this manager does only with "
        "decr_every_n_nan_or_inf=1, incr_ratio=2 and decr_ratio=0.5",
        f"If that is fine, use {_V1}.DynamicLossScale(init_loss_scale, incr_every_n_steps) and "
        f"{_V1}.MixedPrecisionLossScaleOptimizer.",
    ),
    "LossScaleOptimizer": Review(
        "tf.contrib is gone, and so is the manager of this optimizer",
        f"Use {_V1}.MixedPrecisionLossScaleOptimizer; see the finding of the manager.",
    ),
}
_MANAGERS = _SAID.keys() - {"LossScaleOptimizer"}
_OTHER = Review(
    "tf.contrib went away with TensorFlow 1",
    f"Use {_V1}.MixedPrecisionLossScaleOptimizer for v1 optimizers, or "
    "tf.keras.mixed_precision.LossScaleOptimizer for Keras ones.",
)


class Contrib(Rule):
    """Says of each name what it would be."""

    id = "LS603"
    title = "tf.contrib.mixed_precision"
    explains = frozenset({Meaning.CONTRIB})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports the name."""
        last = contrib_member(occurrence.node, program)
        if occurrence.meaning is Meaning.CONTRIB:
            last = occurrence.names[0].path.rpartition(".")[2]
        if last is None:
            return None
        others = {contrib_member(one.node, program) for one in program.references}
        follows = last == "LossScaleOptimizer" and not others.isdisjoint(_MANAGERS)
        return dataclasses.replace(_SAID.get(last, _OTHER), follows=follows)


def contrib_member(node: cst.CSTNode, program: Program) -> str | None:
    """Returns which member of `tf.contrib.mixed_precision` this is, if it surely is one."""
    paths = program.types.members_of_returned(node) or program.resolver.paths(node)
    old = [names.lookup(path) if path is not None else None for path in paths]
    if not old or any(one is None or one.meaning is not Meaning.CONTRIB for one in old):
        return None
    last = {path.rpartition(".")[2] for path in paths if path is not None}
    return last.pop() if len(last) == 1 else None
