# SPDX-License-Identifier: Apache-2.0
"""Of the findings of a file, people are shown first what stops the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods.reports.text import findings
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

PROGRAM = """\
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy('float32')
opt = tf.keras.optimizers.Nadam(0.1)
tf.keras.backend.clear_session()
opt.minimize(loss, [weight])
tf.keras.backend.set_learning_phase(1)
"""


def test_what_stops_is_shown_before_what_trains_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    run = migrate_files.run([Path()], Options(target=Target.KERAS3), jobs=1)
    lines = [int(shown.split(":")[1]) for shown in findings(run)]
    assert lines == [5, 6, 3, 4]
