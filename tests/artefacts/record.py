# SPDX-License-Identifier: Apache-2.0
"""Runs `write.py` under one TensorFlow after another, and keeps what each could write.

    python tests/artefacts/record.py 2.3=PYTHON 2.21=PYTHON keras3=PYTHON ...

Each PYTHON is an interpreter that has that TensorFlow; 2.16 and later need tf-keras as well. The
folder `keras3` is written by today's TensorFlow with Keras 3. `FOLDER/not_written.json` says why a
version has no artefact of a kind.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
WRITER = HERE / "write.py"


def record(version: str, python: str) -> None:
    """Writes `HERE/version` anew."""
    folder = HERE / version
    shutil.rmtree(folder, ignore_errors=True)
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        # Some versions write the order of a set into their graphs.
        "PYTHONHASHSEED": "0",
    }
    environment.pop("TF_USE_LEGACY_KERAS", None)
    if version in ("2.16", "2.21"):
        environment["TF_USE_LEGACY_KERAS"] = "1"

    def run(kind: str) -> subprocess.CompletedProcess[str]:
        # A neutral working directory and relative names keep this machine's paths out of the files.
        folder.mkdir(exist_ok=True)
        return subprocess.run(
            [python, str(WRITER), kind, "."],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    not_written = {}
    listed = run("list")
    if listed.returncode:
        raise SystemExit(f"{version}: {listed.stderr}")
    for kind in listed.stdout.split():
        done = run(kind)
        if done.returncode:
            not_written[kind] = done.stderr.strip().splitlines()[-1]
            _remove(folder, kind)
        print(version, kind, not_written.get(kind, "written"), flush=True)
    text = json.dumps(not_written, indent=1, sort_keys=True) + "\n"
    (folder / "not_written.json").write_text(text, encoding="utf-8")


def _remove(folder: Path, kind: str) -> None:
    """Removes what a failed attempt left behind."""
    for path in [folder / kind, *folder.glob(f"{kind}.*")]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        record(*argument.split("=", 1))
