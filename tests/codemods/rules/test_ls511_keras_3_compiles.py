# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_review, check_transformed, reviews

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
PLAIN = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
SGD = "tf.keras.optimizers.SGD(0.1)"
MODEL = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'sgd', 'mse'", "_loss_scaled(model, 'sgd'), 'mse'"),
        (
            "optimizer=tf.keras.optimizers.SGD(0.1)",
            "optimizer=_loss_scaled(model, tf.keras.optimizers.SGD(0.1))",
        ),
        ("loss='mse'", "loss='mse', optimizer=_loss_scaled(model, \"rmsprop\")"),
    ],
)
@pytest.mark.parametrize("policy", ["'mixed_float16'", "name"])
def test_a_model_is_asked_whether_its_optimizer_is_wrapped(
    before: str, after: str, policy: str
) -> None:
    source = f"{OLD}{MODEL}model.compile({before})\n".replace("'mixed_float16'", policy)
    result = migrate_source(source, target="keras3").text
    assert f"model.compile({after})" in result
    assert 'if model.dtype_policy.name != "mixed_float16"' in result
    assert "optimizer = tf.keras.optimizers.get(optimizer)" in result
    assert migrate_source(result, target="keras3").text == result


def test_the_function_is_written_with_names_that_are_visible_at_the_top() -> None:
    imports = "    import tensorflow as tf\n    from tensorflow.keras import mixed_precision\n\n"
    policy = "    mixed_precision.{}('mixed_float16')\n"
    model = "    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n    model.compile({})\n"
    run = f"def run():\n{imports}{policy}{model}"
    result = migrate_source(run.format("experimental.set_policy", "'sgd'"), target="keras3").text
    head, body = result.split("\n\n\ndef run", 1)
    assert "def run" + body == run.format("set_global_policy", "_loss_scaled(model, 'sgd')")
    assert head.startswith(
        "from compat_lossscale import keras3\nfrom tensorflow.keras import optimizers\n"
    )
    assert "optimizer = optimizers.get(optimizer)" in head
    assert "return keras3.LossScaleOptimizer(" in head
    assert migrate_source(result, target="keras3").text == result


def test_a_later_run_has_nothing_to_say_of_the_function() -> None:
    use = "scale = model.optimizer.loss_scale\n"
    first = migrate_source(f"{OLD}{MODEL}model.compile({SGD}, 'mse')\n{use}", target="keras3")
    assert "_loss_scaled(model" in first.text
    assert migrate_source(first.text, target="keras3").records == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{MODEL}model.compile(**settings)", "no floor and no cap"),
        ("model = build()\nmodel.compile('sgd', 'mse')", "not proven to be a Keras model"),
        (f"opt = {SGD}\nmodel = build()\nmodel.compile(opt, 'mse')", "if this compiles a model;"),
        (f"{MODEL}model.compile([one, other])", "takes one optimizer"),
        (
            "model = build()\nmodel.compile(optimizer=[one, other], loss='mse')",
            "takes one optimizer",
        ),
        (f"{MODEL}f = model.compile\nf('sgd', 'mse')", "kept and called later"),
    ],
)
def test_what_cannot_be_seen_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{PLAIN}{line}\n", message, target="keras3")


def test_where_the_program_may_wrap_it_the_finding_is_about_the_other_case() -> None:
    wrapped = "tf.keras.mixed_precision.LossScaleOptimizer(opt)"
    source = f"{PLAIN}opt = {SGD}\nif amp:\n    opt = {wrapped}\nmodel.compile(opt, 'mse')\n"
    [text] = [t for t in reviews(migrate_source(source, target="keras3")) if "LS511" in t]
    assert (
        "if this compiles a model with an optimizer that is not wrapped; it is not proven" in text
    )


OWN_STEP = (
    "class Gan(tf.keras.Model):\n    def compile(self, one):\n        super().compile()\n"
    "        self.one = one\n    def train_step(self, data):\n"
    "        {}.apply_gradients(step(data))\n"
)


def test_the_default_of_compile_is_left_where_a_step_has_other_optimizers() -> None:
    step = OWN_STEP.format("self.one")
    check_transformed(OLD + step, PLAIN + step, target="keras3")
    step = OWN_STEP.format("self.optimizer")
    messages = ("takes RMSprop by itself", "no floor and no cap")
    result = check_review(OLD + step, PLAIN + step, *messages, target="keras3")
    assert sum(record.is_finding for record in result.records) == 1


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


@pytest.mark.parametrize(
    "use",
    [
        "opt = model.optimizer\nprint(opt.loss_scale)",
        "loss = model.optimizer.get_scaled_loss(loss)",
    ],
)
def test_programs_of_tensorflow_2_4_have_it_wrapped_if_they_use_its_members(use: str) -> None:
    before = f"{PLAIN}{MODEL}model.compile('sgd', 'mse')\n"
    assert migrate_source(before, target="keras3").text == before
    after = migrate_source(f"{before}{use}\n", target="keras3")
    assert "model.compile(_loss_scaled(model, 'sgd'), 'mse')" in after.text
    assert [record.rule for record in after.records] == ["LS511"]
