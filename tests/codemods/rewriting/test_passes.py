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
    def fit(model, opt):
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
        model.compile(optimizer=opt, loss="mse")
        return opt._optimizer
    """
)


def test_what_only_the_new_name_says_is_seen() -> None:
    result = migrate_source(TWICE, unsafe_fixes=True)
    assert result.status is Status.CHANGED
    assert "    return opt.inner_optimizer\n" in result.text
    assert reviews(result) == []
    assert migrate_source(result.output, unsafe_fixes=True).status is Status.UNCHANGED


def test_records_of_all_passes_name_lines_of_the_file_and_add_up_to_the_change() -> None:
    result = migrate_source(TWICE, unsafe_fixes=True)
    rewritten = [one for one in result.records if one.outcome is Outcome.REWRITTEN]
    assert [(one.line, one.rule) for one in rewritten] == [(3, "LS602"), (5, "LS301")]
    edits = [edit for one in result.records for edit in one.edits]
    assert apply_edits(result.source, edits) == result.output


def test_what_a_later_pass_settles_is_no_finding_and_keeps_its_place() -> None:
    source = program(
        """
        import tensorflow as tf
        mp = getattr(tf.keras.mixed_precision, "experimental", None)
        LSO = mp.LossScaleOptimizer if mp is not None else None
        opt = tf.keras.optimizers.SGD(0.1)
        opt = LSO(opt, "dynamic") if LSO else opt
        """
    )
    result = migrate_source(source, target="compat")
    assert [text.split(":")[0] for text in reviews(result)] == ["2"]
    places = [(one.line, one.column) for one in result.records]
    assert places == [(2, 40), (3, 7), (3, 32), (4, 7), (5, 7), (5, 30)]


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
    source = (
        "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    )
    result = migrate_source(source)
    assert (result.status, result.output) == (Status.REFUSED, source.encode())
    assert "changes again after 0 passes" in result.problem
