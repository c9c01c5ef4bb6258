# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_transformed

HEAD = "import tensorflow as tf\n"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


@pytest.mark.parametrize(
    "arguments",
    [
        "opt, loss_scale=8",
        "optimizer=opt, loss_scale=8",
        "opt, tf.compat.v1.mixed_precision.DynamicLossScale(8)",
    ],
)
@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_what_can_only_be_the_old_argument(arguments: str, target: str) -> None:
    check_left(f"{HEAD}opt = {NEW}({arguments})\n", "takes no `loss_scale`", target=target)


@pytest.mark.parametrize("argument", ["'dynamic'", "loss_scale='dynamic'"])
def test_the_string_is_the_default_of_the_current_class(argument: str) -> None:
    before, after = f"{HEAD}opt = {NEW}(opt, {argument})\n", f"{HEAD}opt = {NEW}(opt)\n"
    for target in ("tf-keras", "compat"):
        check_transformed(before, after, target=target)
    check_left(before, "no floor and no cap", target="keras3-alone")
    assert migrate_source(before, target="keras3-alone", unsafe_fixes=True).text == after
    made = migrate_source(before, target="keras3").text
    assert "opt = keras3.LossScaleOptimizer(opt, count_skipped_steps=True)" in made


def test_another_string_was_an_error_in_every_version() -> None:
    check_left(f"{HEAD}opt = {NEW}(opt, 'static')\n", "was an error in every version")


def test_the_import_of_today_with_the_arguments_of_the_old_one() -> None:
    source = """
        try:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        except ImportError:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
        opt = LossScaleOptimizer(opt, "dynamic")
    """
    for target in ("tf-keras", "compat"):
        check_left(source, "can be collapsed", "takes no `loss_scale`", target=target)


@pytest.mark.parametrize(
    "arguments",
    ["opt", "opt, False, 128", "opt, True", "opt, dynamic=False, initial_scale=8", "o, d"],
)
def test_the_new_api(arguments: str) -> None:
    check_noop(f"{HEAD}opt = {NEW}({arguments})\n")


def test_what_can_be_either() -> None:
    check_left(f"{HEAD}opt = {NEW}(opt, 128)\n", "Keras 3")
    check_left(f"{HEAD}def f(opt, loss_scale):\n    return {NEW}(opt, loss_scale)\n", "Keras 3")


VERSION = 'tuple(map(int, tf.__version__.split(".")[:2]))'


@pytest.mark.parametrize(
    "chosen",
    [
        f'scale = "dynamic" if {VERSION} < (2, 4) else True\n',
        f'if {VERSION} >= (2, 4): scale = True\nelse: scale = "dynamic"\n',
        'scale = hasattr(tf.keras.mixed_precision, "set_global_policy") or "dynamic"\n',
    ],
)
def test_a_value_that_the_version_chose_is_reported(chosen: str) -> None:
    for target in ("tf-keras", "keras3"):
        source = f"{HEAD}{chosen}opt = {NEW}(opt, scale)\n"
        check_left(source, "takes no `loss_scale`", target=target)


def test_a_class_and_its_argument_that_the_version_chose() -> None:
    check_left(
        f"""
        import tensorflow as tf
        if {VERSION} < (2, 4):
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
            scale = "dynamic"
        else:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
            scale = True
        opt = LossScaleOptimizer(tf.keras.optimizers.SGD(), scale)
        """,
        "the branch for old versions",
        "which takes no `loss_scale`",
    )
