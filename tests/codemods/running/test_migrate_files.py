# SPDX-License-Identifier: Apache-2.0
"""Discovery, writing, workers: what happens to files on the disk."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lossscale_codemods.project.discovery import DiscoveredFile, Skipped, discover, parse
from lossscale_codemods.python import ProjectFiles, outside
from lossscale_codemods.reports.run_report import exit_code, totals
from lossscale_codemods.running import migrate_files, one_file, processes
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Result, Status

from tests.support import folder_of_nobody

OLD = b"import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = b"import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"


def make(folder: Path, *names: str, content: bytes = OLD) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextlib.contextmanager
def mode(path: Path, bits: int) -> Iterator[None]:
    path.chmod(bits)
    try:
        yield
    finally:
        path.chmod(0o755)


def found(folder: Path, **options: object) -> list[str]:
    paths = [f.path for f in discover([folder], **options) if isinstance(f, DiscoveredFile)]  # type: ignore[arg-type]
    return [p.relative_to(folder).as_posix() for p in paths]


def test_folders_are_walked_with_nested_gitignores(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.txt", "sub/c.py", "sub/deep/d.ipynb", "out/e.py", "sub/keep.py")
    make(tmp_path, ".venv/f.py", "node_modules/g.py", "sub/gen_1.py", "sub/deep/gen_2.py")
    make(tmp_path, ".gitignore", content=b"/out\n# no\ngen_*.py\nkeep.py\n")
    make(tmp_path, "sub/.gitignore", content=b"!keep.py\ndeep/*.ipynb\n")
    assert found(tmp_path) == ["a.py", "sub/c.py", "sub/keep.py"]
    assert len(found(tmp_path, no_ignore=True)) == 9
    assert "out/e.py" in found(tmp_path, no_ignore=True)
    assert "sub/c.py" not in found(tmp_path, exclude=["sub"])


def test_a_file_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "link.py").symlink_to("a.py")
    both = list(discover([tmp_path, tmp_path / "a.py"]))
    assert len(both) == 1


def test_files_are_spelled_from_what_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.py", "sub/b.py")
    monkeypatch.chdir(tmp_path)

    def names(*paths: str) -> list[str]:
        return [f.name for f in discover([Path(p) for p in paths]) if isinstance(f, DiscoveredFile)]

    assert names(".") == ["a.py", "sub/b.py"]
    assert names("./sub") == ["sub/b.py"]
    assert names("sub/../sub", "sub/b.py", ".") == ["sub/../sub/b.py", "a.py"]
    assert names(str(tmp_path)) == [f"{tmp_path}/a.py", f"{tmp_path}/sub/b.py"]


def test_a_linked_file_is_looked_at_once_under_its_first_name(tmp_path: Path) -> None:
    make(tmp_path, "tree/b.py")
    (tmp_path / "tree/a.py").symlink_to("b.py")
    (tmp_path / "tree/loop").symlink_to(tmp_path / "tree")
    (tmp_path / "again").symlink_to("tree")
    assert found(tmp_path / "tree") == ["a.py"]
    assert found(tmp_path / "again") == ["a.py"]


def test_gitignores_above_the_named_folder_count(tmp_path: Path) -> None:
    make(tmp_path, "src/pkg/a.py", "src/pkg/gen/b.py", "src/other/gen/c.py")
    make(tmp_path, ".gitignore", content=b"src/pkg/gen\n")
    (tmp_path / ".git").mkdir()
    assert found(tmp_path / "src/pkg") == ["a.py"]
    assert found(tmp_path / "src/other") == ["gen/c.py"]


def test_a_file_that_goes_between_two_reads_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.py")

    def read(name: str) -> bytes:
        source = Path(name).read_bytes()
        Path(name).unlink()
        return source

    monkeypatch.setattr(migrate_files, "read", read)
    (file,) = migrate_files.run([tmp_path], Options()).files
    assert file.result.status is Status.UNREADABLE
    assert "cannot be read" in file.result.problem


def test_git_agrees_about_ignored_files(tmp_path: Path) -> None:
    patterns = [
        "*.py[co]",
        "/root.py",
        "doc/**/x.py",
        "**/deep.py",
        "a/b.py",
        "trail/",
        "sp\\ ace.py",
        "[ab]c.py",
        "x?.py",
        "!xy.py",
    ]
    names = [
        "root.py",
        "s/root.py",
        "doc/x.py",
        "doc/1/2/x.py",
        "q/deep.py",
        "deep.py",
        "a/b.py",
        "s/a/b.py",
    ]
    names += [
        "trail/t.py",
        "s/trail/u.py",
        "sp ace.py",
        "ac.py",
        "cc.py",
        "xy.py",
        "xz.py",
        "z.pyc",
    ]
    make(tmp_path, *names)
    make(tmp_path, ".gitignore", content="\n".join(patterns).encode())
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "*.py"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert sorted(found(tmp_path)) == sorted(line.strip('"') for line in listed.splitlines())


def test_gitignore_lines() -> None:
    assert parse("# comment") is None
    assert parse("   ") is None
    assert parse("!") is None
    pattern = parse("!/a/")
    assert pattern is not None
    assert pattern.negated
    assert pattern.only_folders


def test_missing_and_strange_paths(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("nothing.py")
    os.mkfifo(tmp_path / "pipe.py")
    reasons = [
        f.reason
        for f in discover([tmp_path / n for n in ("x.py", "link.py", "pipe.py")])
        if isinstance(f, Skipped)
    ]
    assert reasons == ["there is no such file", "it is a link to nothing", "it is no regular file"]


def test_write_keeps_the_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0o750)
    report = migrate_files.run([tmp_path], Options(), write=True)
    assert [f.written for f in report.files] == [True]
    assert (tmp_path / "a.py").read_bytes() == NEW
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o750
    assert [p.name for p in tmp_path.iterdir()] == ["a.py"]


def test_links_are_followed_inside_and_refused_outside(tmp_path: Path) -> None:
    make(tmp_path, "in/real.py.txt", "outside.py.txt")
    (tmp_path / "in/link.py").symlink_to("real.py.txt")
    (tmp_path / "in/far.py").symlink_to("../outside.py.txt")
    report = migrate_files.run([tmp_path / "in"], Options(), write=True)
    far, link = report.files
    assert (far.result.status, link.written) == (Status.REFUSED, True)
    assert "outside of" in far.result.problem
    assert (tmp_path / "in/link.py").is_symlink()
    assert (tmp_path / "in/real.py.txt").read_bytes() == NEW
    assert (tmp_path / "outside.py.txt").read_bytes() == OLD


def test_one_bad_file_never_stops_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.py", "c.py")
    make(tmp_path, "b.py", content=OLD + b"\0")
    make(
        tmp_path,
        "d.py",
        content=b"x = " + b"(" * 3000 + b"mixed_precision.experimental" + b")" * 3000,
    )
    report = migrate_files.run([tmp_path], Options())
    assert [f.result.status for f in report.files] == [
        Status.CHANGED,
        Status.UNREADABLE,
        Status.CHANGED,
        Status.UNREADABLE,
    ]


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_report_is_the_same_with_any_number_of_workers(tmp_path: Path, jobs: int) -> None:
    old = [f"old_{number}.py" for number in range(12)]
    make(tmp_path, *old)
    make(tmp_path, "user.py", content=b"from old_3 import tf as keeps_it\n")
    make(tmp_path, "star.py", content=b"from old_5 import *\nx = tf\n")
    make(tmp_path, "broken.py", content=b"LossScale(\n")
    expected = migrate_files.run([tmp_path], Options())
    assert len(expected.files) == len(old) + 1
    assert migrate_files.run([tmp_path], Options(), jobs=jobs) == expected


def test_a_hundred_thousand_workers_are_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Noted(processes.Workers):
        def __init__(self, jobs: int, work: processes.Work) -> None:
            super().__init__(jobs, work)
            asked.append(jobs)

    monkeypatch.setattr(migrate_files, "Workers", Noted)
    migrate_files.run([tmp_path], Options(), jobs=100_000)
    migrate_files.run([tmp_path], Options(), jobs=1)
    assert asked == [4 * migrate_files.default_jobs(), 1]


def test_a_worker_that_dies_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.py", "b.py", "c.py")
    monkeypatch.setattr(one_file, "migrate_file", _die_on_b)
    report = migrate_files.run([tmp_path], Options(), jobs=2)
    assert [(f.path.name, f.result.status) for f in report.files] == [
        ("a.py", Status.CHANGED),
        ("b.py", Status.UNREADABLE),
        ("c.py", Status.CHANGED),
    ]
    assert "process that parsed it died" in report.files[1].result.problem


def _die_on_b(path: Path, source: bytes, options: Options) -> object:
    if path.name == "b.py":
        os._exit(1)
    from lossscale_codemods.running.one_file import migrate

    return migrate(source, options)


def test_relative_imports_are_looked_up(tmp_path: Path) -> None:
    make(
        tmp_path, "pkg/compat.py", content=b"import tensorflow.compat.v1 as tf\nfrom .x import y\n"
    )
    make(tmp_path, "pkg/__init__.py", content=b"from .compat import tf as tf1\n")
    project = ProjectFiles(tmp_path / "pkg/sub/a.py")
    assert outside(project, "..compat.tf") == "tensorflow.compat.v1"
    assert outside(project, "..tf1") == "tensorflow.compat.v1"
    assert outside(project, "..compat.y") is None
    make(
        tmp_path,
        "pkg/a.py",
        content=b"from .compat import tf\nopt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, 8)\n",  # noqa: E501  # a program, as it was written
    )
    (file,) = migrate_files.run([tmp_path / "pkg/a.py"], Options()).files
    assert b"tf.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, 8)" in file.result.output


def test_interrupted_before_all_is_decided_nothing_is_written(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py")

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    report = migrate_files.run([tmp_path], Options(), write=True, progress=interrupt)
    assert report.interrupted
    assert not any(file.written for file in report.files)
    assert {(tmp_path / name).read_bytes() for name in ("a.py", "b.py")} == {OLD}


def test_interrupted_while_writing_the_file_at_hand_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.py", "b.py", "c.py")
    real = migrate_files.write_atomically

    def interrupted(path: Path, *rest: object) -> None:
        if path.name == "b.py":
            os.kill(os.getpid(), signal.SIGINT)
        real(path, *rest)  # type: ignore[arg-type]  # passed on as it is

    monkeypatch.setattr(migrate_files, "write_atomically", interrupted)
    report = migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert report.interrupted
    assert [file.written for file in report.files] == [True, True, False]
    assert [(tmp_path / f"{n}.py").read_bytes() for n in "abc"] == [NEW, NEW, OLD]
    assert b"c.py" not in (tmp_path / "undo.patch").read_bytes()


def test_every_file_in_a_folder_is_looked_at_or_named(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "dangling.py").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe.py")
    report = migrate_files.run([tmp_path], Options())
    assert report.looked_at == 1
    assert [(s.path.name, s.reason) for s in report.skipped] == [
        ("dangling.py", "it is a link to nothing, or to a folder"),
        ("pipe.py", "it is no regular file"),
    ]


def test_a_folder_that_may_not_be_read_is_named_and_the_others_are_looked_at() -> None:
    with folder_of_nobody() as folder:
        make(folder, "closed/a.py", "listed/b.py", "open/c.py")
        (folder / "listed/sub").mkdir()
        for inside in ("closed/a.py", "listed/b.py", "listed"):
            link = folder / "open" / f"to_{inside.replace('/', '_')}.py"
            link.symlink_to(folder / inside)
        # Who may not read the folder may not read Python's own modules either.
        import multiprocessing.popen_fork  # noqa: F401

        with mode(folder / "closed", 0), mode(folder / "listed", 0o600):
            named = [folder, folder / "closed/a.py", folder / "listed/b.py"]
            report = migrate_files.run(named, Options())
            made = outside(ProjectFiles(folder / "closed/a.py"), "..x.y")
    skipped = {str(s.path.relative_to(folder)): (s.reason, s.failed) for s in report.skipped}
    denied = ("it cannot be reached: Permission denied", True)
    no_folder = ("the folder cannot be read: Permission denied", True)
    assert skipped == {
        "closed": no_folder,
        "listed/sub": no_folder,
        "closed/a.py": denied,
        "listed/b.py": denied,
        "open/to_closed_a.py.py": denied,
        "open/to_listed_b.py.py": denied,
        "open/to_listed.py": ("it is a link to nothing, or to a folder", False),
    }
    status = {f.path.name: f.result.status for f in report.files}
    assert status == {"b.py": Status.UNREADABLE, "c.py": Status.CHANGED}
    assert exit_code(report) == 3
    assert made is None


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop.py").symlink_to("loop.py")
    report = migrate_files.run([tmp_path, tmp_path / "loop.py"], Options())
    assert [skipped.failed for skipped in report.skipped] == [False]
    assert "link to nothing" in report.skipped[0].reason


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    (skipped,) = migrate_files.run([tmp_path / ("x" * 300)], Options()).skipped
    assert (skipped.reason, skipped.failed) == ("it cannot be reached: File name too long", True)


def test_folders_may_be_nested_more_deeply_than_calls(tmp_path: Path) -> None:
    levels = [tmp_path]
    for _ in range(sys.getrecursionlimit() + 100):
        levels.append(levels[-1] / "d")
        levels[-1].mkdir()
    make(levels[-1], "a.py")
    try:
        report = migrate_files.run([tmp_path], Options(), write=True)
        assert [file.written for file in report.files] == [True]
        assert (levels[-1] / "a.py").read_bytes() == NEW
    finally:
        (levels[-1] / "a.py").unlink()
        for level in reversed(levels[1:]):
            level.rmdir()  # shutil.rmtree calls itself for each level


def test_a_file_that_could_not_be_written_counts_as_not_rewritten(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0o444)
    report = migrate_files.run([tmp_path], Options(), write=True)
    assert totals(report)["rewritten"] == 0
    assert totals(report)["needs review"] == 1
    assert exit_code(report) == 3


def test_what_crashes_the_parser_costs_no_other_file(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "c.py")
    # To Python's parser this is one operation of many values, to libcst's one in the other.
    make(tmp_path, "b.py", content=OLD + b"x = 1" + b" and 1" * 20_000 + b"\n")
    report = migrate_files.run([tmp_path], Options(), write=True)
    assert [file.written for file in report.files] == [True, False, True]
    assert report.files[1].result.status is Status.UNREADABLE
    assert "nothing is known of it" in report.files[1].result.problem


def fails_once(task: processes.Task) -> Result:
    """Does what workers do, and dies over the first look at one file."""
    failed = Path(task.name).with_name("failed")
    if Path(task.name).name == "settings.py" and not failed.exists():
        failed.touch()
        os._exit(3)
    return one_file.migrate_task(task)


def test_what_runs_with_a_file_is_migrated_if_only_its_first_look_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "settings.py", content=OLD + b"rate = tf.keras.optimizers.schedules\n")
    make(tmp_path, "train.py", content=b"import settings\n" + OLD)
    neighbour = b"import settings\nimport numpy as np\nx = np.float(1)\n"
    make(tmp_path, "evaluate.py", content=neighbour)
    monkeypatch.setattr(migrate_files, "migrate_task", fails_once)
    files = migrate_files.run([tmp_path], Options(), write=True).files
    assert (tmp_path / "failed").exists()
    assert [(file.path.name, file.written) for file in files] == [
        ("evaluate.py", True),
        ("settings.py", True),
        ("train.py", True),
    ]


@pytest.mark.parametrize("made", [b"", b"rate = tf.keras.optimizers.Adam(lr=0.1)\n"])
def test_a_file_that_was_not_named_and_may_change_is_said(made: bytes, tmp_path: Path) -> None:
    make(tmp_path, "train.py", content=b"import factory\nimport data\n" + OLD)
    make(tmp_path, "factory.py", content=b"import tensorflow as tf\n" + made if made else OLD)
    make(tmp_path, "data.py", content=b"import tensorflow as tf\nx = tf.ones(2)\n")
    one = migrate_files.run([tmp_path / "train.py"], Options())
    assert [(skipped.path.name, skipped.failed) for skipped in one.skipped] == [
        ("factory.py", False)
    ]
    assert "runs with" in one.skipped[0].reason
    assert migrate_files.run([tmp_path], Options()).skipped == []


def test_a_file_alone_says_nothing_of_those_that_it_does_not_change(tmp_path: Path) -> None:
    make(tmp_path, "train.py", content=b"import factory\n" + NEW)
    make(
        tmp_path, "factory.py", content=b"import tensorflow as tf\ntf.keras.optimizers.Adam(0.1)\n"
    )
    assert migrate_files.run([tmp_path / "train.py"], Options()).skipped == []


def test_scripts_without_a_suffix_are_looked_at(tmp_path: Path) -> None:
    for name, first, mode in (
        ("train", "#!/usr/bin/env python3\n", 0o755),
        ("start", "#!/bin/sh\n", 0o755),
        ("copied", "#!/usr/bin/env python\n", 0o644),
        ("data", "python\n", 0o644),
    ):
        path = tmp_path / name
        path.write_text(first)
        path.chmod(mode)
    paths = [str(found.path) for found in discover([tmp_path])]
    assert paths == [str(tmp_path / "copied"), str(tmp_path / "train")]
