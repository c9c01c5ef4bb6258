# SPDX-License-Identifier: Apache-2.0
"""An import stays for what its module does, without the names that are no longer needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

ACTING = "run()\nmp = old\nset_policy = old.set_policy\ndef helper(): pass"
SILENT = ACTING.removeprefix("run()\n")
USE = "\nprint(mp.global_policy())"


def _main(folder: Path, main: str, acting: str = ACTING, **others: str) -> str:
    files = {"amp.py": acting, "lib/__init__.py": "", "lib/amp.py": acting, "main.py": main}
    result = migrated(folder, {**files, **others})["main.py"]
    return result.output.decode().partition("experimental\n")[2] or result.output.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from amp import mp", "import amp  # noqa: F401\n"),
        ("from lib.amp import mp", "import lib.amp  # noqa: F401\n"),
        ("from .lib.amp import mp", "from .lib import amp  # noqa: F401\n"),
        ("from .amp import mp", "from . import amp  # noqa: F401\n"),
        ("from amp import mp  # old", "import amp  # old\n"),
        ("x = 1; from amp import mp", "x = 1; import amp  # noqa: F401\n"),
        ("from amp import mp; x = 1", "import amp; x = 1\n"),
        ("amp = 3\nfrom amp import mp", "amp = 3\nimport amp as _amp  # noqa: F401\n"),
        ("from amp import mp, helper\nhelper()", "from amp import helper\n"),
        ("import amp\nfrom amp import mp", "import amp\n"),
        ("from amp import mp\nfrom amp import helper\nhelper()", "from amp import helper\n"),
        ("from amp import mp\nfrom amp import set_policy as s\ns('a')", "noqa: F401\ntf.keras"),
    ],
)
def test_a_module_that_acts_is_still_imported(tmp_path: Path, before: str, after: str) -> None:
    assert after in _main(tmp_path, before + USE)
    assert "import mp" not in _main(tmp_path, before + USE)


@pytest.mark.parametrize("before", ["from amp import mp", "from lib.amp import mp"])
def test_a_module_that_binds_names_alone_is_not(tmp_path: Path, before: str) -> None:
    assert "amp" not in _main(tmp_path, before + USE, SILENT)


@pytest.mark.parametrize("before", ["import amp", "from lib import amp", "import lib.amp as amp"])
def test_an_import_of_the_module_stays(tmp_path: Path, before: str) -> None:
    assert f"{before}\n" in _main(tmp_path, f"{before}\nprint(amp.mp.global_policy())")
