# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods import Outcome

from tests.codemods.checks import check_left, check_review
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

CONTRIB = "tf.contrib.mixed_precision"


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


def test_a_function_that_may_return_another_module(tmp_path: Path) -> None:
    files = {
        "contrib.py": LAZY + "    return mine\n",
        "main.py": "import contrib\nm = contrib.mixed_precision().FixedLossScaleManager(8)\n",
    }
    result = migrated(tmp_path, files)["main.py"]
    [left] = [record for record in result.records if record.outcome is Outcome.NEEDS_REVIEW]
    assert left.rule == "LS104"


def test_a_class_derived_from_a_manager_is_reported_as_what_is_gone() -> None:
    source = """
        import tensorflow as tf
        class Mine(tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager):
            pass
    """
    check_review(source, source, "tf.contrib is gone; a DynamicLossScale")
    check_review(source, source, "does not have this name", target="compat")
