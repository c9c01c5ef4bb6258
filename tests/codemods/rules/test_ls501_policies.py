# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods.tables.names import Target

from tests.codemods.checks import check_left, check_transformed

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
