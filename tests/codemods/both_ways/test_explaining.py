# SPDX-License-Identifier: Apache-2.0
"""Differences are found, and a finding explains one only where it has a part in it."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest

from tests.codemods.both_ways.explaining import Kind, first_difference, verdict
from tests.codemods.both_ways.migrating import Finding, Migrated
from tests.codemods.both_ways.programs import MAIN, Program
from tests.codemods.both_ways.running import Trace
from tests.codemods.both_ways.statements import Statements

TEXT = textwrap.dedent(
    """\
    import tensorflow as tf
    other = make(1)
    scale = 8
    opt = wrap(other, scale)
    opt.step()
    if opt:
        print(opt.loss)
    print(other)
    unrelated = make(2)
    print(unrelated)
    """
)


def migrated(*lines: int, now: str = TEXT) -> Migrated:
    program = Program("family", "name", {MAIN: TEXT}, MAIN)
    findings = tuple(Finding(MAIN, line, line, "LS201") for line in lines)
    return Migrated(program, {MAIN: now}, findings, ())


def printed(*texts: str, line: int = 7) -> Trace:
    return Trace(printed=[(text, [(MAIN, line)]) for text in texts])


def test_equal_traces_are_the_same() -> None:
    assert verdict(migrated(), printed("1"), printed("1")).kind is Kind.SAME


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (7, Kind.AT_THE_LINE),
        (6, Kind.IN_WHAT_IT_READS),
        (5, Kind.IN_WHAT_IT_READS),
        (4, Kind.IN_WHAT_IT_READS),
        (3, Kind.IN_WHAT_IT_READS),
        (9, Kind.WRONG),
        (10, Kind.WRONG),
    ],
)
def test_a_finding_explains_what_it_has_a_part_in(line: int, kind: Kind) -> None:
    assert verdict(migrated(line), printed("1"), printed("2")).kind is kind


def test_a_difference_without_a_finding_is_wrong() -> None:
    found = verdict(migrated(), printed("1"), printed("2"))
    assert found.kind is Kind.WRONG
    assert found.why == "printed '1', now '2'"


def test_only_what_was_changed_or_found_is_compared_in_a_program_of_the_new_api() -> None:
    def may_stay(one: Migrated) -> Migrated:
        return dataclasses.replace(one, program=dataclasses.replace(one.program, may_stay=True))

    def kind(one: Migrated) -> Kind:
        return verdict(one, printed("1"), printed("2")).kind

    changed = migrated(now=TEXT.replace("scale = 8", "scale = 9"))
    assert kind(may_stay(migrated())) is Kind.NOTHING_OLD
    assert kind(migrated()) is Kind.WRONG
    assert kind(may_stay(changed)) is Kind.WRONG
    assert kind(may_stay(migrated(7))) is Kind.AT_THE_LINE


def test_what_failed_before_is_no_program() -> None:
    failed = Trace(error=("NameError", "inner", []), code=1)
    assert verdict(migrated(), failed, printed("1")).kind is Kind.NOT_A_PROGRAM


def test_an_exception_is_explained_where_it_is_raised() -> None:
    now = TEXT.replace("import tensorflow", "import sys\nimport tensorflow")
    failed = Trace(error=("AttributeError", "loss", [(MAIN, 8)]), code=1)
    assert verdict(migrated(7, now=now), printed("1"), failed).kind is Kind.AT_THE_LINE


@pytest.mark.parametrize(
    ("run", "now", "what"),
    [
        (printed("1", "2"), printed("1"), "no longer prints '2'"),
        (printed("1"), printed("1", "2"), "prints '2' besides"),
        (printed("1"), Trace(printed("1").printed, code=1), "exited with 0, now with 1"),
        (
            Trace(left={"opt": 1, "s": 1}),
            Trace(left={"opt": 2}),
            "opt was 1 in the end, now 2",
        ),
    ],
)
def test_differences_of_every_kind(run: Trace, now: Trace, what: str) -> None:
    difference = first_difference(run, now)
    assert difference is not None
    assert difference.what == what


def test_errors_are_equal_that_the_same_handler_catches() -> None:
    before = 'e = {"type": "ScaleError", "mro": ["ValueError"], "message": "a"}'
    value_error = 'e = {"type": "ValueError", "mro": [], "message": "b"}'
    type_error = 'e = {"type": "TypeError", "mro": [], "message": "b"}'
    assert first_difference(printed(before), printed(value_error)) is None
    assert first_difference(printed(before), printed(type_error)) is not None


def test_a_method_that_is_called_later_by_another_name_has_a_part() -> None:
    lines = "import lib\nx = lib.X()\ng = lib.part(x.f)\nh = x.size\ng(1)\nprint(x)\n"
    statements = Statements({MAIN: lines})
    behind = {line for one in statements.behind(statements.at(MAIN, [6])) for line in one.lines}
    assert 3 in behind
    assert 4 not in behind


def test_functions_and_global_settings_have_a_part() -> None:
    statements = Statements(
        {
            MAIN: "import lib\ndef f():\n    return 1\ndef g():\n    return 2\n"
            "lib.set_policy(1)\nx = f()\nprint(x)\n"
        }
    )
    lines = {line for one in statements.behind(statements.at(MAIN, [8])) for line in one.lines}
    assert lines == {1, 2, 3, 6, 7, 8}
