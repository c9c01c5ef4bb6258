# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import program


def test_mentions_are_listed_and_ask_for_nothing() -> None:
    result = migrate_source(
        '"""Uses tf.keras.mixed_precision.experimental.LossScaleOptimizer."""\n'
        "# from tensorflow.keras.mixed_precision import experimental\n"
        "x = 1  # see DynamicLossScale\n"
        "raise ValueError(f'call {x} enable_mixed_precision_graph_rewrite first')\n"
    )
    assert not result.changed
    assert [(r.rule, r.outcome, r.line, r.column) for r in result.records] == [
        ("LS801", Outcome.MENTIONED, 1, 9),
        ("LS801", Outcome.MENTIONED, 2, 8),
        ("LS801", Outcome.MENTIONED, 3, 14),
        ("LS801", Outcome.MENTIONED, 4, 29),
    ]


def test_the_helper_that_the_codemod_adds_mentions_nothing() -> None:
    source = """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, config.loss_scale)
    """
    migrated = migrate_source(program(source)).text
    assert "DynamicLossScale" in migrated
    assert migrate_source(migrated).records == ()
