# SPDX-License-Identifier: Apache-2.0
"""A formatter may follow a migration: what it lays out, no later migration changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from lossscale_codemods import Status
from lossscale_codemods.reports.text import CHANGED, examples, section
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.base import all_rules
from lossscale_codemods.source.layout import LINE_LENGTH
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

OLD = "tf.keras.mixed_precision.experimental"
WRAP = f"{OLD}.LossScaleOptimizer"
SCALE = "tf.train.experimental.DynamicLossScale"
REWRITE = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
PROGRAMS = [
    f"optimizer = {WRAP}(tf.keras.optimizers.Adam(learning_rate), 'dynamic')",
    f"self.optimizer = {WRAP}(self.optimizer, loss_scale=1024.0 * the_number_of_workers)",
    f"model.compile({WRAP}(optimizer, 1024), loss='mse', metrics=['accuracy'])",
    f"return_value = {WRAP}(opt, 128 if use_a_fixed_loss_scale else 'dynamic')",
    f"def f(): return {WRAP}(opt, 128 if use_fixed_scale else 'dynamic')",
    f"{OLD}.set_policy({OLD}.Policy('mixed_float16', loss_scale='dynamic'))",
    f"opt = tf.keras.optimizers.SGD()\nif amp:\n    opt = {REWRITE}(opt, loss_scale=1024)",
    f"x = f(1, {WRAP}(opt, {SCALE}(initial_loss_scale=2 ** 10, increment_period=500)))",
]


def formatted(programs: list[str], length: int, folder: Path) -> list[str]:
    """Formats programs, all by one call of ruff."""
    folder.mkdir()
    paths = [folder / f"{number}.py" for number in range(len(programs))]
    for path, program in zip(paths, programs, strict=True):
        path.write_bytes(program.encode())
    command = ["ruff", "format", "--isolated", f"--line-length={length}", str(folder)]
    subprocess.run([sys.executable, "-m", *command], capture_output=True, check=True)
    return [path.read_bytes().decode() for path in paths]


def cases() -> list[str]:
    programs = [f"import tensorflow as tf\n\n\n{program}\n" for program in PROGRAMS]
    for rule in all_rules():
        if Target.TF_KERAS in rule.targets:
            programs += [one.before for one in examples(section(rule, CHANGED))]
    return programs


@pytest.mark.parametrize("length", [79, 88, 120])
def test_a_formatter_and_a_migration_do_not_disagree(length: int, tmp_path: Path) -> None:
    migrated = []
    for source in formatted(cases(), length, tmp_path / "before"):
        result = migrate_fully(source.encode(), Options(line_length=LINE_LENGTH))
        assert result.problem == ""
        if result.status is Status.CHANGED:
            migrated.append(result.text)
    assert len(migrated) > 20
    after = formatted(migrated, length, tmp_path / "after")
    for text in after:
        again = migrate_fully(text.encode(), Options(line_length=LINE_LENGTH))
        assert again.text == text
