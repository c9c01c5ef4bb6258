# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from lossscale_codemods.project import byte_scan

from compat_lossscale.cli.doctor import doctor
from compat_lossscale.legacy import environment
from compat_lossscale.legacy.environment import Environment
from tests.messages import says
from tests.schemas.ours import check
from tests.support import REPOSITORY, python

if TYPE_CHECKING:
    from pathlib import Path

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
ALL = {
    "tensorflow": "2.21.0",
    "tf_keras": "2.21.0",
    "keras": "3.15.1",
    "h5py": "3.14.0",
    "libcst": "1.9.0",
}
NOTHING = dict.fromkeys(ALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(OLD)
    (tmp_path / "new.py").write_text("print()\n")
    return tmp_path


def run(
    monkeypatch: pytest.MonkeyPatch,
    *arguments: str,
    legacy_keras: str | None = "1",
    **packages: Any,
) -> Result:
    found = Environment("3.12.3", {**ALL, **packages}, legacy_keras)
    monkeypatch.setattr(environment, "look", lambda: found)
    return CliRunner().invoke(doctor, ["--seconds", "60", *arguments])


def test_all_that_is_said_where_everything_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(monkeypatch)
    assert done.output.splitlines() == [
        "Python 3.12.3",
        "TensorFlow 2.21.0",
        "tf-keras 2.21.0",
        "Keras 3.15.1",
        "h5py 3.14.0",
        "TF_USE_LEGACY_KERAS=1",
        "",
        "run      works: Legacy programs run as they are.",
        "migrate  works: It needs no TensorFlow.",
        "verify   works: It needs no TensorFlow, except for --deep.",
        "",
        "1 of 2 files looked at in the current folder may use old names:",
        "  train.py",
        "Next: compat-lossscale migrate .",
    ]
    assert done.exit_code == 0


def test_the_choice_of_keras_is_spoken_of_where_it_matters(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_old = run(monkeypatch, "new.py", legacy_keras=None).output
    assert "TF_USE_LEGACY_KERAS" not in nothing_old
    assert "import keras" not in nothing_old
    old = run(monkeypatch, legacy_keras=None).output
    assert "export TF_USE_LEGACY_KERAS=1" in old
    assert "`import keras` is" not in old
    (folder / "new.py").write_text("import keras\n")
    with_keras = run(monkeypatch, "new.py", legacy_keras=None).output
    assert (
        "note     `import keras` is Keras 3.15.1 in plain Python, and none of its layers goes into "
        "a model of tf-keras. With `run` and `install()`, it is tf-keras.\n"
        "         -> For tf-keras, write `from tensorflow import keras`.\n" in with_keras
    )


def test_tensorflow_2_22_works_with_the_newest_tf_keras_which_is_older(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(monkeypatch, tensorflow="2.22.0rc0")
    said = run(monkeypatch).output.replace("TensorFlow 2.21.0", "TensorFlow 2.22.0rc0")
    assert done.output == said
    assert done.exit_code == 0


def test_what_is_missing_is_said_with_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(
        monkeypatch, tensorflow=None, tf_keras=None, keras=None, h5py=None, legacy_keras=None
    )
    assert done.output.splitlines()[:12] == [
        "Python 3.12.3",
        "TensorFlow is not installed",
        "tf-keras is not installed",
        "Keras is not installed",
        "h5py is not installed",
        "TF_USE_LEGACY_KERAS is not set",
        "",
        "run      will not work: TensorFlow is not installed.",
        "         -> pip install tensorflow tf-keras tensorboard",
        "migrate  works: It needs no TensorFlow.",
        (
            "verify   works in part: Configs, SavedModels and checkpoints can be read; "
            ".h5 and .keras need h5py."
        ),
        "         -> pip install h5py",
    ]
    assert done.exit_code == 1


def test_the_guide_shows_what_is_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (REPOSITORY / "docs" / "guide.md").read_text(encoding="utf-8")
    shown = guide.split("$ compat-lossscale doctor\n")[1].split("```")[0]
    said = run(monkeypatch, tensorflow="2.19.1", tf_keras="2.18.0").output
    for part in shown.split("...\n"):
        assert part in said


@pytest.mark.parametrize(
    ("packages", "code"),
    [({}, 0), ({"h5py": None}, 1), ({"tf_keras": None}, 1), ({"libcst": None}, 1)],
)
def test_the_exit_code_tells_whether_all_three_jobs_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch, packages: dict[str, None], code: int
) -> None:
    assert run(monkeypatch, **packages).exit_code == code


@pytest.mark.parametrize(
    ("packages", "paths", "expected"),
    [
        ({}, [], "compat-lossscale migrate ."),
        ({}, ["train.py", "my folder"], "compat-lossscale migrate train.py 'my folder'"),
        (
            {},
            ["new.py"],
            "done; `compat-lossscale verify PATH` tells about stored models and checkpoints.",
        ),
        ({"tf_keras": None}, ["new.py"], "pip install 'tf-keras==2.21.*'"),
        ({"libcst": None}, [], "pip install libcst"),
    ],
)
def test_the_next_step(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    packages: dict[str, None],
    paths: list[str],
    expected: str,
) -> None:
    (folder / "my folder").mkdir()
    done = run(monkeypatch, *paths, **packages)
    assert done.output.splitlines()[-1] == f"Next: {expected}"


FOR_KERAS_3 = """
import tensorflow as tf
from compat_lossscale import keras3

optimizer = keras3.LossScaleOptimizer(tf.keras.optimizers.Adam(), count_skipped_steps=True)
print(float(optimizer.loss_scale))
"""


def test_a_program_with_our_class_for_keras_3_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "new.py").write_text(FOR_KERAS_3)
    said = run(monkeypatch, "new.py", legacy_keras=None).output
    assert "No old name to migrate in the 1 file looked at" in said
    assert "TF_USE_LEGACY_KERAS" not in said
    assert "Next: done;" in said
    both = run(monkeypatch, legacy_keras=None).output
    assert "1 of 2 files looked at in the current folder may use old names:\n  train.py\n" in both
    assert "export TF_USE_LEGACY_KERAS=1" in both
    (folder / "new.py").write_text(FOR_KERAS_3 + OLD)
    assert "  new.py\n" in run(monkeypatch, "new.py").output


MIGRATED = """
import tensorflow as tf
from tensorflow.keras import mixed_precision

mixed_precision.set_global_policy("mixed_float16")
optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.Adam())
print(float(optimizer.loss_scale))
"""
SUPPRESSED = OLD.rstrip() + "  # compat-lossscale: ignore\n"
MENTIONED = MIGRATED + "# Before: tf.keras.mixed_precision.experimental.set_policy\n"


@pytest.mark.parametrize("source", [MIGRATED, SUPPRESSED, MENTIONED])
def test_a_program_of_which_migrate_has_nothing_to_do_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    (folder / "new.py").write_text(source)
    said = run(monkeypatch, "new.py", legacy_keras=None).output
    assert "No old name to migrate in the 1 file looked at" in said
    assert "export TF_USE_LEGACY_KERAS=1" in said
    assert "Next: done;" in said
    (folder / "new.py").write_text(source + "f(\n")
    assert "  new.py\n" in run(monkeypatch, "new.py").output


def test_a_migrated_notebook_is_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {"cell_type": "code", "source": MIGRATED.splitlines(keepends=True), "outputs": []}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "new.ipynb").write_text(json.dumps(notebook))
    assert "Next: done;" in run(monkeypatch, "new.ipynb").output


def test_no_more_than_five_files_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        (folder / f"old{number}.py").write_text(OLD)
    lines = run(monkeypatch).output.splitlines()
    assert "8 of 9 files looked at in the current folder may use old names:" in lines
    assert lines[-2] == "  and 3 more"


def test_a_look_that_was_stopped_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = byte_scan.Survey((), looked_at=7, left_out=1, complete=False)
    monkeypatch.setattr(byte_scan, "survey", lambda *_, **__: stopped)
    *_, nothing, left_out, stopped_after, step = run(monkeypatch).output.splitlines()
    assert says(nothing, "No old name to migrate in the 7 files looked at in the current folder.")
    assert says(left_out, "1 file was not looked at: `compat-lossscale migrate` says which.")
    assert says(stopped_after, "The search stopped after 60 s. Use --seconds for a longer search.")
    assert step == "Next: compat-lossscale migrate ."


def test_the_projects_configuration_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text('[tool.compat-lossscale]\nexclude = ["train.py"]\n')
    assert "No old name to migrate in the 1 file looked at" in run(monkeypatch).output
    (folder / "pyproject.toml").write_text("[tool.compat-lossscale]\nexclude = 3\n")
    done = run(monkeypatch)
    assert done.exit_code == 64
    assert "'exclude' in [tool.compat-lossscale] must be" in done.output


@pytest.mark.parametrize("packages", [{}, NOTHING], ids=["all", "nothing"])
def test_the_json_is_what_its_schema_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch, packages: dict[str, None]
) -> None:
    done = run(monkeypatch, "--json", legacy_keras=None, **packages)
    content = json.loads(done.output)
    check(content, "doctor")
    assert content["exit_code"] == done.exit_code
    assert content["old_names"]["files"] == ["train.py"]


def test_the_command_imports_none_of_what_it_looks_for(folder: Path) -> None:
    done = python("-X", "importtime", "-m", "compat_lossscale", "doctor", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert "Next: compat-lossscale migrate ." in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "compat_lossscale.legacy.environment" in imported
    # Of what it looks for, libcst alone reads the program's files.
    assert not {name.split(".")[0] for name in imported} & {*ALL, "numpy"} - {"libcst"}


def test_the_example_in_the_guide_is_what_it_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (REPOSITORY / "docs" / "guide.md").read_text("utf-8")
    shown = page.split("$ compat-lossscale doctor\n")[1].split("```")[0]
    done = run(monkeypatch, tensorflow="2.19.1", tf_keras="2.18.0")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, done.output, options), done.output


def test_other_names_that_are_gone_are_told_with_what_is_in_the_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"absl": "2.1.0"}
    monkeypatch.setattr("compat_lossscale.legacy.environment.installed_version", versions.get)
    (folder / "program.py").write_text(
        "import numpy as np\nimport tensorboard\nimport tensorflow as tf\nfrom official import x\n"
        "np.float(tf.estimator, tf.contrib)\n"
    )
    said = CliRunner().invoke(doctor, [str(folder)]).output
    assert "restores them: numpy.float, tensorflow.estimator." in said
    assert "Not restored: tensorflow.contrib ended with TensorFlow 1.15" in said
    for step in (
        "pip install --no-deps 'tensorflow-estimator==2.15.*'",
        "pip install tensorboard",
        "pip install 'absl-py<2'",
    ):
        assert f"\n  -> {step}\n" in said


def test_a_program_that_can_run_on_one_keras_only_is_told_which(folder: Path) -> None:
    assert "--keras3: Keras 3 has no" not in CliRunner().invoke(doctor, [str(folder)]).output
    (folder / "program.py").write_text(
        "from tensorflow.compat.v1.keras.layers import CuDNNLSTM\n"
        "class Own:\n    def _create_slots(self, variables): opt.get_slot(v, 'm')\n"
    )
    said = CliRunner().invoke(doctor, [str(folder)]).output
    assert (
        "`compat-lossscale run` runs it on tf-keras, and not with --keras3: Keras 3 has no "
        "_create_slots, get_slot, tf.keras.layers.CuDNNLSTM.\n" in said
    )
    content = json.loads(CliRunner().invoke(doctor, ["--json", str(folder)]).output)
    assert content["neighbours"]["not_on_keras_3"] == [
        "_create_slots",
        "get_slot",
        "tf.keras.layers.CuDNNLSTM",
    ]


def test_a_program_that_needs_nothing_else_is_told_so(folder: Path) -> None:
    (folder / "program.py").write_text("import numpy as np\nnp.float(1)\n")
    said = CliRunner().invoke(doctor, [str(folder)]).output
    assert "No other problem is known" in said


def test_a_program_that_imports_what_is_not_installed_is_told_so(folder: Path) -> None:
    (folder / "own.py").touch()
    program = folder / "program.py"
    program.write_text("import own, os, imp, not_there.part\ntry: import optional\nexcept: pass\n")
    said = CliRunner().invoke(doctor, [str(program)]).output
    assert "Problem: It imports not_there, which is not installed." in said
    assert "  -> pip install not-there\n" in said
    assert "optional" not in said
    said = CliRunner().invoke(doctor, [str(folder)]).output
    assert "Some of the files import packages that are not installed: not_there." in said
    assert "Problem" not in said


def test_imports_inside_of_functions_are_found(folder: Path) -> None:
    program = folder / "program.py"
    program.write_text(
        "def main():\n    import not_there\n    try: import optional\n    except: pass\n"
        "class Own:\n    def call(self):\n        with self: import missing_too\n"
    )
    said = CliRunner().invoke(doctor, [str(program)]).output
    for name in ("not_there", "missing_too"):
        assert f"Problem: It imports {name}, which is not installed." in said
    assert "optional" not in said
    assert "Next: done" not in said


def test_a_program_that_writes_summaries_needs_tensorboard(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "program.py").write_text("import tensorflow as tf\ntf.summary.text('a', 'b')\n")
    for installed, needed in ((None, True), ("2.21.0", False)):
        monkeypatch.setattr(
            "compat_lossscale.legacy.environment.installed_version", lambda _, v=installed: v
        )
        said = CliRunner().invoke(doctor, [str(folder)]).output
        assert ("pip install tensorboard" in said) is needed
