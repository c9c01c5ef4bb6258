# SPDX-License-Identifier: Apache-2.0
"""What every report says of a record, with what unsafe fixes did or would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary.records import Outcome

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import Proof
    from lossscale_codemods.vocabulary.records import Record


def proof_words(proof: Proof) -> str:
    """Returns what came of running the program before and after."""
    return f"{proof.program} before and after the migration: {proof.words}"


def message_of(record: Record) -> str:
    """Returns what was done, or why it was not."""
    if record.unsafe and record.outcome is Outcome.REWRITTEN:
        return f"unsafe fix: {record.message}"
    if record.observed:
        return f"{observed_words(record)} in the recorded run: {record.message}"
    return record.message


def observed_words(record: Record) -> str:
    """Returns how often a recorded run came to the place; empty if it decided nothing there."""
    times = "once" if record.observed == 1 else f"{record.observed} times"
    return f"observed {times}" if record.observed else ""


def advice_of(record: Record) -> str:
    """Returns what to do about it; empty if nothing is to be done."""
    if record.unsafe and record.outcome is Outcome.NEEDS_REVIEW:
        return f"{record.advice} A fix is available with --unsafe-fixes.".strip()
    return record.advice
