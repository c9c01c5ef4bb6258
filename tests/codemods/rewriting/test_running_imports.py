# SPDX-License-Identifier: Apache-2.0
"""An import stays for what the file that it is from does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

ACTING = "run()\nmp = old\nset_policy = old.set_policy\ndef helper(): pass"
SILENT = ACTING.removeprefix("run()\n")
USE = "\nprint(mp.global_policy())"


def _main(folder: Path, main: str, acting: str = ACTING) -> str:
    files = {"amp.py": acting, "lib/__init__.py": "", "lib/amp.py": acting, "main.py": main}
    result = migrated(folder, files)["main.py"]
    return result.output.decode().partition("experimental\n")[2] or result.output.decode()


@pytest.mark.parametrize(
    "before", ["from amp import mp", "from lib.amp import mp", "from .amp import mp"]
)
def test_an_import_of_a_file_that_acts_stays(tmp_path: Path, before: str) -> None:
    assert f"{before}\n" in _main(tmp_path, before + USE)


@pytest.mark.parametrize("before", ["from amp import mp", "from lib.amp import mp"])
def test_that_of_one_that_binds_names_alone_does_not(tmp_path: Path, before: str) -> None:
    assert "amp" not in _main(tmp_path, before + USE, SILENT)


@pytest.mark.parametrize("before", ["import amp", "from lib import amp", "import lib.amp as amp"])
def test_an_import_of_the_module_stays(tmp_path: Path, before: str) -> None:
    assert f"{before}\n" in _main(tmp_path, f"{before}\nprint(amp.mp.global_policy())")
