# SPDX-License-Identifier: Apache-2.0
"""What `--explain` shows of a rule."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lossscale_codemods.rules.registry import all_rules, documentation
from lossscale_codemods.tables.suppression import FORMER_IDS

if TYPE_CHECKING:
    from lossscale_codemods.rules.base import Case, Rule


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
            parts.append(_indented(example(case)))
            if case.unsafe:
                change = _difference(case.before, case.unsafe)
                parts += ["With --unsafe-fixes:", "", _indented(change)]
    return "\n".join(parts).rstrip()


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


def example(case: Case) -> str:
    """Returns a program, or what a rule changes in it."""
    if case.after in (None, case.before):
        return case.before
    return _difference(case.before, case.after or "")


def _difference(before: str, after: str) -> str:
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=9, lineterm=""))[
        3:
    ]
    # An empty line of context would end in a blank, which editors and hooks take out.
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
