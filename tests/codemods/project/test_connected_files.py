# SPDX-License-Identifier: Apache-2.0
"""Which files run in one program with others, and what becomes of the optimizers in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project.importers import ImportGraph, module_names, scripts
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
SGD = "import tensorflow as tf\n\n\ndef make():\n    return tf.keras.optimizers.SGD()\n"


def write(folder: Path, files: Mapping[str, str]) -> None:
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def connected(folder: Path, files: Mapping[str, str], old: str = "old.py") -> set[str]:
    """Returns the files that run together with one, of all that say `optimizers`."""
    write(folder, files)
    names = [str(path) for path in sorted(folder.rglob("*.*"))]
    found = ImportGraph(names).connected(
        [str(folder / old)], lambda source: b"optimizers" in source
    )
    assert set(found.values()) <= {str(folder / old)}
    return {name.removeprefix(f"{folder}/") for name in found}


@pytest.mark.parametrize(
    "statement",
    [
        "import optim",
        "import os, optim as o",
        "from optim import make",
        "from optim import (\n    make,\n    other,\n)",
        "from optim import make, \\\n    other",
        "try: import optim\nexcept ImportError: pass",
        "def f():\n    from optim import *",
        "import os; import optim",
        "import optim; import os",
        "if here: from optim import make",
        "from optim import (  # the (one) file\n    make,\n)",
        "import importlib\noptim = importlib.import_module('optim')",
    ],
)
def test_import_statements(tmp_path: Path, statement: str) -> None:
    assert connected(tmp_path, {"old.py": statement + "\n", "optim.py": SGD}) == {"optim.py"}


@pytest.mark.parametrize(
    ("code", "file"),
    [
        ("import runpy\nrunpy.run_path('train.py')", "train.py"),
        ("import runpy\nrunpy.run_path(here + '/lib/train.py')", "lib/train.py"),
        ("exec(open('lib/train.py').read())", "lib/train.py"),
        ("import_module('models.' + name)", "models/small.py"),
        ("import_module(f'models.net_{name}')", "models/small.py"),
    ],
)
def test_files_that_are_run_by_their_names(tmp_path: Path, code: str, file: str) -> None:
    files = {"old.py": code, file: SGD, "other/other.py": SGD}
    assert connected(tmp_path, files) == {file}


@pytest.mark.parametrize("statement", ["# import optim", "important: optim"])
def test_other_statements(tmp_path: Path, statement: str) -> None:
    assert connected(tmp_path, {"old.py": statement + "\n", "optim.py": SGD}) == set()


@pytest.mark.parametrize(
    "text",
    [
        " " * 2_000_000 + "x",
        "from " + "." * 2_000_000,
        "from a import (\n" * 150_000,
        "from a import (" + "#(\n" * 500_000,
        ":from " * 300_000,
        "import a" + " " * 2_000_000,
    ],
    ids=["spaces", "dots", "open", "comments", "from", "name"],
)
def test_hostile_files_cost_no_more_than_they_are_long(tmp_path: Path, text: str) -> None:
    """Patterns that try each line more than once take hours for these, not milliseconds."""
    files = {"old.py": f"{text}\nimport optim\n" if "(" not in text else text, "optim.py": SGD}
    assert connected(tmp_path, files) == ({"optim.py"} if "(" not in text else set())


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("from . import optim", "pkg/optim.py"),
        ("from .optim import make", "pkg/optim.py"),
        ("from .sub.optim import make", "pkg/sub/optim.py"),
        ("from ..other import optim", "other/optim.py"),
        ("from pkg import optim", "pkg/optim.py"),
        ("import pkg.sub.optim", "pkg/sub/optim.py"),
        ("import pkg.sub.optim", "pkg/__init__.py"),
        ("from pkg.sub import thing", "pkg/sub/__init__.py"),
        ("import_module(f'pkg.sub.{name}')", "pkg/sub/optim.py"),
        ("import_module('pkg.sub.' + name)", "pkg/sub/optim.py"),
        ("import_module('.' + name, __package__)", "pkg/optim.py"),
    ],
)
def test_packages(tmp_path: Path, statement: str, file: str) -> None:
    files = {"pkg/old.py": statement + "\n", file: SGD}
    assert connected(tmp_path, files, "pkg/old.py") == {file}


def test_what_imports_the_file_and_what_that_imports(tmp_path: Path) -> None:
    files = {
        "old.py": OLD,
        "main.py": f"import old\nimport optim\n{SGD}",
        "above.py": f"import main\n{SGD}",
        "optim.py": f"import deeper\n{SGD}",
        "deeper.py": SGD,
        "apart.py": f"import optim\n{SGD}",
        "plain.py": "import old\n",
    }
    assert connected(tmp_path, files) == {"main.py", "above.py", "optim.py", "deeper.py"}


def test_a_package_in_src(tmp_path: Path) -> None:
    files = {
        "src/pkg/old.py": OLD,
        "src/pkg/optim.py": SGD,
        "tests/test_it.py": f"from pkg import old, optim\n{SGD}",
        "src/apart.py": SGD,
    }
    assert connected(tmp_path, files, "src/pkg/old.py") == {"src/pkg/optim.py", "tests/test_it.py"}


def test_a_module_of_a_framework_is_none_of_the_project(tmp_path: Path) -> None:
    files = {"old.py": "import keras.optim\nimport tensorflow.optim\n", "keras/optim.py": SGD}
    assert connected(tmp_path, files) == set()


def test_a_notebook_that_imports(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["import old\n", SGD], "outputs": [], "metadata": {}}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for indent in (None, 1):
        files = {"old.py": OLD, "nb.ipynb": json.dumps(notebook, indent=indent)}
        assert connected(tmp_path, files) == {"nb.ipynb"}


def migrate(folder: Path, **options: bool) -> dict[str, str]:
    """Migrates a project and writes it; returns what is in its files by then."""
    report = migrate_files.run([folder], Options(**options), jobs=1, write=True)  # type: ignore[arg-type]  # both are bool
    assert [file.result.problem for file in report.files if file.result.problem] == []
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.*[py|nb]")
    }


def test_optimizers_of_one_program_stay_what_they_were(tmp_path: Path) -> None:
    model = (
        "import tensorflow as tf\n\n\ndef build():\n    model = tf.keras.Sequential()\n"
        "    model.compile('adam')\n    return model\n"
    )
    names = "from tensorflow.keras.optimizers import Adam, Optimizer\n"
    write(
        tmp_path,
        {
            "old.py": f"from model import build\n{OLD}",
            "main.py": "import old\nfrom optim import make\nfrom names import Adam\n",
            "optim.py": SGD,
            "model.py": model,
            "names.py": names,
            "apart.py": SGD,
        },
    )
    found = migrate(tmp_path)
    assert found["optim.py"] == SGD.replace("optimizers.", "optimizers.legacy.")
    assert found["model.py"] == model.replace("'adam'", "tf.keras.optimizers.legacy.Adam()")
    assert found["names.py"] == names.replace("optimizers", "optimizers.legacy")
    assert found["apart.py"] == SGD
    assert migrate(tmp_path) == found


@pytest.mark.parametrize("paths", [["src"], ["src/old.py", "src/optim.py"]])
def test_relative_paths_in_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str]
) -> None:
    write(tmp_path, {"src/old.py": f"import optim\n{OLD}", "src/optim.py": SGD})
    monkeypatch.chdir(tmp_path)
    report = migrate_files.run([Path(path) for path in paths], Options(), jobs=1)
    assert [file.path.name for file in report.files] == ["old.py", "optim.py"]


def test_programs_that_import_changed_optimizers_keep_theirs_too(tmp_path: Path) -> None:
    test = f"from optim import make\n{SGD}ok = isinstance(make(), tf.keras.optimizers.SGD)\n"
    files = {
        "old.py": f"import optim\nimport plain\n{OLD}",
        "optim.py": SGD,
        "plain.py": "import tensorflow as tf\nrate = tf.keras.optimizers.schedules\n",
        "test_optim.py": test,
        "above.py": f"import test_optim\nimport beside\n{SGD}",
        "beside.py": SGD,
        "apart.py": f"import plain\n{SGD}",
    }
    write(tmp_path, files)
    found = migrate(tmp_path)
    for name in ("optim.py", "test_optim.py", "above.py", "beside.py"):
        assert found[name] == files[name].replace("optimizers.SGD", "optimizers.legacy.SGD")
    assert found["apart.py"] == files["apart.py"]
    assert migrate(tmp_path) == found


def test_a_name_from_another_file_needs_no_change(tmp_path: Path) -> None:
    use = f"{OLD}from names import Adam, optimizers\nx = Adam(), optimizers.SGD()\n"
    names = (
        "from tensorflow.keras.optimizers import Adam\nfrom tensorflow.keras import optimizers\n"
    )
    write(tmp_path, {"old.py": use, "names.py": names})
    found = migrate(tmp_path)
    assert "x = Adam(), optimizers.legacy.SGD()\n" in found["old.py"]
    assert found["names.py"].startswith("from tensorflow.keras.optimizers.legacy import Adam\n")


def test_old_arguments_beside_the_names_of_tensorflow_2_4(tmp_path: Path) -> None:
    new = "import optim\nfrom tensorflow.keras import mixed_precision as mp\n"
    new += "opt = mp.LossScaleOptimizer(optim.make())\n"
    given = SGD.replace("SGD()", "SGD(lr=0.1)")
    write(tmp_path, {"new.py": new, "optim.py": given, "apart.py": given})
    (done,) = migrate_files.run([tmp_path], Options(), jobs=1).files
    assert done.path.name == "optim.py"
    assert b"optimizers.legacy.SGD(lr=0.1)" in done.result.output


@pytest.mark.parametrize(
    ("line", "status"),
    [("Adam(lr=0.1)", []), ("LossScaleOptimizer(Adam(lr=0.1), 1)", [Status.UNREADABLE])],
)
def test_what_does_not_parse_is_reported_for_old_names_and_not_for_old_arguments(
    line: str, status: list[Status], tmp_path: Path
) -> None:
    source = f"from tensorflow.keras.optimizers import Adam\nopt = {line}\nprint opt\n"
    (tmp_path / "train.py").write_text(source)
    cells = [{"cell_type": "code", "source": source}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook))
    for name in ("train.py", "train.ipynb"):
        report = migrate_files.run([tmp_path / name], Options())
        assert [file.result.status for file in report.files] == status


def test_installed_packages_are_no_program(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    write(folder, {"old.py": f"import optim\n{OLD}", "optim.py": SGD})
    done = migrate_files.run([folder], Options(), no_ignore=True, jobs=1).files
    assert [file.path.name for file in done] == ["old.py"]


def test_what_compile_gets_from_another_file(tmp_path: Path) -> None:
    use = "import old\nold.build('adam')\n"
    build = f"{OLD}\n\ndef build(opt):\n    model = tf.keras.Sequential()\n    model.compile(opt)\n"
    write(tmp_path, {"old.py": build, "main.py": use})
    found = migrate(tmp_path)
    assert (
        "model.compile(tf.keras.optimizers.get(opt, use_legacy_optimizer=True))" in found["old.py"]
    )


def test_new_optimizers_leave_other_files(tmp_path: Path) -> None:
    write(tmp_path, {"old.py": f"import optim\n{OLD}", "optim.py": SGD})
    assert migrate(tmp_path, legacy_optimizers=False)["optim.py"] == SGD


def test_legacy_optimizers_that_are_asked_for_reach_other_files(tmp_path: Path) -> None:
    new = "import optim\nimport tensorflow as tf\ntf.keras.mixed_precision.LossScaleOptimizer\n"
    write(tmp_path, {"new.py": new, "optim.py": SGD})
    assert migrate(tmp_path)["optim.py"] == SGD
    assert "legacy.SGD" in migrate(tmp_path, legacy_optimizers=True)["optim.py"]


def test_files_beside_old_names_for_older_versions_alone_are_left(tmp_path: Path) -> None:
    version = "tuple(map(int, tf.version.VERSION.split('.')[:2]))"
    guard = f"if {version} < (2, 4):\n    tf.keras.mixed"
    old = OLD.replace("tf.keras.mixed", guard)
    write(tmp_path, {"main.py": "import optim, old\n", "old.py": old, "optim.py": SGD})
    assert migrate(tmp_path) == {"main.py": "import optim, old\n", "old.py": old, "optim.py": SGD}


def test_a_helper_that_calls_the_loss_scale_of_an_old_program(tmp_path: Path) -> None:
    helper = "def scale(opt):\n    return float(opt.loss_scale())\n"
    write(tmp_path, {"old.py": f"import helper\n{OLD}", "helper.py": helper, "alone.py": helper})
    report = migrate_files.run([tmp_path], Options(), jobs=1)
    found = {file.path.name: [r.rule for r in file.result.records] for file in report.files}
    assert found["helper.py"] == ["LS301"]
    assert not found.get("alone.py")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import_module('models.small')", ("models.small", False)),
        ("import_module('.small', __name__)", (".small", False)),
        ("runpy.run_module('train', run_name='__main__')", ("train", False)),
        ("pkgutil.resolve_name('models.small:build')", ("models.small", False)),
        ("import_module('models.' + name)", ("models", True)),
        ("import_module('models.net_' + name)", ("models", True)),
        ("import_module(f'models.{name}')", ("models", True)),
        ("import_module(f'models.{name}_net')", ("models", True)),
        ("import_module('models.{}'.format(name))", ("models", True)),
        ("import_module('models.%s' % name)", ("models", True)),
        ("import_module('.' + name, __name__)", (".", True)),
    ],
)
def test_modules_by_their_names(code: str, expected: tuple[str, bool]) -> None:
    assert list(module_names(code.encode())) == [expected]


@pytest.mark.parametrize("code", ["import_module(name)", "import_module(f'{home}.x')", "x('a.b')"])
def test_modules_that_are_known_at_run_time_alone(code: str) -> None:
    assert list(module_names(code.encode())) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("runpy.run_path('train.py')", ["train.py"]),
        ("runpy.run_path(here + '/train.py')", ["train.py"]),
        ("exec(open('../lib/train.py').read())", ["../lib/train.py"]),
        ("%run train.py --epochs 3", ["train.py"]),
        ("exec(code)", []),
        ("subprocess.run(['python', 'train.py'])", []),
    ],
)
def test_scripts_by_their_paths(code: str, expected: list[str]) -> None:
    assert list(scripts(code.encode())) == expected
