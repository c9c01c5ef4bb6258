# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.vocabulary.records import Outcome

from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

TRAINER = """
class Trainer:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
        self.kept_scale = self.opt.loss_scale
    @property
    def current_scale(self):
        return self.opt.loss_scale
    @property
    def loss_scale(self):
        return self.opt.loss_scale
    def get_scale(self):
        return self.opt.loss_scale
def scale_of(trainer):
    return trainer.opt.loss_scale
scale = Trainer().opt.loss_scale
"""
HELPERS = """
def call(scale):
    return float(scale())
def ask(scale):
    return scale.get_config()
def either(scale):
    return scale() if callable(scale) else scale
def use(scale):
    return float(scale)
"""
MAIN = "import helpers\nfrom trainer import *\nt = Trainer()\n"


def findings(folder: Path, use: str) -> list[tuple[str, str]]:
    files = {"trainer.py": TRAINER, "helpers.py": HELPERS, "main.py": f"{MAIN}x = {use}\n"}
    results = migrated(folder, files)
    return [
        (record.rule, record.name)
        for result in results.values()
        for record in result.records
        if record.outcome is Outcome.NEEDS_REVIEW
    ]


@pytest.mark.parametrize(
    "given",
    ["t.current_scale", "t.kept_scale", "t.get_scale()", "scale_of(t)", "scale"],
)
def test_what_another_file_gives_is_reported_where_it_is_called(given: str, tmp_path: Path) -> None:
    assert findings(tmp_path, f"{given}()") == [("LS316", given)]
    assert findings(tmp_path, f"{given}.get_config()") == [("LS316", given)]


@pytest.mark.parametrize("function", ["call", "ask"])
def test_what_a_function_of_another_file_calls_is_reported(function: str, tmp_path: Path) -> None:
    use = f"helpers.{function}(t.loss_scale)"
    assert ("LS316", "t.loss_scale") in findings(tmp_path, use)


@pytest.mark.parametrize(
    "use",
    [
        "float(t.current_scale)",
        "t.get_scale().numpy()",
        "helpers.either(t.loss_scale)",
        "helpers.use(t.loss_scale)",
        "scale() if callable(scale) else scale",
        "other_scale()",
    ],
)
def test_a_tensor_that_is_used_as_one_is_right(use: str, tmp_path: Path) -> None:
    assert findings(tmp_path, use) == []


def test_a_property_that_returns_it_is_no_longer_called(tmp_path: Path) -> None:
    files = {"trainer.py": TRAINER, "main.py": f"{MAIN}print(t.loss_scale())\n"}
    assert "print(t.loss_scale)\n" in migrated(tmp_path, files)["main.py"].text
