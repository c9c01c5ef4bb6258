# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import check_review, check_transformed

if TYPE_CHECKING:
    from pathlib import Path

OLD = (
    "import tensorflow as tf\nopt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(\n"
    "    tf.keras.optimizers.SGD(0.1), 'dynamic')\n"
)
NEW = (
    "import tensorflow as tf\nfrom compat_lossscale import keras3\n"
    "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), count_skipped_steps=True)\n"
)
SCALED = "with tf.GradientTape() as tape:\n    scaled = opt.get_scaled_loss(compute(x))\n"
UNSCALED = "g = opt.get_unscaled_gradients(tape.gradient(scaled, w))\n"
APPLIED = "opt.apply_gradients(zip(g, w))\n"


@pytest.mark.parametrize(
    "lines",
    [
        f"{UNSCALED}{APPLIED}",
        f"{UNSCALED}g, norm = tf.clip_by_global_norm(g, 1.0)\n{APPLIED}",
        "print(opt.get_scaled_loss(tf.constant(1.0)))\n",
    ],
)
def test_steps_keep_the_methods_of_2_4(lines: str) -> None:
    check_transformed(OLD + SCALED + lines, NEW + SCALED + lines, target="keras3")


def test_without_this_package_what_stays_is_reported() -> None:
    step = SCALED + f"{UNSCALED}print(g)\n{APPLIED}"
    message = "cannot unscale gradients for you"
    floor = "no floor and no cap"
    check_review(OLD + step, OLD + step, floor, message, message, message, target="keras3-alone")


def test_a_method_of_the_programs_own_is_no_step_of_stock() -> None:
    own = "class Own:\n    def get_scaled_loss(self, loss):\n        return loss\n\n\nopt = Own()\n"
    policy = "import tensorflow as tf\ntf.keras.mixed_precision{}('mixed_float16')\n"
    before, after = policy.format(".experimental.set_policy"), policy.format(".set_global_policy")
    check_transformed(before + own + SCALED, after + own + SCALED, target="keras3-alone")


def test_a_step_behind_fit_is_reported() -> None:
    lines = (
        "model = tf.keras.Sequential(layers)\nmodel.compile(opt)\nmodel.fit(x)\n"
        "opt.apply_gradients([(gradient, weight)])\n"
    )
    check_review(OLD + lines, NEW + lines, "takes the gradients for scaled ones", target="keras3")


OWN_STEP = (
    "class Net(tf.keras.Model):\n    def train_step(self, data):\n{}"
    "        opt.apply_gradients([(gradient, weight)])\n"
    "model = Net()\nmodel.compile(opt)\nmodel.fit(x)\n"
)


def test_a_step_that_fit_calls_instead_of_its_own_is_not_reported() -> None:
    lines = OWN_STEP.format("")
    check_transformed(OLD + lines, NEW + lines, target="keras3")
    lines = OWN_STEP.format("        super().train_step(data)\n")
    check_review(OLD + lines, NEW + lines, "takes the gradients for scaled ones", target="keras3")


NET = (
    "import tensorflow as tf\n\n\nclass Net(tf.keras.Model):\n"
    "    def train_step(self, data):\n"
    "        scaled = self.optimizer.get_scaled_loss(compute(data))\n"
)
MAIN = (
    "import tensorflow as tf\nfrom net import Net\n\n"
    "tf.keras.mixed_precision.set_global_policy('mixed_float16')\nnet = Net()\n"
    "net.compile('sgd')\n"
)


def test_a_step_of_a_model_that_no_file_compiles_is_reported() -> None:
    check_review(NET, NET, "which has no get_scaled_loss", target="keras3")
    own = NET.replace(
        "    def train",
        "    def __init__(self, opt):\n        self.optimizer = opt\n\n    def train",
    )
    check_transformed(own, own, target="keras3")


def test_a_step_of_a_model_that_another_file_compiles_stays(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "main.py").write_text(MAIN)
    report = migrate_files.run([tmp_path], Options(target=Target.KERAS3), jobs=1)
    [main] = [file for file in report.files if file.result.records]
    assert main.path.name == "main.py"
    assert "net.compile(_loss_scaled(net, 'sgd'))" in main.result.text


def test_a_method_of_the_class_itself_is_looked_at_where_it_is_defined() -> None:
    head, step = "class Steps:\n    def {}(self, g):\n        return g\n", "get_unscaled_gradients"
    lines = f"    def run(self, g):\n        return self.{step}(g)\n"
    old = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    new = old.replace("experimental.set_policy", "set_global_policy")
    own, other = head.format(step) + lines, head.format("other") + lines
    check_transformed(old + own, new + own, target="keras3-alone")
    check_review(old + other, new + other, "cannot unscale gradients", target="keras3-alone")
