# SPDX-License-Identifier: Apache-2.0
"""Every way to ask for the version, in every shape of a guard."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_transformed, reviews

HEAD = """\
import re
from distutils.version import LooseVersion, StrictVersion  # compat-lossscale: ignore[LS901]

import packaging.version
import pkg_resources  # compat-lossscale: ignore[LS901]
import tensorflow as tf
from packaging import version
from packaging.version import Version, parse

mp = tf.keras.mixed_precision
V = tf.__version__
MAJOR, MINOR = map(int, V.split(".")[:2])
NUMBERS = tuple(int(part) for part in tf.__version__.split(".")[:2])


def is_old():
    return MAJOR < 2 or (MAJOR == 2 and MINOR < 4)


def pick():
    if version.parse(V) < version.parse("2.4"):
        return "old"
    return "new"


try:
    from tensorflow.keras.mixed_precision import set_global_policy
    HAS_NEW = True
except ImportError:
    HAS_NEW = False

"""
IS_OLD = [
    'version.parse(tf.__version__) < version.parse("2.4.0")',
    'packaging.version.parse(V) < packaging.version.parse("2.4")',
    'Version(V) < Version("2.4.0")',
    'Version("2.4.0") > parse(V)',
    'LooseVersion(tf.__version__) <= LooseVersion("2.3.9")',
    'StrictVersion(V) < "2.4"',
    'pkg_resources.parse_version(V) < pkg_resources.parse_version("2.4")',
    'V.startswith("2.2.") or V.startswith(("2.0.", "2.1.", "2.3."))',
    'tf.__version__.startswith("2.2.")',
    'V[:4] == "2.3."',
    'tuple(map(int, V.split(".")[:2])) < (2, 4)',
    '[int(x) for x in V.split(".")][:2] < [2, 4]',
    "NUMBERS < (2, 4)",
    "(2, 0) <= NUMBERS < (2, 4)",
    'int(V.split(".")[1]) < 4 and int(V.split(".")[0]) == 2',
    "MAJOR * 100 + MINOR < 204",
    "MAJOR == 2 and MINOR <= 3",
    "Version(V).release < (2, 4)",
    "Version(V).minor < 4",
    "LooseVersion(V).version[:2] < [2, 4]",
    "not (MAJOR >= 2 and MINOR > 3)",
    "is_old()",
    'pick() == "old"',
    "not HAS_NEW",
    'not hasattr(mp, "LossScaleOptimizer")',
    'hasattr(mp, "experimental")',
    'hasattr(tf.keras.mixed_precision, "experimental") and not hasattr(mp, "set_global_policy")',
    'getattr(mp, "set_global_policy", None) is None',
    "(NUMBERS < (2, 4)) if MAJOR > 1 else True",
    "NUMBERS < (2, 4) and use_amp",
    "False or NUMBERS < (2, 4)",
]
TODAY_AS_WELL = [
    'V < "2.4"',
    'V[:3] in ("2.0", "2.1", "2.2", "2.3")',
    "int(V[2]) < 4",
    "float(V[:3]) < 2.4",
    'float(".".join(V.split(".")[:2])) < 2.4',
]
FEATURE = 'hasattr(mp, "experimental")'
"""What asks for old versions only where the new names are the alternative."""
OLD = "opt = mp.experimental.LossScaleOptimizer(opt, 'dynamic')"
NEW = "opt = mp.LossScaleOptimizer(opt)"
SHAPES = {
    "if": "if {old}:\n    {OLD}\nelse:\n    {NEW}\n",
    "not": "if not ({old}):\n    {NEW}\nelse:\n    {OLD}\n",
    "alone": "if {old}:\n    {OLD}\n",
    "elif": "if amp is None:\n    pass\nelif {old}:\n    {OLD}\nelse:\n    {NEW}\n",
    "elif without else": "if amp is None:\n    pass\nelif {old}:\n    {OLD}\n",
    "flag": "OLD = {old}\nif OLD:\n    {OLD}\nelse:\n    {NEW}\n",
    "flag of a flag": "OLD = {old}\nMODERN = not OLD\nif not MODERN:\n    {OLD}\n",
    "flag in a function": "OLD = {old}\ndef f(opt):\n    if OLD:\n        {OLD}\n    return opt\n",
    "early return": "def f(opt):\n    if {old}:\n        {OLD}\n        return opt\n    {NEW}\n"
    "    return opt\n",
    "late return": "def f(opt):\n    if not ({old}):\n        {NEW}\n        return opt\n"
    "    {OLD}\n    return opt\n",
    "expression": "opt = mp.experimental.LossScaleOptimizer(opt, 'dynamic') if ({old}) else "
    "mp.LossScaleOptimizer(opt)\n",
    "and": "amp = ({old}) and mp.experimental.LossScaleOptimizer(opt, 'dynamic')\n",
}
WITH_NEW = {"if", "not", "elif", "flag", "early return", "late return", "expression"}
"""Those with a branch for new versions."""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_old_branch_is_left_however_the_version_is_asked_for(shape: str) -> None:
    for old in IS_OLD:
        if "and use_amp" in old and shape in {"not", "late return", "flag of a flag"}:
            continue
        source = HEAD + SHAPES[shape].format(old=old, OLD=OLD, NEW=NEW)
        result = migrate_source(source)
        assert not result.changed, (old, result.text[len(HEAD) :])
        found = [text for text in reviews(result) if "LossScaleOptimizer" in text]
        assert any("LS701" in text and "branch for old versions" in text for text in found), old


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in WITH_NEW])
def test_where_nothing_takes_the_place_of_what_is_asked_for_it_is_reported(shape: str) -> None:
    source = HEAD + SHAPES[shape].format(old=FEATURE, OLD=OLD, NEW=NEW)
    for collapse_guards in (False, True):
        result = migrate_source(source, collapse_guards=collapse_guards)
        assert not result.changed
        assert any("branch for old versions" in text for text in reviews(result))
        assert any("looks for an old name" in text for text in reviews(result))


NO_GUARD = [
    'V.startswith("2.")',
    'Version(V) >= Version("2.0")',
    "MAJOR > 1",
    "use_amp",
    "use_amp or NUMBERS < (2, 4)",
    "model_version < 3",
    "sys.version_info < (3, 8)",
    'hasattr(opt, "loss_scale")',
    "AMP",
]


@pytest.mark.parametrize("condition", NO_GUARD)
def test_what_versions_of_today_reach_is_rewritten(condition: str) -> None:
    head = HEAD + "AMP = False\n"
    check_transformed(f"{head}if {condition}:\n    {OLD}\n", f"{head}if {condition}:\n    {NEW}\n")


def test_old_names_in_the_branch_for_new_versions_are_rewritten() -> None:
    check_transformed(
        f"{HEAD}if NUMBERS >= (2, 4):\n    {OLD}\n", f"{HEAD}if NUMBERS >= (2, 4):\n    {NEW}\n"
    )


@pytest.mark.sampled(12)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_sure_guard_that_is_said_to_be_collapsible_is_collapsed(shape: str) -> None:
    for old in IS_OLD[:8] + IS_OLD[-4:]:
        source = HEAD + SHAPES[shape].format(old=old, OLD=OLD, NEW=NEW)
        result = migrate_source(source)
        said = any("can be collapsed" in text for text in reviews(result))
        done = migrate_source(source, collapse_guards=True).changed
        assert said is done, (shape, old)


def test_asking_an_object_for_its_class_is_no_guard() -> None:
    for then in ("elif", "if"):
        check_transformed(
            f"""
            import tensorflow as tf
            def scale(opt):
                if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                    return opt.loss_scale()
                {then} isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                    return opt.loss_scale
            """,
            f"""
            import tensorflow as tf
            def scale(opt):
                if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                    return opt.loss_scale
                {then} isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                    return opt.loss_scale
            """,
        )


def test_a_branch_whose_sibling_was_just_rewritten_keeps_its_own_reason() -> None:
    source = """\
import tensorflow as tf
if amp:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, **given)
"""
    first = migrate_source(source)
    assert first.changed
    assert reviews(migrate_source(first.output)) == reviews(first)
    assert "unpacked" in reviews(first)[0]


def test_lines_in_reasons_are_those_of_the_file() -> None:
    source = """\
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp
if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
    tf.keras.mixed_precision.set_global_policy(p)
else:
    tf.keras.mixed_precision.experimental.set_policy(p)
use(mp)
"""
    result = migrate_source(source, collapse_guards=True)
    assert any("line 7 still needs it" in text for text in reviews(result))


def test_a_guard_that_asks_for_a_later_version_than_the_change() -> None:
    program = """
        import tensorflow as tf
        from packaging import version
        if version.parse(tf.__version__) > version.parse("2.8"):
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        else:
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        """
    check_left(program, "branch for old versions of the guard on line 3")
    other = program.replace(" > ", " < ")  # What new versions run is no branch for old ones.
    check_transformed(other, other.replace("experimental.set_policy", "set_global_policy"))


@pytest.mark.parametrize("condition", [*TODAY_AS_WELL, 'V < "2.9"'])
def test_a_branch_that_versions_of_today_come_to_as_well_is_migrated(condition: str) -> None:
    for shape in (
        "if",
        "not",
        "alone",
        "elif",
        "flag",
        "early return",
        "late return",
        "expression",
    ):
        source = HEAD + SHAPES[shape].format(old=condition, OLD=OLD, NEW=NEW)
        for collapse_guards in (False, True):
            result = migrate_source(source, collapse_guards=collapse_guards)
            assert result.text == source.replace("experimental.", "").replace(
                "(opt, 'dynamic')", "(opt)"
            ), (shape, reviews(result))
            found = [text for text in reviews(result) if "current versions run" in text]
            assert len(found) == 1, shape


def test_what_is_done_with_an_optimizer_in_a_branch_for_old_versions() -> None:
    check_left(
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
            opt = LossScaleOptimizer(tf.keras.optimizers.SGD(), loss_scale=1)
            opt._loss_scale = scale
            keep(opt._loss_scale)
        """,
        *["branch for old versions"] * 4,
    )
