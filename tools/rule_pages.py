# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation's pages of rules and of old names: `python -m tools.rule_pages`.

One page a rule and the list of all stand in `docs/codemod/rules`, from which the pages of rules
that are gone are deleted. `docs/names.md` is the table of old names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lossscale_codemods.reports.text import CHANGED, NOT_HANDLED, documentation, examples, section
from lossscale_codemods.rules.base import Rule, all_rules
from lossscale_codemods.tables.names import Meaning, Target, lookup
from lossscale_codemods.tables.options import FORMER_IDS

DOCS = Path(__file__).parents[1] / "docs"
_MADE_BY = """\
<!-- Made by `python -m tools.rule_pages`; do not edit. -->
<!-- fmt: off -->
"""
_INTRODUCTION = """\
# Rules of migrate

Each finding names one of these rules. Its page says what the rule does, shows an example, and
quotes what it reports. `compat-lossscale migrate --explain LS201` shows more examples. `--select`
and `--ignore` take these ids. To keep a place as it is,
[suppress the finding](../index.md#suppress-findings).

```{toctree}
:hidden:
:glob:

ls*
```

| Rule | Title |
| --- | --- |
"""
_OPTION = {
    Target.COMPAT: "compat",
    Target.KERAS3: "keras3",
    Target.KERAS3_ALONE: "keras3 --no-dependency",
}
_PARAGRAPH = "\n\n"
_FINDINGS = 3
"""How many findings the page shows of a rule that has no list of them."""
_NAMES_INTRODUCTION = """\
<!-- Made by `python -m tools.rule_pages`; do not edit. -->
# Old and new names

`compat-lossscale migrate` writes the names in the second column, and `--target compat` those in the
third, which need this package. The name alone is not enough: constructors take other arguments, and
`loss_scale` is no longer called. The [rules](codemod/rules/index.md) say what else changes, and
[other removed names](neighbours.md) has the names that are not about loss scaling.

| Old | New | `--target compat` | Rule |
| --- | --- | --- | --- |
"""
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
_IN_WORDS = {Meaning.LAYER_POLICY: "`layer.dtype_policy`", Meaning.CONTRIB: "see the rule"}


def pages() -> dict[str, str]:
    """Returns the pages of the reference as Markdown, by the names of their files."""
    rules = sorted(all_rules(), key=lambda rule: rule.id)
    rows = (f"| [{rule.id}]({rule.id.lower()}.md) | {rule.title} |\n" for rule in rules)
    found = {f"{rule.id.lower()}.md": _page(rule) for rule in rules}
    return {"index.md": _MADE_BY + _INTRODUCTION + "".join(rows), **found}


def _page(rule: Rule) -> str:
    parts = [_MADE_BY, f"# {rule.id}: {rule.title}\n"]
    if formers := [former for former, now in FORMER_IDS.items() if now == rule.id]:
        parts.append(f"\nFormer ids: {', '.join(formers)}.\n")
    if rule.example_target is not Target.TF_KERAS:
        parts.append(f"\nFor `--target {_OPTION[rule.example_target]}`.\n")
    summary, _, why = documentation(rule).partition("\n\n")
    parts.append(f"\n{summary}\n\n{why.partition(_PARAGRAPH)[0]}\n")
    changed = [*examples(section(rule, CHANGED))]
    if changed:
        shortest = min(changed, key=lambda one: len(one.before))
        parts.append(f"\n```diff\n{shortest.shown}```\n")
    said = [one.finding for one in examples(section(rule, NOT_HANDLED)) if one.finding]
    if found := rule.says or [*dict.fromkeys(said)][:_FINDINGS]:
        parts += ["\nReported:\n\n", *(f"- {one}\n" for one in found)]
    not_handled = " ".join(section(rule, NOT_HANDLED).partition("```")[0].split())
    if not_handled:
        parts.append(f"\nNot handled: {not_handled}\n")
    return "".join(parts)


def write(folder: Path) -> None:
    """Writes the pages of the reference into a folder, which has no others afterwards."""
    folder.mkdir(exist_ok=True)
    new = pages()
    for path in folder.glob("*.md"):
        if path.name not in new:
            path.unlink()
    for name, text in new.items():
        (folder / name).write_text(text, encoding="utf-8")


def names_page() -> str:
    """Returns the table of old names as Markdown: each with the name of today that it becomes."""
    rows: dict[str, list[str]] = {}
    for old, row in _name_rows():
        rows.setdefault(row, []).append(f"`{old}`")
    lines = (f"| {'<br>'.join(names)} | {row} |\n" for row, names in rows.items())
    return _NAMES_INTRODUCTION + "".join(lines)


def _name_rows() -> Iterator[tuple[str, str]]:
    """Yields each old name, and the other cells of its row."""
    rule_of = {
        meaning: rule.id for rule in all_rules() for meaning in rule.explains or rule.meanings or ()
    }
    for home, members in HOMES.items():
        for member in members:
            old = lookup(f"{home}.{member}")
            assert old is not None
            new = f"`{_short(old.new[0])}`" if old.new else _IN_WORDS.get(old.meaning, "none")
            compat = old.new_path(Target.COMPAT)
            rule = rule_of[old.meaning]
            cells = (new, f"`{compat}`" if compat else "none", _link(rule))
            yield _short(old.path), " | ".join(cells)


def _short(path: str) -> str:
    if path.startswith("tensorflow.python."):
        return path
    return path.replace("tensorflow.", "tf.", 1)


def _link(rule_id: str) -> str:
    return f"[{rule_id}](codemod/rules/{rule_id.lower()}.md)"


if __name__ == "__main__":
    write(DOCS / "codemod" / "rules")
    (DOCS / "names.md").write_text(names_page(), encoding="utf-8")
