# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_review, check_transformed


def test_an_optimizer_that_is_compiled_again_is_reported_where_both_calls_can_run() -> None:
    lines = """
        import tensorflow as tf
        tf.keras.mixed_precision{old}
        opt = make()
        with strategy.scope():
            model.compile(opt)
            if parallel:
                gan.compile(optimizer=[opt, other], loss=[])
            elif several:
                gan.compile(loss="mse", optimizer=opt)
            else:
                opt = make()
                gan.compile(opt)
        """
    check_review(
        lines.format(old=".experimental.set_policy(policy)"),
        lines.format(old=".set_global_policy(policy)"),
        "wrapped it already",
        "wrapped it already",
    )
    check_transformed(
        lines.format(old=".experimental.set_policy('float32')"),
        lines.format(old=".set_global_policy('float32')"),
    )
