# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)
NEW = (
    "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)


@pytest.mark.parametrize("target", ["keras3", "keras3-alone"])
def test_calls_are_reported(target: str) -> None:
    lines = "opt.minimize(a, [w])\nopt.minimize(b, [w])\n"
    message = "have no `minimize`"
    check_review(OLD + lines, NEW + lines, message, message, target=target)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("step = opt.minimize", "have no `minimize`"),
        ("def f(optimizer):\n    optimizer.minimize(loss, weights)", "not proven"),
    ],
)
def test_what_cannot_be_seen_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


def test_other_functions_of_this_name_stay() -> None:
    line = "scipy.optimize.minimize(f, x)\n"
    head = "import scipy\n"
    check_transformed(head + OLD + line, head + NEW + line, target="keras3")
