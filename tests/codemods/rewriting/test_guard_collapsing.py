# SPDX-License-Identifier: Apache-2.0
"""Branches for old versions are taken out; findings name the lines of the file as it is."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, migrate_source
from lossscale_codemods.editing.edits import apply_edits

from tests.codemods.checks import check_review, check_transformed, program
from tests.codemods.rules.test_ls701_guards import HASATTR, TRY, VERSION_IF


@pytest.mark.parametrize(
    ("guard", "collapsed"),
    [
        (
            VERSION_IF,
            """
            import tensorflow as tf
            # the new way
            opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
            run(opt)
            """,
        ),
        (
            TRY,
            """
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
            ok = isinstance(opt, LossScaleOptimizer)
            """,
        ),
        (
            HASATTR,
            """
            import tensorflow as tf
            mp = tf.keras.mixed_precision
            mp.set_global_policy("mixed_float16")
            """,
        ),
    ],
)
def test_collapse(guard: str, collapsed: str) -> None:
    check_transformed(guard, collapsed, collapse_guards=True)


NESTED = """
    import tensorflow as tf
    def policy(name, é):
        if tf.__version__ >= "2.4":
            # the new way
            first = tf.keras.mixed_precision.Policy(name)

            é(tf); second = (tf.keras.mixed_precision if NEW_VERSION else tf.keras.mixed_precision.experimental).global_policy()
        else:
            first = second = tf.keras.mixed_precision.experimental.Policy(name)
        é("é"); hand_on(tf.keras.mixed_precision.experimental.LossScaleOptimizer)
        if tf.__version__ >= "2.4":
            tf.keras.mixed_precision.set_global_policy(first)
        else:
            tf.keras.mixed_precision.experimental.set_policy(first)
        return tf.keras.mixed_precision.experimental.global_policy()
"""  # noqa: E501  # a program, as it was written


def test_one_guard_in_another_and_one_behind_it() -> None:
    check_review(
        NESTED,
        """
        import tensorflow as tf
        def policy(name, é):
            # the new way
            first = tf.keras.mixed_precision.Policy(name)

            é(tf); second = tf.keras.mixed_precision.global_policy()
            é("é"); hand_on(tf.keras.mixed_precision.experimental.LossScaleOptimizer)
            tf.keras.mixed_precision.set_global_policy(first)
            return tf.keras.mixed_precision.global_policy()
        """,
        "how it will be called",
        collapse_guards=True,
    )


def test_records_are_at_places_of_the_file_as_it_is() -> None:
    source = program(NESTED)
    lines = source.splitlines()
    result = migrate_source(source, collapse_guards=True)
    assert [(r.line, r.rule) for r in result.records] == [
        (3, "LS701"),
        (7, "LS701"),
        (10, "LS205"),
        (11, "LS701"),
        (15, "LS501"),
    ]
    for record in result.records:
        if record.rule != "LS701":
            assert record.line == record.end_line
            line = lines[record.line - 1]
            assert line[record.column - 1 : record.end_column - 1] == record.name


def test_their_edits_are_of_the_file_as_it_is() -> None:
    source = program(NESTED)
    result = migrate_source(source, collapse_guards=True)
    edits = [edit for record in result.records for edit in record.edits]
    assert apply_edits(source.encode(), edits) == result.output
    (last,) = [r for r in result.records if r.name.endswith("global_policy")]
    (edit,) = last.edits
    text = source.encode()
    assert text[edit.start : edit.end] == b"tf.keras.mixed_precision.experimental.global_policy"


def test_nothing_is_collapsed_that_the_options_leave_out() -> None:
    source = program(VERSION_IF)
    result = migrate_source(source, collapse_guards=True, ignore=("LS7",))
    assert result.text == source
    assert result.count(Outcome.REWRITTEN) == 0


@pytest.mark.parametrize(
    "guard",
    [
        """
        import tensorflow as tf
        if tf.__version__ < "2.0":
            start()
        elif tf.__version__ < "2.4":
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
        """,
        """
        try:
            from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        except ImportError:
            from tensorflow.keras.mixed_precision.experimental import set_policy
        else:
            print("new")
        """,
        """
        try:
            from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        except ImportError:
            from tensorflow.keras.mixed_precision.experimental import set_policy
        finally:
            print("done")
        """,
        """
        import tensorflow as tf
        if tf.__version__ < "2.4":
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
            print('''one
              two''')
        """,
        """
        import tensorflow as tf
        if tf.__version__ < "2.4": tf.keras.mixed_precision.experimental.set_policy(p)
        else: tf.keras.mixed_precision.set_global_policy(p)
        """,
    ],
    ids=["three branches", "try and else", "try and finally", "a string of two lines", "one line"],
)
def test_what_is_left_as_it_is(guard: str) -> None:
    source = program(guard)
    assert migrate_source(source, collapse_guards=True).text == source
