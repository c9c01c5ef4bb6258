# SPDX-License-Identifier: Apache-2.0
"""The rule reference, for `--explain` and for the docs, made from the rule files alone.

    python -m lossscale_codemods.reports.rule_reference docs/codemod/rules

This writes one page a rule, and the list of all, and deletes pages of rules that are gone.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.registry import all_rules, documentation
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.suppression import FORMER_IDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.rules.base import Case, Rule

_MADE_BY = """\
<!-- Made by `python -m lossscale_codemods.reports.rule_reference`; do not edit. -->
<!-- fmt: off -->
"""
_INTRODUCTION = """\
# Rules of migrate

Each finding names one of these rules. Its page says what the rule does, shows an example, and
quotes what it reports, with what to do. `compat-lossscale migrate --explain LS201` shows more
examples. `--select` and `--ignore` take these ids, or the beginning of several. To keep a place as
it is, [suppress the finding](../index.md#suppress-findings).

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
"""How many findings the page shows of one rule."""
_REWRITES_NOTHING = "This rule reports, and rewrites nothing by default."


def explain(rule_id: str) -> str | None:
    """Returns the documentation of a rule with its examples; nothing if there is no such rule."""
    now = FORMER_IDS.get(rule_id, rule_id)
    rule = next((rule for rule in all_rules() if rule.id == now), None)
    if rule is None:
        return None
    parts = [f"{rule.id}: {rule.title}", "", documentation(rule), ""]
    if now != rule_id:
        parts = [f"{rule_id} is a part of {now} now.", "", *parts]
    for heading, text, cases in _sections(rule):
        parts += [f"{heading}:", ""]
        parts += [_indented(text + "\n")] if text else []
        for case in cases:
            parts.append(_indented(_example(case)))
            if case.unsafe:
                change = _difference(case.before, case.unsafe)
                parts += ["With --unsafe-fixes:", "", _indented(change)]
    return "\n".join(parts).rstrip()


def pages() -> dict[str, str]:
    """Returns the pages of the reference as Markdown, by the names of their files."""
    rules = sorted(all_rules(), key=lambda rule: rule.id)
    rows = (f"| [{rule.id}]({rule.id.lower()}.md) | {rule.title} |\n" for rule in rules)
    found = {f"{rule.id.lower()}.md": _page(rule) for rule in rules}
    return {"index.md": _MADE_BY + _INTRODUCTION + "".join(rows), **found}


def _page(rule: Rule) -> str:
    """Returns the page of a rule."""
    parts = [_MADE_BY, f"# {rule.id}: {rule.title}\n"]
    if formers := [former for former, now in FORMER_IDS.items() if now == rule.id]:
        parts.append(f"\nFormer ids: {', '.join(formers)}.\n")
    if rule.example_target is not Target.TF_KERAS:
        parts.append(f"\nFor `--target {_OPTION[rule.example_target]}`.\n")
    summary, _, why = documentation(rule).partition("\n\n")
    parts.append(f"\n{summary}\n\n{why.partition(_PARAGRAPH)[0]}\n")
    if rule.invalid:
        shortest = min(rule.invalid, key=lambda case: len(case.before))
        parts.append(f"\n```diff\n{_example(shortest)}```\n")
    found = list(_findings(rule))
    if found:
        parts += ["\nReported:\n\n", *found[:_FINDINGS]]
    if rule.not_handled:
        parts.append(f"\nNot handled: {rule.not_handled}\n")
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


def _findings(rule: Rule) -> Iterator[str]:
    """Yields what the rule says of its examples that it leaves, each advice once."""
    said: set[str] = set()
    for case in rule.valid:
        if case.review:
            options = Options(rule.example_target, legacy_optimizers=not case.new_optimizers)
            for one in migrate_fully(case.before.encode(), options).records:
                is_meant = one.rule == rule.id and case.review in f"{one.message} {one.advice}"
                if is_meant and one.advice not in said:
                    said.add(one.advice)
                    text = f"{one.message}. {one.advice}".strip()
                    yield f"- {text}\n"


def _sections(rule: Rule) -> list[tuple[str, str, tuple[Case, ...]]]:
    """Returns headings, each with a text, or none, and with the examples under it."""
    left = tuple(case for case in rule.valid if case.review)
    right = tuple(case for case in rule.valid if not case.review)
    sections = [
        ("Before and after", "" if rule.invalid else _REWRITES_NOTHING, rule.invalid),
        ("Not handled", rule.not_handled, left),
        ("Right as it is", "", right),
    ]
    return [(heading, text, cases) for heading, text, cases in sections if text or cases]


def _changes(case: Case) -> bool:
    return case.after is not None and case.after != case.before


def _example(case: Case) -> str:
    if not _changes(case) or case.after is None:
        return case.before
    return _difference(case.before, case.after)


def _difference(before: str, after: str) -> str:
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=9, lineterm=""))[
        3:
    ]
    # An empty line of context would end in a blank, which editors and hooks take out.
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
