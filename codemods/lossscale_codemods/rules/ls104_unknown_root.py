# SPDX-License-Identifier: Apache-2.0
"""A name that looks like an old one is reported if the object at its root is unknown.

In `def build(tf): return tf.keras.mixed_precision.experimental`, `tf` can be TensorFlow or another
object with the same attributes. The same is true of `from mylib import tf`, and of
`contrib.mixed_precision()`, which imports the module when it is called.

If the root is known to be another package, there is no finding. With `--unsafe-fixes`, a root that
is called `tf` or `tensorflow` counts as TensorFlow.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.ls603_contrib import contrib_member
from lossscale_codemods.rules.shared.constructors import loss_scale_argument, rewrite_constructor
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import Meaning, Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    pass


class UnknownRoot(Rule):
    """Reports look-alikes."""

    id = "LS104"
    title = "Old names with an unknown root"
    shows_imports = True
    targets = frozenset(Target)
    valid = (
        Case(
            "def build(tf):\n"
            "    tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n",
            review="where its first part comes from",
            unsafe="def build(tf):\n"
            "    tf.keras.mixed_precision.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "from mylib import contrib\n"
            "manager = contrib.mixed_precision().FixedLossScaleManager(128)\n",
            review="where its first part comes from",
        ),
        Case(
            "from mylib import tf\n"
            "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n",
            review="where its first part comes from",
            unsafe="from mylib import tf\n"
            "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "import sparse_operation_kit as sok\n"
            "opt = sok.tf.keras.mixed_precision.LossScaleOptimizer(opt, 1024)\n"
            "sok.tf.keras.mixed_precision.experimental.set_policy('x')\n",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every name of this kind."""
        if occurrence.role is not Role.UNRESOLVED:
            return None
        if contrib_member(occurrence.node, program) is not None:
            return None
        return Review(
            "it reads like an old name, but where its first part comes from cannot be seen here",
            "If it is TensorFlow, change it as the guide says; if not, suppress this finding.",
            unsafe_fix=self._as_tensorflow(occurrence, program),
        )

    @staticmethod
    def _as_tensorflow(occurrence: Occurrence, program: Program) -> Rewrite | None:
        """Returns the rewrite of a name below `tf` that would be right for TensorFlow's."""
        root, _, rest = (dotted(occurrence.node) or "").partition(".")
        old = names.lookup(f"tensorflow.{rest}") if root in {"tf", "tensorflow"} else None
        if old is None or not old.new or not old.new[0].startswith("tensorflow."):
            return None
        new = Edit(*occurrence.span, root + old.new[0].removeprefix("tensorflow"))
        call = program.call(occurrence)
        loss_scale = loss_scale_argument(call) if call is not None else None
        message = f"{root} is probably TensorFlow"
        if old.meaning is Meaning.OPTIMIZER and call is not None:
            if loss_scale is None or isinstance(loss_scale.value, cst.IfExp):
                return None
            made = rewrite_constructor(occurrence, call, program)
            if isinstance(made, Review):
                return None
            return dataclasses.replace(
                made, message=message, edits=lambda renderer: [new, *made.edits(renderer)]
            )
        renamed = old.meaning in (Meaning.SET_POLICY, Meaning.GLOBAL_POLICY) or (
            old.meaning is Meaning.POLICY and loss_scale is None
        )
        return Rewrite(message, lambda _: [new]) if renamed else None
