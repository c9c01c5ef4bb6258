# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import program, reviews

WRAPPED = """
    import copy, pickle
    from copy import deepcopy
    import tensorflow as tf
    from tensorflow.keras.mixed_precision import experimental as mp
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(), "dynamic")
    plain = tf.keras.optimizers.legacy.SGD()
"""
POLICY = """
    import tensorflow as tf
    from tensorflow.keras.mixed_precision import experimental as mp
    mp.set_policy("mixed_float16")
    first, second = tf.keras.Sequential(), tf.keras.Sequential()
"""
BUILD = """
def build(units=1):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model.compile(tf.keras.optimizers.legacy.SGD(), "mse")
    return model
"""
IN_A_CLASS = """
class Agent:
    def build(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        return model

    def __init__(self):
"""
LOAD = "tf.keras.models.load_model(path)"


def found(head: str, body: str, target: str = "tf-keras") -> list[str]:
    result = migrate_source(f"{program(head)}{body}\n", target=target)
    return [text for text in reviews(result) if "LS521" in text]


@pytest.mark.parametrize(
    "body",
    [
        f"model.save(path)\nmodel = {LOAD}\nmodel.fit(x)",
        f"model.save(path)\nmodel = {LOAD}\nprint(model.optimizer.iterations)",
        f"model.save(path)\nmodel = {LOAD}\ntrain(model)",
        f"model.save(path)\ndef load():\n    return {LOAD}",
        f"model.save(path)\nprint({LOAD}.predict(x))",
        f"tf.keras.callbacks.ModelCheckpoint(path)\n{LOAD}.fit(x)",
    ],
)
@pytest.mark.parametrize("head", [WRAPPED, POLICY])
def test_a_model_that_is_loaded_with_its_optimizer(head: str, body: str) -> None:
    (text,) = found(head, body)
    assert "starts again with the initial loss scale" in text
    (text,) = found(head, body, "compat")
    assert "and not the one of compat_lossscale" in text
    assert found(head, body, "keras3") == []


@pytest.mark.parametrize(
    "body",
    [
        f"model = {LOAD}\nmodel.fit(x)",
        "model.save(path)\nmodel = tf.keras.models.load_model(path, compile=False)\ntrain(model)",
        "model.save(path)\nmodel = mine.load_model(path)\nmodel.fit(x)",
    ],
)
def test_a_model_that_is_loaded_without_it(body: str) -> None:
    assert found(WRAPPED, body) == found(WRAPPED, body, "compat") == []


@pytest.mark.parametrize(
    "copied", ["copy.deepcopy({})", "deepcopy({})", "pickle.dumps({})", "pickle.dump({}, file)"]
)
def test_a_copy_of_an_optimizer(copied: str) -> None:
    (text,) = found(WRAPPED, copied.format("opt"))
    assert "raises an error in tf-keras" in text
    assert found(WRAPPED, copied.format("opt"), "compat") == []
    assert found(WRAPPED, copied.format("plain")) == []


def test_an_optimizer_in_a_checkpoint() -> None:
    made = "ck = tf.train.Checkpoint(model=m, optimizer={})\n"
    for restored in ("ck.restore(path)", "ck.read(path)\nmanager.restore_or_initialize()"):
        (text,) = found(WRAPPED, made.format("opt") + restored)
        assert "TensorFlow 2.0 to 2.2" in text
        assert found(WRAPPED, made.format("plain") + restored) == []
        assert found(WRAPPED, made.format("opt") + restored, "compat") == []
    assert found(WRAPPED, made.format("opt") + "ck.save(path)") == []


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("first.compile(o)\nsecond.compile(o)", True),
        ("first.compile('adam')\nsecond.compile('adam')", True),
        ("first.compile(o)\nfirst.fit(x)\nfirst.compile(o)", True),
        ("if big:\n    first.compile(o)\nelse:\n    first.compile(o)", False),
        ("first.compile(o)", False),
        ("w = mp.LossScaleOptimizer(o, 8)\nfirst.compile(w)\nsecond.compile(o)", False),
        ("first.compile(optimizer=[o, o])", True),
        ("def train(model, a, b):\n    model.compile(optimizer=[a, b])", True),
        ("for m in (first, second):\n    first.compile(o)", True),
        (f"{BUILD}[build() for _ in range(5)]", True),
        (f"{BUILD}first, second = build(), build()", True),
        (f"{BUILD}first = build()", False),
        ("for m in (first, second):\n    mp.set_policy('mixed_float16')\n    m.compile(o)", False),
        (f"{IN_A_CLASS}        self.first, self.second = self.build(), self.build()", True),
        (f"{IN_A_CLASS}        self.first = self.build()\n        self.first.build(shape)", False),
        (f"{BUILD}first = build(1) if big else build(2)", False),
        (f"{BUILD}def f():\n    mp.set_policy(p)\nfor i in l:\n    f()\n    build()", False),
        (f"{BUILD}def f():\n    mp.set_policy(p)\nf()\nfor i in l:\n    build()", True),
        ("for name in models:\n    models[name].compile('sgd', 'mse')", True),
        ("def train(m):\n    m.compile('sgd', 'mse')\ntrain(first)\ntrain(second)", True),
        ("for name in patterns:\n    patterns[name].compile()", False),
        (f"{BUILD}if big:\n    build(1)\nelse:\n    build(2)", False),
        ("first.compile([o])", False),
        ("w = mp.LossScaleOptimizer(o, 8)\nfirst.compile([w, o])", False),
    ],
)
def test_models_that_shared_the_loss_scale_of_a_policy(body: str, shared: bool) -> None:
    texts = found(POLICY, f"o = tf.keras.optimizers.legacy.SGD()\n{body}")
    assert [text.split(": ")[1].split()[0] for text in texts] == ["LS521"] * shared
    assert found(POLICY, body, "compat") == []


@pytest.mark.parametrize("policy", ["mp.Policy('mixed_float16', loss_scale=8)", "'float32'"])
def test_a_loss_scale_that_does_not_move_is_shared_by_nobody(policy: str) -> None:
    head = POLICY.replace('"mixed_float16"', policy)
    assert found(head, "first.compile('adam')\nsecond.compile('adam')") == []


def test_programs_of_today_are_right() -> None:
    source = program(WRAPPED + f"    model.save(path)\n    model = {LOAD}\n    model.fit(x)\n")
    again = migrate_source(migrate_source(source).output)
    assert not again.changed
    assert reviews(again) == []


def test_an_optimizer_that_is_made_from_its_config() -> None:
    body = "again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(opt))"
    (text,) = found(WRAPPED, body, "compat")
    assert "and not the one of compat_lossscale" in text
    assert found(WRAPPED, body) == []


def test_models_of_one_policy_on_keras_3() -> None:
    body = "first.compile('sgd')\nsecond.compile('sgd')"
    (text,) = found(POLICY, body, "keras3")
    assert "no longer share the policy's loss scale" in text
