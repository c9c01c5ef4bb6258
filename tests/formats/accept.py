# SPDX-License-Identifier: Apache-2.0
"""Has old TensorFlows build optimizers from the configs that we write for them.

    python -m tests.formats.accept 2.3=PYTHON 2.21=PYTHON keras3=PYTHON ...

records in `accepted.json`, for each version and sample, the config and the `get_config()` of the
optimizer that the version made of it; and in `loaded.json` the same for models that were converted
for the version. The parts that run under an old TensorFlow are `BUILD` and `LOAD`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from compat_lossscale.formats import read
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation
from tests.formats.samples import ARTEFACTS, emitted

RECORD = Path(__file__).parent / "accepted.json"
LOADED = Path(__file__).parent / "loaded.json"
MODELS = {
    "2.3": ["2.0/model.h5", "2.4/model.h5", "2.5/model.h5"],
    "2.4": ["2.0/model.h5", "2.3/model.h5", "2.5/model.h5"],
    "2.10": ["2.3/model.h5", "2.4/model.h5", "2.15/model-legacy.h5"],
    "2.21": ["2.3/model.h5", "2.10/model.h5", "2.15/model.keras", "2.15/model-legacy.keras"],
}
"""Models that a version's Keras can load but for, at times, the optimizer's config."""
GENERATIONS = {
    **dict.fromkeys(("2.0", "2.1", "2.2", "2.3"), Generation.TF23),
    **dict.fromkeys(("2.4", "2.5", "2.10", "2.15"), Generation.TF24),
    **dict.fromkeys(("2.16", "2.21"), Generation.TF_KERAS),
    "keras3": Generation.KERAS3,
}
BUILD = """
import json, sys
import numpy as np
import tensorflow as tf

def plain(value):
    value = value.numpy() if hasattr(value, "numpy") else value
    return np.asarray(value).tolist()

built = {}
for name, config in json.load(sys.stdin).items():
    try:
        optimizer = tf.keras.optimizers.deserialize(config)
        built[name] = {"get_config": optimizer.get_config()}
    except Exception as error:
        built[name] = {"error": "%s: %s" % (type(error).__name__, error)}
print(json.dumps(built, default=plain))
"""


LOAD = """
import json, sys
import numpy as np
import tensorflow as tf

def plain(value):
    value = value.numpy() if hasattr(value, "numpy") else value
    return np.asarray(value).tolist()

loaded = {}
for name, path in json.load(sys.stdin).items():
    optimizer = tf.keras.models.load_model(path).optimizer
    loaded[name] = {"get_config": optimizer.get_config(), "iterations": optimizer.iterations}
print(json.dumps(loaded, default=plain))
"""


def convert_models(version: str, folder: str) -> dict[str, str]:
    """Converts models for a version, and returns the copies by the models' names."""
    copies = {}
    for number, name in enumerate(MODELS[version]):
        copy = Path(folder, f"{number}{Path(name).suffix}")
        write_converted(read(ARTEFACTS / name), GENERATIONS[version], str(copy))
        copies[name] = str(copy)
    return copies


def _record(path: Path, version: str, outcome: Any) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    recorded[version] = outcome
    path.write_text(f"{json.dumps(recorded, indent=1, sort_keys=True)}\n", encoding="utf-8")


def main() -> None:
    """Records what the versions of the command line accept, beside those recorded before."""
    for argument in sys.argv[1:]:
        version, python = argument.split("=", 1)
        configs = emitted()[GENERATIONS[version].value]
        environment = {
            **os.environ,
            "CUDA_VISIBLE_DEVICES": "",
            "TF_USE_LEGACY_KERAS": "1" if version in ("2.16", "2.21") else "0",
        }

        def run(code: str, given: Any) -> Any:
            done = subprocess.run(
                [python, "-c", code],  # noqa: B023  # called within this turn
                input=json.dumps(given),
                capture_output=True,
                text=True,
                env=environment,  # noqa: B023  # called within the round
                check=True,
            )
            return json.loads(done.stdout.splitlines()[-1])

        built = run(BUILD, configs)
        _record(RECORD, version, {n: {"config": configs[n], **built[n]} for n in built})
        print(version, {name: b["error"] for name, b in built.items() if "error" in b} or "all")
        if version in MODELS:
            with tempfile.TemporaryDirectory() as folder:
                _record(LOADED, version, run(LOAD, convert_models(version, folder)))


if __name__ == "__main__":
    main()
