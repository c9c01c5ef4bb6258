# SPDX-License-Identifier: Apache-2.0
"""The committed rule reference is what the rule files say."""

from __future__ import annotations

import functools
from pathlib import Path

from lossscale_codemods.reports import rule_reference
from lossscale_codemods.rules.registry import all_rules

pages = functools.cache(rule_reference.pages)
FOLDER = Path(__file__).parents[3] / "docs" / "codemod" / "rules"


def test_the_committed_pages_are_current() -> None:
    committed = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert committed == pages(), "run `python -m lossscale_codemods.reports.rule_reference docs`"


def test_pages_of_rules_that_are_gone_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "ls000.md").touch()
    rule_reference.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(pages())


def test_every_rule_has_a_page_and_explains_itself() -> None:
    for rule in all_rules():
        assert f"# {rule.id}: {rule.title}\n" in pages()[f"{rule.id.lower()}.md"]
        assert f"[{rule.id}]({rule.id.lower()}.md)" in pages()["index.md"]
        explained = rule_reference.explain(rule.id) or ""
        assert rule.title in explained
        for heading in ("Before and after:", "Not handled:"):
            assert heading in explained
        assert rule_reference.documentation(rule).count("\n\n"), f"{rule.id} does not say why"
    assert rule_reference.explain("LS") is None
