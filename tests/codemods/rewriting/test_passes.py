# SPDX-License-Identifier: Apache-2.0
"""What one pass makes possible for the next is done in the same run."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.rewriting import engine
from lossscale_codemods.source.edits import apply_edits

from tests.codemods.checks import program, reviews

TWICE = program(
    """
    import tensorflow as tf
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
    opt = LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(0.25), 64)
    again = tf.keras.optimizers.get(opt)
    """
)


def test_a_family_that_only_the_new_name_asks_for_is_chosen() -> None:
    result = migrate_source(TWICE, target="compat")
    assert result.status is Status.CHANGED
    assert "again = tf.keras.optimizers.get(opt, use_legacy_optimizer=True)\n" in result.text
    assert reviews(result) == []
    assert migrate_source(result.output, target="compat").status is Status.UNCHANGED


def test_records_of_all_passes_name_lines_of_the_file_and_add_up_to_the_change() -> None:
    result = migrate_source(TWICE, target="compat")
    rewritten = [one for one in result.records if one.outcome is Outcome.REWRITTEN]
    assert {one.line for one in rewritten} == {2, 3, 4}
    assert [one.rule for one in rewritten if one.line == 4] == ["LS212"]
    edits = [edit for one in result.records for edit in one.edits]
    assert apply_edits(result.source, edits) == result.output


def test_a_program_whose_compile_asks_the_model_settles() -> None:
    source = program(
        """
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        m = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        m.compile("adam")
        print(m.optimizer.loss_scale())
        """
    )
    result = migrate_source(source, target="keras3")
    assert reviews(result) == []
    assert "print(m.optimizer.loss_scale)" in result.text
    assert migrate_source(result.output, target="keras3").status is Status.UNCHANGED


def test_a_file_that_never_settles_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_MOST_PASSES", 0)
    result = migrate_source(TWICE, target="compat")
    assert (result.status, result.output) == (Status.REFUSED, TWICE.encode())
    assert "changes again after 0 passes" in result.problem
