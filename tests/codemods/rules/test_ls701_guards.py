# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import (
    check_left,
    check_noop,
    check_review,
    check_transformed,
    program,
    reviews,
)

VERSION_IF = """
    import tensorflow as tf
    from packaging import version
    if version.parse(tf.__version__) >= version.parse("2.4"):
        # the new way
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
    else:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    run(opt)
"""
TRY = """
    try:
        from tensorflow.keras.mixed_precision import LossScaleOptimizer
    except ImportError:
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
    ok = isinstance(opt, LossScaleOptimizer)
"""
HASATTR = """
    import tensorflow as tf
    mp = tf.keras.mixed_precision
    if hasattr(mp, "set_global_policy"):
        mp.set_global_policy("mixed_float16")
    else:
        mp.experimental.set_policy("mixed_float16")
"""
FLAG = """
    import tensorflow as tf
    OLD = tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4)
    def f(p):
        if OLD:
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
"""
CONDITIONAL = """
    import tensorflow as tf
    new = int(tf.__version__.split(".")[1]) > 3
    p = (tf.keras.mixed_precision if new else tf.keras.mixed_precision.experimental).global_policy()
"""
EARLY_RETURN = """
    import tensorflow as tf
    def f(p):
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
            return tf.keras.mixed_precision.set_global_policy(p)
        tf.keras.mixed_precision.experimental.set_policy(p)
"""
ALL = [VERSION_IF, TRY, HASATTR, FLAG, CONDITIONAL, EARLY_RETURN]


@pytest.mark.parametrize("guard", ALL)
def test_the_old_branch_is_left_and_reported(guard: str) -> None:
    check_left(guard, "LS701")


def test_a_guard_between_tensorflow_1_and_2_is_none() -> None:
    check_transformed(
        """
        import tensorflow as tf
        if tf.__version__.startswith("2"):
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        if tf.__version__.startswith("2"):
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        """,
    )


def test_a_try_without_a_new_name_is_none() -> None:
    check_transformed(
        """
        try:
            from tensorflow.keras.mixed_precision import experimental as mp
        except ImportError:
            mp = None
        if mp:
            mp.set_policy("mixed_float16")
        """,
        """
        try:
            from tensorflow.keras import mixed_precision as mp
        except ImportError:
            mp = None
        if mp:
            mp.set_global_policy("mixed_float16")
        """,
    )


def test_what_both_branches_bind_is_not_rewritten() -> None:
    result = migrate_source(program(TRY) + "opt = LossScaleOptimizer(opt, 'dynamic')\n")
    assert not result.changed
    assert any("which takes no `loss_scale`" in text for text in reviews(result))


@pytest.mark.parametrize("asked", ["hasattr({}, 'Policy')", "getattr({}, 'Policy', None)"])
def test_an_old_name_that_is_asked_is_no_guard(asked: str) -> None:
    asked = asked.format("tf.keras.mixed_precision.experimental")
    result = check_left(f"import tensorflow as tf\nprint({asked})\n", "the module is passed on")
    assert not any(record.for_older_versions for record in result.records)


def test_getattr() -> None:
    result = migrate_source(
        "import tensorflow as tf\n"
        "mp = getattr(tf.keras.mixed_precision, 'experimental', tf.keras.mixed_precision)\n"
    )
    assert result.count(Outcome.NEEDS_REVIEW) == 1


def test_new_names_alone_are_no_guard() -> None:
    check_noop("import tensorflow as tf\nif v: tf.keras.mixed_precision.set_global_policy('x')\n")


IMPORTED_FLAG = """
    import tensorflow as tf
    from project import compat
    if compat.IS_PREV_TF_2_4_0:
        from tensorflow.keras.mixed_precision import experimental as mixed_precision
        mixed_precision.set_policy("mixed_float16")
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
"""


def test_a_flag_of_another_file_that_is_named_after_a_version() -> None:
    message = "the branch for old versions of the guard on line"
    check_left(IMPORTED_FLAG, message, message)
    check_left(
        """
        from project.compat import IS_PREV_TF_2_4_0
        if IS_PREV_TF_2_4_0:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
            wrapped = isinstance(opt, LSO)
        """,
        message,
        message,
    )


def test_any_choice_between_a_name_and_what_it_became() -> None:
    source = """
        import tensorflow as tf
        if supports("keras.mixed_precision"):
            wrapper = tf.keras.mixed_precision.LossScaleOptimizer
        else:
            wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
    """
    check_left(source, "the condition on line 2 chooses between it and its new name")
    assert migrate_source(program(source), collapse_guards=True).text == program(source)
    check_transformed(
        """
        import tensorflow as tf
        if fp16:
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        else:
            print(tf.keras.mixed_precision.Policy)
        """,
        """
        import tensorflow as tf
        if fp16:
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        else:
            print(tf.keras.mixed_precision.Policy)
        """,
    )


SURE = "the branch for old versions of the guard on line"


@pytest.mark.parametrize(
    "guard",
    [
        """
        import tensorflow as tf
        OLD = tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4)
        LEGACY = not OLD
        if LEGACY:
            tf.keras.mixed_precision.set_global_policy(p)
        else:
            tf.keras.mixed_precision.experimental.set_policy(p)
        """,
        """
        import tensorflow as tf
        try:
            tf.keras.mixed_precision.set_global_policy(p)
        except:
            tf.keras.mixed_precision.experimental.set_policy(p)
        """,
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy(p)
        """,
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 0):
            start()
        elif tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
        """,
    ],
    ids=["a flag made of a flag", "a bare except", "one branch", "three branches"],
)
def test_what_is_a_guard(guard: str) -> None:
    check_left(guard, SURE)


@pytest.mark.parametrize(
    "program",
    [
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
            p = tf.keras.mixed_precision.Policy(name)
            tf.keras.mixed_precision.experimental.set_policy(p)
        """,
        """
        import tensorflow as tf
        try:
            tf.keras.mixed_precision.set_global_policy(p)
        except ValueError:
            tf.keras.mixed_precision.experimental.set_policy(p)
        """,
    ],
    ids=["both in one branch", "another exception"],
)
def test_what_is_no_guard(program: str) -> None:
    check_transformed(program, program.replace("experimental.set_policy", "set_global_policy"))


def test_a_try_around_other_blocks_is_no_guard() -> None:
    check_transformed(
        """
        import tensorflow as tf
        try:
            if mixed:
                tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        except Exception as error:
            print(error)
        """,
        """
        import tensorflow as tf
        try:
            if mixed:
                tf.keras.mixed_precision.set_global_policy("mixed_float16")
        except Exception as error:
            print(error)
        """,
    )


@pytest.mark.parametrize("collapse_guards", [False, True])
@pytest.mark.parametrize(
    "condition",
    [
        'float(".".join(tf.__version__.split(".")[:2])) < 2.4',
        'tf.__version__.startswith("2.2")',
        'tf.__version__ < "2.4"',
        'not tf.__version__ >= "2.4.0"',
        'tf.__version__.split(".")[1] < "4"',
        'tf.__version__.split(".") < ["2", "4"]',
        'tf.__version__ < "2.2"',  # "2.16" is, and "2.20" is not.
    ],
)
def test_a_condition_that_takes_versions_of_today_for_old_ones(
    condition: str, collapse_guards: bool
) -> None:
    branches = """
        import tensorflow as tf
        if {}:
            tf.keras.mixed_precision.{}(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
        """
    check_review(
        branches.format(condition, "experimental.set_policy"),
        branches.format(condition, "set_global_policy"),
        "current versions run the branch that seems to be for old ones",
        collapse_guards=collapse_guards,
    )
    check_noop(branches.format(condition, "set_global_policy"))


def test_a_condition_that_compares_versions() -> None:
    result = migrate_source(program(VERSION_IF))
    assert not any("current versions" in text for text in reviews(result))
