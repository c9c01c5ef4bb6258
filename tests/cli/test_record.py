# SPDX-License-Identifier: Apache-2.0
"""`record` runs a program as python does, and `run --record` one with old names."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.recording.reading import observed_kinds, read
from tests.support import python

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf
w = tf.Variable(np.ones(3, "float32"), name="w")
opt = {maker}
for i in range(4):
    opt.apply_gradients([(w + 1.0, w)])
print(sys.argv[1:], hash("a"))
"""
OLD = PROGRAM.format(
    maker="tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(.1), 8)"
)
NEW = PROGRAM.format(maker="tf.keras.optimizers.legacy.SGD(0.1)")


def test_the_recorder_is_printed_and_is_a_program_by_itself(tmp_path: Path) -> None:
    printed = python("-m", "compat_lossscale", "record", "--standalone")
    assert printed.returncode == 0
    (tmp_path / "lossscale_recorder.py").write_text(printed.stdout)
    (tmp_path / "train.py").write_text("print('trained')\n")
    done = python("lossscale_recorder.py", "-o", "a.lsr", "train.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "trained\n")
    recording = read(str(tmp_path / "a.lsr"))
    assert [line.text for line in recording.printed] == ["trained"]


@pytest.mark.slow
def test_record_passes_arguments_on_and_makes_hashes_reproducible(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(NEW)
    arguments = ("record", "-o", "a.lsr", "--steps", "3", "train.py", "--steps", "9", "-o", "x")
    seen = set()
    for _ in range(2):
        done = python(
            "-m", "compat_lossscale", *arguments, cwd=tmp_path,
            environment={"TF_USE_LEGACY_KERAS": "1", "PYTHONHASHSEED": None},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout)
    assert len(read(str(tmp_path / "a.lsr")).optimizers[0].steps) == 3
    assert len(seen) == 1


def test_run_records_an_old_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(OLD)
    done = python(
        "-m", "compat_lossscale", "run", "--record", "a.lsr", "train.py", "--record", "x",
        cwd=tmp_path, tensorflow_may_be_imported=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['--record', 'x']")
    one = read(str(tmp_path / "a.lsr")).optimizers[0]
    assert one.title == "LossScaleOptimizer(SGD)"
    assert [s.scale for s in one.steps] == [8.0] * 4


@pytest.mark.parametrize("options", [(), ("--keras3",)], ids=["tf-keras", "keras3"])
def test_run_records_the_loss_scale_of_a_policy(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n"
        "for scale in ('dynamic', 'dynamic'):\n"
        "    tf.keras.mixed_precision.experimental.Policy('mixed_float16', loss_scale=scale)\n"
    )
    done = python(
        "-m", "compat_lossscale", "run", *options, "--record", "a.lsr", "train.py", cwd=tmp_path,
        tensorflow_may_be_imported=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    observed = observed_kinds(read(str(tmp_path / "a.lsr")).observed)
    assert observed["train.py"][3]["policy"] == ("policy mixed_float16: dynamic 32768 2000", 2)


def test_run_records_an_old_program_twice(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        OLD.replace("w + 1.0", "w + i * ord(__import__('os').urandom(1))")
    )
    done = python(
        "-m", "compat_lossscale", "run", "--record", "a.lsr", "--twice", "train.py",
        cwd=tmp_path, tensorflow_may_be_imported=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    recording = read(str(tmp_path / "a.lsr"))
    assert len(recording.optimizers[0].steps) == 4
    assert recording.unstable == {(0, "variables", 0): 1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("record", "train.py"), "Name a recording and a program"),
        (("record", "-o", "a.lsr"), "Name a recording and a program"),
        (("run", "--steps", "3", "train.py"), "--steps needs --record FILE"),
        (("record", "-o", "a.lsr", "--steps", "0", "train.py"), "x>=1"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[str, ...], words: str) -> None:
    done = python("-m", "compat_lossscale", *arguments)
    assert done.returncode == 64
    assert words in done.stderr
