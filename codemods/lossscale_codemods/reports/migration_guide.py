# SPDX-License-Identifier: Apache-2.0
"""The migration guide: every old spelling and its new one, made from the rules and the names.

What its rows say was done when the page was made: each of the rules' examples is migrated, and the
row shows the lines that its rule decided, and what the report says of them.
"""

from __future__ import annotations

import difflib
import textwrap
from typing import TYPE_CHECKING

from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Meaning, Target, lookup
from lossscale_codemods.vocabulary.options import Options
from lossscale_codemods.vocabulary.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.rules.base import Rule
    from lossscale_codemods.vocabulary.records import Record, Result

_INTRODUCTION = """\
<!-- Made by `python -m lossscale_codemods.reports.migration_guide`; do not edit. -->
# Migration guide

Every old spelling and its new one, made from the codemod's own rules: what is listed,
`compat-lossscale migrate` does, and proves ([how to use it](codemod/index.md)). To look something
up, search this page for the words in your code. The new names are what the default,
`--target tf-keras`, writes. *Left* means that there is no exact equivalent, or that it could not be
seen: a person has to decide, and the remark says what about.
"""
_NAMES = """
## Names

`tf` may be `tf.compat.v2`, `tensorflow_core` or `tensorflow._api.v2` as well.

| Old | New | `--target compat` | Rule |
| --- | --- | --- | --- |
"""
_TABLE = "\n| Old | New | Rule | Remark |\n| --- | --- | --- | --- |\n"
KINDS = {
    "LS1": "Imports and aliases",
    "LS2": "Constructors and classes",
    "LS3": "Call sites",
    "LS4": "Type tests",
    "LS5": "Policies",
    "LS6": "TensorFlow 1 and the graph rewrite",
    "LS7": "Guards for old versions",
    "LS8": "Comments and strings",
    "LS9": "Names next to the loss-scale API",
    "LS0": "On top of compat_lossscale, with `--target compat`",
}
ON_KERAS_3 = {
    Target.KERAS3: "To Keras 3, with `--target keras3`",
    Target.KERAS3_ALONE: "To Keras 3 alone, with `--target keras3 --no-dependency`",
}
_KERAS = ("LossScaleOptimizer", "Policy", "set_policy", "global_policy", "get_layer_policy")
_SCALES = ("LossScale", "FixedLossScale", "DynamicLossScale")
_REWRITE = ("enable_mixed_precision_graph_rewrite", "disable_mixed_precision_graph_rewrite")
_V1 = (*_SCALES, "MixedPrecisionLossScaleOptimizer", *_REWRITE)
_PRIVATE_KERAS = "tensorflow.python.keras.mixed_precision.experimental"
_PRIVATE_V1 = "tensorflow.python.training.experimental"
HOMES = {
    "tensorflow.keras.mixed_precision.experimental": _KERAS,
    "tensorflow.compat.v1.keras.mixed_precision.experimental": _KERAS,
    f"{_PRIVATE_KERAS}.loss_scale_optimizer": ("LossScaleOptimizer",),
    f"{_PRIVATE_KERAS}.policy": ("Policy", "set_policy", "global_policy", "policy_scope"),
    _PRIVATE_KERAS: ("autocast_variable", "device_compatibility_check", "test_util"),
    f"{_PRIVATE_KERAS}.get_layer_policy": ("get_layer_policy",),
    "tensorflow.mixed_precision.experimental": _SCALES,
    "tensorflow.train.experimental": _V1,
    "tensorflow.compat.v1.mixed_precision.experimental": _SCALES,
    "tensorflow.compat.v1.train.experimental": _V1,
    f"{_PRIVATE_V1}.loss_scale": (*_SCALES, "get"),
    f"{_PRIVATE_V1}.loss_scale_optimizer": ("MixedPrecisionLossScaleOptimizer",),
    f"{_PRIVATE_V1}.mixed_precision": _REWRITE,
    "tensorflow.contrib.mixed_precision": (
        "LossScaleOptimizer",
        "LossScaleManager",
        "FixedLossScaleManager",
        "ExponentialUpdateLossScaleManager",
    ),
}
"""The modules in which old names stood, and the names."""
_WIDE = 2 * "\N{NO-BREAK SPACE}"
_IN_WORDS = {Meaning.LAYER_POLICY: "`layer.dtype_policy`", Meaning.CONTRIB: "see the rule"}


def page() -> str:
    """Returns the guide as Markdown."""
    parts = [_INTRODUCTION, _NAMES, *_name_rows()]
    every = sorted(all_rules(), key=lambda rule: rule.id)
    rules = [rule for rule in every if rule.example_target not in WITH_KERAS_3]
    for prefix, kind in KINDS.items():
        parts += _chapter(kind, [rule for rule in rules if rule.id.startswith(prefix)])
    others = [rule for rule in rules if not rule.id.startswith(tuple(KINDS))]
    parts += _chapter("Others", others) if others else ()
    for target, kind in ON_KERAS_3.items():
        parts += _chapter(kind, [rule for rule in every if rule.example_target is target])
    return "".join(parts)


def _chapter(heading: str, rules: Sequence[Rule]) -> Iterator[str]:
    yield from (f"\n## {heading}\n", _TABLE)
    for rule in rules:
        yield from _rows(rule)


def _name_rows() -> Iterator[str]:
    rule_of = {meaning: rule.id for rule in all_rules() for meaning in rule.explains}
    for home, members in HOMES.items():
        for member in members:
            old = lookup(f"{home}.{member}")
            if old is None:
                raise LookupError(f"{home}.{member} is no old name.")
            new = _code([_short(old.new[0])]) if old.new else _IN_WORDS.get(old.meaning, "none")
            compat = old.new_path(Target.COMPAT)
            cells = [_code([_short(old.path)]), new, _code([compat]) if compat else "left"]
            yield f"| {' | '.join(cells)} | {_link(rule_of[old.meaning])} |\n"


def _rows(rule: Rule) -> Iterator[str]:
    for case in rule.invalid:
        result = _migrated(case.before, rule)
        records = [one for one in result.records if one.rule == rule.id]
        old, new = _changed(case.before, result.text, {one.line for one in records})
        if not rule.shows_imports:
            old, new = _without_imports(old), _without_imports(new)
        yield _row(rule, old, _code(new), records)
    for case in rule.valid:
        records = list(_migrated(case.before, rule, legacy=not case.new_optimizers).records)
        if case.review:
            records = [one for one in records if case.review in f"{one.message} {one.advice}"]
        else:
            records = [one for one in records if one.outcome is not Outcome.REWRITTEN]
        lines = case.before.splitlines()
        old = (
            _without_imports(lines)
            if rule.shows_whole
            else [lines[one.line - 1] for one in records]
        )
        if records:
            yield _row(rule, old, "left", records if case.review else [])


def _migrated(program: str, rule: Rule, *, legacy: bool = True) -> Result:
    return migrate_fully(program.encode(), Options(rule.example_target, legacy_optimizers=legacy))


def _row(rule: Rule, old: Sequence[str], new: str, records: Sequence[Record]) -> str:
    remarks = dict.fromkeys(f"{one.message}. {one.advice}".strip() for one in records)
    remark = " ".join(remarks).replace("|", "\\|")
    return f"| {_code(old)} | {new} | {_link(rule.id)} | {remark} |\n"


def _changed(before: str, after: str, decided: set[int]) -> tuple[list[str], list[str]]:
    """Returns the lines that differ, of those that were decided, and what came of them."""
    old, new = before.splitlines(), after.splitlines()
    changed: tuple[list[str], list[str]] = [], []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        kept = [n for n in range(j - i) if i + n + 1 in decided] if j - i == m - k else []
        changed[0].extend([old[i + n] for n in kept] or old[i:j])
        changed[1].extend([new[k + n] for n in kept] or new[k:m])
    return changed


def _without_imports(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith(("import ", "from "))]


def _code(lines: Sequence[str]) -> str:
    text = textwrap.dedent("\n".join(lines)).replace("|", "\\|").replace("  ", _WIDE)
    return "<br>".join(f"`{line}`" for line in text.splitlines() if line.strip())


def _short(path: str) -> str:
    if path.startswith("tensorflow.python."):
        return path
    return path.replace("tensorflow.", "tf.", 1)


def _link(rule_id: str) -> str:
    return f"[{rule_id}](codemod/rules.md#{rule_id.lower()})"


if __name__ == "__main__":
    print(page(), end="")
