# SPDX-License-Identifier: Apache-2.0
"""A name that another file uses stays what it is, whatever this file needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.running import migrate_files
from lossscale_codemods.running.writing import WriteRefusedError
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SOURCE = """\
import tensorflow as scale
opt = scale.keras.mixed_precision.experimental.get_layer_policy(layer)
"""
WITHOUT = """\
opt = layer.dtype_policy
"""
KEPT = """\
import tensorflow as scale
opt = layer.dtype_policy
"""


def migrated(path: Path, *named: Path) -> str:
    report = migrate_files.run(list(named), Options(), jobs=1)
    (result,) = [file.result for file in report.files if file.path == path]
    assert result.problem == ""
    return result.text


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("from train import scale\n", KEPT),
        ("from ..train import (\n    opt,\n    scale as s,\n)\n", KEPT),
        ("from project.train import *\nprint(scale)\n", KEPT),
        ("from project . train \\\n    import \\\n    *\nprint(scale)\n", KEPT),
        ("from project.train import *\n", WITHOUT),
        ("import importlib\nimportlib.import_module('project.train').scale\n", KEPT),
        ("mock.patch('project.train.scale')\n", KEPT),
        ("from project import train\nuse(train)\nuse('scale')\n", WITHOUT),
        ("from project import train\nmock.patch.object(train, 'scale')\n", KEPT),
        ("from project import train\nargs = parse()\nprint(args.scale, train.opt)\n", WITHOUT),
        ("from project import train\ndef run(args):\n    train.opt(args['scale'])\n", WITHOUT),
        ("from project import train\ndef run(train):\n    train.scale\n", KEPT),
        ("import importlib\nt = importlib.import_module('project.train')\nt.scale\n", KEPT),
        ("import project\nproject.train.scale\n", KEPT),
        ("from project import train\ntrain.opt, other.scale\n", KEPT),
        ("from project import train\ntrain.opt, scale\n", WITHOUT),
        ("from train import (scale\n", KEPT),
        ("import project.train as t\nprint(t.scale)\n", KEPT),
        ("from project import train\ngetattr(train, 'scale')\n", KEPT),
        ("from train import opt\n", WITHOUT),
        ("from elsewhere import scale\n", WITHOUT),
        ("retrain = scale = 1\n", WITHOUT),
    ],
)
def test_what_another_file_says(tmp_path: Path, other: str, expected: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "use.py").write_text(other)
    assert migrated(path, tmp_path) == expected
    assert migrated(path, path) == expected


def test_a_package_is_imported_under_its_folders_name_or_from_within(tmp_path: Path) -> None:
    path = tmp_path / "project" / "__init__.py"
    path.parent.mkdir()
    path.write_text(SOURCE)
    inside, outside = path.with_name("inside.py"), tmp_path / "outside.py"
    outside.write_text("from other import scale\n")
    assert migrated(path, tmp_path) == WITHOUT
    inside.write_text("from . import scale\n")
    assert migrated(path, tmp_path) == KEPT
    inside.write_text("from . import opt\n")
    assert migrated(path, tmp_path) == WITHOUT
    inside.write_text("from . \\\n    import *\nprint(scale)\n")
    assert migrated(path, tmp_path) == KEPT
    inside.unlink()
    outside.write_text("from project import scale\n")
    assert migrated(path, tmp_path) == KEPT


def test_a_name_that_begins_with_a_letter_beyond_ascii_is_a_word_too(tmp_path: Path) -> None:
    path, other = tmp_path / "train.py", tmp_path / "other.py"
    path.write_text(SOURCE.replace("scale", "\u00e4"), "utf-8")
    other.write_text("from train import \u00e4\n", "utf-8")
    assert migrated(path, tmp_path) == KEPT.replace("scale", "\u00e4")
    other.write_text("from train import \u00e42\n", "utf-8")
    assert migrated(path, tmp_path) == WITHOUT


def test_a_module_that_is_left_out_is_a_module_all_the_same(tmp_path: Path) -> None:
    path, other = tmp_path / "train.py", tmp_path / "scripts" / "other.py"
    path.write_text(SOURCE)
    other.parent.mkdir()
    other.write_text("from train import scale\n")
    assert migrated(path, tmp_path) == KEPT
    other.write_text("from .train import scale\n")
    other.with_name("train.py").touch()
    (tmp_path / ".gitignore").write_text("/scripts/train.py\n")
    assert migrated(path, tmp_path) == WITHOUT


def test_files_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert migrated(path, tmp_path) == WITHOUT


OLD_MODULE = "from tensorflow.keras.mixed_precision import experimental as mp\n"
OLD_CALL = 'opt = {}LossScaleOptimizer(make(), "dynamic")\n'


def project(folder: Path, files_: dict[str, str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Migrates a project: what becomes of each file, and the findings in it."""
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").touch()
    for name, text in files_.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    report = migrate_files.run([folder], Options(), write=True, jobs=1)
    assert all(file.result.problem == "" for file in report.files)
    after = {name: (folder / name).read_text() for name in files_}
    second = migrate_files.run([folder], Options(), write=True, jobs=1)
    assert not any(file.written for file in second.files)
    return after, {
        file.path.relative_to(folder).as_posix(): [
            record.message
            for record in file.result.records
            if record.outcome is Outcome.NEEDS_REVIEW
        ]
        for file in report.files
    }


@pytest.mark.parametrize(
    "use",
    [
        "import train_utils\nmp = getattr(train_utils, 'mp')\n" + OLD_CALL.format("mp."),
        "from train_utils import mp\nuse(mp)\n",
    ],
)
@pytest.mark.parametrize(
    "define", [OLD_MODULE, "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\n"]
)
def test_an_alias_that_another_file_uses_in_ways_not_followed_stays(
    tmp_path: Path, use: str, define: str
) -> None:
    source = define + OLD_CALL.format("mp.")
    after, findings = project(tmp_path, {"train_utils.py": source, "model.py": use})
    kept = after["train_utils.py"]
    assert define in kept
    assert "LossScaleOptimizer(make())" in kept
    assert any("model.py may use it too" in message for message in findings["train_utils.py"])
    assert after["model.py"] == use


def test_an_alias_that_a_star_import_takes_is_rewritten_with_its_uses(tmp_path: Path) -> None:
    source = OLD_MODULE + OLD_CALL.format("mp.")
    use = "from train_utils import *\n" + OLD_CALL.format("mp.")
    after, findings = project(tmp_path, {"train_utils.py": source, "model.py": use})
    assert not any(findings.values())
    assert "experimental" not in after["train_utils.py"] + after["model.py"]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (
            "from train_utils import mp\n" + OLD_CALL.format("mp."),
            (
                "from tensorflow.keras.mixed_precision import LossScaleOptimizer\n"
                "opt = LossScaleOptimizer(make())\n"
            ),
        ),
        (
            "import train_utils\n" + OLD_CALL.format("train_utils.mp."),
            (
                "from tensorflow.keras.mixed_precision import LossScaleOptimizer\n"
                "opt = LossScaleOptimizer(make())\n"
            ),
        ),
        (
            "from train_utils import tf\n"
            + OLD_CALL.format("tf.keras.mixed_precision.experimental."),
            (
                "from train_utils import tf\n"
                "opt = tf.keras.mixed_precision.LossScaleOptimizer(make())\n"
            ),
        ),
    ],
)
def test_uses_that_can_be_followed_are_rewritten_and_the_alias_moves(
    tmp_path: Path, use: str, expected: str
) -> None:
    source = "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\n"
    after, findings = project(tmp_path, {"train_utils.py": source, "model.py": use})
    assert after["model.py"] == expected
    assert after["train_utils.py"] == source.replace(".experimental", "")
    assert findings == {"model.py": [], "train_utils.py": []}


def test_a_function_that_means_the_same_under_its_new_name_is_still_offered(tmp_path: Path) -> None:
    source = "from tensorflow.keras.mixed_precision.experimental import set_policy\n"
    use = "from utils import *\nset_policy('mixed_float16')\n"
    after, findings = project(tmp_path, {"utils.py": source, "train.py": use})
    assert after["utils.py"] == (
        "from tensorflow.keras.mixed_precision import set_global_policy as set_policy\n"
    )
    assert findings["utils.py"] == []


def test_an_import_that_is_left_unused_stays_for_the_file_that_takes_it_from_here(
    tmp_path: Path,
) -> None:
    source = (
        "import tensorflow as tf\n"
        "layer_policy = tf.keras.mixed_precision.experimental.get_layer_policy(layer)\n"
    )
    alone, _ = project(tmp_path / "a", {"utils.py": source})
    assert alone["utils.py"] == "layer_policy = layer.dtype_policy\n"
    use = "from utils import tf\nprint(tf)\n"
    shared, _ = project(tmp_path / "b", {"utils.py": source, "train.py": use})
    assert shared["utils.py"] == "import tensorflow as tf\nlayer_policy = layer.dtype_policy\n"


def test_what_a_package_imports_and_does_not_use_is_there_for_others(tmp_path: Path) -> None:
    source = "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
    after, findings = project(tmp_path, {"lib/__init__.py": source, "lib/utils.py": source})
    assert after["lib/__init__.py"] == source
    assert ["the package offers" in message for message in findings["lib/__init__.py"]] == [True]
    assert after["lib/utils.py"] == source.replace(".experimental", "")


SELF_ALIAS = """\
import tensorflow as tf
class Trainer:
    def __init__(self):
        self._mp = tf.keras.mixed_precision.experimental
    def wrap(self, opt):
        return self._mp.LossScaleOptimizer(opt, "dynamic")
"""
CLASS_ALIAS = """\
import tensorflow as tf
class Trainer:
    _mp = tf.keras.mixed_precision.experimental
    def wrap(self, opt):
        return self._mp.LossScaleOptimizer(opt, "dynamic")
"""


@pytest.mark.parametrize("source", [SELF_ALIAS, CLASS_ALIAS])
def test_an_attribute_of_a_class_that_another_file_reads_stays(tmp_path: Path, source: str) -> None:
    alone, _ = project(tmp_path / "a", {"trainer.py": source})
    moved = source.replace(".experimental", "").replace(', "dynamic"', "")
    assert alone["trainer.py"] == moved
    use = "from trainer import Trainer\nTrainer()._mp.LossScaleOptimizer(opt, 'dynamic')\n"
    after, findings = project(tmp_path / "b", {"trainer.py": source, "train.py": use})
    assert "tf.keras.mixed_precision.experimental" in after["trainer.py"]
    assert any("train.py may use it too" in message for message in findings["trainer.py"])


def test_an_attribute_of_the_same_name_in_tensorflow_is_another(tmp_path: Path) -> None:
    source = SELF_ALIAS.replace("_mp", "mixed_precision")
    use = "import tensorflow as tf\ntf.keras.mixed_precision.Policy('float32')\n"
    after, findings = project(tmp_path, {"trainer.py": source, "train.py": use})
    assert "experimental" not in after["trainer.py"]
    assert findings == {"trainer.py": []}


def test_the_whole_project_is_asked_when_one_folder_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "src" / "train.py"
    path.parent.mkdir()
    path.write_text(SOURCE)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_train.py").write_text("from src.train import scale\n")
    assert migrated(path, tmp_path / "src") == KEPT


def test_a_source_by_itself_is_told_what_others_use() -> None:
    assert migrate_source(SOURCE).text == WITHOUT
    assert migrate_source(SOURCE, used_elsewhere=["scale"]).text == KEPT


def test_modules_outside_of_the_project_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "utils.py").write_text(OLD_MODULE)
    use = "from utils import mp\n" + OLD_CALL.format("mp.")
    after, _ = project(tmp_path / "project", {"src/train.py": use})
    assert after["src/train.py"] == use


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["from train import *\n", "scale"], KEPT),
        (["%matplotlib inline\n", "from train import opt\n", "!scale --of=train"], WITHOUT),
        (["%%bash\n", "if [ -f scale ]; then train; fi"], WITHOUT),
        (["if x:\n", "    !train \\\n", "        scale\n", "from train import opt"], WITHOUT),
        (["from train import opt\n", "scale ="], KEPT),
    ],
)
def test_a_notebook_uses_what_its_code_says(
    tmp_path: Path, lines: list[str], expected: str
) -> None:
    cell = {"cell_type": "code", "source": lines}
    (tmp_path / "use.ipynb").write_text(json.dumps({"cells": [cell, cell]}))
    (tmp_path / "train.py").write_text(SOURCE)
    assert migrated(tmp_path / "train.py", tmp_path) == expected


def test_a_name_stays_for_a_file_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from tensorflow.keras.mixed_precision import experimental as mp\n"
    sources = {
        "a_utils.py": source,
        "b_utils.py": source,
        "model.py": "from a_utils import mp\n" + OLD_CALL.format("mp."),
    }
    (tmp_path / "pyproject.toml").touch()
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    write = migrate_files.write_atomically

    def refuse(path: Path, *rest: Any) -> None:
        if path.name == "model.py":
            raise WriteRefusedError("It is read-only.")
        write(path, *rest)

    monkeypatch.setattr(migrate_files, "write_atomically", refuse)
    report = migrate_files.run([tmp_path], Options(), write=True, jobs=1)
    assert [file.written for file in report.files] == [False, True, False]
    assert (tmp_path / "a_utils.py").read_text() == source
    assert "model.py uses mp of this file" in report.files[0].result.problem


def test_a_module_of_this_name_elsewhere_is_another_one(tmp_path: Path) -> None:
    files_ = {
        "lib/__init__.py": "",
        "lib/train.py": "",
        "train.py": OLD_MODULE + OLD_CALL.format("mp."),
        "main.py": "import lib.train\nprint(lib.train.mp)\n",
    }
    after, _ = project(tmp_path, files_)
    assert "experimental" not in after["train.py"]


def test_a_class_that_has_the_name_of_its_module_is_not_the_module(tmp_path: Path) -> None:
    files_ = {
        "lib/__init__.py": "",
        "lib/Wrapped.py": OLD_MODULE + OLD_CALL.format("mp.") + "class Wrapped:\n    pass\n",
        "main.py": OLD_MODULE + "from lib.Wrapped import Wrapped\nprint(Wrapped, mp)\n",
    }
    after, _ = project(tmp_path, files_)
    assert "experimental" not in after["lib/Wrapped.py"]


def test_a_module_that_a_relative_import_hands_on_is_the_module(tmp_path: Path) -> None:
    files_ = {
        "lib/__init__.py": "",
        "lib/train.py": OLD_MODULE + OLD_CALL.format("mp."),
        "lib/engine.py": "from . import train\n",
        "lib/main.py": "from .engine import train\nprint(train.mp)\n",
    }
    after, _ = project(tmp_path, files_)
    assert "experimental as mp" in after["lib/train.py"]


def test_a_name_for_which_today_has_another_module_in_turn(tmp_path: Path) -> None:
    home = "tensorflow.python.keras.mixed_precision"
    files = {
        "compat.py": "import tensorflow as tf\n\nIS_OLD = tf.__version__ < '2.4'\n",
        "hvd_utils.py": f"""\
from compat import IS_OLD

if IS_OLD:
    from {home}.experimental.loss_scale_optimizer import LossScaleOptimizer
else:
    from {home}.loss_scale_optimizer import LossScaleOptimizer


class Distributed(LossScaleOptimizer):
    pass
""",
        "train.py": """\
import tensorflow as tf
from hvd_utils import Distributed

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(), 1)
""",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    options = Options(target=Target.KERAS3, unsafe_fixes=True)
    migrate_files.run([tmp_path], options, write=True, jobs=1)
    imported = "    from compat_lossscale.keras3 import LossScaleOptimizer\n"
    assert imported in (tmp_path / "hvd_utils.py").read_text()
    assert "opt = keras3.LossScaleOptimizer(" in (tmp_path / "train.py").read_text()


def test_a_file_is_refused_that_changes_a_name_which_it_was_told_to_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def used(results: Mapping[str, Result], _: Any) -> dict[str, dict[str, str]]:
        return {name: {"opt": "other.py"} for name, one in results.items() if one.changed}

    monkeypatch.setattr(migrate_files, "used_by_others", used)
    (tmp_path / "train.py").write_text(OLD_MODULE + OLD_CALL.format("mp."))
    (file,) = migrate_files.run([tmp_path], Options(), write=True, jobs=1).files
    assert file.result.problem == "other.py uses opt of this file."
    assert not file.written
