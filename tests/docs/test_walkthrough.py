# SPDX-License-Identifier: Apache-2.0
"""The walks through the code name the functions that run, in the order in which they run."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tensorflow as tf
import tf_keras
from lossscale_codemods.reports.run_report import RunReport
from lossscale_codemods.reports.text import summary
from lossscale_codemods.runner.atomic_writing import write_atomically
from lossscale_codemods.runner.file_task import migrate_task
from lossscale_codemods.runner.processes import Task
from lossscale_codemods.vocabulary.options import Options

import compat_lossscale
from tests.docs.fences import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

PAGE = (ROOT / "docs" / "walkthrough.md").read_text("utf-8")
SHIM, CODEMOD, PLACES = PAGE.split("\n## ")[1:]
OLD = """\
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), "dynamic")
"""


def steps(walk: str) -> list[tuple[str, str]]:
    """Returns the modules and functions of a walk, in its order."""
    found = re.findall(r"^\|[^|]+\| `([\w/.]+\.py)` \| `(\w+)` \|$", walk, re.MULTILINE)
    assert len(found) >= 15
    return found


@contextlib.contextmanager
def calls_into(package: Path) -> Iterator[list[tuple[str, str]]]:
    """Notes each function of a package when it is first called."""
    first: dict[tuple[str, str], None] = {}
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        del argument
        if event == "call" and frame.f_code.co_filename.startswith(f"{package}/"):
            module = frame.f_code.co_filename.removeprefix(f"{package}/")
            first.setdefault((module, frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        calls.extend(first)


def test_a_loss_scale_from_the_constructor_to_the_variable() -> None:
    variable = tf.Variable(1.0)
    with calls_into(ROOT / "compat_lossscale") as calls:
        optimizer = compat_lossscale.LossScaleOptimizer(
            tf_keras.optimizers.legacy.SGD(), dynamic_growth_steps=1
        )
        with tf.GradientTape() as tape:
            loss = optimizer.get_scaled_loss(variable * variable)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, [variable]))
        optimizer.apply_gradients(zip(gradients, [variable], strict=True))
    walk = steps(SHIM)
    assert [call for call in calls if call in walk] == walk


def test_an_old_name_from_the_file_to_the_report(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(OLD)
    with calls_into(ROOT / "codemods" / "lossscale_codemods") as calls:
        task = Task(str(file), len(OLD), Options())
        # A worker that has not imported libcst yet asks for it before the full parse.
        result = migrate_task(task) or migrate_task(Task(task.name, task.size, Options(), True))
        assert result is not None
        write_atomically(file, result.source, result.output, tmp_path)
        summary(RunReport(), write=True)
    walk = steps(CODEMOD)
    assert [call for call in calls if call in walk] == walk
    assert "tf.keras.mixed_precision.LossScaleOptimizer(" in file.read_text()


@pytest.mark.parametrize("path", re.findall(r"\| `([\w/.]+)` \|$", PLACES, re.MULTILINE))
def test_places_are_there(path: str) -> None:
    assert (ROOT / path).is_file()
