# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
SGD = "opt = tf.keras.optimizers.SGD(0.1)\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("opt = tf.keras.optimizers.Adam(1e-3, decay=0.1)", "refuse `decay`"),
        ("opt = tf.keras.optimizers.Adam(lr=1e-3)", "refuse `lr`, or take no notice of it"),
        ("from tensorflow.keras.optimizers import SGD as S\nopt = S(decay=0.1)", "refuse `decay`"),
        ("class Mine(tf.keras.optimizers.SGD): pass", "other methods of a subclass"),
        (f"{SGD}x = opt.get_weights()", "have no get_weights"),
        (f"{SGD}x = opt.get_gradients(loss, params)", "have no get_gradients"),
        (
            (
                "opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())\n"
                "opt._set_hyper('lr', 1)"
            ),
            "have no _set_hyper",
        ),
    ],
)
def test_what_changes_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, legacy_optimizers=False)


@pytest.mark.parametrize(
    "line",
    [
        SGD,
        "x = model.get_weights()",
        "opt = tf.keras.optimizers.legacy.Adam(1e-3, decay=0.1)",
        "model = tf.keras.Sequential()\nmodel.compile('adam')",
    ],
)
def test_what_stays_right(line: str) -> None:
    result = check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", legacy_optimizers=False)
    assert {record.rule for record in result.records} == {"LS501"}
