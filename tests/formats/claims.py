# SPDX-License-Identifier: Apache-2.0
"""Checks what the verifier calls lossless: real versions load the converted files and train on.

    python -m tests.formats.claims 2.3=PYTHON 2.4=PYTHON 2.21=PYTHON keras3=PYTHON ...

    python -m tests.formats.claims --only 2.13,2.14 2.13=PYTHON 2.14=PYTHON 2.3=PYTHON ...

The second form checks the claims about some versions, and keeps the outcomes of the others. It
needs the versions that wrote the files too.

Each model file of the artefacts is converted to each generation without a loss. The versions of it
load the copy and take five steps. So does the version that wrote the file with the file itself, or
this package, on the tf-keras of today, for it. `claims.json` says for each copy and version
whether both have the same variables, slots and iterations.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat_lossscale.formats import Artefact, read
from compat_lossscale.formats.conversion import convert_artefact, is_whole
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation
from tests.artefacts.test_train_on import approximately
from tests.formats.samples import ARTEFACTS

RECORD = Path(__file__).parent / "claims.json"
OURS = "ours"
"""Today's tf-keras with this package, which restores what tf-keras alone loses of its own files."""
VERSIONS = {
    Generation.TF23: ("2.0", "2.2", "2.3"),
    Generation.TF24: ("2.4", "2.5", "2.10", "2.12", "2.13", "2.14", "2.15"),
    Generation.TF_KERAS: ("2.21",),
    Generation.KERAS3: ("keras3",),
}
"""The versions that a claim about a generation is checked with."""
STEPS = 5
NAMES = ("model.h5", "model-legacy.h5", "model.keras", "model-legacy.keras")
COMPARED = ("variables", "slots", "iterations")
TRAIN = f"""
import json, sys
sys.path.insert(0, {str(ARTEFACTS)!r})
import tensorflow as tf
import write
if sys.argv[1:]:
    import compat_lossscale
    assert compat_lossscale.LossScaleOptimizer
states = {{}}
for name, path in json.load(sys.stdin).items():
    try:
        model = tf.keras.models.load_model(path)
        write.train_model(model, range(write.STEPS_BEFORE, write.STEPS_BEFORE + {STEPS}))
        states[name] = write.model_state(model)
    except Exception as error:
        states[name] = {{"error": "%s: %s" % (type(error).__name__, str(error).split(chr(10))[0])}}
    tf.keras.backend.clear_session()
print(json.dumps(states, default=write.encode))
"""
"""What runs under each version, the oldest ones too."""


def claims() -> Iterator[tuple[str, Artefact, Generation]]:
    """Yields what is called lossless: the artefact's name, its content, and the generation."""
    for folder in sorted(ARTEFACTS.iterdir()):
        for name in NAMES:
            path = folder / name
            if not path.exists():
                continue
            artefact = read(path)
            (stated,) = artefact.configs
            for target in Generation:
                if target is stated.generation:
                    continue
                if not convert_artefact(artefact, stated, target).lost:
                    yield f"{folder.name}/{name}", artefact, target


def states(pythons: dict[str, str], version: str, paths: dict[str, str]) -> dict[str, Any]:
    """Returns what a version has after it loads each file and takes five steps."""
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_USE_LEGACY_KERAS": "1" if version in ("2.21", OURS) else "0",
    }
    is_ours = [OURS] if version == OURS else []
    done = subprocess.run(
        [sys.executable if is_ours else pythons[version], "-c", TRAIN, *is_ours],
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{version}: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def outcome(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Says in a few words how two states compare."""
    if "error" in after:
        return f"refused: {after['error']}"[:160]
    different = [name for name in COMPARED if after[name] != approximately(before[name])]
    return f"differs: {', '.join(different)}" if different else "same"


def convert_whole(requests: list[dict[str, Any]]) -> None:
    """Converts models as a whole; their optimizers are of one family."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parents[1] / "models" / "converting.py")],
        input=f"{json.dumps(requests)}\n",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for request, result in zip(requests, json.loads(done.stdout), strict=True):
        if "error" in result:
            raise SystemExit(f"{request['path']}: {result['error']}")


def is_legacy(name: str) -> bool:
    """Whether an artefact's optimizer is of the legacy family."""
    version = name.split("/", maxsplit=1)[0]
    return "legacy" in name or version not in ("2.15", "2.16", "2.21", "keras3")


def main() -> None:
    """Records the outcomes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("pythons", nargs="+")
    arguments = parser.parse_args()
    only = set(filter(None, arguments.only.split(",")))
    pythons = dict(one.split("=", 1) for one in arguments.pythons)
    with tempfile.TemporaryDirectory() as folder:
        copies: dict[str, dict[str, str]] = {}
        whole: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        found = [claim for claim in claims() if not only or only & set(VERSIONS[claim[2]])]
        for number, (name, artefact, target) in enumerate(found):
            suffix = Path(name).suffix
            (stated,) = artefact.configs
            if is_whole(artefact.format, stated.generation, target):
                copy = Path(folder, f"{number}.keras")
                request = {"path": artefact.path, "target": target.value, "function": None}
                whole[is_legacy(name)].append({**request, "output": str(copy)})
            else:
                copy = Path(folder, f"{number}{suffix}")
                write_converted(artefact, target, str(copy))
            for version in only & set(VERSIONS[target]) if only else VERSIONS[target]:
                copies.setdefault(version, {})[f"{name} {target.value}"] = str(copy)
        for requests in whole.values():
            convert_whole(requests)
        originals: dict[str, dict[str, str]] = {}
        for name, artefact, _ in found:
            version = name.split("/")[0]
            loader = OURS if version.startswith("2.") and int(version[2:]) > 10 else version
            originals.setdefault(loader, {})[name] = artefact.path
        before = {
            name: state
            for version, paths in originals.items()
            for name, state in states(pythons, version, paths).items()
        }
        record: dict[str, dict[str, str]] = json.loads(RECORD.read_text("utf-8")) if only else {}
        for version, paths in copies.items():
            for claim, after in states(pythons, version, paths).items():
                said = outcome(before[claim.split()[0]], after)
                record.setdefault(claim, {})[version] = said
                print(claim, version, said, flush=True)
    RECORD.write_text(f"{json.dumps(record, indent=1, sort_keys=True)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
