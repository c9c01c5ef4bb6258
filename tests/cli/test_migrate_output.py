# SPDX-License-Identifier: Apache-2.0
"""What `migrate` prints: for people on terminals and in hooks, as a patch into pipes and files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from compat_lossscale.cli.migrate import Progress, is_coloured, migrate
from tests.codemods.in_process import workers_in_this_process

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
FINDING = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('infer')\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    (tmp_path / ".git").mkdir()
    return tmp_path


def run(*arguments: object) -> Result:
    with workers_in_this_process():
        return CliRunner().invoke(migrate, [str(a) for a in arguments])


def notebook(*cells: str) -> str:
    rows = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    content = {"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(content, indent=1)


SOURCES = {
    "plain": OLD.encode(),
    "latin-1": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + OLD.encode() + b"x = '\xff'\n",
    "escapes": OLD.encode() + b"x = '\x1b[2J\xe2\x80\xae'\n",
    "no newline": OLD.rstrip().encode(),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("file", ["a.py", "b c.py", "\u00e9.py", os.fsdecode(b"caf\xe9.py")])
def test_a_piped_diff_is_the_change(name: str, file: str, folder: Path) -> None:
    Path(file).write_bytes(SOURCES[name])
    patch = run(".").stdout_bytes
    run(".", "--write")
    written = Path(file).read_bytes()
    assert written != SOURCES[name]
    Path(file).write_bytes(SOURCES[name])
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert Path(file).read_bytes() == written


def test_a_piped_diff_of_a_notebook_is_the_change(folder: Path) -> None:
    before = notebook("x = 1\n", OLD)
    Path("a.ipynb").write_text(before)
    subprocess.run(["git", "apply", "-"], input=run(".").stdout_bytes, check=True)
    assert "set_global_policy" in Path("a.ipynb").read_text()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_nothing_of_a_source_controls_the_terminal(source: bytes, folder: Path) -> None:
    Path("a.py").write_bytes(source)
    Path("b.py").write_bytes(source + b"\n" + FINDING.encode())
    shown = run(".", "--color", "always").stdout
    assert "\x1b[32m+tf.keras.mixed_precision.set_global_policy" in shown
    for colour in ("\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[36m", "\x1b[0m"):
        shown = shown.replace(colour, "")
    assert all(c.isprintable() or c in "\n\t" for c in shown)


def test_colours_are_for_those_who_want_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text(OLD)
    assert "\x1b" not in run("a.py").output
    assert "\x1b[32m+tf" in run("a.py", "--color", "always").output
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m+tf" in run("a.py").output
    assert "\x1b" not in run("a.py", "--color", "never").output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("a.py").output


def test_people_see_a_notebook_by_cell_and_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.ipynb").write_text(notebook("x = 1\n", OLD, FINDING))
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert run("a.ipynb").stdout.startswith(
        "--- a/a.ipynb, cell 2\n"
        "+++ b/a.ipynb, cell 2\n"
        "@@ -1,2 +1,2 @@\n"
        " import tensorflow as tf\n"
        "-tf.keras.mixed_precision.experimental.set_policy('float32')\n"
        "+tf.keras.mixed_precision.set_global_policy('float32')\n"
    )


def test_headers_are_relative_to_where_one_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/b", "c"):
        Path(name).mkdir(parents=True)
    for name in ("a/b/x.py", "c/y.py"):
        Path(name).write_text(OLD)
    monkeypatch.chdir(folder / "a")
    assert "--- a/b/x.py\n" in run("b/../../a/b").output
    assert "--- a/c/y.py\n" in run("../c").output
    assert "--- a/b/x.py\n" in run(folder / "a").output


def test_a_finding_has_its_line_with_a_caret_and_the_page_of_its_rule(folder: Path) -> None:
    Path("a.py").write_text(FINDING)
    lines = run("a.py", "--quiet").output.splitlines()
    assert lines[0].startswith("a.py:2:1: LS501 ")
    assert lines[1] == "    2 | tf.keras.mixed_precision.experimental.set_policy('infer')"
    assert lines[2] == "      | " + "^" * len("tf.keras.mixed_precision.experimental.set_policy")
    assert lines[3].endswith(" More: migrate --explain LS501")


@pytest.mark.parametrize(
    "before",
    [" x = '\u8868'; ", "\tx = 1; ", " x = '\x1b'; ", f" x = '{'y' * 5000}'; "],
    ids=["wide", "tab", "escape", "long"],
)
def test_the_caret_stands_under_the_place(before: str, folder: Path) -> None:
    name = "tf.keras.mixed_precision.experimental.set_policy"
    Path("a.py").write_text(f"import tensorflow as tf\nif tf:\n{before}{name}('infer')\n")
    line, caret = run("a.py", "--quiet").output.splitlines()[1:3]
    # A wide character takes two cells of the terminal.
    place = line.index(name) + line.count("\u8868")
    assert caret == f"{' ' * 6}|{' ' * (place - 7)}{'^' * len(name)}"
    assert len(line) < 140


def test_statistics_count_for_each_rule(folder: Path) -> None:
    Path("a.py").write_text(OLD + FINDING)
    result = run("a.py", "--statistics")
    assert result.exit_code == 1
    first = result.output.splitlines()[0].split()
    assert first[:2] == ["2", "LS501"]
    assert "1 rewritten, 1 needs review" in result.output
    assert "@@" not in result.output
    assert run("a.py", "--statistics", "--json").exit_code == 64


def test_findings_need_not_be_failures(folder: Path) -> None:
    Path("a.py").write_text(OLD + FINDING)
    assert run("a.py").exit_code == 1
    assert run("a.py", "--exit-zero").exit_code == 0
    Path("b.py").write_text(OLD + "(\n")
    assert run(".").exit_code == 3
    assert run(".", "--exit-zero").exit_code == 2


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("tf-keras", "Run the result with tf-keras installed and TF_USE_LEGACY_KERAS=1."),
        ("compat", "TF_USE_LEGACY_KERAS=1. It needs this package."),
        ("keras3", "Run the result with Keras 3, and without TF_USE_LEGACY_KERAS. It needs"),
    ],
)
def test_it_ends_with_how_to_run_the_result(target: str, words: str, folder: Path) -> None:
    Path("a.py").write_text(OLD)
    looked = run("a.py", "--target", target).output
    assert words in looked
    assert '`--write --prove "PROGRAM"` writes only if' in looked
    assert words in run("a.py", "--target", target, "--write").output
    assert "Run the result" not in run("a.py", "--target", "tf-keras").output


def test_a_hook_shows_the_diff_and_names_the_one_that_fixes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD)
    monkeypatch.setenv("PRE_COMMIT", "1")
    output = run("a.py").output
    assert "+tf.keras.mixed_precision.set_global_policy" in output
    assert "nothing was written (the hook compat-lossscale-fix does)." in output


PROGRAM = """\
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp
from helper import x
mp.set_policy('float32')
opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(), 'dynamic')
print(opt.loss_scale())
model.compile(opt)
"""


@pytest.fixture
def names_in_latin_1(folder: Path) -> None:
    for place in (b"caf\xe9", b"plain"):
        Path(os.fsdecode(place)).mkdir()
        for name in (b"a\xe9.py", b"\xff.py", b"script\xe9"):
            Path(os.fsdecode(place + b"/" + name)).write_text(f"#!/usr/bin/env python\n{PROGRAM}")
        helper = "from tensorflow.keras.mixed_precision import experimental as mp\nx = mp\n"
        Path(os.fsdecode(place), "helper.py").write_text(helper)
        Path(os.fsdecode(place + b"/n\xe9.ipynb")).write_text(notebook(PROGRAM, FINDING))


FORMS = (
    *("--check", "--statistics", "--json", "--sarif", "--github", "--html=a.html"),
    *("--color=always", "--target=keras3", "--target=compat", "--add-suppressions", "--write"),
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("names_in_latin_1")
def test_a_name_that_is_not_utf_8_stops_no_run(form: str) -> None:
    result = run(".", form)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.usefixtures("names_in_latin_1")
def test_nor_does_it_where_the_terminal_knows_ascii_only() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "compat_lossscale", "migrate", "."]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize(
    ("choice", "environment", "terminal", "coloured"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_whether_output_is_coloured(
    choice: str,
    environment: dict[str, str],
    terminal: bool,
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert is_coloured(choice) is coloured


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def echo(self, text: str, *, nl: bool, err: bool) -> None:
        assert (nl, err) == (False, True)
        self.write(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr("compat_lossscale.cli.migrate.sys", types.SimpleNamespace(stderr=terminal))
    monkeypatch.setattr("click.echo", terminal.echo)
    monkeypatch.setattr("compat_lossscale.cli.migrate._LONG_RUN", -1.0)
    return terminal


def test_a_long_run_shows_its_progress_and_removes_the_line(terminal: Terminal) -> None:
    with Progress(quiet=False) as progress:
        progress(1, 2)
        assert terminal.getvalue().endswith("[###############---------------] 1/2 files")
        progress(2, 2)
        assert terminal.getvalue().endswith(f"[{'#' * 30}] 2/2 files")
    assert terminal.getvalue().rpartition("files")[2].strip() == ""


@pytest.mark.parametrize("why", ["quiet", "short", "no terminal"])
def test_nothing_is_shown_otherwise(
    why: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "short":
        monkeypatch.setattr("compat_lossscale.cli.migrate._LONG_RUN", 3600.0)
    elif why == "no terminal":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    with Progress(quiet=why == "quiet") as progress:
        progress(1, 2)
    assert terminal.getvalue() == ""
