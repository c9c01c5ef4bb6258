# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"


LEGACY = "tensorflow.keras.optimizers.legacy"


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (
            "from tensorflow.python.keras.optimizer_v2.adam import Adam\nopt = Adam()",
            f"from {LEGACY} import Adam\nopt = Adam()",
        ),
        (
            (
                "from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2\n"
                "use(OptimizerV2)"
            ),
            f"from {LEGACY} import Optimizer as OptimizerV2\nuse(OptimizerV2)",
        ),
        (
            (
                "from tensorflow.python.keras.optimizer_v2 import gradient_descent\n"
                "opt = gradient_descent.SGD()"
            ),
            "opt = tf.keras.optimizers.legacy.SGD()",
        ),
        (
            "opt = tf.python.keras.optimizer_v2.adam.Adam()",
            "opt = tf.keras.optimizers.legacy.Adam()",
        ),
        (
            (
                "from tensorflow.python.keras.optimizer_v2 import learning_rate_schedule as lrs\n"
                "class Mine(lrs.LearningRateSchedule): pass"
            ),
            "class Mine(tf.keras.optimizers.schedules.LearningRateSchedule): pass",
        ),
    ],
)
def test_a_class_of_the_private_copy_gets_its_public_name(line: str, after: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{after}\n")


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.python.keras import optimizers\nopt = optimizers.get('adam')",
        "from tensorflow.python.keras import optimizers\nuse(optimizers)",
        "import tensorflow.python.keras.optimizers as o\nopt = o.Adam()",
        "from tensorflow.python.keras.optimizer_v2.optimizer_v2 import RestoredOptimizer",
    ],
)
def test_what_has_no_public_name_is_reported(line: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", "tf-keras takes none of its optimizers")


def test_with_keras_3_the_module_that_it_has_is_named() -> None:
    line = "from tensorflow.python.keras.optimizer_v2.optimizer_v2 import RestoredOptimizer"
    message = "Keras 3 takes none of its optimizers. Take what you need from tf.keras.optimizers,"
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.python.keras import backend",
        "from tensorflow.keras.optimizers import schedules",
        (
            "from tensorflow.python.keras.optimizer_v2 import optimizer_v2\n"
            "key = optimizer_v2._var_key(variable)"
        ),
    ],
)
def test_other_names_stay(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", ignore=("LS9",))


def test_what_is_there_in_place_of_tf_keras_stays() -> None:
    lines = (
        "try:\n    from tf_keras.optimizers.legacy import Optimizer as Base\n"
        "except ImportError:\n"
        "    from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2 as Base\n"
    )
    check_transformed(OLD + lines, NEW + lines)


def test_it_can_be_suppressed() -> None:
    line = (
        "from tensorflow.python.keras.optimizer_v2.adam import Adam  # compat-lossscale: ignore\n"
    )
    check_transformed(OLD + line, NEW + line)
