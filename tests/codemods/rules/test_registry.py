# SPDX-License-Identifier: Apache-2.0
"""Every rule: its own examples are true, it is documented, and it has a test file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Status, migrate_source
from lossscale_codemods.rules.registry import all_rules, documentation

from tests.codemods.checks import reviews

if TYPE_CHECKING:
    from lossscale_codemods.rules.base import Case, Rule

HERE = Path(__file__).parent


def cases(kind: str) -> list[object]:
    return [
        pytest.param(rule, case, id=f"{rule.id}-{number}")
        for rule in all_rules()
        for number, case in enumerate(getattr(rule, kind))
    ]


@pytest.mark.parametrize(("rule", "case"), cases("invalid"))
def test_what_a_rule_changes(rule: Rule, case: Case) -> None:
    result = migrate_source(case.before, target=rule.example_target)
    assert result.text == case.after
    assert result.status is Status.CHANGED
    assert reviews(result) == []
    assert rule.id in {record.rule for record in result.records} or rule.id == "LS101"
    assert migrate_source(result.output, target=rule.example_target).status is Status.UNCHANGED


@pytest.mark.parametrize(("rule", "case"), cases("valid"))
def test_what_a_rule_leaves(rule: Rule, case: Case) -> None:
    legacy = False if case.new_optimizers else None
    result = migrate_source(case.before, target=rule.example_target, legacy_optimizers=legacy)
    assert result.text == (case.before if case.after is None else case.after)
    if case.review is None:
        assert reviews(result) == []
    else:
        assert any(case.review in text for text in reviews(result)), reviews(result)
    if case.unsafe is None:
        assert result.unsafe_fixes == 0
    else:
        assert result.unsafe_fixes
        unsafe = migrate_source(case.before, target=rule.example_target, unsafe_fixes=True)
        assert unsafe.text == case.unsafe
        assert reviews(unsafe) == []
        again = migrate_source(unsafe.output, target=rule.example_target, unsafe_fixes=True)
        assert again.status is Status.UNCHANGED


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_a_rule_is_documented_and_has_tests(rule: Rule) -> None:
    assert re.fullmatch(r"LS\d{3}", rule.id)
    assert rule.title
    assert len(documentation(rule)) > 80
    assert rule.invalid or rule.valid
    assert list(HERE.glob(f"test_{rule.id.lower()}_*.py"))


def test_ids_are_unique() -> None:
    ids = [rule.id for rule in all_rules()]
    assert len(ids) == len(set(ids))
