# SPDX-License-Identifier: Apache-2.0
"""The rule reference, for `--explain` and for the docs, made from the rule files alone."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lossscale_codemods.rules.registry import all_rules, documentation
from lossscale_codemods.vocabulary.former_ids import FORMER_IDS
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from lossscale_codemods.rules.base import Case, Rule

_INTRODUCTION = """\
<!-- Made by `python -m lossscale_codemods.reports.rule_reference`; do not edit. -->
<!-- fmt: off -->
# Rules

One rule decides about each occurrence of an old name. `--select` and `--ignore` take these ids, or
the beginning of several ids. To suppress one finding, write the comment
[`# compat-lossscale: ignore[ID]`](index.md#suppress-findings).

| Rule | What it is about |
| --- | --- |
"""
_OPTION = {
    Target.COMPAT: "compat",
    Target.KERAS3: "keras3",
    Target.KERAS3_ALONE: "keras3 --no-dependency",
}
_FORMER = """\
These rules are a part of another rule now. Wherever ids are written, their ids stand for that rule.
"""
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


def page() -> str:
    """Returns the reference of all rules as Markdown."""
    rules = sorted(all_rules(), key=lambda rule: rule.id)
    parts = [_INTRODUCTION]
    parts += [f"| [{r.id}](#{r.id.lower()}) | {r.title} |\n" for r in rules]
    parts += [f"\n(former-ids)=\n## Former ids\n\n{_FORMER}\n"]
    parts += [f"- {old} is a part of [{now}](#{now.lower()}).\n" for old, now in FORMER_IDS.items()]
    for rule in rules:
        parts.append(f"\n({rule.id.lower()})=\n## {rule.id}: {rule.title}\n")
        if rule.example_target is not Target.TF_KERAS:
            parts.append(f"\nFor `--target {_OPTION[rule.example_target]}`.\n")
        summary, _, why = documentation(rule).partition("\n\n")
        parts.append(f"\n{summary}\n\n**Why.** {why}\n")
        for heading, text, cases in _sections(rule):
            parts.append(f"\n**{heading}.** {text}".rstrip() + "\n")
            for case in cases:
                language = "diff" if _changes(case) else "python"
                parts.append(f"\n```{language}\n{_example(case)}```\n")
                if case.review:
                    parts.append(f'\nThe finding says: "{case.review}".\n')
                if case.unsafe:
                    change = _difference(case.before, case.unsafe)
                    parts.append(f"\nWith `--unsafe-fixes`:\n\n```diff\n{change}```\n")
    return "".join(parts)


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
    print(page(), end="")
