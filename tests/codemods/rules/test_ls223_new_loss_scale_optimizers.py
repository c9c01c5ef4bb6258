# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed

HEAD = "import tensorflow as tf\n"
CLASS = "tf.keras.mixed_precision.LossScaleOptimizer"
NEW_HEAD = "from compat_lossscale import keras3\n"
NEW = "keras3.LossScaleOptimizer"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"opt = {CLASS}(opt)", f"opt = {NEW}(opt, count_skipped_steps=True)"),
        (f"opt = {CLASS}(opt, True)", f"opt = {NEW}(opt, True, count_skipped_steps=True)"),
        (f"opt = {CLASS}(opt, False, 8)", f"opt = {NEW}(opt, False, 8)"),
        (
            f"opt = {CLASS}(opt, dynamic=False, initial_scale=8)",
            f"opt = {NEW}(opt, dynamic=False, initial_scale=8)",
        ),
    ],
)
def test_the_class_of_2_4_is_that_of_this_package(before: str, after: str) -> None:
    check_transformed(f"{HEAD}{before}\n", f"{NEW_HEAD}{after}\n", target="keras3")


def test_a_type_test_stays_true_of_what_keras_wraps_and_loads() -> None:
    made, test = f"opt = {CLASS}(opt)\n", f"ok = isinstance(opt, ({CLASS}, int))\n"
    new = f"opt = {NEW}(opt, count_skipped_steps=True)\n"
    check_transformed(f"{HEAD}{made}{test}", f"{HEAD}{NEW_HEAD}{new}{test}", target="keras3")
    old = (made + test).replace("mixed_precision", "mixed_precision.experimental")
    before = f"{HEAD}{old}".replace("(opt)", "(opt, 'dynamic')")
    check_transformed(before, f"{HEAD}{NEW_HEAD}{new}{test}", target="keras3")


@pytest.mark.parametrize("root", ["tensorflow.keras", "keras"])
def test_imports_of_the_class(root: str) -> None:
    check_transformed(
        f"from {root}.mixed_precision import LossScaleOptimizer\nopt = LossScaleOptimizer(opt)\n",
        "from compat_lossscale.keras3 import LossScaleOptimizer\n"
        "opt = LossScaleOptimizer(opt, count_skipped_steps=True)\n",
        target="keras3",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"wrap = partial({CLASS}, dynamic=True)", "how it will be called cannot be seen"),
        (f"class Mine({CLASS}):\n    pass", "Keras 3 calls other methods"),
    ],
)
def test_what_cannot_be_seen_is_reported(line: str, message: str) -> None:
    check_left(f"{HEAD}{line}\n", message, target="keras3")


def test_a_program_of_keras_3_stays() -> None:
    check_noop(f"{HEAD}opt = {CLASS}(opt)\nloss = opt.scale_loss(loss)\n", target="keras3")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"opt = {CLASS}(opt)", "no floor and no cap"),
        (f"opt = {CLASS}(opt)", "Leave it, if the model trains as well"),
        (f"opt = {CLASS}(opt, dynamic=True)", "Leave out `dynamic`, if"),
        (f"opt = {CLASS}(opt, initial_scale=8)", "no floor and no cap"),
        (f"opt = {CLASS}(opt, True)", "no floor and no cap"),
        (f"opt = {CLASS}(opt, dynamic=flag)", "takes no `dynamic`"),
        (f"opt = {CLASS}(opt, dynamic=False, initial_scale=8)", "takes no `dynamic`"),
    ],
)
def test_without_this_package_it_is_reported(line: str, message: str) -> None:
    check_review(f"{HEAD}{line}\n", f"{HEAD}{line}\n", message, target="keras3-alone")


def test_without_this_package_a_type_test_stays() -> None:
    check_noop(f"{HEAD}ok = isinstance(opt, {CLASS})\n", target="keras3-alone")
