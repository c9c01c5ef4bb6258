# SPDX-License-Identifier: Apache-2.0
"""Every rule: its own examples are true, it is documented, and it has a test file."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome, Status, migrate_source, rules
from lossscale_codemods.reports.text import (
    CHANGED,
    NOT_HANDLED,
    Example,
    documentation,
    examples,
    explain,
    section,
)
from lossscale_codemods.rules.base import all_rules

from tests.codemods.checks import reviews

if TYPE_CHECKING:
    from lossscale_codemods.rules.base import Rule

HERE = Path(__file__).parent


def cases(*headings: str) -> list[object]:
    """Returns all rules' examples; each with what it becomes with unsafe fixes, if it does."""
    found = []
    for rule in all_rules():
        for heading in headings:
            shown = [*examples(section(rule, heading)), None]
            found += [
                pytest.param(
                    rule, one, after if _is_unsafe(after) else None, id=f"{rule.id}-{place}"
                )
                for place, (one, after) in enumerate(itertools.pairwise(shown))
                if not _is_unsafe(one)
            ]
    return found


def _is_unsafe(example: Example | None) -> bool:
    return example is not None and example.option == "--unsafe-fixes"


@pytest.mark.parametrize(("rule", "case", "unsafe"), cases(CHANGED))
def test_what_a_rule_changes(rule: Rule, case: Example, unsafe: None) -> None:
    assert unsafe is None
    assert case.before != case.after
    result = migrate_source(case.before, target=rule.example_target)
    assert result.text == case.after
    assert result.status is Status.CHANGED
    assert reviews(result) == []
    assert rule.id in {record.rule for record in result.records} or rule.id == "LS101"
    assert migrate_source(result.output, target=rule.example_target).status is Status.UNCHANGED


@pytest.mark.parametrize(("rule", "case", "unsafe"), cases(NOT_HANDLED, "Right as it is"))
def test_what_a_rule_leaves(rule: Rule, case: Example, unsafe: Example | None) -> None:
    legacy = False if case.option == "--new-optimizers" else None
    result = migrate_source(case.before, target=rule.example_target, legacy_optimizers=legacy)
    assert result.text == case.after
    left = [one for one in result.records if one.outcome is Outcome.NEEDS_REVIEW]
    found = [f"{one.message}. {one.advice}".rstrip() for one in left]
    assert (case.finding in found) if case.finding else (found == []), found
    if unsafe is None:
        assert result.unsafe_fixes == 0
    else:
        assert result.unsafe_fixes
        assert unsafe.before == case.before
        fixed = migrate_source(case.before, target=rule.example_target, unsafe_fixes=True)
        assert fixed.text == unsafe.after
        assert reviews(fixed) == []
        again = migrate_source(fixed.output, target=rule.example_target, unsafe_fixes=True)
        assert again.status is Status.UNCHANGED


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_a_rule_is_documented_and_has_tests(rule: Rule) -> None:
    assert re.fullmatch(r"LS\d{3}", rule.id)
    assert rule.title
    assert len(documentation(rule)) > 80
    assert [*examples(explain(rule.id) or "")]
    assert list(HERE.glob(f"test_{rule.id.lower()}_*.py"))


def test_each_page_is_of_a_rule_and_has_nothing_but_sections_that_are_tested() -> None:
    pages = [*Path(rules.__path__[0], "pages").iterdir()]
    assert {page.name for page in pages} == {f"{rule.id.lower()}.md" for rule in all_rules()}
    texts = [re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL) for page in pages]
    headings = {line for text in texts for line in text.splitlines() if line[:1] == "#"}
    assert headings == {f"## {one}" for one in (CHANGED, NOT_HANDLED, "Right as it is")}


def test_ids_are_unique() -> None:
    ids = [rule.id for rule in all_rules()]
    assert len(ids) == len(set(ids))
