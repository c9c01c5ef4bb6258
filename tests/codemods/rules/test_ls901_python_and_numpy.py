# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome, migrate_source
from lossscale_codemods.rules.neighbours import PythonAndNumpy
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options, Selection

from compat_lossscale.neighbour_names import TABLE
from compat_lossscale.neighbour_names.neighbour import Neighbour
from tests.codemods.checks import check_left, check_review, check_transformed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "import tensorflow as tf\n"
OLD = f"{HEAD}tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = f"{HEAD}tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
MINE = [one for one in TABLE if PythonAndNumpy().is_mine(one.module_or_name)]


@pytest.mark.parametrize("neighbour", MINE, ids=lambda one: one.name)
def test_every_name_of_the_table_is_respelled_or_reported(neighbour: Neighbour) -> None:
    name, module = neighbour.module_or_name, neighbour.module_or_name.partition(".")[0]
    below = ".something" if neighbour.name.endswith(".*") else ""
    result = migrate_source(f"import {module}\n{OLD}use({name}{below})\n")
    by_this = [one for one in result.records if one.rule == "LS901"]
    assert by_this
    assert result.problem == ""
    if neighbour.successor and "(" not in neighbour.successor:
        assert [one.outcome for one in by_this] == [Outcome.REWRITTEN]
        assert f"use({name}" not in result.text
    else:
        assert {one.outcome for one in by_this} == {Outcome.NEEDS_REVIEW}
        assert neighbour.until in by_this[0].message
        assert by_this[0].advice


@pytest.mark.parametrize("neighbour", MINE, ids=lambda one: one.name)
def test_every_name_is_seen_where_it_is_imported(neighbour: Neighbour) -> None:
    name = neighbour.module_or_name
    imported = f"from {neighbour.place} import {neighbour.short_name} as it"
    if not neighbour.place:
        imported = f"import {name} as it"
    result = migrate_source(f"{imported}\n{OLD}use(it)\n")
    assert "LS901" in {one.rule for one in result.records}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy\nx = numpy.float(1)", "x = float(1)"),
        ("from numpy import Inf\nprint(Inf)", "from numpy import inf as Inf\nprint(Inf)"),
        (
            "from numpy import Inf, ones\nprint(Inf, ones)",
            "from numpy import inf as Inf, ones\nprint(Inf, ones)",
        ),
        ("import numpy as np\nx = np.NINF ** 2", "import numpy as np\nx = (-np.inf) ** 2"),
        ("import numpy as np\nx = [np.NINF]", "import numpy as np\nx = [-np.inf]"),
        ("import numpy as np\nx = np.PZERO", "x = 0.0"),
        ("import numpy as np\nx = np.math.pi", "import math\nx = math.pi"),
        (
            "import collections\nx = collections.Mapping, collections.deque",
            (
                "import collections\nfrom collections.abc import Mapping\n"
                "x = Mapping, collections.deque"
            ),
        ),
        (
            "import collections, collections.abc\nx = collections.Mapping, collections.abc.Set",
            "import collections, collections.abc\nx = collections.abc.Mapping, collections.abc.Set",
        ),
        (
            "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nx = np.Inf",
            "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nx = np.inf",
        ),
        (
            "import xml.etree.cElementTree as ET\nx = ET.parse(f)",
            "import xml.etree.ElementTree as ET\nx = ET.parse(f)",
        ),
        (
            "import numpy as np\nif kind == 'float' or 'bool' == kind:\n    x = np.float, np.bool",
            "if kind == 'float' or 'bool' == kind:\n    x = float, bool",
        ),
        (
            (
                "import numpy as np\nif kind in ('float', 'int') or kind.startswith('float'):\n"
                "    x = np.float"
            ),
            "if kind in ('float', 'int') or kind.startswith('float'):\n    x = float",
        ),
        (
            "import numpy as np\nif 'float' in str(kind):\n    x = np.float",
            "if 'float' in str(kind):\n    x = float",
        ),
        (
            "import wandb\nx = wandb.keras.WandbCallback()",
            "from wandb.integration.keras import WandbCallback\nx = WandbCallback()",
        ),
        (
            "import numpy as np\ny = []\nfor x in z:\n    y.append(x)\nif y:\n    x = np.float",
            "y = []\nfor x in z:\n    y.append(x)\nif y:\n    x = float",
        ),
        (
            "import numpy as np\nWITH_ALL = False\nif WITH_ALL:\n    x = np.float",
            "WITH_ALL = False\nif WITH_ALL:\n    x = float",
        ),
        ("if PY3:\n    import numpy as np\n    x = np.float", "if PY3:\n    x = float"),
        (
            "import numpy as np\nimport six\nx = np.unicode if six.PY2 else str",
            "import six\nx = str if six.PY2 else str",
        ),
    ],
)
def test_a_name_with_a_successor_is_respelled(before: str, after: str) -> None:
    head, new = (f"{text}def f(): pass\n" for text in (OLD, NEW))
    result = check_review(f"{before}\n{head}", f"{after}\n{new}")
    assert {one.rule for one in result.records} == {"LS501", "LS901"}


@pytest.mark.parametrize(
    "lines",
    [
        "try:\n    import imp\nexcept ImportError:\n    imp = None",
        "try:\n    from collections import Set\nexcept:\n    from collections.abc import Set",
        "try:\n    from a.abc import Set\nexcept ImportError:\n    from collections import Set",
        "try:\n    x = np.float\nexcept AttributeError:\n    x = float",
        "x = np.float if hasattr(np, 'float') else float",
        "if hasattr(np, 'float'):\n    x = np.float",
        "np.float = float\nx = np.float",
        "import mine\nx = mine.float, mine.np.Inf",
        "x = getattr(np, 'float', float)",
        "from numpy import *\nfrom mine import *\nx = Inf",
        "from numpy import *\nx = float, inf",
        "from .mine import collections\nx = collections.Mapping",
        "def f(np):\n    return np.float",
        "x = np.float64, np.bool_, np.inf, np.random.rand",
    ],
)
def test_what_does_not_fail_stays(lines: str) -> None:
    text = f"import numpy as np\n{OLD}{lines}\nuse(np)\n"
    check_transformed(text, text.replace(OLD, NEW))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("x = np.asscalar(a=b)", "In new code: a.item()"),
        ("def f():\n    import wandb\n    return wandb.keras.x", "does not import wandb at its"),
        ("f = np.asscalar", "In new code: a.item()"),
        ("x = np.in1d(a, b)", "In new code: np.isin(a, b), flattened"),
        ("float = 1\nx = np.float", "a float of its own"),
        ("import imp\nx = imp.reload(m)", "it ended with Python 3.11"),
        ("import distutils.version", "In new code: packaging.version"),
        ("from distutils.version import LooseVersion", "In new code: packaging.version"),
        ("from distutils.util import *", "In new code: packaging.version"),
        ("from numpy import float", "In new code: float"),
        ("x = getattr(np, 'float')", "In new code: float"),
        ("import inspect\nx = inspect.getargspec(f)", "In new code: inspect.getfullargspec"),
        ("import inspect\nx = inspect.getargspec(f).args", "inspect.getfullargspec"),
        ("import inspect\nx = inspect.getargspec(f)[:2]", "inspect.getfullargspec"),
        ("from inspect import getargspec\nx = getargspec(f).args", "inspect.getfullargspec"),
        ("from numpy import *\nx = Inf", "In new code: np.inf"),
        ("try:\n    import cupy as xp\nexcept:\n    xp = np\nx = xp.float", "on other ways"),
        ("try:\n    import imp\nexcept ImportError:\n    raise", "it ended with Python 3.11"),
        ("try:\n    main()\n    x = np.asscalar\nexcept Exception:\n    pass", "numpy 1.22"),
        ("import sys\nif sys.version_info >= (3, 3):\n    import imp", "it ended with Python 3.11"),
        ("import sys\nif sys.version_info < (3, 12):\n    import imp", "it ended with Python 3.11"),
        ("if np.__version__ > '1':\n    x = np.asscalar", "numpy 1.22"),
    ],
)
def test_what_has_no_successor_is_reported(lines: str, message: str) -> None:
    text = f"import numpy as np\n{OLD}{lines}\nuse(np)\n"
    check_review(text, text.replace(OLD, NEW), message)


def test_programs_without_loss_scaling_are_left() -> None:
    check_left("import numpy as np\nx = np.float\n")
    check_left(f"import numpy as np\n{NEW}x = np.float\n")


def test_it_looks_at_all_files_where_it_is_selected() -> None:
    text = "import numpy as np\nx = np.float\n"
    for select in ("LS9", "LS90", "LS901"):
        assert migrate_source(text, select=(select,)).text == "x = float\n"
        assert migrate_source(text, select=(select,), ignore=("LS901",)).text == text
    for select in ("LS", "LS2", "LS902"):
        assert migrate_source(text, select=(select,)).text == text


def test_it_can_be_left_out() -> None:
    text = f"import numpy as np\n{OLD}x = np.float\n"
    assert "np.float" in migrate_source(text, ignore=("LS9",)).text
    comment = text.replace("np.float", "np.float  # compat-lossscale: ignore[LS901]")
    assert "np.float" in migrate_source(comment).text


def test_what_is_migrated_to_compat_is_respelled_too() -> None:
    text = f"import numpy as np\n{OLD}x = np.Inf, np.math.pi, np.float\n"
    result = migrate_source(text, target="compat")
    assert "import math\n" in result.text
    assert result.text.endswith("x = np.inf, math.pi, float\n")


def test_files_that_run_with_old_ones_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"import batches\n{OLD}")
    (tmp_path / "batches.py").write_text("import numpy as np\nx = np.float\n")
    (tmp_path / "alone.py").write_text("import numpy as np\nx = np.float\n")
    report = migrate_files.run([tmp_path], Options(), jobs=1)
    assert {file.path.name for file in report.files} == {"main.py", "batches.py"}
    everywhere = Options(selection=Selection(select=("LS9",)))
    report = migrate_files.run([tmp_path], everywhere, jobs=1)
    assert {"batches.py", "alone.py"} <= {file.path.name for file in report.files}


def test_cells_of_notebooks(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": 1}
        for text in ("import numpy as np\nimport tensorflow as tf\nx = np.Inf", OLD)
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    )
    [file] = migrate_files.run([tmp_path], Options(), jobs=1).files
    assert [(one.rule, one.cell) for one in file.result.records if one.rule == "LS901"] == [
        ("LS901", 1)
    ]
    assert b"np.inf" in file.result.output


def test_a_package_of_the_projects_own_is_no_neighbour(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"{OLD}import tensorflow_addons as tfa\ntfa.use()\n")
    own = tmp_path / "tensorflow_addons"
    own.mkdir()
    found = []
    for _ in range(2):
        report = migrate_files.run([tmp_path], Options(), jobs=1)
        records = [one for file in report.files for one in file.result.records]
        found.append([one.rule for one in records if one.rule == "LS901"])
        (own / "__init__.py").write_text("def use():\n    pass\n")
    assert found == [["LS901"], []]
