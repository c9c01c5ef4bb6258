# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

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
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

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


EITHER_OR = """
    import tensorflow as tf
    mp = tf.keras.mixed_precision
    set_policy = getattr(mp, "set_global_policy", None) or mp.experimental.set_policy
    set_policy("mixed_float16")
"""


@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_the_old_name_behind_or_is_kept_for_older_versions(target: str) -> None:
    result = check_left(EITHER_OR, "the branch for old versions", target=target)
    assert all(record.for_older_versions for record in result.records)


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


def test_an_old_module_that_is_asked() -> None:
    old = "tf.keras.mixed_precision.experimental"
    source = "import tensorflow as tf\nprint({})\n"
    check_left(source.format(f"hasattr({old}, 'set_policy')"), "the module is passed on")
    check_left(source.format(f"getattr({old}, 'Policy', None)"), "the module is passed on")


def test_getattr() -> None:
    result = migrate_source(
        "import tensorflow as tf\n"
        "mp = getattr(tf.keras.mixed_precision, 'experimental', tf.keras.mixed_precision)\n"
    )
    assert result.count(Outcome.NEEDS_REVIEW) == 1


def test_new_names_alone_are_no_guard() -> None:
    check_noop("import tensorflow as tf\nif v: tf.keras.mixed_precision.set_global_policy('x')\n")


@pytest.mark.parametrize(
    "guard",
    [
        """
        import tensorflow as tf
        if {old}:
            from tensorflow.python.keras.mixed_precision.experimental import autocast_variable
        else:
            from tensorflow.python.keras.mixed_precision import autocast_variable
        variables = (tf.Variable, autocast_variable.AutoCastVariable)
        """,
        """
        import tensorflow as tf
        if {old}:
            from tensorflow.keras.mixed_precision import experimental as mp
            if isinstance(opt, mp.LossScaleOptimizer):
                loss = opt.get_scaled_loss(loss)
        else:
            grads = opt._compute_gradients(loss, variables)
        """,
        """
        import tensorflow as tf
        if tf.__version__.startswith("2.2."):
            from tensorflow.python.keras.mixed_precision.experimental import (
                device_compatibility_check,
            )
            device_compatibility_check.log_device_compatibility_check = lambda *_: None
        """,
        """
        import tensorflow.compat.v1 as tf
        from packaging.version import Version
        from settings import TF_VERSION
        version = Version(TF_VERSION)
        if version < Version("1.14"):
            raise RuntimeError(version)
        elif version < Version("2.4"):
            opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
        else:
            opt = tf.mixed_precision.enable_mixed_precision_graph_rewrite(opt)
        """,
    ],
    ids=["the same name", "only asked for", "one version", "a version of a configuration"],
)
def test_what_newer_versions_do_not_miss(guard: str) -> None:
    source = guard.replace("{old}", 'tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4)')
    result = migrate_source(program(source))
    assert result.text == program(source)
    kept = [record.for_older_versions for record in result.records if record.rule == "LS701"]
    assert kept
    assert all(kept)


def test_a_flag_of_a_file_that_is_not_there_is_named_after_a_version() -> None:
    head = "import tensorflow as tf\nfrom compat import IS_PREV_TF_2_4\n"
    source = f"{head}if IS_PREV_TF_2_4:\n    {OLD_POLICY}\n"
    alone = check_left(source, "nothing takes its place in newer ones")
    assert not any(record.for_older_versions for record in alone.records)
    both = check_left(f"{source}else:\n    {NEW_POLICY}\n", "the branch for old versions")
    assert all(record.for_older_versions for record in both.records)


@pytest.mark.parametrize("condition", ["supports()", "config.new", "fp16"])
def test_a_condition_that_is_not_known_is_no_guard(condition: str) -> None:
    """Either side does what it did, whichever is taken."""
    source = f"""
        import tensorflow as tf
        if {condition}:
            wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
        else:
            wrapper = tf.keras.mixed_precision.LossScaleOptimizer(opt)
    """
    check_transformed(source, source.replace("experimental.", "").replace(', "dynamic"', ""))


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
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 0):
            start()
        elif tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy(p)
        else:
            tf.keras.mixed_precision.set_global_policy(p)
        """,
    ],
    ids=["a flag made of a flag", "a bare except", "three branches"],
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
        if args.amp and tf.__version__ >= "2.1":
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
    ids=["both in one branch", "another condition beside a version of before", "another exception"],
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


OLD_POLICY = 'tf.keras.mixed_precision.experimental.set_policy("mixed_float16")'
NEW_POLICY = 'tf.keras.mixed_precision.set_global_policy("mixed_float16")'
IN_COMPAT = 'compat_lossscale.experimental.set_policy("mixed_float16")'


@pytest.mark.parametrize("collapse_guards", [False, True])
@pytest.mark.parametrize(
    "asking",
    [
        'hasattr({}, "experimental")',
        "hasattr({}, 'experimental')",
        '"experimental" in dir({})',
        'not "experimental" in vars({})',
        '"experimental" not in dir({})',
    ],
)
def test_what_asks_for_an_old_name_is_reported(asking: str, collapse_guards: bool) -> None:
    module, body = "tf.keras.mixed_precision", "if {}: pass\nelse: print('no')\n"
    if "not" not in asking:
        body = "AMP = {}\nif AMP: {}\nelse: print('no')\n"
    source = "import tensorflow as tf\n" + body.format(asking.format(module), OLD_POLICY)
    for target in ("tf-keras", "keras3", "compat"):
        result = migrate_source(source, target=target, collapse_guards=collapse_guards)
        assert not result.changed
        assert any("looks for an old name" in text for text in reviews(result)), target
        is_alone = any("nothing takes its place" in text for text in reviews(result))
        assert is_alone is ("not" not in asking)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """
            try:
                from tensorflow.keras.mixed_precision import experimental as mp
                HAS_AMP = True
            except ImportError:
                HAS_AMP = False
            if HAS_AMP:
                mp.set_policy("mixed_float16")
            """,
            """
            try:
                from tensorflow.keras import mixed_precision as mp
                HAS_AMP = True
            except ImportError:
                HAS_AMP = False
            if HAS_AMP:
                mp.set_global_policy("mixed_float16")
            """,
        ),
        (
            """
            def has_amp():
                try:
                    from tensorflow.keras.mixed_precision import experimental
                    return experimental is not None
                except ImportError:
                    return False
            from tensorflow.keras import mixed_precision as m
            opt = m.experimental.LossScaleOptimizer(opt, "dynamic") if has_amp() else opt
            """,
            """
            def has_amp():
                try:
                    from tensorflow.keras import mixed_precision as experimental
                    return experimental is not None
                except ImportError:
                    return False
            from tensorflow.keras import mixed_precision as m
            opt = m.LossScaleOptimizer(opt) if has_amp() else opt
            """,
        ),
        (
            """
            import tensorflow as tf
            try:
                tf.keras.mixed_precision.experimental
                HAS_AMP = True
            except AttributeError:
                HAS_AMP = False
            if HAS_AMP:
                tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
            """,
            """
            import tensorflow as tf
            try:
                tf.keras.mixed_precision
                HAS_AMP = True
            except AttributeError:
                HAS_AMP = False
            if HAS_AMP:
                tf.keras.mixed_precision.set_global_policy("mixed_float16")
            """,
        ),
    ],
    ids=["a flag in try", "a function", "a statement"],
)
def test_a_feature_whose_place_nothing_takes_is_migrated(before: str, after: str) -> None:
    for collapse_guards in (False, True):
        check_transformed(before, after, collapse_guards=collapse_guards)


def test_features_and_versions_are_told_apart_in_one_file() -> None:
    check_review(
        """
        try:
            from tensorflow.keras.mixed_precision.experimental import set_policy
        except ImportError:
            from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        try:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        except ImportError:
            LossScaleOptimizer = None
        if LossScaleOptimizer is not None:
            opt = LossScaleOptimizer(opt, "dynamic")
        """,
        """
        try:
            from tensorflow.keras.mixed_precision.experimental import set_policy
        except ImportError:
            from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        try:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
        except ImportError:
            LossScaleOptimizer = None
        if LossScaleOptimizer is not None:
            opt = LossScaleOptimizer(opt)
        """,
        "the branch for old versions of the guard on line 1",
    )


@pytest.mark.parametrize("other", ["", "else:\n    print('float32')\n"])
def test_a_version_that_nothing_takes_the_place_of(other: str) -> None:
    version = 'tuple(map(int, tf.__version__.split(".")[:2]))'
    source = f"import tensorflow as tf\nif {version} < (2, 4):\n    {OLD_POLICY}\n{other}"
    result = check_left(source, f"{SURE} 2, and nothing takes its place in newer ones")
    assert not any(record.for_older_versions for record in result.records)
    assert migrate_source(source, collapse_guards=True).text == source
    with_new = f"{source}if {version} >= (2, 4):\n    {NEW_POLICY}\n"
    (text,) = reviews(migrate_source(with_new))
    assert "nothing takes its place" not in text


def test_one_guard_is_one_finding() -> None:
    version = 'tuple(map(int, tf.__version__.split(".")[:2]))'
    result = migrate_source(
        program(
            f"""
            import tensorflow as tf
            if {version} < (2, 2):
                {OLD_POLICY}
            elif {version} < (2, 4):
                policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
                tf.keras.mixed_precision.experimental.set_policy(policy)
            else:
                {NEW_POLICY}
            """
        )
    )
    shown = [record.line for record in result.records if record.is_finding]
    assert shown == [3]
    assert result.count(Outcome.NEEDS_REVIEW) == 3


def test_a_guard_and_what_it_asks_are_one_finding() -> None:
    source = f"""
        import tensorflow as tf
        if hasattr(tf.keras.mixed_precision, "experimental"):
            {OLD_POLICY}
        else:
            {NEW_POLICY}
    """
    records = migrate_source(program(source)).records
    assert {one.rule: one.is_finding for one in records} == {"LS701": True, "LS802": False}


def test_a_feature_that_another_file_asks_for(tmp_path: Path) -> None:
    asks = """
        try:
            from tensorflow.keras.mixed_precision import experimental as mp
            HAS_AMP = True
        except ImportError:
            mp = None
            HAS_AMP = False
    """
    uses = """
        from amp import HAS_AMP, mp
        if HAS_AMP:
            mp.set_policy("mixed_float16")
        else:
            {}
    """
    for other in ("pass", NEW_POLICY):
        folder = tmp_path / other[:4]
        folder.mkdir()
        found = migrated(folder, {"amp.py": asks, "main.py": uses.format(other)})
        assert "from tensorflow.keras import mixed_precision as mp" in found["amp.py"].text
        assert "set_policy(" not in found["main.py"].text
        assert [text for one in found.values() for text in reviews(one)] == []
