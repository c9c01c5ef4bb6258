# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop

HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())\n"
)


def test_keys() -> None:
    check_left(f"{HEAD}c = opt.get_config()['optimizer']\n", "'optimizer' is no key")
    check_noop(f"{HEAD}c = opt.get_config()['inner_optimizer']\n")
    check_noop(f"{HEAD}c = other.get_config()['loss_scale']\n")
