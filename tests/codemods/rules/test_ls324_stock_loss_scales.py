# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_review, reviews

HEAD = "import tensorflow as tf\n"
OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
FLOOR = "no floor and no cap"
FIXED = "has no fixed loss scale"


@pytest.mark.parametrize(
    ("read", "name"),
    [
        ("opt.loss_scale()", "loss_scale"),
        ("opt.loss_scale", "loss_scale"),
        ("opt.loss_scale._num_good_steps", "loss_scale"),
        ("getattr(opt, 'loss_scale')", "loss_scale"),
        ("opt.dynamic", "dynamic"),
        ("opt.dynamic_counter", "dynamic_counter"),
    ],
)
def test_reads_are_reported(read: str, name: str) -> None:
    text = f"{HEAD}opt = {OLD}(opt, 'dynamic')\nprint({read})\n"
    check_review(text, text, FLOOR, f"has no {name}", target="keras3-alone")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'dynamic'", FLOOR),
        ("tf.train.experimental.DynamicLossScale(8, 3)", FLOOR),
        ("128", FIXED),
        ("scale", FIXED),
        ("'dynamic' if flag else 8", FIXED),
    ],
)
def test_constructors_are_reported(arguments: str, message: str) -> None:
    result = migrate_source(f"{HEAD}opt = {OLD}(opt, {arguments})\n", target="keras3-alone")
    assert any(message in text for text in reviews(result))
    assert f"{OLD}(opt, {arguments})" in result.text


def test_a_dynamic_loss_scale_is_rewritten_as_an_unsafe_fix() -> None:
    result = migrate_source(
        f"{HEAD}opt = {OLD}(opt, tf.train.experimental.DynamicLossScale(8, 3))\n",
        target="keras3-alone",
        unsafe_fixes=True,
    )
    assert result.text == f"{HEAD}opt = {NEW}(opt, initial_scale=8, dynamic_growth_steps=3)\n"


def test_a_policys_fixed_loss_scale_is_reported() -> None:
    text = (
        f"{HEAD}policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16', 8)\n"
        "tf.keras.mixed_precision.experimental.set_policy(policy)\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
        "model.compile(tf.keras.optimizers.SGD(0.1), 'mse')\n"
    )
    found = reviews(migrate_source(text, target="keras3-alone"))
    assert any(FIXED in one for one in found), found
    [advice] = [one for one in reviews(migrate_source(text, target="keras3")) if "LS502" in one]
    assert " compat_lossscale.keras3.LossScaleOptimizer(optimizer, dynamic=False" in advice
