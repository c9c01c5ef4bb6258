# SPDX-License-Identifier: Apache-2.0
"""Under `run`, training goes on from a BackupAndRestore folder of 2.3, as it did there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support import python, run_code

HERE = Path(__file__).parent
PROGRAM = HERE / "train_with_backup.py"
RECORDED = HERE / "backup-2.3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(RECORDED / "folder", tmp_path / "folder")


def test_training_goes_on_as_under_2_3(folder: Path) -> None:
    done = python(
        "-m", "compat_lossscale", "run", str(PROGRAM), str(folder), tensorflow_may_be_imported=True
    )
    assert json.loads(done.stdout) == json.loads((RECORDED / "resumed.json").read_text())
    # As under 2.3, what is finished leaves no backup that a later training would begin from.
    assert list(folder.iterdir()) == []


def test_backups_of_the_program_itself_come_first(folder: Path) -> None:
    first = python(
        "-m",
        "compat_lossscale",
        "run",
        str(PROGRAM),
        str(folder),
        "4",
        tensorflow_may_be_imported=True,
    )
    assert json.loads(first.stdout)["epochs"] == [3]
    second = python(
        "-m", "compat_lossscale", "run", str(PROGRAM), str(folder), tensorflow_may_be_imported=True
    )
    assert json.loads(second.stdout)["epochs"] == [4]
    assert list(folder.iterdir()) == []


def test_with_a_number_of_batches_between_backups_it_begins_after_the_epoch(folder: Path) -> None:
    out = run_code(
        f"""
        import compat_lossscale
        compat_lossscale.install()
        import numpy as np, tensorflow as tf
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile(tf.keras.optimizers.SGD(0.125, momentum=0.5), "mse")
        backup = tf.keras.callbacks.BackupAndRestore({str(folder)!r}, save_freq=1)
        done = model.fit(np.ones([2, 2]), np.ones([2, 1]), epochs=5, verbose=0, callbacks=[backup])
        print(done.epoch)
        """,
        tensorflow_may_be_imported=True,
    )
    assert out == "[3, 4]\n"


def test_a_checkpoint_that_is_no_backup_is_left_alone(tmp_path: Path) -> None:
    out = run_code(
        f"""
        import compat_lossscale
        compat_lossscale.install()
        import os
        import numpy as np, tensorflow as tf
        folder = {str(tmp_path)!r}
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), folder, 1)
        manager.save()
        before = sorted(os.listdir(folder))
        backup = tf.keras.callbacks.BackupAndRestore(folder)
        done = model.fit(np.ones([2, 2]), np.ones([2, 1]), epochs=2, verbose=0, callbacks=[backup])
        print(done.epoch, sorted(os.listdir(folder)) == before)
        """,
        tensorflow_may_be_imported=True,
    )
    assert out == "[0, 1] True\n"
