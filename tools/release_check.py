# SPDX-License-Identifier: Apache-2.0
"""Builds the distributions, looks into them, and uses them in clean environments.

    python tools/release_check.py --python python3.10 --python python3.11 ... [--if-there]

What it makes stays in `dist/`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PACKAGES = ("compat_lossscale", "lossscale_codemods")
LEGACY = """\
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

opt = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), loss_scale="dynamic")
"""
MIGRATED = "opt = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(0.1))"
CONFIG = {
    "inner_optimizer": {"class_name": "SGD", "config": {"name": "SGD", "learning_rate": 0.5}},
    "dynamic": True,
    "initial_scale": 8.0,
    "dynamic_growth_steps": 100,
}


class CheckError(Exception):
    """Something is not as a release must be."""


def main() -> int:
    """Runs from the command line. Returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", default=[], help="an interpreter; repeatable")
    parser.add_argument(
        "--if-there", action="store_true", help="leave out the interpreters that are not"
    )
    options = parser.parse_args()
    try:
        wheel, sdist = build_twice()
        check_contents(wheel, sdist)
        used = 0
        for python in options.python:
            version = version_of(python)
            if version is None:
                if not options.if_there:
                    raise CheckError(f"{python} does not run; --if-there leaves it out")
                print(f"{python}: not there, left out")
                continue
            for distribution in (wheel, sdist):
                use(distribution, python)
                print(f"Python {version}: {distribution.name} installs, and its commands work")
                used += 1
        if not used:
            raise CheckError("there is no interpreter to install it for")
    except (CheckError, subprocess.CalledProcessError) as error:
        print(f"release check: {error}\n{getattr(error, 'output', None) or ''}", file=sys.stderr)
        return 1
    return 0


def run(*command: str | Path, **settings: object) -> str:
    """Runs a command, and returns what it prints. If it fails, the error has that."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        **settings,  # type: ignore[call-overload]  # a table of settings
    )
    return str(done.stdout)


def build_twice() -> tuple[Path, Path]:
    """Builds both distributions, twice, and compares. Returns the wheel and the sdist."""
    made = []
    shutil.rmtree(DIST, ignore_errors=True)
    date = run("git", "log", "-1", "--format=%ct").strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": date}
    with tempfile.TemporaryDirectory() as other:
        for folder in (Path(other), DIST):
            # The wheel is made from the sdist, so that the sdist is known to be complete.
            command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
            run(*command, env=environment)
            made.append({path.name: digest(path) for path in sorted(folder.iterdir())})
    if made[0] != made[1]:
        raise CheckError(f"two builds differ: {made}")
    for name, checksum in made[0].items():
        print(f"{name}: the same in two builds, sha256 {checksum}")
    return next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))


def digest(path: Path) -> str:
    """Returns a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_contents(wheel: Path, sdist: Path) -> None:
    """Checks what is in the distributions, and what must not be."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    check_names(wheel, names, [f"{package}/py.typed" for package in PACKAGES])
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        raise CheckError(f"{wheel.name} has no licence")
    strange = {name.split("/")[0] for name in names} - {*PACKAGES}
    if len(strange) != 1 or not strange.pop().endswith(".dist-info"):
        raise CheckError(f"{wheel.name} installs more than its packages: {strange}")
    with tarfile.open(sdist) as tar:
        names = [name.partition("/")[2] for name in tar.getnames()]
    wanted = ("LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "pyproject.toml")
    check_names(sdist, names, [*wanted, "compat_lossscale/py.typed"])
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    print("both have what they must have, and no tests; twine and check-wheel-contents are content")


def check_names(distribution: Path, names: list[str], wanted: Iterable[str]) -> None:
    """Checks that files are in a distribution, and that no tests or leftovers are."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise CheckError(f"{distribution.name} lacks {', '.join(missing)}")
    leftovers = [n for n in names if n.startswith("tests/") or n.endswith((".pyc", ".so", ".orig"))]
    if leftovers:
        raise CheckError(f"{distribution.name} has {', '.join(leftovers[:5])}")


def version_of(python: str) -> str | None:
    """Returns an interpreter's version, such as 3.12.1; `None` if it does not run."""
    try:
        return run(python, "-c", "import platform; print(platform.python_version())").strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def use(distribution: Path, python: str) -> None:
    """Installs a distribution into a clean environment without TensorFlow, and uses it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "venv")
        binaries = folder / "venv" / "bin"
        run(binaries / "pip", "install", "--quiet", distribution)
        run(binaries / "pip", "check")
        command = binaries / "compat-lossscale"
        version = distribution.name.removesuffix(".tar.gz").split("-")[1]
        expect(run(command, "--version", cwd=folder), version)
        for words in (("--help",), ("migrate", "--help"), ("run", "--help"), ("verify", "--help")):
            expect(run(command, *words, cwd=folder), "Usage:")
        program, config = folder / "train.py", folder / "config.json"
        program.write_text(LEGACY)
        run(command, "migrate", program, "--write", cwd=folder)
        expect(program.read_text(), MIGRATED)
        config.write_text(json.dumps(CONFIG))
        expect(run(command, "verify", config, cwd=folder), "1 artefact: 1 lossless")
        code = "import compat_lossscale, lossscale_codemods; print(compat_lossscale.__file__)"
        expect(run(binaries / "python", "-c", code, cwd=folder), str(folder))


def expect(text: str, wanted: str) -> None:
    """Checks that a text has another in it."""
    if wanted not in text:
        raise CheckError(f"expected {wanted!r} in:\n{text}")


if __name__ == "__main__":
    raise SystemExit(main())
