# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import check_left, check_review, check_transformed
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

CONTRIB = "tf.contrib.mixed_precision"
V1 = "tf.compat.v1.mixed_precision"


def test_a_manager_in_a_variable() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        manager = {CONTRIB}.ExponentialUpdateLossScaleManager(
            init_loss_scale=2 ** 32, incr_every_n_steps=1000, decr_every_n_nan_or_inf=1,
            decr_ratio=0.5)
        opt = {CONTRIB}.LossScaleOptimizer(opt, loss_scale_manager=manager)
        """,
        f"""
        import tensorflow as tf
        manager = {V1}.DynamicLossScale(initial_loss_scale=2 ** 32, increment_period=1000)
        opt = {V1}.MixedPrecisionLossScaleOptimizer(opt, loss_scale=manager)
        """,
        unsafe_fixes=True,
    )


def test_managers_without_equivalent() -> None:
    check_left(
        f"""
        from tensorflow.contrib.mixed_precision import FixedLossScaleManager, LossScaleOptimizer
        import tensorflow as tf
        opt = LossScaleOptimizer(opt, FixedLossScaleManager(5000))
        other = {CONTRIB}.ExponentialUpdateLossScaleManager(2 ** 32, 1000)
        """,
        "LS101",
        "LS101",
        "so is the manager of this optimizer",
        "skipped steps that are not finite",
        "a DynamicLossScale halves",
    )


MANAGER = """
    import tensorflow as tf
    manager = {}
    opt = {}.{}(opt, manager)
    """


@pytest.mark.parametrize(
    "rest",
    ["1, 2, 0.5", "2, 2, 0.5", "decr_ratio=0.5", "decr_every_n_nan_or_inf=n, decr_ratio=1/2"],
)
def test_a_manager_that_waits_before_it_halves_is_an_unsafe_fix(rest: str) -> None:
    manager = f"{CONTRIB}.ExponentialUpdateLossScaleManager(2 ** 32, 1000, {rest})"
    before = MANAGER.format(manager, CONTRIB, "LossScaleOptimizer")
    result = check_left(before, "a DynamicLossScale halves", "so is the manager")
    assert result.unsafe_fixes == 1
    scale = f"{V1}.DynamicLossScale(initial_loss_scale=2 ** 32, increment_period=1000)"
    after = (scale, V1, "MixedPrecisionLossScaleOptimizer")
    check_transformed(before, MANAGER.format(*after), unsafe_fixes=True)


@pytest.mark.parametrize("rest", ["", ", 2, 4, 0.5", ", 2, 2, 0.8", ", decr_ratio=ratio"])
def test_a_manager_with_other_ratios_is_none(rest: str) -> None:
    manager = f"{CONTRIB}.ExponentialUpdateLossScaleManager(2 ** 32, 1000{rest})"
    before = MANAGER.format(manager, CONTRIB, "LossScaleOptimizer")
    assert check_left(before, "a DynamicLossScale halves", "so is the manager").unsafe_fixes == 0


LAZY = """
def mixed_precision():
    from tensorflow.contrib import mixed_precision as module
    return module
"""


def test_the_module_behind_a_function_of_another_file(tmp_path: Path) -> None:
    files = {
        "contrib.py": LAZY,
        "main.py": """
        import contrib
        manager = contrib.mixed_precision().ExponentialUpdateLossScaleManager(8, 100, 1, 2, 0.5)
        opt = contrib.mixed_precision().LossScaleOptimizer(opt, manager)
        fixed = contrib.mixed_precision().FixedLossScaleManager(8)
        """,
    }
    result = migrated(tmp_path, files)["main.py"]
    left = [record for record in result.records if record.outcome is Outcome.NEEDS_REVIEW]
    assert [record.rule for record in left] == ["LS603"] * 3
    assert result.unsafe_fixes == 1


def test_a_function_that_may_return_another_module(tmp_path: Path) -> None:
    files = {
        "contrib.py": LAZY + "    return mine\n",
        "main.py": "import contrib\nm = contrib.mixed_precision().FixedLossScaleManager(8)\n",
    }
    result = migrated(tmp_path, files)["main.py"]
    [left] = [record for record in result.records if record.outcome is Outcome.NEEDS_REVIEW]
    assert left.rule == "LS104"


def test_a_manager_and_its_optimizer_are_one_finding_which_has_the_fix() -> None:
    manager = f"{CONTRIB}.ExponentialUpdateLossScaleManager(2 ** 15, 1000, decr_ratio=0.5)"
    first, second = migrate_source(
        "import tensorflow as tf\n"
        f"manager = {manager}\n"
        f"opt = {CONTRIB}.LossScaleOptimizer(opt, manager)\n"
    ).records
    assert (first.line, first.is_finding, first.unsafe) == (2, True, True)
    assert (second.line, second.is_finding, second.unsafe) == (3, False, False)


def test_a_class_derived_from_a_manager_is_reported_as_what_is_gone() -> None:
    source = """
        import tensorflow as tf
        class Mine(tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager):
            pass
    """
    check_review(source, source, "tf.contrib went away with TensorFlow 1")
    check_review(source, source, "does not have this name", target="compat")
