# SPDX-License-Identifier: Apache-2.0
"""`set_policy` becomes `set_global_policy`; `global_policy` and `Policy` lose `experimental`.

TensorFlow 2.4 renamed them: https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The rule
reports names of policies that no longer exist, and `set_policy(None)` for Keras 3, which takes no
`None`.
"""

from __future__ import annotations

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.analysis.syntax_tree import is_none
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict, rename
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Meaning

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_DEAD = ("infer", "_with_float32_vars", "infer_float32_vars", "infer_with_float32_vars")


def dead_name(call: cst.Call | None) -> str | None:
    """Returns the name of a policy that no version of today knows, if a call has it."""
    if call is None or not call.args:
        return None
    first = next((a for i, a in enumerate(call.args) if a.keyword is None and i == 0), call.args[0])
    if not isinstance(first.value, cst.SimpleString):
        return None
    name = str(first.value.evaluated_value)
    return name if name == "infer" or name.endswith(_DEAD[1:]) or "float32_vars" in name else None


class Policies(Rule):
    """Respells the functions of policies."""

    id = "LS501"
    title = "Global policy"
    explains = frozenset({Meaning.SET_POLICY, Meaning.GLOBAL_POLICY, Meaning.POLICY_SCOPE})
    invalid = (
        Case(
            f"{_HEAD}{_OLD}.set_policy('mixed_float16')\n",
            f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n",
        ),
        Case(
            f"{_HEAD}print({_OLD}.global_policy().compute_dtype)\n",
            f"{_HEAD}print({_NEW}.global_policy().compute_dtype)\n",
        ),
    )
    valid = (
        Case(f"{_HEAD}{_OLD}.set_policy('infer_float32_vars')\n", review="no policy of this name"),
        Case(f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n"),
        Case(
            "from tensorflow.python.keras.mixed_precision.experimental import policy\n"
            "with policy.policy_scope('mixed_float16'):\n    pass\n",
            review="policy_scope",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells calls and other uses; the signatures did not change."""
        if occurrence.meaning is Meaning.POLICY_SCOPE:
            return Review(
                "policy_scope is private and gone",
                "Call set_global_policy before and after, or give layers their dtype.",
            )
        if occurrence.meaning not in (Meaning.SET_POLICY, Meaning.GLOBAL_POLICY):
            return None
        if program.usage(occurrence) in (Usage.MEMBER, Usage.BASE_CLASS):
            return None
        dead = dead_name(program.call(occurrence))
        if dead is not None:
            return Review(
                f"there is no policy of this name any more: {dead!r}",
                "Say the dtype that is meant: 'mixed_float16', 'mixed_bfloat16' or 'float32'.",
            )
        if program.target in WITH_KERAS_3 and _sets_none(program.call(occurrence)):
            return Review(
                "Keras 3 takes no None for the policy",
                "Give the name of the default policy, which is 'float32' unless set_floatx() "
                "changed it.",
            )
        return rename("the current name", occurrence)


def _sets_none(call: cst.Call | None) -> bool:
    return call is not None and any(is_none(argument.value) for argument in call.args)
