# SPDX-License-Identifier: Apache-2.0
"""What a recorded run saw decides what cannot be proven, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from compat_lossscale.cli.migrate import migrate
from tests.recording.recordings_by_hand import end, write
from tests.schemas import ours

SOURCE = """import tensorflow as tf

def show(thing, opt):
    print(opt.loss_scale())
    print(opt.loss_scale())
    print(opt.loss_scale())

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), "dynamic")
"""
KERAS = (
    "tensorflow.python.keras.mixed_precision.experimental.loss_scale_optimizer.LossScaleOptimizer"
)
V1 = "tensorflow.python.training.experimental.loss_scale_optimizer.MixedPrecisionLossScaleOptimizer"


def migrated(folder: Path, *options: str, places: list[list[Any]]) -> tuple[dict[str, Any], str]:
    """Migrates the file with a recording of these places."""
    program = folder / "src" / "show.py"
    program.parent.mkdir(exist_ok=True)
    program.write_text(SOURCE)
    recording = write(folder / "a.lsr", {"t": "observed", "places": places}, end())
    arguments = [str(program), "--write", "--json", "--jobs", "1", *options]
    done = CliRunner().invoke(migrate, [*arguments, "--observed", recording])
    report = json.loads(done.stdout)
    ours.check(report, "migrate")
    return report, program.read_text()


@pytest.mark.workers
def test_a_place_where_one_kind_came_by_is_rewritten_and_says_so(tmp_path: Path) -> None:
    report, source = migrated(
        tmp_path,
        places=[
            ["show.py", 4, "loss_scale", KERAS, 7],
            ["show.py", 5, "loss_scale", KERAS, 7],
            ["show.py", 5, "loss_scale", V1, 1],
        ],
    )
    lines = source.splitlines()
    assert lines[3] == "    print(opt.loss_scale)"
    assert lines[4] == lines[5] == "    print(opt.loss_scale())"
    records = {record["line"]: record for record in report["files"][0]["records"]}
    assert (records[4]["outcome"], records[4]["observed"]) == ("rewritten", 7)
    assert records[4]["unsafe"] is False
    assert {records[line]["outcome"] for line in (5, 6)} == {"needs review"}
    assert report["totals"]["observed fixes"] == 1


@pytest.mark.workers
def test_a_recording_without_the_place_changes_nothing(tmp_path: Path) -> None:
    report, source = migrated(tmp_path, places=[["other.py", 4, "loss_scale", KERAS, 7]])
    assert "print(opt.loss_scale)" not in source
    assert report["totals"]["observed fixes"] == 0


HEAD = "import tensorflow as tf\n"
REWRITE = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
POLICY = "tf.keras.mixed_precision.experimental.Policy"
OLD = f"{HEAD}{POLICY}('mixed_float16')\n"
WRAPPER = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
OWN = f"""{HEAD}

class Mine(tf.mixed_precision.experimental.DynamicLossScale):
    pass
"""
SCALE = "tensorflow.python.training.experimental.loss_scale"
SGD = "tensorflow.python.keras.optimizer_v2.gradient_descent.SGD"


@pytest.mark.workers
@pytest.mark.parametrize(
    ("target", "source", "place", "line"),
    [
        (
            "tf-keras", f"{HEAD}def wrap(opt):\n    opt = {REWRITE}(opt)\n    return opt\n",
            (3, "wrapped", V1),
            "    opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt)",
        ),
        (
            "tf-keras", f"{HEAD}def wrap(opt):\n    opt = {REWRITE}(opt)\n    return opt\n",
            (3, "wrapped", KERAS), "    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)",
        ),
        (
            "tf-keras", f"{HEAD}def make(name, s):\n    return {POLICY}(name, loss_scale=s)\n",
            (3, "policy", "policy mixed_float16: dynamic 32768 2000"),
            "    return tf.keras.mixed_precision.Policy(name)",
        ),
        (
            "tf-keras", f"{HEAD}def make(name, s):\n    return {POLICY}(name, loss_scale=s)\n",
            (3, "policy", "policy mixed_float16: fixed 8"), None,
        ),
        (
            "tf-keras", f"{OLD}def go(x): x.compile('sgd', 'mse')\n", (3, "compile", SGD),
            "def go(x): x.compile(tf.keras.optimizers.legacy.SGD(), 'mse')",
        ),
        (
            "tf-keras", f"{OWN}def wrap(opt, s):\n    return {WRAPPER}(opt, s)\n",
            (7, "scale", f"{SCALE}.DynamicLossScale dynamic 32768 2000"),
            ("    return tf.keras.mixed_precision.LossScaleOptimizer("
            "opt, **_loss_scale_arguments(s))"),
        ),
        (
            "keras3", f"{OLD}def rate(optimizer): return optimizer.lr\n", (3, "lr", SGD),
            "def rate(optimizer): return optimizer.learning_rate",
        ),
    ],
    ids=["v1", "keras", "own scale", "other scale", "compile", "scale", "lr"],
)  # fmt: skip
def test_every_kind_of_place(
    target: str, source: str, place: tuple[int, str, str], line: str | None, tmp_path: Path
) -> None:
    program = tmp_path / "it.py"
    program.write_text(source)
    number, what, kind = place
    places = [["it.py", number, what, kind, 3]]
    recording = write(tmp_path / "a.lsr", {"t": "observed", "places": places}, end())
    arguments = [str(program), "--target", target, "--jobs", "1"]
    done = CliRunner().invoke(migrate, [*arguments, "--observed", recording])
    if line is None:
        assert "observed" not in done.output
    else:
        assert f"+{line}" in done.output.splitlines(), done.output
        assert f"observed 3 times: line {number}" in done.output
    without = CliRunner().invoke(migrate, arguments).output
    assert line is None or f"+{line}" not in without.splitlines()
