# SPDX-License-Identifier: Apache-2.0
"""Differences are found, and a finding explains one only where it has a part in it."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest

from compat_lossscale.recording.reading import PrintedLine, Recording
from tests.codemods.both_ways.explaining import Kind, first_difference, verdict
from tests.codemods.both_ways.leaving import MARK
from tests.codemods.both_ways.migrating import Finding, Migrated
from tests.codemods.both_ways.programs import MAIN, Program
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


def recording(*texts: str, line: int = 7, code: int = 0, error: str = "", at: int = 0) -> Recording:
    """A recording of a program that prints these texts, and ends with an error or a code."""
    lines = [PrintedLine((f"{MAIN}:{line}",), text, 0, 0) for text in texts]
    raised = {"class": error, "text": "loss", "stack": (f"{MAIN}:{at}",)} if error else None
    end = {"exit": code or int(bool(error)), "error": raised, "versions": {}, "problems": {}}
    return Recording("it.lsr", {}, printed=lines, end=end)


def test_equal_traces_are_the_same() -> None:
    assert verdict(migrated(), recording("1"), recording("1")).kind is Kind.SAME


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
    assert verdict(migrated(line), recording("1"), recording("2")).kind is kind


def test_a_difference_without_a_finding_is_wrong() -> None:
    found = verdict(migrated(), recording("1"), recording("2"))
    assert found.kind is Kind.WRONG
    assert found.why == "printed line: '1', now '2'"


def test_only_what_was_changed_or_found_is_compared_in_a_program_of_the_new_api() -> None:
    def may_stay(one: Migrated) -> Migrated:
        return dataclasses.replace(one, program=dataclasses.replace(one.program, may_stay=True))

    def kind(one: Migrated) -> Kind:
        return verdict(one, recording("1"), recording("2")).kind

    changed = migrated(now=TEXT.replace("scale = 8", "scale = 9"))
    assert kind(may_stay(migrated())) is Kind.NOTHING_OLD
    assert kind(migrated()) is Kind.WRONG
    assert kind(may_stay(changed)) is Kind.WRONG
    assert kind(may_stay(migrated(7))) is Kind.AT_THE_LINE


def test_what_failed_before_is_no_program() -> None:
    failed = recording(error="NameError")
    assert verdict(migrated(), failed, recording("1")).kind is Kind.NOT_A_PROGRAM


def test_an_exception_is_explained_where_it_is_raised() -> None:
    now = TEXT.replace("import tensorflow", "import sys\nimport tensorflow")
    failed = recording(error="AttributeError", at=8)
    assert verdict(migrated(7, now=now), recording("1"), failed).kind is Kind.AT_THE_LINE


@pytest.mark.parametrize(
    ("run", "now", "what"),
    [
        (recording("1", "2"), recording("1"), ("printed line", "2", "(nothing)")),
        (recording("1"), recording("1", "2"), ("printed line", "(nothing)", "2")),
        (recording("1"), recording("1", code=1), ("end", "exit code 0", "exit code 1")),
        (
            recording(f"{MARK}opt = 1", f"{MARK}s = 1"),
            recording(f"{MARK}opt = 2"),
            ("printed line", f"{MARK}opt = 1", f"{MARK}opt = 2"),
        ),
    ],
)
def test_differences_of_every_kind(
    run: Recording, now: Recording, what: tuple[str, str, str]
) -> None:
    difference, _ = first_difference(run, now)
    assert difference is not None
    assert (difference.what, difference.before, difference.after) == what


def test_the_last_digits_count_unless_rounding_is_expected() -> None:
    run, now = recording("loss 0.7500001"), recording("loss 0.75")
    assert first_difference(run, now)[0] is not None
    assert first_difference(run, now, rounding=True) == (None, False)


def test_errors_are_equal_that_the_same_handler_catches() -> None:
    before = 'e = {"type": "ScaleError", "mro": ["ValueError"], "message": "a"}'
    value_error = 'e = {"type": "ValueError", "mro": [], "message": "b"}'
    type_error = 'e = {"type": "TypeError", "mro": [], "message": "b"}'
    assert first_difference(recording(before), recording(value_error))[0] is None
    assert first_difference(recording(before), recording(type_error))[0] is not None


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
