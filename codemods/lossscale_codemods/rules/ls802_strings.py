# SPDX-License-Identifier: Apache-2.0
"""A string that the program uses is reported if it contains an old name.

`mock.patch("tensorflow.keras.mixed_precision.experimental.set_policy")` and
`exec("from ...experimental import Policy")` fail with the new names. So does
`type(opt).__name__ == "LossScaleOptimizer"` with `--new-optimizers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared import run_text
from lossscale_codemods.rules.shared.run_text import last_name
from lossscale_codemods.vocabulary import likely_names, mentions, names
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program


class Strings(Rule):
    """Reports strings that code works with."""

    id = "LS802"
    title = "Strings that are old names"
    targets = frozenset(Target)
    valid = (
        Case(
            "mock.patch('tensorflow.keras.mixed_precision.experimental.set_policy')\n",
            review="the path of an old name",
        ),
        Case(
            "ok = type(opt).__name__ == 'LossScaleOptimizer'\n",
            review="another name now",
            new_optimizers=True,
        ),
        Case("ok = type(opt).__name__ == 'LossScaleOptimizer'\n"),
        Case(
            "exec('import tensorflow.keras.mixed_precision.experimental as mp')\n",
            review="is run as code",
        ),
        Case(
            "'''Sets it.\n\n"
            ">>> tf.keras.mixed_precision.experimental.set_policy(\"float32\")\n'''\n",
            review="a doctest",
        ),
        Case(
            "import tensorflow as tf\n"
            "scale = getattr(tf.train.experimental, 'DynamicLossScale')()\n",
            review="by its name",
        ),
        Case(
            "import tensorflow as tf\n"
            "for name in ['LossScale', 'FixedLossScale']:\n"
            "    print(getattr(tf.train.experimental, name))\n",
            review="known only when the program runs",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the strings, but for annotations."""
        annotations = {o.node for o in program.references}
        for node in program.tree.parents:
            if not isinstance(node, cst.SimpleString | cst.FormattedString) or node in annotations:
                continue
            if self._review(program, node) is not None:
                # The names of classes are in new programs too.
                old = run_text.text_of(node) not in names.OLD_CLASS_NAMES
                span = program.tree.span(node)
                yield Occurrence(node, span, Role.STRING, rule=self.id, is_old_use=old)
        for node in program.tree.parents:
            if isinstance(node, cst.Call) and _looks_up(program, node):
                yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports them."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.Call):
            return Review(
                "which name is looked up here is known only when the program runs, and old names "
                "of this module are gone",
                "Look at the names that come here, and write the new ones.",
            )
        if isinstance(node, cst.SimpleString | cst.FormattedString):
            return self._review(program, node)
        return None

    def _review(
        self, program: Program, node: cst.SimpleString | cst.FormattedString
    ) -> Review | None:
        text = run_text.text_of(node)
        reachability = program.reachability
        if text is None or reachability.feature_probe(node) or reachability.gone_probe(node):
            return None  # What asks is migrated itself.
        above = program.tree.parent(node)
        if isinstance(node, cst.SimpleString) and likely_names.is_old_path(text):
            return Review(
                "this string is the path of an old name, and strings are never edited",
                "Write the path of the new name into it, if code imports or patches by it.",
            )
        if isinstance(above, cst.Comparison | cst.ComparisonTarget) and _is_renamed(text, program):
            return Review(
                _RENAMED[text],
                "Test with isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer) "
                "instead.",
            )
        if program.target is not Target.COMPAT and _is_attribute_test(program, above, text):
            return Review(
                "getattr, hasattr or an import looks for an old name by its name",
                "Take out the branch for old versions, if TensorFlow 2.4 is the oldest you "
                "support; otherwise write the new name.",
                follows=_is_in_guard(program, node),
            )
        if not any(mentions.mentions_of_old_names(text)):
            return None
        if any(map(mentions.may_mention_old_name, _DOCTEST.findall(text))):
            return Review(
                "this text is a doctest, which is run as code, and strings are never edited",
                "Write the new names into it.",
            )
        if run_text.is_run(program, node):
            return Review(
                "this string is run as code, and strings are never edited",
                "Write the new names into it.",
            )
        if run_text.can_be_run(program, node):
            return Review(
                "this file runs text as code, and this string has an old name",
                "If it is run, write the new names into it.",
            )
        return None


_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.) .*$", re.MULTILINE)
_RENAMED = {
    "LossScaleOptimizer": (
        "the class has another name now around optimizers that are none of "
        "tf.keras.optimizers.legacy: LossScaleOptimizerV3"
    ),
    "LossScaleOptimizerV1": "no class has this name any more",
}
"""What to know of names of optimizer classes. That of TensorFlow 1 has the name that it had."""
_ALSO_OLD = "LossScaleOptimizer"
"""The name of the class around the optimizers of a program, unless these change."""
_MEMBERS = names.MEMBERS | {".experimental"}
"""What code looks for by its name in a module, or in an import of one."""
_ASKS = frozenset({"getattr", "hasattr"})
_IMPORTS = frozenset({"__import__", "import_module"})


def _is_renamed(text: str, program: Program) -> bool:
    """Whether a string was the name of a class that has another name in the migrated program."""
    if text == _ALSO_OLD and (program.legacy_optimizers or program.target is not Target.TF_KERAS):
        return False
    return text in _RENAMED


def _is_attribute_test(program: Program, argument: cst.CSTNode | None, text: str) -> bool:
    """Whether a string is the name in `getattr(module, "name")`, or in an import by a function."""
    call = program.tree.parent(argument) if isinstance(argument, cst.Arg) else None
    if not isinstance(call, cst.Call):
        call = (
            next((a for a in program.tree.ancestors(argument) if isinstance(a, cst.Call)), None)
            if isinstance(argument, cst.Element)
            else None
        )
    called = last_name(call) if call is not None else ""
    if call is None or not call.args or text not in _MEMBERS:
        return False
    if called in _ASKS:
        paths = program.resolver.paths(call.args[0].value)
        return any(
            p is not None and names.lookup(p) is None and names.lookup(f"{p}.{text}") is not None
            for p in paths
        )
    return called in _IMPORTS and any(
        isinstance(n, cst.SimpleString) and str(n.evaluated_value).endswith("mixed_precision")
        for n in program.tree.walk(call)
    )


def _is_in_guard(program: Program, text: cst.CSTNode) -> bool:
    """Whether a string is in the condition of a guard, which is reported."""
    guard_of = program.reachability.guard_of
    for above in program.tree.ancestors(text):
        if isinstance(above, cst.If | cst.IfExp):
            sides = [above.body, above.orelse]
            return any(side is not None and guard_of(side) is above for side in sides)
    return False


def _looks_up(program: Program, call: cst.Call) -> bool:
    """Whether a call is `getattr(module, name)`, of a module that had old names."""
    if last_name(call) not in _ASKS or len(call.args) < 2 or program.resolver.bindings(call.func):
        return False
    if isinstance(call.args[1].value, cst.SimpleString):
        return False
    return any(
        path is not None and names.lookup(path) is None and names.has_old_members(path)
        for path in program.resolver.paths(call.args[0].value)
    )
