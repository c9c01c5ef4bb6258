# SPDX-License-Identifier: Apache-2.0
"""What the codemod's tests say: a program changes to another, or is left, with findings or not."""

from __future__ import annotations

import textwrap

from lossscale_codemods import Outcome, Result, Status, migrate_source


def program(text: str) -> str:
    """Takes the indentation and the first empty line off a program in a test."""
    return textwrap.dedent(text).lstrip("\n")


def check_transformed(before: str, after: str, **options: object) -> Result:
    """The program becomes another one, and nothing is left to review."""
    result = check_review(before, after, **options)
    assert reviews(result) == []
    return result


def check_review(before: str, after: str, *messages: str, **options: object) -> Result:
    """The program becomes another one, and these messages, and no others, ask for a review."""
    result = migrate_source(program(before), **options)  # type: ignore[arg-type]  # passed on as it is
    assert result.problem == ""
    assert result.text == program(after)
    found = reviews(result)
    if messages:
        assert len(found) == len(messages), found
        for message in messages:
            assert any(message in text for text in found), (message, found)
    again = migrate_source(result.output, **options)  # type: ignore[arg-type]  # passed on as it is
    assert again.output == result.output
    return result


def check_left(before: str, *messages: str, **options: object) -> Result:
    """The program is left as it is, with these findings."""
    result = check_review(before, before, *messages, **options)
    assert result.status is Status.UNCHANGED
    if not messages:
        assert reviews(result) == []
    return result


def check_noop(before: str, **options: object) -> Result:
    """The program has nothing to do with old names."""
    result = check_left(before, **options)
    assert [r for r in result.records if r.outcome is not Outcome.MENTIONED] == []
    return result


def reviews(result: Result) -> list[str]:
    """Returns the findings of a result."""
    return [
        f"{record.line}: {record.rule} {record.name}: {record.message}. {record.advice}"
        for record in result.records
        if record.outcome is Outcome.NEEDS_REVIEW
    ]
