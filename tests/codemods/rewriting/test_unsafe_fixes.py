# SPDX-License-Identifier: Apache-2.0
"""Fixes that are very likely right and not proven: made if asked for, and known if not."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, Result, Status, migrate_source
from lossscale_codemods.rewriting import engine

from tests.codemods.checks import check_review, program, reviews

CALLBACK = """
    import tensorflow as tf

    class Log:
        def on_epoch_end(self, epoch, logs=None):
            logs["loss_scale"] = float(self.model.optimizer.loss_scale())

    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    """


def marks(result: Result) -> list[tuple[str, Outcome]]:
    return [(one.rule, one.outcome) for one in result.records if one.unsafe]


def test_without_the_option_it_is_left_and_known_to_be_available() -> None:
    result = check_review(
        CALLBACK, CALLBACK.replace("experimental.set_policy", "set_global_policy"), "not proven"
    )
    assert marks(result) == [("LS301", Outcome.NEEDS_REVIEW)]
    assert result.unsafe_fixes == 1


def test_with_the_option_it_is_made_and_marked() -> None:
    after = CALLBACK.replace("experimental.set_policy", "set_global_policy")
    result = check_review(CALLBACK, after.replace("scale())", "scale)"), unsafe_fixes=True)
    assert reviews(result) == []
    assert marks(result) == [("LS301", Outcome.REWRITTEN)]
    assert result.unsafe_fixes == 0


def test_no_fix_is_promised_for_a_name_that_may_be_another_one() -> None:
    source = """
        from tensorflow.keras.mixed_precision import experimental as mp
        from config import *

        policy = mp.Policy("mixed_float16", loss_scale=1024)
        """
    result = check_review(source, source, "still needs it", "1024 is not the one")
    assert result.unsafe_fixes == 0
    check_review(source, source, "still needs it", "the star import on line 2", unsafe_fixes=True)


def test_what_other_fixes_settle_is_not_marked() -> None:
    safe = program(CALLBACK).replace("self.model.optimizer.loss_scale()", "0")
    assert marks(migrate_source(safe, unsafe_fixes=True)) == []


def test_an_import_goes_with_its_last_use() -> None:
    source = """
        from tensorflow.keras.callbacks import Callback
        from tensorflow.train.experimental import enable_mixed_precision_graph_rewrite

        def fit(model, opt):
            opt = enable_mixed_precision_graph_rewrite(opt)
            model.compile(opt, "mse", callbacks=[Callback()])
        """
    result = check_review(source, source, "still needs it", "v1 or a Keras optimizer")
    assert result.unsafe_fixes == 1
    unsafe = migrate_source(program(source), unsafe_fixes=True)
    assert [rule for rule, _ in marks(unsafe)] == ["LS602"]
    assert "enable_mixed_precision_graph_rewrite" not in unsafe.text


def test_a_suppressed_finding_has_none() -> None:
    source = program(CALLBACK).replace("scale())", "scale())  # compat-lossscale: ignore")
    assert migrate_source(source).unsafe_fixes == 0
    assert "optimizer.loss_scale())" in migrate_source(source, unsafe_fixes=True).text


def test_a_finding_that_no_one_can_settle_has_none() -> None:
    source = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('infer')\n"
    result = migrate_source(source, unsafe_fixes=True)
    assert len(reviews(result)) == 1
    assert marks(result) == []


WRAPPED = program(
    """
    import tensorflow as tf

    def fit(model, opt):
        scaled = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
        model.compile(scaled, "mse")
        print(scaled.loss_scale())
    """
)


def test_what_an_unsafe_fix_proves_is_fixed_with_it() -> None:
    result = migrate_source(WRAPPED, unsafe_fixes=True)
    assert marks(result) == [("LS602", Outcome.REWRITTEN), ("LS301", Outcome.REWRITTEN)]
    assert "print(scaled.loss_scale)\n" in result.text


def test_what_does_not_pass_the_proofs_with_them_is_done_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "failed_proof", lambda *_: "Not proven.")
    result = migrate_source(WRAPPED, unsafe_fixes=True)
    assert result.status is Status.UNCHANGED
    assert result.problem == ""
    assert marks(result) == []
