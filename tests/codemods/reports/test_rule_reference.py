# SPDX-License-Identifier: Apache-2.0
"""The committed rule reference is what the rule files say."""

from __future__ import annotations

import functools
from pathlib import Path

from lossscale_codemods.reports import rule_reference
from lossscale_codemods.rules.registry import all_rules

page = functools.cache(rule_reference.page)
PAGE = Path(__file__).parents[3] / "docs" / "codemod" / "rules.md"


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "run `python -m lossscale_codemods.reports.rule_reference > docs/codemod/rules.md`"
    )


def test_every_rule_is_on_it_and_explains_itself() -> None:
    text = page()
    for rule in all_rules():
        assert f"## {rule.id}: {rule.title}" in text
        explained = rule_reference.explain(rule.id) or ""
        assert rule.title in explained
        for heading in ("Before and after:", "Not handled:"):
            assert heading in explained
        assert rule_reference.documentation(rule).count("\n\n"), f"{rule.id} does not say why"
    assert rule_reference.explain("LS") is None
