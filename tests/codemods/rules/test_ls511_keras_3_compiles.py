# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
PLAIN = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
NEW = (
    "import tensorflow as tf\nfrom compat_lossscale import keras3\n"
    "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
)
MODEL = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"


def wrapped(optimizer: str) -> str:
    return f"keras3.LossScaleOptimizer({optimizer}, count_skipped_steps=True)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'sgd', 'mse'", wrapped("tf.keras.optimizers.SGD()") + ", 'mse'"),
        (
            "optimizer=tf.keras.optimizers.SGD(0.1)",
            "optimizer=" + wrapped("tf.keras.optimizers.SGD(0.1)"),
        ),
    ],
)
def test_the_optimizer_is_wrapped_in_the_call(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}{MODEL}model.compile({before})\n",
        f"{NEW}{MODEL}model.compile({after})\n",
        target="keras3",
    )


def test_a_model_is_asked_where_its_policy_is_not_known() -> None:
    result = check_transformed_text(
        "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy(name)\n"
        f"{MODEL}model.compile('sgd', 'mse')\n"
    )
    assert "model.compile(_loss_scaled(model, tf.keras.optimizers.SGD()), 'mse')" in result
    assert 'if model.dtype_policy.name != "mixed_float16"' in result


def check_transformed_text(before: str) -> str:
    from lossscale_codemods import migrate_source

    return migrate_source(before, target="keras3").text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{MODEL}model.compile(**settings)", "are unpacked"),
        ("model = build()\nmodel.compile('sgd', 'mse')", "not proven to be a Keras model"),
        (f"{MODEL}f = model.compile\nf('sgd', 'mse')", "kept and called later"),
    ],
)
def test_what_cannot_be_seen_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{PLAIN}{line}\n", message, target="keras3")


def test_optimizers_of_tensorflow_1_are_reported() -> None:
    line = f"{MODEL}model.compile(tf.compat.v1.train.AdamOptimizer(), 'mse')\n"
    check_review(OLD + line, PLAIN + line, "with its own optimizers alone", target="keras3")


def test_without_this_package_what_keras_wraps_is_reported() -> None:
    line = f"{MODEL}model.compile('sgd', 'mse')\n"
    check_review(OLD + line, PLAIN + line, "no floor", target="keras3-alone")


@pytest.mark.parametrize("name", ["float32", "mixed_bfloat16"])
def test_other_policies_have_no_loss_scale(name: str) -> None:
    line = f"{MODEL}model.compile('sgd', 'mse')\n"
    check_transformed(
        OLD.replace("mixed_float16", name) + line,
        PLAIN.replace("mixed_float16", name) + line,
        target="keras3",
    )
