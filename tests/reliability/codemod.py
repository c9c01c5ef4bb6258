# SPDX-License-Identifier: Apache-2.0
"""Attacks runs of `compat-lossscale migrate --write` at random moments.

    python -m tests.reliability.codemod kill --count 300 [--seed 0]

    kill        SIGKILL to the whole process group
    interrupt   SIGINT to the whole process group, as Ctrl-C sends it
    pairs       two runs at once on one tree
    editor      somebody else who writes the same files meanwhile
    full-disk   a file system that is full after a random number of bytes (needs root)

Each attempt gets a tree of its own. Afterwards every file must be whole, old or new; the report
must be true; and the undo patch must take back what was written. A function returns what it
counted, and raises for the first attempt that fails, with the attempt's number as its seed.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import fcntl
import functools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lossscale_codemods import migrate_source
from lossscale_codemods.running.writing import LEFT_OVER

from compat_lossscale.cli import main as command_line
from compat_lossscale.cli import migrate  # noqa: F401  # loaded before the forks

OLD = (
    b"import tensorflow as tf\n"
    b"tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    b"opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')\n"
)
Counts = collections.Counter[str]


@functools.cache
def migrated(old: bytes, target: str = "tf-keras") -> bytes:
    """Returns what a file is to become."""
    return migrate_source(old, target=target).output


def tree(folder: Path, chance: random.Random) -> dict[Path, tuple[bytes, bytes]]:
    """Makes a tree of old files. Returns each with its old and its new content."""
    found = {}
    for number in range(chance.randint(3, 16)):
        newline = chance.choice((b"\n", b"\r\n"))
        padding = b"# padding\n" * chance.choice((0, 10, 300))
        old = (OLD * chance.choice((1, 1, 2)) + padding).replace(b"\n", newline)
        path = folder / "src" / chance.choice(("", "sub", "a b/é")) / f"file {number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(old)
        found[path] = (old, migrated(old))
    return found


def started(folder: Path, *arguments: str, name: str = "report") -> int:
    """Starts `compat-lossscale migrate` as a process group of its own. Returns its id.

    It is a fork, because most attacks would otherwise strike while Python starts.
    """
    sys.stdout.flush()
    child = os.fork()
    if child:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(child, child)
        return child
    code = 130  # Ctrl-C before the command begins, or after it has ended.
    try:
        code = _in_child(folder, arguments, name)
    finally:
        os._exit(code)  # Whatever happened, a copy of the attacker must not go on.


def _in_child(folder: Path, arguments: tuple[str, ...], name: str) -> int:
    os.setpgid(0, 0)
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for descriptor, suffix in ((1, "json"), (2, "err")):
        file = os.open(f"{name}.{suffix}", os.O_CREAT | os.O_WRONLY, 0o600)
        os.dup2(file, descriptor)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv[1:] = ["migrate", *arguments, "src"]
    code = 130
    try:
        Path(f"{name}.started").touch()
        code = _exit_code()
    except Exception:
        code = 70
        traceback.print_exc()
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        sys.stdout.flush()
        sys.stderr.flush()
    return code


def _exit_code() -> int:
    try:
        command_line()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def ended(child: int) -> int:
    """Waits for a run. Returns its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def attempts(count: int, seed: int) -> Iterator[tuple[Path, random.Random]]:
    """Yields a folder and its chance for each attempt; a failure names the attempt."""
    for number in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield Path(folder), random.Random(number)
            except AssertionError as error:
                raise AssertionError(f"attempt {number}: {error}") from error


def wait_for(path: Path, child: int) -> None:
    """Waits until a file is there, or the run has ended."""
    while not path.exists() and not os.waitid(
        os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT
    ):
        time.sleep(0.0005)


def moment(folder: Path, child: int, chance: random.Random) -> None:
    """Sleeps until a random moment of a run: in one half anywhere, in the other while it writes."""
    wait_for(folder / "report.started", child)
    if chance.random() < 0.5:
        wait_for(folder / "undo.patch", child)
        time.sleep(chance.random() * 0.1)
    else:
        time.sleep(chance.random() * 0.5)


def check_whole(files: dict[Path, tuple[bytes, bytes]]) -> list[Path]:
    """Every file is whole, old or new. Returns those that are new."""
    new = []
    for path, versions in files.items():
        content = path.read_bytes()
        assert content in versions, f"{path} is neither old nor new"
        if content == versions[1]:
            new.append(path)
    return new


def left_over(folder: Path) -> list[Path]:
    """Returns the files that are neither sources nor reports; all must be of the known kind."""
    known = re.compile(r"file \d+\.py|report\S*|undo\S*\.patch")
    found = [p for p in folder.rglob("*") if p.is_file() and not known.fullmatch(p.name)]
    strange = [p for p in found if not p.name.startswith(LEFT_OVER)]
    assert not strange, f"left behind: {strange}"
    return found


def check_report(folder: Path, new: list[Path], name: str = "report") -> dict[str, Any]:
    """The report names as written exactly what is new."""
    text = (folder / f"{name}.json").read_text()
    report: dict[str, Any] = json.loads(text)
    written = {folder / file["path"] for file in report["files"] if file["written"]}
    assert written == set(new), f"said {len(written)} written, found {len(new)}"
    return report


def take_back(folder: Path, files: dict[Path, tuple[bytes, bytes]]) -> None:
    """The undo patch takes back all that was written, also where that is not all it holds."""
    patch = folder / "undo.patch"
    subprocess.run(
        ["patch", "-R", "-p1", "-N", "-s", "-r", "-", "-i", patch],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    for path, (old, _) in files.items():
        assert path.read_bytes() == old, f"{path} was not taken back"


def kill(count: int, seed: int = 0) -> Counts:
    """SIGKILL at random moments: whole files, an undo that works, and the next run goes on."""
    counts: Counts = collections.Counter()
    for folder, chance in attempts(count, seed):
        files = tree(folder, chance)
        child = started(folder, "--write", "--json", "--undo", "undo.patch")
        moment(folder, child, chance)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        killed = ended(child) == -signal.SIGKILL
        new = check_whole(files)
        counts["killed" if killed else "too late to kill"] += 1
        counts["while some files were written" if 0 < len(new) < len(files) else "else"] += 1
        counts["left-over files, of the documented name"] += len(left_over(folder))
        if new:
            take_back(folder, files)
        code = ended(started(folder, "--write", "--json", name="report2"))
        assert code == 0, f"the next run ended with {code}"
        assert len(check_whole(files)) == len(files), "the next run did not go on"
    return counts


def interrupt(count: int, seed: int = 0) -> Counts:
    """SIGINT at random moments: a clean stop, a true and whole report, nothing left behind."""
    counts: Counts = collections.Counter()
    for folder, chance in attempts(count, seed):
        files = tree(folder, chance)
        jobs = chance.choice(("1", "2"))
        child = started(folder, "--write", "--json", "--undo", "undo.patch", "--jobs", jobs)
        moment(folder, child, chance)
        presses = chance.choice((1, 1, 2, 5))
        for _ in range(presses):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGINT)
            time.sleep(chance.random() * 0.005)
        code = ended(child)
        new = check_whole(files)
        errors = (folder / "report.err").read_text()
        assert code in (0, 130), f"exit code {code}: {errors}"
        assert "Traceback" not in errors, errors
        assert not left_over(folder), "left something behind"
        deadline = time.monotonic() + 60
        while _alive(child):
            assert time.monotonic() < deadline, "a worker outlived the run"
            time.sleep(0.01)
        counts[f"exit code {code}"] += 1
        counts["while some files were written" if 0 < len(new) < len(files) else "else"] += 1
        text = (folder / "report.json").read_text()
        if text.endswith("}\n"):
            report = check_report(folder, new)
            assert report["exit_code"] == code or code == 130
        else:
            counts["interrupted while it printed its report"] += 1
            assert code == 130
        if new:
            take_back(folder, files)
    return counts


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def pairs(count: int, seed: int = 0) -> Counts:
    """Two runs at once: each file is written once, by the run that says so."""
    counts: Counts = collections.Counter()
    for folder, chance in attempts(count, seed):
        files = tree(folder, chance)
        targets = chance.choice((("tf-keras", "tf-keras"), ("tf-keras", "compat")))
        runs = []
        for number, target in enumerate(targets):
            name = f"report{number}"
            arguments = ("--target", target, "--undo", f"undo{number}.patch")
            runs.append(started(folder, "--write", "--json", *arguments, name=name))
            time.sleep(chance.choice((0, 0, 0.01, 0.05)))
        codes = [ended(run) for run in runs]
        reports = [json.loads((folder / f"report{n}.json").read_text()) for n in range(2)]
        assert not left_over(folder), "left something behind"
        by_both = 0
        for path, (old, _) in files.items():
            content = path.read_bytes()
            wrote = []
            for target, report in zip(targets, reports, strict=True):
                entry = next((f for f in report["files"] if folder / f["path"] == path), None)
                if entry is not None and entry["written"]:
                    wrote.append(migrated(old, target))
                elif entry is not None and entry["status"] == "refused":
                    counts["files refused to the second run"] += 1
            assert wrote, f"{path}: neither run says that it wrote it"
            if len(wrote) == 1:
                assert content == wrote[0], f"{path} is not what was said to be written"
            by_both += len(wrote) == 2
        assert by_both == 0 or targets[1] == "compat", f"{by_both} files written twice"
        assert all(code in (0, 1, 3) for code in codes), codes
        counts["pairs of runs"] += 1
    return counts


def editor(count: int, seed: int = 0) -> Counts:
    """Somebody else replaces files meanwhile: what they wrote is never lost."""
    counts: Counts = collections.Counter()
    for folder, chance in attempts(count, seed):
        files = tree(folder, chance)
        child = started(folder, "--write", "--json", "--undo", "undo.patch")
        wait_for(folder / "report.started", child)
        edited: dict[Path, bytes] = {}
        while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            path = chance.choice(list(files))
            content = path.read_bytes()
            mark = b"# edited by hand %d\n" % chance.randrange(10**9)
            # As editors save, and under the lock that the codemod takes as well.
            with path.open("rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                if not os.path.samestat(os.fstat(held.fileno()), path.stat()):
                    continue
                content = held.read()
                beside = path.with_name("file 0000.py")
                beside.write_bytes(content + mark)
                beside.replace(path)
            edited[path] = mark
            time.sleep(chance.random() * 0.01)
        code = ended(child)
        assert code in (0, 1, 2, 3), code
        report = json.loads((folder / "report.json").read_text())
        refused = [f for f in report["files"] if f["status"] == "refused"]
        counts["files edited meanwhile"] += len(edited)
        counts["files refused because of it"] += len(refused)
        for path, mark in edited.items():
            assert mark in path.read_bytes(), f"{path}: the edit was lost"
        assert not left_over(folder), "left something behind"
    return counts


def full_disk(count: int, seed: int = 0) -> Counts:
    """A file system that is full after a random number of bytes."""
    arguments = ["--count", str(count), "--seed", str(seed)]
    inside = [sys.executable, "-m", "tests.reliability.codemod", "full-disk-inside", *arguments]
    done = subprocess.run(
        ["unshare", "--mount", *inside], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return collections.Counter(json.loads(done.stdout.splitlines()[-1]))


def full_disk_inside(count: int, seed: int = 0) -> Counts:
    """As above, in a process that may mount."""
    counts: Counts = collections.Counter()
    for folder, chance in attempts(count, seed):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True)
        try:
            files = tree(folder, chance)
            (folder / "reports").mkdir()
            free = chance.choice((0, 4096, 8192, 65536, 400_000, 2_000_000))
            with (folder / "undo-filler.patch").open("wb") as filler, contextlib.suppress(OSError):
                room = os.statvfs(folder)
                filler.write(b"\0" * max(0, room.f_bavail * room.f_frsize - free))
            with tempfile.TemporaryDirectory() as outside:
                (Path(outside) / "src").symlink_to(folder / "src")
                undo = str((folder if chance.random() < 0.5 else Path(outside)) / "undo.patch")
                code = ended(started(Path(outside), "--write", "--json", "--undo", undo))
                report = json.loads((Path(outside) / "report.json").read_text())
                errors = (Path(outside) / "report.err").read_text()
                new = check_whole(files)
                said = {f["path"].removeprefix("src/") for f in report["files"] if f["written"]}
                assert said == {p.relative_to(folder / "src").as_posix() for p in new}
                full = [f for f in report["files"] if "No space left" in f["problem"]]
                assert len(new) + len(full) == len(files), "a file is missing from the report"
                assert (code == 0) == (not full), f"exit code {code}: {errors}"
                assert "Traceback" not in errors, errors
                counts["runs that met the full disk" if full else "runs that had room"] += 1
                if full and new:
                    counts["with some files written"] += 1
                if new and Path(undo).exists():
                    (folder / "undo-filler.patch").unlink()
                    base = Path(undo).read_text().split("\n")[1].strip()
                    subprocess.run(["patch", "-R", "-p1", "-s", "-i", undo], cwd=base, check=True)
                    assert all(path.read_bytes() == old for path, (old, _) in files.items())
            assert not left_over(folder), "left something behind"
        finally:
            subprocess.run(["umount", folder], check=True)
    return counts


ATTACKS: dict[str, Callable[[int, int], Counts]] = {
    "kill": kill,
    "interrupt": interrupt,
    "pairs": pairs,
    "editor": editor,
    "full-disk": full_disk,
    "full-disk-inside": full_disk_inside,
}


def main() -> int:
    """Runs an attack from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("attack", choices=ATTACKS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts = ATTACKS[options.attack](options.count, options.seed)
    if options.attack == "full-disk-inside":
        print(json.dumps(counts))
        return 0
    print(f"{options.attack}: {options.count} attempts, 0 failures")
    for what, number in sorted(counts.items()):
        print(f"  {what}: {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
