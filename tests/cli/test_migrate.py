# SPDX-License-Identifier: Apache-2.0
"""The command: exit codes, reports, configuration, and that nothing is written unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from lossscale_codemods.running import one_file

from compat_lossscale.cli.migrate import migrate
from tests.codemods.in_process import workers_in_this_process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
FINDING = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('infer')\n"
CLEAN = "print('nothing old here')\n"
BROKEN = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy(\n"
PYTHON_2 = "import tensorflow as tf\nprint tf.train.experimental.DynamicLossScale()\n"
FORM_FEED = "import tensorflow as tf\n\x0ctf.keras.mixed_precision.experimental.set_policy('x')\n"


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(migrate, [str(a) for a in arguments], input=stdin)


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    if request.node.get_closest_marker("workers"):
        yield tmp_path
        return
    with workers_in_this_process():
        yield tmp_path


CODES = [
    ("nothing", [CLEAN], 0, 0),
    ("a change", [OLD], 1, 0),
    ("a finding", [FINDING], 1, 1),
    ("a change and a finding", [OLD, FINDING], 1, 1),
    ("unreadable", [BROKEN], 2, 2),
    ("python 2", [PYTHON_2], 2, 2),
    ("refused", [FORM_FEED], 3, 3),
    ("a change and unreadable", [OLD, BROKEN], 3, 2),
    ("a finding and unreadable", [FINDING, BROKEN], 3, 3),
]


@pytest.mark.parametrize(
    ("sources", "code"), [(c[1], c[2]) for c in CODES], ids=[c[0] for c in CODES]
)
@pytest.mark.parametrize("flag", ["", "--check", "--json", "--sarif", "--github", "--quiet"])
def test_exit_code(folder: Path, sources: list[str], code: int, flag: str) -> None:
    for number, source in enumerate(sources):
        (folder / f"{number}.py").write_text(source)
    result = run(folder, *([flag] if flag else []))
    assert result.exit_code == code, result.output
    for number, source in enumerate(sources):
        assert (folder / f"{number}.py").read_text() == source


@pytest.mark.parametrize(
    ("sources", "code"), [(c[1], c[3]) for c in CODES], ids=[c[0] for c in CODES]
)
def test_exit_code_with_write(folder: Path, sources: list[str], code: int) -> None:
    for number, source in enumerate(sources):
        (folder / f"{number}.py").write_text(source)
    assert run(folder, "--write").exit_code == code
    for number, source in enumerate(sources):
        expected = NEW if source == OLD else source
        assert (folder / f"{number}.py").read_text() == expected
    assert run(folder, "--write").exit_code == code


UNSAFE = "import tensorflow as tf  # LossScale\ndef log(opt):\n    print(opt.loss_scale())\n"
SETTLED = UNSAFE.replace("scale()", "scale")


def test_unsafe_fixes_are_offered_and_made_if_asked_for(folder: Path) -> None:
    file = folder / "a.py"
    file.write_text(UNSAFE)
    offered = run(file, "--write")
    assert offered.exit_code == 1
    assert "1 more fix is available with --unsafe-fixes." in offered.output
    assert file.read_text() == UNSAFE
    shown = run(file, "--unsafe-fixes")
    assert shown.exit_code == 1
    assert " @@ unsafe fix: line 3" in shown.output
    assert run(file, "--unsafe-fixes", "--check").exit_code == 1
    assert file.read_text() == UNSAFE
    assert run(file, "--unsafe-fixes", "--write", "--undo", folder / "undo.patch").exit_code == 0
    assert file.read_text() == SETTLED
    assert run(file, "--unsafe-fixes").exit_code == 0
    assert run(file).exit_code == 0
    subprocess.run(["git", "apply", "-R", "undo.patch"], cwd=folder, check=True)
    assert file.read_text() == UNSAFE


def test_unsafe_fixes_can_be_configured(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.compat-lossscale]\nunsafe-fixes = true\n")
    (folder / "a.py").write_text(UNSAFE)
    assert run(folder, "--write").exit_code == 0
    assert (folder / "a.py").read_text() == SETTLED


def test_unsafe_fixes_are_made_on_standard_input_too() -> None:
    assert SETTLED in run("-", "--unsafe-fixes", stdin=UNSAFE).output


def test_it_shows_a_diff_findings_and_a_summary(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    (folder / "b.py").write_text(FINDING + "# see DynamicLossScale\n")
    output = run(folder).output
    assert "-tf.keras.mixed_precision.experimental.set_policy('float32')" in output
    assert "+tf.keras.mixed_precision.set_global_policy('float32')" in output
    assert "b.py:2:1: LS501" in output
    assert "b.py:3:7: LS801" in output
    assert (
        "2 occurrences of old names in 2 files: 1 rewritten, 1 needs review, 0 suppressed."
        in output
    )
    assert "1 file would change; nothing was written" in output


def test_findings_that_writing_leaves_are_to_be_kept(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    assert "Keep the findings" not in run(folder, "--write").output
    (folder / "b.py").write_text(FINDING)
    assert "Keep the findings" not in run(folder).output
    nothing_written = run(folder, "--write").output
    assert "Wrote 0 files." in nothing_written
    assert "Keep the findings" not in nothing_written
    (folder / "a.py").write_text(OLD)
    assert "Keep the findings: a later run does not report all" in run(folder, "--write").output


def test_a_printed_diff_is_a_patch(folder: Path) -> None:
    (folder / "a.py").write_bytes(OLD.replace("\n", "  # \x0c \u2028 x\r\n").encode())
    shown = run("a.py").stdout_bytes
    diff = shown[: shown.index(b"\n\n") + 1]
    subprocess.run(["git", "apply", "-"], input=diff, check=True)
    assert (folder / "a.py").read_bytes().count(b"set_global_policy") == 1


def test_unchanged_files_are_not_touched(folder: Path) -> None:
    (folder / "clean.py").write_text(CLEAN)
    (folder / "finding.py").write_text(FINDING)
    before = {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.glob("*.py")}
    run(folder, "--write")
    assert before == {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.glob("*.py")}


def test_standard_input(folder: Path) -> None:
    result = run("-", stdin=OLD)
    assert result.stdout == NEW
    assert "1 rewritten" in result.stderr
    assert result.exit_code == 0
    assert run("-", stdin=FINDING).exit_code == 1
    assert run("-", stdin=BROKEN).exit_code == 2
    assert run("-", stdin=BROKEN).stdout == BROKEN
    assert run("-", "--check", stdin=OLD).stdout == ""
    assert run("-", "--check", stdin=OLD).exit_code == 1
    assert run("-", "a.py", stdin=OLD).exit_code == 64


def test_standard_input_of_a_file_is_taken_for_that_file(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "pyproject.toml").write_text(
        "[tool.compat-lossscale.per-file-ignores]\n'old_*' = ['ls5']\n"
    )
    assert run("-", "--stdin-filename", "src/a.py", stdin=OLD).stdout == NEW
    ignored = run("-", "--stdin-filename", "src/old_a.py", stdin=OLD)
    assert (ignored.stdout, ignored.exit_code) == (OLD, 0)
    found = run("-", "--stdin-filename", "src/b.py", stdin=FINDING)
    assert "src/b.py:2:1: LS501" in found.stderr
    assert run("src", "--stdin-filename", "a.py").exit_code == 64


@pytest.mark.workers
def test_standard_input_on_which_the_parser_dies_comes_out_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_file, "migrate_file", lambda *_: os._exit(1))
    result = run("-", stdin=OLD)
    assert result.stdout == OLD
    assert "The process that parsed it died" in result.stderr
    assert result.exit_code == 2


def test_undo_patch_takes_back(folder: Path) -> None:
    crlf = OLD.replace("\n", "\r\n").encode().rstrip(b"\r\n")
    latin = b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + OLD.encode()
    (folder / "a.py").write_bytes(crlf)
    (folder / "b.py").write_bytes(latin)
    result = run(folder, "--write", "--undo", "undo.patch")
    assert result.exit_code == 0
    assert (folder / "a.py").read_bytes() != crlf
    subprocess.run(["git", "apply", "-R", "undo.patch"], check=True, cwd=folder)
    assert (folder / "a.py").read_bytes() == crlf
    assert (folder / "b.py").read_bytes() == latin
    assert run(folder, "--undo", "x").exit_code == 64


def test_json(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    (folder / "b.py").write_text(BROKEN)
    report = json.loads(run(folder, "--json").output)
    assert report["totals"]["occurrences"] == 1
    assert report["totals"]["unreadable"] == 1
    assert report["exit_code"] == 3
    a, b = report["files"]
    assert (a["status"], b["status"]) == ("changed", "unreadable")
    assert a["records"][0]["rule"] == "LS501"
    edit = a["records"][0]["edits"][0]
    source = OLD.encode()
    assert (source[: edit["start"]] + edit["text"].encode() + source[edit["end"] :]).decode() == NEW


def test_sarif(folder: Path) -> None:
    (folder / "a.py").write_text(OLD + FINDING)
    sarif = json.loads(run(folder, "--sarif").output)
    (sarif_run,) = sarif["runs"]
    assert sarif["version"] == "2.1.0"
    assert {rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]} >= {"LS101", "LS501"}
    fixed, review = sarif_run["results"]
    (change,) = fixed["fixes"][0]["artifactChanges"]
    region = change["replacements"][0]["deletedRegion"]
    assert region == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 49}
    assert (fixed["level"], review["level"]) == ("note", "warning")
    assert "fixes" not in review


def test_html(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    result = run("a.py", "--html", "report.html")
    assert result.exit_code == 1
    assert "1 rewritten" in result.output
    assert "this is what <code>--write</code> would do" in (folder / "report.html").read_text()
    assert run("a.py", "--html", "report.html", "--write", "--json").exit_code == 0
    assert "The changes below were written." in (folder / "report.html").read_text()
    assert sorted(p.name for p in folder.iterdir()) == [".git", "a.py", "report.html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.py", "--html", "b.py"], "needs a name that ends in .html"),
        (["a.py", "--html", "nowhere/b.html"], "there is no folder nowhere. Make it first."),
        (["-", "--html", "b.html"], "--html needs files or folders, not standard input."),
        (["-", "--undo", "b.patch"], "--undo needs files or folders, not standard input."),
        (["-", "--json"], "--json needs files or folders, not standard input."),
        (["-", "--github"], "--github needs files or folders, not standard input."),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_anything_is_written(
    folder: Path, arguments: list[str], message: str
) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_text(OLD)
    result = run(*arguments, "--write")
    assert result.exit_code == 64
    assert message in " ".join(result.stderr.split())
    assert (folder / "a.py").read_text() == (folder / "b.py").read_text() == OLD


def test_a_report_that_could_not_be_written_is_said_and_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (folder / "a.py").write_text(OLD)
    (folder / "report.html").write_text("the old one")
    monkeypatch.setattr("os.fsync", fails)
    result = run("a.py", "--html", "report.html")
    assert result.exit_code == 3
    assert "The report report.html cannot be written: No space left on device." in result.stderr
    assert (folder / "report.html").read_text() == "the old one"


def test_github(folder: Path) -> None:
    (folder / "a.py").write_text(OLD + FINDING)
    (folder / "b.py").write_text(BROKEN)
    lines = run("a.py", "b.py", "--github").output.splitlines()
    assert lines[0].startswith("::notice file=a.py,line=2,col=1,title=LS501 ")
    assert lines[1].startswith("::warning file=a.py,line=4,col=1,title=LS501 ")
    assert lines[2].startswith("::error file=b.py::It does not parse")


def test_select_and_ignore(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    assert run(folder, "--select", "LS2").exit_code == 0
    assert run(folder, "--ignore", "LS501,LS2").exit_code == 0
    assert run(folder, "--select", "LS5").exit_code == 1
    result = run(folder, "--select", "LS99")
    assert result.exit_code == 64
    assert "No rule has an id that starts with 'LS99'" in result.stderr


def test_ids_may_be_in_any_case(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    assert run(folder, "--select", "ls2").exit_code == 0
    assert run(folder, "--ignore", "ls501").exit_code == 0
    assert "set_global_policy" in run("--explain", "ls501").output
    (folder / "a.py").write_text(OLD.rstrip() + "  # compat-lossscale: ignore[ls501]\n")
    assert run(folder).exit_code == 0


def test_exclude(folder: Path) -> None:
    for name in ("a/gen/x.py", "b/gen/y.py", "c_pb2.py", "d.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(OLD)

    def found(*options: str) -> set[str]:
        report = json.loads(run(".", "--json", *options).output)
        return {file["path"] for file in report["files"]}

    everything = {"a/gen/x.py", "b/gen/y.py", "c_pb2.py", "d.py"}
    assert found() == everything
    assert found("--exclude", "gen") == {"c_pb2.py", "d.py"}
    assert found("--exclude", "a/gen", "--exclude", "*_pb2.py") == {"b/gen/y.py", "d.py"}
    (folder / "pyproject.toml").write_text("[tool.compat-lossscale]\nexclude = ['b/gen']\n")
    assert found("--exclude", "d.py") == {"a/gen/x.py", "c_pb2.py"}
    assert found("--exclude", "d.py", "--no-ignore") == everything
    assert run("b/gen/y.py").exit_code == 0
    os.chdir(folder / "b")
    assert run(".").exit_code == 0


def test_per_file_ignores(folder: Path) -> None:
    for name in ("tests/a.py", "src/a.py", "src/old_b.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(OLD)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(
        "[tool.compat-lossscale.per-file-ignores]\n'tests/' = ['LS5']\n'old_*.py' = ['ls501']\n"
    )
    report = json.loads(run(".", "--json").output)
    outcomes = {file["path"]: file["records"][0]["outcome"] for file in report["files"]}
    assert outcomes == {
        "src/a.py": "rewritten", "src/old_b.py": "suppressed", "tests/a.py": "suppressed"
    }  # fmt: skip
    pyproject.write_text("[tool.compat-lossscale.per-file-ignores]\n'a' = ['LS999']\n")
    assert "No rule has an id that starts with 'LS999'" in " ".join(run(".").stderr.split())
    pyproject.write_text("[tool.compat-lossscale.per-file-ignores]\n'a' = 'LS5'\n")
    assert "must be a table of globs, each with a list" in " ".join(run(".").stderr.split())


def test_a_configuration_can_be_named(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    (folder / "pyproject.toml").write_text("[tool.compat-lossscale]\ntarget = 'compat'\n")
    (folder / "other.toml").write_text("[tool.compat-lossscale]\nignore = ['LS5']\n")
    assert run("a.py", "--config", "other.toml").exit_code == 0
    assert run("a.py").exit_code == 1
    missing = run("a.py", "--config", "missing.toml")
    assert missing.exit_code == 64
    assert "missing.toml cannot be read: No such file" in " ".join(missing.stderr.split())


def test_explain_and_list_rules() -> None:
    assert "set_global_policy" in run("--explain", "LS501").output
    assert run("--explain", "LS5").exit_code == 64
    assert "No rule" in run("--explain", "XX").stderr
    assert "LS201  Constructor of the loss-scale optimizer" in run("--list-rules").output


def test_target_compat(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    run("a.py", "--write", "--target", "compat")
    assert "compat_lossscale.experimental.set_policy('float32')" in (folder / "a.py").read_text()


def test_configuration(folder: Path) -> None:
    (folder / "a.py").write_text(OLD)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text("[tool.compat-lossscale]\nignore = ['LS501']\n")
    assert run(folder).exit_code == 0
    assert run(folder, "--ignore", "").exit_code == 1
    pyproject.write_text("[tool.compat-lossscale]\nexclude = ['a.py']\n")
    assert run(folder).exit_code == 0
    pyproject.write_text("[tool.compat-lossscale]\nignored = ['LS501']\n")
    result = run(folder)
    assert result.exit_code == 64
    assert "unknown key 'ignored'. Did you mean 'ignore'?" in result.stderr
    pyproject.write_text("[tool.compat-lossscale]\njobs = true\n")
    assert "'jobs' in [tool.compat-lossscale] must be a whole number" in run(folder).stderr
    pyproject.write_text("[tool.compat-lossscale]\njobs = 0\n")
    assert "must be 1 or more, but is 0" in " ".join(run(folder).stderr.split())
    pyproject.write_text("[tool.compat-lossscale\n")
    assert "is no valid TOML" in run(folder).stderr


@pytest.mark.parametrize(
    "text", ["[[tool.compat-lossscale]]\nquiet = true\n", "tool = 3  # tool.compat-lossscale\n"]
)
def test_a_configuration_that_is_no_table(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text)
    result = run(folder)
    assert result.exit_code == 64
    assert "must be a table, written as [tool.compat-lossscale]" in " ".join(result.stderr.split())


def test_why_a_named_path_was_skipped(folder: Path) -> None:
    (folder / ".gitignore").write_text("/generated/\n")
    for name in ("generated", ".venv"):
        (folder / name).mkdir()
        (folder / name / "a.py").write_text(OLD)
    assert run(folder).exit_code == 0
    output = run("generated/a.py", ".venv", "missing.py").output
    assert "ignores it by the line '/generated/'" in output
    assert "folders called .venv are left out" in output
    assert "missing.py: skipped: there is no such file" in output
    assert run("missing.py").exit_code == 2
    assert run(folder, "--no-ignore").exit_code == 1
    assert run("generated", "--no-ignore").exit_code == 1


@pytest.mark.workers
def test_jobs_give_the_same_report(folder: Path) -> None:
    for number in range(8):
        (folder / f"{number}.py").write_text([OLD, FINDING, BROKEN, CLEAN][number % 4])
    one, two = run(folder, "--json", "--jobs", 1), run(folder, "--json", "--jobs", 2)
    assert one.output == two.output


def test_mistakes_in_the_command_line(folder: Path) -> None:
    assert "Name the files or folders" in run().stderr
    assert run().exit_code == run(folder, "--jobs", "none").exit_code == 64
    assert run(folder, "--no-such-option").exit_code == 64
    assert run(folder, "--write", "--check").exit_code == 64


def test_without_libcst_it_says_so(folder: Path) -> None:
    code = (
        "import importlib.util, sys; found = importlib.util.find_spec;"
        "importlib.util.find_spec = lambda name, *a: None if name == 'libcst' else found(name, *a);"
        "from compat_lossscale.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "migrate", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "compat-lossscale: migrate needs libcst, which is not installed: pip install libcst\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_it_needs_no_tensorflow_and_starts_without_libcst() -> None:
    code = (
        "import sys; from compat_lossscale.cli.migrate import migrate; import lossscale_codemods;"
        "loaded = {m.split('.')[0] for m in sys.modules};"
        "heavy = {'libcst', 'tensorflow', 'keras', 'tf_keras', 'rich', 'jinja2', 'pygments'};"
        "assert not loaded & heavy, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    code = (
        "import sys; sys.modules['tensorflow'] = None;"
        "from lossscale_codemods import migrate_source;"
        f"assert migrate_source({OLD!r}).text == {NEW!r};"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
