# SPDX-License-Identifier: Apache-2.0
"""`policy.loss_scale_of_my_team` becomes `policy.scale`: a rule that is defined here alone.

It shows that a rule is one class: nothing of the package knows this one.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from click.testing import CliRunner
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.rules import base
from lossscale_codemods.rules.base import Found, Marker, Rule, all_rules, rewrite
from lossscale_codemods.rules.loss_scale_reads import attributes
from lossscale_codemods.tables.records import Edit

from compat_lossscale.cli.migrate import migrate
from tools import rule_pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lossscale_codemods.domain.program import Program

OLD, NEW = "print(policy.scale_of_my_team)\n", "print(policy.scale)\n"
ELSEWHERE = "scale_of_my_team = 1\n"


class TeamsOwnName(Rule):
    """Respells an attribute that no other rule knows.

    Without a page, this text is its page.

    ## Before and after

    ```diff
    -print(policy.scale_of_my_team)
    +print(policy.scale)
    ```
    """

    id = "LS999"
    title = "A name of this test alone"
    markers = (Marker(b"scale_of_my_team"),)

    def find(self, program: Program) -> Iterator[Found]:
        for node in attributes(program, "scale_of_my_team"):
            edit = Edit(*program.tree.span(node.attr), "scale")
            yield self.found(node, program, rewrite("its short name", [edit]))


@contextlib.contextmanager
def added(rule: Rule) -> Iterator[None]:
    """Adds a rule for a while, as if it were in a file of the package."""
    every = (*base._discovered(), rule)
    with mock.patch.object(base, "_discovered", return_value=every):
        all_rules.cache_clear()
        try:
            yield
        finally:
            all_rules.cache_clear()


@pytest.fixture(autouse=True)
def _with_the_rule() -> Iterator[None]:
    with added(TeamsOwnName()):
        yield


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(OLD)
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    return tmp_path / "a.py"


def run(*arguments: object) -> str:
    return CliRunner().invoke(migrate, [str(argument) for argument in arguments]).output


def test_files_with_its_marker_are_parsed() -> None:
    assert can_hold_old_name(OLD.encode())
    assert can_hold_old_name(ELSEWHERE.encode())
    assert migrate_source(ELSEWHERE).status is Status.UNCHANGED
    assert not can_hold_old_name(b"print(policy.scale)\n")


def test_it_is_applied() -> None:
    result = migrate_source(OLD)
    assert result.text == NEW
    assert [(one.rule, one.outcome) for one in result.records] == [("LS999", Outcome.REWRITTEN)]


def test_it_is_ignored_and_suppressed_by_its_id() -> None:
    assert migrate_source(OLD, ignore=("LS999",)).text == OLD
    assert migrate_source(f"# compat-lossscale: ignore-file[LS999]\n{OLD}").text.endswith(OLD)


def test_it_is_listed_and_explained() -> None:
    assert "LS999  A name of this test alone\n" in run("--list-rules")
    assert "an attribute that no other rule knows" in run("--explain", "LS999")


def test_the_reference_has_it() -> None:
    page = rule_pages.pages()["ls999.md"]
    assert "# LS999: A name of this test alone" in page
    assert "+print(policy.scale)" in page


def test_the_text_reports_it(file: Path) -> None:
    assert "+print(policy.scale)" in run(file)
    assert file.read_text() == OLD


@pytest.mark.parametrize("form", ["--json", "--github"])
def test_a_machine_form_reports_it(file: Path, form: str) -> None:
    assert "LS999" in run(form, file)


def test_sarif_reports_and_describes_it(file: Path) -> None:
    (sarif_run,) = json.loads(run("--sarif", file))["runs"]
    assert "LS999" in [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]]
    assert [one["ruleId"] for one in sarif_run["results"]] == ["LS999"]


def test_html_reports_it(file: Path, tmp_path: Path) -> None:
    run("--html", tmp_path / "report.html", file)
    assert "LS999" in (tmp_path / "report.html").read_text()


def test_files_are_written_with_it(file: Path) -> None:
    run("--write", file.parent)
    assert file.read_text() == NEW


def test_no_two_rules_have_one_id() -> None:
    with added(TeamsOwnName()), pytest.raises(RuntimeError, match="Two rules have the id LS999"):
        all_rules()
    assert [rule.id for rule in all_rules()].count("LS999") == 1
