# SPDX-License-Identifier: Apache-2.0
"""A star import behind an old name can put another thing in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import check_review, check_transformed, reviews
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

_IMPORT = "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
_CALL = "opt = LossScaleOptimizer(inner, 'dynamic')\n"
_NEW = "from tensorflow.keras.mixed_precision import LossScaleOptimizer\n"
_NEW_CALL = "opt = LossScaleOptimizer(inner)\n"
_TF = "import tensorflow as tf\nfrom elsewhere import *\n"
_OWN = "class LossScaleOptimizer:\n    def __init__(self, inner, scale): ...\n"


@pytest.mark.parametrize(
    ("files", "hides"),
    [
        ({"mylib.py": _OWN}, True),
        ({"mylib/__init__.py": "from .more import *\n", "mylib/more.py": _OWN}, True),
        ({"mylib.py": f"if True:\n    {_IMPORT}"}, True),
        ({"mylib.py": "from elsewhere import *\n"}, True),
        ({"mylib.py": "x = 1\n"}, False),
        ({"mylib.py": "from sub import *\n", "sub.py": "x = 1\n"}, True),
        ({"mylib.py": f"__all__ = ['x']\n{_OWN}"}, True),
        ({"mylib.py": f"__all__ = ['LossScaleOptimizer']\n{_OWN}"}, True),
        ({"mylib.py": "def f():\n    class LossScaleOptimizer: ...\n"}, False),
    ],
)
def test_what_the_projects_own_module_offers_decides(
    files: dict[str, str], hides: bool, tmp_path: Path
) -> None:
    main = f"{_IMPORT}from mylib import *\n{_CALL}"
    found = migrated(tmp_path, {"main.py": main, **files})["main.py"]
    if hides:
        assert found.text.endswith(main)
        assert any("the star import on line 4 may" in message for message in reviews(found))
    else:
        assert found.text.endswith(f"{_NEW}from mylib import *\n{_NEW_CALL}")
        assert reviews(found) == []


def test_of_other_packages_nothing_is_known() -> None:
    source = f"{_IMPORT}from elsewhere import *\n{_CALL}"
    check_review(source, source, "still needs it", "the star import on line 2 may bring in")
    star = "from tensorflow.keras.mixed_precision.experimental import *\n"
    check_review(
        f"{star}from elsewhere import *\n{_CALL}",
        f"{star}from elsewhere import *\n{_CALL}",
        "which names it brings in",
        "the star import on line 2 may bring in",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"from elsewhere import *\n{_IMPORT}{_CALL}",
            f"from elsewhere import *\n{_NEW}{_NEW_CALL}",
        ),
        (
            f"{_IMPORT}{_CALL}from elsewhere import *\n",
            f"{_NEW}{_NEW_CALL}from elsewhere import *\n",
        ),
        (f"{_IMPORT}from numpy import *\n{_CALL}", f"{_NEW}from numpy import *\n{_NEW_CALL}"),
        (
            f"{_TF}tf.keras.mixed_precision.experimental.set_policy('float32')\n",
            f"{_TF}tf.keras.mixed_precision.set_global_policy('float32')\n",
        ),
    ],
    ids=["in front", "behind", "known package", "another package's tf"],
)
def test_what_cannot_hide_a_name_is_no_obstacle(before: str, after: str) -> None:
    check_transformed(before, after)


def test_a_module_that_imports_tensorflow_itself_offers_the_same(tmp_path: Path) -> None:
    use = "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    files = {"main.py": f"from mylib import *\n{use}", "mylib.py": "import tensorflow as tf\n"}
    found = migrated(tmp_path, files)["main.py"]
    assert reviews(found) == []
    assert "set_global_policy" in found.text


def test_what_a_module_of_the_project_imports_stands_for_the_same(tmp_path: Path) -> None:
    main = (
        "from mylib import *\nopt = tf.keras.optimizers.Adam()\n"
        "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
    )
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "mylib.py").write_text("import tensorflow as tf\n")
    (tmp_path / "main.py").write_text(main)
    report = migrate_files.run([tmp_path], Options(), write=True, jobs=1)
    assert [text for one in report.files for text in reviews(one.result)] == []
    assert (tmp_path / "main.py").read_text() == (
        "from mylib import *\nopt = tf.keras.optimizers.legacy.Adam()\n"
        "opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
    )
