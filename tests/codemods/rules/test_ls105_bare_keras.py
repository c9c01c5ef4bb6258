# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_transformed

MESSAGE = "`keras` is Keras 3 now"


@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_old_names_in_the_package_keras_are_left_where_its_import_is(target: str) -> None:
    check_left(
        """
        import keras.optimizers
        keras.mixed_precision.experimental.set_policy("mixed_float16")
        opt = keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.SGD(), 128)
        """,
        MESSAGE,
        MESSAGE,
        MESSAGE,
        target=target,
    )


def test_keras_of_tensorflow_is_another() -> None:
    check_transformed(
        "from tensorflow import keras\nkeras.mixed_precision.experimental.set_policy('float32')\n",
        "from tensorflow import keras\nkeras.mixed_precision.set_global_policy('float32')\n",
    )


@pytest.mark.parametrize("argument", ["loss_scale=8", "8"])
def test_the_new_class_of_keras_3_takes_no_loss_scale(argument: str) -> None:
    check_left(
        f"import keras\nopt = keras.mixed_precision.LossScaleOptimizer(opt, {argument})\n",
        "takes no `loss_scale`",
    )
