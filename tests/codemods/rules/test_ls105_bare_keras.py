# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_transformed

MESSAGE = "`keras` is Keras 3 now"


def test_old_names_in_the_package_keras_are_left() -> None:
    check_left(
        """
        import keras
        keras.mixed_precision.experimental.set_policy("mixed_float16")
        opt = keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.SGD(), 128)
        """,
        MESSAGE,
        MESSAGE,
    )
    check_left(
        """
        from keras.mixed_precision.experimental import LossScaleOptimizer
        opt = LossScaleOptimizer(opt, "dynamic")
        """,
        MESSAGE,
        "the import stays",
    )


def test_an_import_that_nothing_uses_is_reported() -> None:
    check_left("from keras.mixed_precision import experimental as mp\n", "has no equivalent")


def test_the_same_with_the_other_target() -> None:
    check_left(
        "import keras\nkeras.mixed_precision.experimental.set_policy('mixed_float16')\n",
        MESSAGE,
        target="compat",
    )


def test_keras_of_tensorflow_is_another() -> None:
    check_transformed(
        "from tensorflow import keras\nkeras.mixed_precision.experimental.set_policy('float32')\n",
        "from tensorflow import keras\nkeras.mixed_precision.set_global_policy('float32')\n",
    )


@pytest.mark.parametrize("argument", ["loss_scale=8", "'dynamic'"])
def test_the_new_class_of_keras_3_takes_no_loss_scale(argument: str) -> None:
    check_left(
        f"import keras\nopt = keras.mixed_precision.LossScaleOptimizer(opt, {argument})\n",
        "takes no `loss_scale`",
    )
