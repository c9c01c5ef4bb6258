# SPDX-License-Identifier: Apache-2.0
"""Which kind of optimizer a file very likely has, where that is not proven."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

HEAD = "import tensorflow as tf\n"
WRAP = (
    "def wrap(opt):\n"
    "    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)\n"
    "    return opt\n"
)
KERAS = "tf.keras.mixed_precision.LossScaleOptimizer(opt)"
V1 = "tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt)"


@pytest.mark.parametrize(
    ("rest", "becomes"),
    [
        ("wrap(tf.keras.optimizers.Adam())\n", KERAS),
        ("wrap(tf.compat.v1.train.AdamOptimizer())\n", V1),
        ("def fit(model):\n    model.compile(wrap(model.opt))\n", KERAS),
        # What is made counts, and not how it is trained.
        ("wrap(tf.compat.v1.train.AdamOptimizer())\nmodel.fit(x)\n", V1),
    ],
)
def test_a_file_that_points_at_one_kind(rest: str, becomes: str) -> None:
    assert becomes in migrate_source(HEAD + WRAP + rest, unsafe_fixes=True).text


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "def fit(model):\n    model.compile(wrap(tf.compat.v1.train.AdamOptimizer()))\n",
        "with tf.GradientTape() as tape:\n    pass\n",
        "step = tf.compat.v1.train.get_or_create_global_step()\n",
        "import re\nre.compile('a')\n",
        "wrap(tf.keras.optimizers.Adam())\nwrap(tf.compat.v1.train.AdamOptimizer())\n",
        "model.fit(x)\ntf.estimator.EstimatorSpec(mode, train_op=train_op)\n",
    ],
)
def test_a_file_that_points_at_none_or_at_both(rest: str) -> None:
    assert migrate_source(HEAD + WRAP + rest).unsafe_fixes == 0
    assert WRAP in migrate_source(HEAD + WRAP + rest, unsafe_fixes=True).text
