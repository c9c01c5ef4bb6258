# SPDX-License-Identifier: Apache-2.0
"""Where the names that a file imports lead, and what a run does with what other files tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome
from lossscale_codemods.python import ProjectFiles
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

ADAM = "tf.keras.optimizers.legacy.Adam()"
V1_ADAM = "tf.compat.v1.train.AdamOptimizer()"
REWRITE = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
WRAP = f"""
def wrap(opt):
    opt = {REWRITE}(opt)
    return opt
"""
MADE = f"""
opt = {ADAM}
opt = {REWRITE}(opt)
"""


@pytest.mark.parametrize(
    ("path", "file", "names"),
    [
        ("optim", "optim.py", []),
        ("optim.build", "optim.py", ["build"]),
        (".optim.Base.make", "optim.py", ["Base", "make"]),
        ("pack", "pack/__init__.py", []),
        ("pack.build", "pack/__init__.py", ["build"]),
        ("pack.inner.build", "pack/inner.py", ["build"]),
        (".", "__init__.py", []),
        (".build", "__init__.py", ["build"]),
    ],
)
def test_where_a_dotted_path_leads(tmp_path: Path, path: str, file: str, names: list[str]) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "pack").mkdir()
    for name in ("__init__.py", "optim.py", "pack/__init__.py", "pack/inner.py"):
        (tmp_path / name).touch()
    found = ProjectFiles(tmp_path / "main.py").locate(path)
    assert found is not None
    assert (found[0], list(found[1])) == (tmp_path / file, names)


def test_a_path_that_leads_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    assert ProjectFiles(tmp_path / "main.py").locate("elsewhere.build") is None


def test_a_module_that_stands_in_two_folders(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "optim.py").touch()
    imports = ProjectFiles(tmp_path / "inner" / "main.py").locate
    assert imports("optim") == (tmp_path / "inner" / "optim.py", [])
    (tmp_path / "optim.py").touch()
    imports = ProjectFiles(tmp_path / "inner" / "main.py").locate
    assert imports("optim") is None
    assert imports(".optim") == (tmp_path / "inner" / "optim.py", [])


def test_files_that_mention_words(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("build()")
    two.write_text("rebuild(make)")
    gone = tmp_path / "gone.py"
    files = ProjectFiles(tmp_path / "main.py", [str(one), str(two), str(gone)])
    assert files.mentioning("build") == [one, two]
    assert files.seen_from(one).mentioning("make") == [two]
    assert files.mentioning("other") == []


def test_a_file_by_itself(tmp_path: Path) -> None:
    assert ProjectFiles(tmp_path / "main.py").mentioning("build") == []


def test_what_calls_in_another_file_give_is_not_followed(tmp_path: Path) -> None:
    for given in (ADAM, V1_ADAM):
        files = {"wrapping.py": WRAP, "use.py": f"import wrapping\nwrapping.wrap({given})\n"}
        found = migrated(tmp_path, files)["wrapping.py"]
        assert found.text.endswith(WRAP)
        assert [r.outcome for r in found.records if r.rule == "LS602"] == [Outcome.NEEDS_REVIEW]


@pytest.mark.parametrize(
    ("files", "expanded"),
    [
        ({}, True),
        ({"settings.py": "tf.keras.mixed_precision.set_global_policy(p)"}, True),
        ({"settings.py": "old.set_policy(p)", "use.py": "import settings"}, False),
        ({"settings.py": "old.set_policy(p)", "wrapping.py": "import settings"}, False),
        ({"settings.py": "# set_policy", "wrapping.py": "import settings"}, True),
        ({"settings.py": "old.set_policy(p)", "other.py": "import settings"}, True),
        ({"main.py": "import use, settings", "settings.py": "old.set_policy(p)"}, False),
    ],
)
def test_another_file_of_the_program_sets_a_policy(
    tmp_path: Path, files: dict[str, str], expanded: bool
) -> None:
    every = {"wrapping.py": "", "use.py": "", **files}
    every["wrapping.py"] += f"\n{MADE}"
    every["use.py"] += "\nimport wrapping\nprint(wrapping.opt)\n"
    found = migrated(tmp_path, every)["wrapping.py"]
    assert ("LossScaleOptimizer(opt)" in found.text) is expanded
    if not expanded:
        assert any("one is set beside it" in r.message for r in found.records)


def test_one_file_is_told_by_the_others_of_its_project(tmp_path: Path) -> None:
    files = {
        "wrapping.py": f"from making import make\nopt = {REWRITE}(make())\n",
        "making.py": f"def make():\n    return {ADAM}\n",
    }
    whole = migrated(tmp_path, files)["wrapping.py"].text
    path = tmp_path / "wrapping.py"
    (file,) = migrate_files.run([path], Options(), jobs=1).files
    assert file.result.text == whole
    assert "LossScaleOptimizer(make())" in whole


def test_a_file_without_an_old_name_is_told_as_well(tmp_path: Path) -> None:
    optim = f"def build(): return tf.keras.mixed_precision.LossScaleOptimizer({ADAM})\n"
    main = "from optim import build\nhandle = build()\nprint(handle.loss_scale())\n"
    found = migrated(tmp_path, {"optim.py": optim, "main.py": main})["main.py"]
    assert found.text.endswith("print(handle.loss_scale)\n")


def test_a_file_that_never_names_tensorflow_is_told_as_well(tmp_path: Path) -> None:
    opt = "old.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(), 8)"
    main = f"from show import show\nshow({opt})\n"
    show = tmp_path / "show.py"
    show.write_text("def show(handle):\n    print(handle.loss_scale())\n")
    [record] = migrated(tmp_path, {"main.py": main})["show.py"].records
    assert (record.rule, record.unsafe) == ("LS301", True)
    show.write_text(f"import torch\n{show.read_text()}")
    assert "show.py" not in migrated(tmp_path, {"main.py": main})


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    files = {"wrapping.py": WRAP, "use.py": f"from wrapping import wrap\nwrap({ADAM})\n"}
    for name, result in migrated(tmp_path, files).items():
        (tmp_path / name).write_bytes(result.output)
    again = migrate_files.run([tmp_path], Options(), jobs=2)
    assert [file.result.output for file in again.files if file.result.changed] == []


@pytest.mark.workers
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    files = {f"wrapping{n}.py": WRAP.replace("wrap", f"wrap{n}") for n in range(4)}
    files["use.py"] = "".join(
        f"from wrapping{n} import wrap{n}\nwrap{n}({ADAM})\n" for n in range(4)
    )
    first = migrated(tmp_path, files)
    second = migrate_files.run([tmp_path], Options(), jobs=3)
    assert {f.path.name: f.result.output for f in second.files} == {
        name: result.output for name, result in first.items()
    }
