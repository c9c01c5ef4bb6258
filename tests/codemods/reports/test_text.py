# SPDX-License-Identifier: Apache-2.0
"""What `--explain` shows of each rule."""

from __future__ import annotations

from lossscale_codemods.reports.text import documentation, explain
from lossscale_codemods.rules.base import all_rules


def test_every_rule_explains_itself() -> None:
    for rule in all_rules():
        explained = explain(rule.id) or ""
        assert rule.title in explained
        for heading in ("Before and after", "Not handled"):
            assert f"\n## {heading}\n" in explained
        assert documentation(rule).count("\n\n"), f"{rule.id} does not say why"
    assert explain("LS") is None
