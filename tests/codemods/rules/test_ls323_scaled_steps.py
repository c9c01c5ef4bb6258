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
SCALED = "with tf.GradientTape() as tape:\n    scaled = opt.get_scaled_loss({})\n"
AFTER = "with tf.GradientTape() as tape:\n    scaled = opt.scale_loss({})\n"
LOSS = "compute(x)"


GRADIENT = "g = tape.gradient(scaled, w)\n"
UNSCALED = "g = opt.get_unscaled_gradients(tape.gradient(scaled, w))\n"
APPLIED = "opt.apply_gradients(zip(g, w))\n"


@pytest.mark.parametrize(
    "step",
    [
        f"{GRADIENT}g = opt.get_unscaled_gradients(g)\n{APPLIED}",
        f"{UNSCALED}{APPLIED}",
        f"{GRADIENT}opt.apply_gradients(zip(opt.get_unscaled_gradients(g), w))\n",
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_a_whole_step(step: str, inside: bool) -> None:
    texts = [SCALED.format(LOSS) + step, AFTER.format(LOSS) + f"{GRADIENT}opt.apply(g, w)\n"]
    if inside:
        texts = [
            "def step(x):\n" + "".join(f"    {line}\n" for line in t.splitlines()) for t in texts
        ]
    check_transformed(OLD + texts[0], NEW + texts[1], target="keras3")


@pytest.mark.parametrize(
    "lines",
    [
        f"{UNSCALED}g, norm = tf.clip_by_global_norm(g, 1.0)\n{APPLIED}",
        f"{UNSCALED}print(g)\n{APPLIED}",
        f"{UNSCALED}other.apply_gradients(zip(g, w))\n",
        f"{UNSCALED}if finite:\n    {APPLIED}print(opt.get_unscaled_gradients(g))\n",
    ],
)
def test_steps_whose_gradients_go_elsewhere_keep_the_methods_of_2_4(lines: str) -> None:
    step = SCALED.format(LOSS) + lines
    check_transformed(OLD + step, NEW + step, target="keras3")


def test_a_loss_that_may_be_of_float16_keeps_the_methods_of_2_4() -> None:
    step = SCALED.format("tf.cast(loss, tf.float16)") + UNSCALED + APPLIED
    check_transformed(OLD + step, NEW + step, target="keras3")


def test_without_this_package_what_stays_is_reported() -> None:
    step = SCALED.format(LOSS) + f"{UNSCALED}print(g)\n{APPLIED}"
    message = "cannot unscale gradients for you"
    floor = "no floor and no cap"
    check_review(OLD + step, OLD + step, floor, message, message, message, target="keras3-alone")


def test_a_step_behind_fit_is_reported() -> None:
    lines = (
        "model = tf.keras.Sequential(layers)\nmodel.compile(opt)\nmodel.fit(x)\n"
        "opt.apply_gradients([(gradient, weight)])\n"
    )
    check_review(OLD + lines, NEW + lines, "takes the gradients for scaled ones", target="keras3")


def test_a_question_for_the_loss_scale() -> None:
    check_transformed(
        f"{OLD}scale = opt.get_scaled_loss(tf.constant(1.0))\n",
        f"{NEW}scale = opt.loss_scale\n",
        target="keras3",
    )
