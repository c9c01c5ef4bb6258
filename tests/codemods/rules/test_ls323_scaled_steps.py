# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = (
    "import tensorflow as tf\nopt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(\n"
    "    tf.keras.optimizers.SGD(0.1), 'dynamic')\n"
)
NEW = (
    "import tensorflow as tf\nfrom compat_lossscale import keras3\n"
    "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), count_skipped_steps=True)\n"
)
SCALED = "with tf.GradientTape() as tape:\n    scaled = opt.get_scaled_loss(compute(x))\n"
UNSCALED = "g = opt.get_unscaled_gradients(tape.gradient(scaled, w))\n"
APPLIED = "opt.apply_gradients(zip(g, w))\n"


@pytest.mark.parametrize(
    "lines",
    [
        f"{UNSCALED}{APPLIED}",
        f"{UNSCALED}g, norm = tf.clip_by_global_norm(g, 1.0)\n{APPLIED}",
        "print(opt.get_scaled_loss(tf.constant(1.0)))\n",
    ],
)
def test_steps_keep_the_methods_of_2_4(lines: str) -> None:
    check_transformed(OLD + SCALED + lines, NEW + SCALED + lines, target="keras3")


def test_without_this_package_what_stays_is_reported() -> None:
    step = SCALED + f"{UNSCALED}print(g)\n{APPLIED}"
    message = "cannot unscale gradients for you"
    floor = "no floor and no cap"
    check_review(OLD + step, OLD + step, floor, message, message, message, target="keras3-alone")


def test_a_step_behind_fit_is_reported() -> None:
    lines = (
        "model = tf.keras.Sequential(layers)\nmodel.compile(opt)\nmodel.fit(x)\n"
        "opt.apply_gradients([(gradient, weight)])\n"
    )
    check_review(OLD + lines, NEW + lines, "takes the gradients for scaled ones", target="keras3")
