# SPDX-License-Identifier: Apache-2.0
"""What comments leave out: a place, a rule, a file; it is counted, and nothing of it changes."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import program

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"


def test_a_comment_is_for_its_line_or_for_the_next_one() -> None:
    result = migrate_source(
        program(
            """
            import tensorflow as tf
            mp = tf.keras.mixed_precision.experimental
            mp.set_policy("mixed_float16")  # compat-lossscale: ignore[LS501]
            # compat-lossscale: ignore
            opt = mp.LossScaleOptimizer(opt, "dynamic")
            # compat-lossscale: ignore[LS9]
            opt2 = tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd, "dynamic")
            tf.keras.mixed_precision.experimental.set_policy("infer")
            """
        )
    )
    assert [(r.line, r.outcome) for r in result.records] == [
        (2, Outcome.SUPPRESSED),
        (3, Outcome.SUPPRESSED),
        (5, Outcome.SUPPRESSED),
        (7, Outcome.REWRITTEN),
        (8, Outcome.NEEDS_REVIEW),
    ]
    assert "mp = tf.keras.mixed_precision.experimental\nmp.set_policy" in result.text


def test_an_import_that_only_a_suppressed_use_needs_stays() -> None:
    source = program(
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        mp.set_policy("x")  # compat-lossscale: ignore
        policy = mp.global_policy()
        """
    )
    result = migrate_source(source)
    assert result.text.startswith(source[: source.index("policy =")].split("\n")[0])
    assert 'mp.set_policy("x")' in result.text
    assert [r.outcome for r in result.records] == [
        Outcome.SUPPRESSED,
        Outcome.SUPPRESSED,
        Outcome.REWRITTEN,
    ]


def test_a_whole_file_is_suppressed() -> None:
    result = migrate_source("# compat-lossscale: ignore-file\n" + OLD)
    assert not result.changed
    assert result.count(Outcome.SUPPRESSED) == 1
    assert migrate_source("# compat-lossscale: ignore-file[LS2]\n" + OLD).changed


@pytest.mark.parametrize("separator", ["\f", "\x1d", "\x85", "\u2028"])
def test_lines_are_counted_as_python_counts_them(separator: str) -> None:
    result = migrate_source(
        f"import tensorflow as tf\nx = 'a{separator}b'\n"
        "# compat-lossscale: ignore\n"
        "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    )
    assert [(r.line, r.outcome) for r in result.records] == [(4, Outcome.SUPPRESSED)]
