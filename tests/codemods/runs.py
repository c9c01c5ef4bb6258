# SPDX-License-Identifier: Apache-2.0
"""A run in which there is something of every kind, for the tests of the reports."""

from __future__ import annotations

import json
from pathlib import Path

from lossscale_codemods.reports.run_report import RunReport
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
REVIEW = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('infer')\n"
UNSAFE = (
    "import tensorflow as tf  # LossScale\n\n\n"
    "def log(optimizer):\n    print(optimizer.loss_scale())\n"
)
SUPPRESSED = OLD.replace("')\n", "')  # compat-lossscale: ignore\n")
ATTACK = "</script></td><img src=x onerror=alert(1)><script>document.title='taken'</script>"
HOSTILE = (
    f"import tensorflow as tf\n# {ATTACK} DynamicLossScale\n"
    f"x = '''{ATTACK}'''; tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    f'tf.keras.mixed_precision.experimental.set_policy("{ATTACK}")\n'
)
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Training"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": ["%matplotlib inline\n", *OLD.splitlines(keepends=True)],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def make_project() -> None:
    """Writes, into the current folder, a file for every outcome and status, and hostile ones."""
    Path(".git").mkdir()
    Path("change.py").write_text(OLD)
    Path("review.py").write_text(REVIEW + "# see DynamicLossScale\n")
    Path("suppressed.py").write_text(SUPPRESSED)
    Path("broken.py").write_text(OLD + "(\n")
    Path("refused.py").write_text(OLD.replace("\ntf", "\n\x0ctf"))
    Path("<img src=x onerror=alert(1)>.py").write_text(HOSTILE)
    Path("notebook.ipynb").write_text(json.dumps(NOTEBOOK))


def migrated(*, write: bool = False, unsafe_fixes: bool = False) -> RunReport:
    """Migrates the current folder."""
    options = Options(unsafe_fixes=unsafe_fixes)
    return migrate_files.run([Path()], options, write=write, jobs=1)
