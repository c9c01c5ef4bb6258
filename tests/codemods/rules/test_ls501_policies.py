# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods.tables.names import Target

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental"
NEW = "tf.keras.mixed_precision"


@pytest.mark.parametrize("argument", ["policy", "'mixed_float16'", "f'mixed_{dtype}'", "get(x)"])
def test_set_policy(argument: str) -> None:
    check_transformed(
        f"import tensorflow as tf\n{OLD}.set_policy({argument})\n",
        f"import tensorflow as tf\n{NEW}.set_global_policy({argument})\n",
    )


def test_roots_that_are_the_v1_api() -> None:
    check_transformed(
        "import tensorflow.compat.v1 as tf\n"
        f"{OLD}.set_policy('mixed_float16')\n{OLD}.LossScaleOptimizer(opt, 'dynamic')\n",
        "import tensorflow.compat.v1 as tf\n"
        "tf.compat.v2.keras.mixed_precision.set_global_policy('mixed_float16')\n"
        f"{NEW}.LossScaleOptimizer(opt)\n",
    )


@pytest.mark.parametrize("name", ["infer", "infer_float32_vars", "float16_with_float32_vars"])
def test_names_that_are_gone(name: str) -> None:
    check_left(f"import tensorflow as tf\n{OLD}.set_policy('{name}')\n", "no policy of this name")


def test_none_is_no_policy_of_keras_3() -> None:
    old = f"import tensorflow as tf\n{OLD}.set_policy(None)\n"
    check_transformed(old, f"import tensorflow as tf\n{NEW}.set_global_policy(None)\n")
    check_left(old, "takes no None", target=Target.KERAS3)


def test_the_private_scope_of_a_policy() -> None:
    check_left(
        """
        from tensorflow.python.keras.mixed_precision.experimental import policy
        with policy.policy_scope('mixed_float16'):
            pass
        """,
        "policy_scope",
        "line 2 still needs it",
    )


def test_an_optimizer_that_is_compiled_again_is_reported_where_both_calls_can_run() -> None:
    lines = """
        import tensorflow as tf
        tf.keras.mixed_precision{old}
        opt = make()
        with strategy.scope():
            model.compile(opt)
            if parallel:
                gan.compile(optimizer=[opt, other], loss=[])
            elif several:
                gan.compile(loss="mse", optimizer=opt)
            else:
                opt = make()
                gan.compile(opt)
        """
    check_review(
        lines.format(old=".experimental.set_policy(policy)"),
        lines.format(old=".set_global_policy(policy)"),
        "wrapped it already",
        "wrapped it already",
    )
    check_transformed(
        lines.format(old=".experimental.set_policy('float32')"),
        lines.format(old=".set_global_policy('float32')"),
    )
