# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.rules.keras_3 import TABLE

from tests.codemods.checks import check_review, check_transformed, reviews

OLD = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)
NEW = (
    "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)
WRAPPER = (
    "import tensorflow as tf\nopt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(\n"
    "    tf.keras.optimizers.SGD(0.1), 'dynamic')\n"
)
NEW_WRAPPER = (
    "import tensorflow as tf\nfrom compat_lossscale import keras3\n"
    "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), count_skipped_steps=True)\n"
)
STEP = "def step(image):\n    opt.apply_gradients([(g(image), image)])\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(opt.lr)", "print(opt.learning_rate)"),
        ("opt.lr = 0.5", "opt.learning_rate = 0.5"),
        ("tf.keras.backend.set_value(opt.lr, x)", "opt.learning_rate.assign(x)"),
        ("tf.keras.backend.set_value(opt.iterations, 3)", "opt.iterations.assign(3)"),
        (
            "from keras import backend\nbackend.set_value(opt.lr, x)\nbackend.epsilon()",
            "from tensorflow.keras import backend\nopt.learning_rate.assign(x)\nbackend.epsilon()",
        ),
    ],
)
def test_members_are_respelled(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n", target="keras3")


def test_hyperparameters_of_a_loss_scale_optimizer_are_reported() -> None:
    line = "print(opt.momentum, opt.learning_rate)\n"
    message = "at its inner_optimizer alone"
    check_review(WRAPPER + line, NEW_WRAPPER + line, message, target="keras3")


def test_a_loss_scale_optimizer_takes_the_name_of_a_step() -> None:
    line = "opt.apply_gradients(pairs, name='step')\n"
    check_transformed(WRAPPER + line, NEW_WRAPPER + line, target="keras3")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("print(opt.get_slot(weight, 'momentum'))", "no slots by name"),
        ("print(opt.get_weights())", "learning rate among their variables"),
        ("print(opt.get_updates(loss, weights))", "compute none"),
        ("print(opt.decay)", "have no `decay`"),
        ("print(opt._get_hyper('momentum'))", "no hyperparameters by name"),
        ("print(opt.lr(5))", "the rate of this moment"),
        ("print(opt.lr(opt.iterations))", "the rate of this moment"),
        ("opt.apply_gradients(pairs, name='step')", "takes the gradients alone"),
        ("print(opt.get_config()['decay'])", "in another form"),
        ("print(opt.iterations.read_value())", "has no value(), read_value()"),
        ("lr = opt.learning_rate\nprint(lr.value())", "has no value(), read_value()"),
        ("print(hasattr(opt, 'get_slot'))", "looks up"),
        ("opt.iterations = step", "cannot be set"),
        ("optimizer.iterations = step", "that this is one is not proven"),
        ("print(unwrap(opt).lr)", "that this is one is not proven"),
        ("for k, v in self.optimizer.get_config().items():\n    print(k, v)", "in another form"),
        ("rate = optimizer.learning_rate(step=3)", "the rate of this moment"),
        ("pairs = optimizer._aggregate_gradients(pairs)", "sum gradients over the replicas"),
        ("print(opt._HAS_AGGREGATE_GRAD)", "sum gradients over the replicas"),
        ("done = opt.apply_gradients(pairs)", "returns the variable that counts"),
        (
            "opt.apply_gradients(pairs, experimental_aggregate_gradients=False)",
            "sums gradients over the replicas",
        ),
        (
            "mine.apply_gradients(pairs, experimental_aggregate_gradients=False)",
            "that this is one is not proven",
        ),
        (
            "opt.apply_gradients([(g, one)])\nopt.apply_gradients([(g, other)])",
            "the variables of its first step alone",
        ),
        (
            f"{STEP}one = tf.Variable(1.0)\nstep(one)\none = tf.Variable(2.0)\nstep(one)",
            "the variables of its first step alone",
        ),
    ],
)
def test_what_is_gone_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


def test_a_step_that_is_defined_again_for_a_new_variable_is_reported() -> None:
    line = f"{STEP}one = tf.Variable(1.0)\nstep(one)\n{STEP}one = tf.Variable(2.0)\nstep(one)\n"
    messages = ["the variables of its first step alone"] * 2
    check_review(f"{OLD}{line}", f"{NEW}{line}", *messages, target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        "print(opt.learning_rate, opt.momentum)",
        "opt.apply_gradients([(g, one)])\nopt.apply_gradients([(h, one)])",
        f"{STEP}one = tf.Variable(1.0)\nstep(one)\nstep(one)",
        f"{STEP}opt = tf.keras.optimizers.SGD(0.1)\n{STEP.replace('image', 'other')}",
        "print(model.get_weights(), args.lr)",
        "train = optimizer.minimize(loss, global_step=step)",
        "print(made(opt).get_weights())",
        "opt = tf.keras.optimizers.SGD.from_config(opt.get_config())",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")


def test_an_optimizer_made_again_from_its_config_is_left() -> None:
    check_transformed(
        f"{OLD}type(opt).from_config(opt.get_config())\n",
        f"{NEW}type(opt).from_config(opt.get_config())\n",
        target="keras3",
    )


@pytest.mark.parametrize(
    ("read", "advice"),
    [
        ("opt.lr(opt.iterations)", "Read it without a call"),
        ("opt._decayed_lr(tf.float32)", "Read `learning_rate`, which is the current value"),
    ],
)
def test_what_is_no_optimizer_for_sure_is_reported_with_advice(read: str, advice: str) -> None:
    source = (
        "import tensorflow as tf\n"
        "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
        f"def step(opt, pairs):\n    return {read.replace('opt', 'optimizer')}\n"
    )
    found = [text for text in reviews(migrate_source(source, target="keras3")) if "LS321" in text]
    assert any(advice.lower() in text.lower() for text in found), found


@pytest.mark.parametrize(
    "read",
    [
        "[float(o.lr) for o in opts.values()]",
        "[o.lr for o, _ in zip(opts.values(), range(2))]",
        "opts['g'].lr",
        "{k: opts[k].lr for k in opts}",
    ],
)
def test_the_rate_of_one_of_several_is_reported(read: str) -> None:
    source = (
        "import tensorflow as tf\n"
        "LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer\n"
        "opts = {k: LSO(tf.keras.optimizers.Adam(1e-2), 'dynamic') for k in 'gd'}\n"
        f"print({read})\n"
    )
    done = migrate_source(source, target="keras3")
    assert any("`lr` is `learning_rate`" in one for one in reviews(done))
    fixed = migrate_source(source, target="keras3", unsafe_fixes=True)
    assert ".lr" not in fixed.text
    settings = source.replace(read, "[c.lr for c in args.each], cfg['train'].lr, args.lr")
    named = [one for one in reviews(migrate_source(settings, target="keras3")) if "LS321" in one]
    assert len(named) == 1, named


def test_every_row_about_members_says_what_to_do() -> None:
    rows = [row for rows in TABLE.values() for row in rows if row.of]
    assert rows
    assert [row for row in rows if not row.advice] == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("opt = tf.keras.optimizers.SGD(0.1)\nprint(opt.decay)\n", ["LS321"]),
        ("opt = tf.keras.optimizers.SGD(**{'decay': 0.1})\n", ["LS221"]),
        ("given = {}\ngiven['lr'] = 0.1\nopt = tf.keras.optimizers.SGD(**given)\n", ["LS221"]),
        ("opt = tf.keras.optimizers.SGD(**{'momentum': 0.1})\n", []),
        ("def f(opt):\n    return opt.lr\n", []),
    ],
)
def test_what_tells_that_names_of_today_are_of_an_old_program(code: str, said: list[str]) -> None:
    head = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
    found = reviews(migrate_source(head + code, target="keras3"))
    assert [text.split(": ")[1].split()[0] for text in found] == said


def test_the_rate_of_an_optimizer_in_a_program_with_names_of_today() -> None:
    head = (
        "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
        "opt = tf.keras.optimizers.SGD(0.1)\n"
    )
    check_transformed(
        f"{head}print(opt.lr)\n", f"{head}print(opt.learning_rate)\n", target="keras3"
    )
