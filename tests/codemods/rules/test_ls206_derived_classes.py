# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed


@pytest.mark.parametrize(
    ("base", "is_reported"),
    [
        ("optimizer", True),
        ("self._opt", True),
        ("layer", False),
        ("tf.keras.layers.Layer()", False),
    ],
)
def test_a_class_that_is_derived_at_run_time(base: str, is_reported: bool) -> None:
    lines = (
        f"def derive(self, optimizer, layer):\n    return type('A', ({base}.__class__,), {{}})\n"
    )
    head = "import tensorflow as tf\ntf.keras.mixed_precision.{}('mixed_float16')\n"
    old, new = head.format("experimental.set_policy"), head.format("set_global_policy")
    if is_reported:
        check_review(old + lines, new + lines, "if this optimizer is a loss-scale optimizer")
    else:
        check_transformed(old + lines, new + lines)


def test_a_subclass_that_is_left_when_its_guard_goes() -> None:
    check_review(
        """
        try:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
        except ImportError:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer as LSO
        class Mine(LSO):
            pass
        opt = LSO(inner, "dynamic")
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer as LSO
        class Mine(LSO):
            pass
        opt = LSO(inner)
        """,
        "this is a subclass of the current class",
        collapse_guards=True,
    )


@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_a_subclass_in_a_program_with_names_of_today_alone(target: str) -> None:
    text = "import tensorflow as tf\nclass Mine(tf.keras.mixed_precision.LossScaleOptimizer): ...\n"
    check_review(text, text, "this is a subclass of the current class", target=target)
