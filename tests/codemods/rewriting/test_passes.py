# SPDX-License-Identifier: Apache-2.0
"""What one pass makes possible for the next is done in the same run."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.rewriting import engine
from lossscale_codemods.source.edits import apply_edits

from tests.codemods.checks import program

BY_NAME = program(
    """
    import tensorflow as tf
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    m = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    m.compile("adam")
    print(m.optimizer.loss_scale())
    """
)


def test_what_one_pass_rewrites_is_looked_at_again() -> None:
    result = migrate_source(BY_NAME, target="keras3")
    assert result.status is Status.CHANGED
    assert [
        (one.rule, one.line) for one in result.records if one.outcome is Outcome.NEEDS_REVIEW
    ] == [("LS301", 5)]
    assert migrate_source(result.output, target="keras3").output == result.output


def test_records_of_all_passes_name_lines_of_the_file_and_add_up_to_the_change() -> None:
    result = migrate_source(BY_NAME, target="keras3")
    rewritten = [one for one in result.records if one.outcome is Outcome.REWRITTEN]
    assert [(one.rule, one.line) for one in rewritten] == [("LS501", 2), ("LS511", 4)]
    edits = [edit for one in result.records for edit in one.edits]
    assert apply_edits(result.source, edits) == result.output


def test_a_file_that_never_settles_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_MOST_PASSES", 0)
    result = migrate_source(BY_NAME, target="keras3")
    assert (result.status, result.output) == (Status.REFUSED, BY_NAME.encode())
    assert "changes again after 0 passes" in result.problem
