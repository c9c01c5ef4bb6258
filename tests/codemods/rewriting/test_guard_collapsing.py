# SPDX-License-Identifier: Apache-2.0
"""Branches for old versions are taken out; findings name the lines of the file as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome, migrate_source
from lossscale_codemods.source.edits import apply_edits

from tests.codemods.checks import check_review, check_transformed, program, reviews
from tests.codemods.rules.test_ls701_guards import HASATTR, TRY, VERSION_IF

if TYPE_CHECKING:
    pass


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


BOTH_SIDES = """
    import tensorflow as tf
    if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    else:
        tf.keras.mixed_precision.experimental.set_policy("float32")
"""
UNBOUND = """
    import tensorflow as tf
    if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
        name = "old"
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
    print(name)
"""
NESTED = """
    import tensorflow as tf
    def policy(name, é):
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
            # the new way
            first = tf.keras.mixed_precision.Policy(name)

            é(tf); second = (tf.keras.mixed_precision if tuple(map(int, tf.__version__.split(".")[:2])) > (2, 3) else tf.keras.mixed_precision.experimental).global_policy()
        else:
            first = second = tf.keras.mixed_precision.experimental.Policy(name)
        é("é"); hand_on(tf.keras.mixed_precision.experimental.LossScaleOptimizer)
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
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
        (7, "LS701"),
        (9, "LS701"),
        (10, "LS205"),
        (14, "LS701"),
        (15, "LS501"),
    ]
    for record in result.records:
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
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 0):
            start()
        elif tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
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
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
            print('''one
              two''')
        """,
        """
        import tensorflow as tf
        V = tuple(map(int, tf.__version__.split(".")[:2]))
        if V < (2, 4): tf.keras.mixed_precision.experimental.set_policy(p)
        else: tf.keras.mixed_precision.set_global_policy(p)
        """,
    ],
    ids=["three branches", "try and else", "try and finally", "a string of two lines", "one line"],
)
def test_what_is_left_as_it_is(guard: str) -> None:
    source = program(guard)
    assert migrate_source(source, collapse_guards=True).text == source


@pytest.mark.parametrize("guard", [VERSION_IF, TRY, HASATTR, BOTH_SIDES, UNBOUND])
def test_each_old_name_is_counted_as_often_as_without(guard: str) -> None:
    source = program(guard)
    plain, collapsed = migrate_source(source), migrate_source(source, collapse_guards=True)
    places = [(record.line, record.column) for record in plain.records]
    assert [(record.line, record.column) for record in collapsed.records] == places
    assert plain.problem == collapsed.problem == ""


def test_a_value_that_only_the_old_branch_gives_keeps_the_guard() -> None:
    check_review(UNBOUND, UNBOUND, "the branch for old versions of the guard", collapse_guards=True)
    assert not any("collapsed" in text for text in reviews(migrate_source(program(UNBOUND))))


def test_what_new_versions_run_before_an_import_fails_keeps_the_guard() -> None:
    source = """
        try:
            import optional
            from tensorflow.keras.mixed_precision.experimental import set_policy
        except ImportError:
            from tensorflow.keras.mixed_precision import set_global_policy as set_policy
    """
    check_review(source, source, "the branch for old versions", collapse_guards=True)


def test_a_choice_by_the_same_flag_collapses_after_the_import() -> None:
    check_transformed(
        """
        try:
            import tensorflow.keras.mixed_precision.experimental as mp
            OLD = True
        except ImportError:
            import tensorflow.keras.mixed_precision as mp
            OLD = False
        opt = mp.LossScaleOptimizer(o, "dynamic") if OLD else mp.LossScaleOptimizer(o)
        scale = opt.loss_scale() if OLD else opt.loss_scale
        """,
        """
        import tensorflow.keras.mixed_precision as mp
        OLD = False
        opt = mp.LossScaleOptimizer(o)
        scale = opt.loss_scale
        """,
        collapse_guards=True,
    )


def test_a_suppressed_branch_stays() -> None:
    source = program(VERSION_IF).replace('"dynamic")', '"dynamic")  # compat-lossscale: ignore')
    assert migrate_source(source, collapse_guards=True).text == source


def test_the_comment_in_front_of_the_new_branch_stays() -> None:
    source = """
        import tensorflow as tf
        def f(p):
            if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):  # before
                tf.keras.mixed_precision.experimental.set_policy(p)
            else:  # from 2.4 on
                # the new way
                tf.keras.mixed_precision.set_global_policy(p)
            return tf.keras.mixed_precision.experimental.global_policy()
    """
    result = check_transformed(
        source,
        """
        import tensorflow as tf
        def f(p):
            # from 2.4 on
            # the new way
            tf.keras.mixed_precision.set_global_policy(p)
            return tf.keras.mixed_precision.global_policy()
        """,
        collapse_guards=True,
    )
    assert [record.line for record in result.records] == [4, 8]


def test_what_asked_for_old_names_is_reported_once_no_branch_is_left() -> None:
    check_review(
        """
        import tensorflow as tf
        OLD = hasattr(tf.keras.mixed_precision, "experimental")
        NEW = "experimental" not in dir(tf.keras.mixed_precision)
        mp = tf.keras.mixed_precision.experimental if OLD else tf.keras.mixed_precision
        opt = mp.LossScaleOptimizer(o, "dynamic") if OLD else mp.LossScaleOptimizer(o)
        if OLD:
            print("old", NEW)
        """,
        """
        import tensorflow as tf
        OLD = hasattr(tf.keras.mixed_precision, "experimental")
        NEW = "experimental" not in dir(tf.keras.mixed_precision)
        mp = tf.keras.mixed_precision
        opt = mp.LossScaleOptimizer(o)
        if OLD:
            print("old", NEW)
        """,
        "looks for an old name",
        "looks for an old name",
        collapse_guards=True,
    )
