# SPDX-License-Identifier: Apache-2.0
"""`wandb.keras` is imported from where it is, here from a stand-in for wandb."""

from __future__ import annotations

from pathlib import Path

from tests.support import python

_PROGRAM = """
from wandb.keras import WandbCallback
import wandb.keras
print(WandbCallback, wandb.keras is wandb.integration.keras)
"""


def test_callbacks_come_from_where_they_are(tmp_path: Path) -> None:
    package = tmp_path / "wandb" / "integration"
    package.mkdir(parents=True)
    (tmp_path / "wandb" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "keras.py").write_text("WandbCallback = 'the callback'\n")
    (tmp_path / "program.py").write_text(_PROGRAM)
    done = python("-m", "compat_lossscale", "run", str(tmp_path / "program.py"))
    assert done.stdout == "the callback True\n", done.stderr
