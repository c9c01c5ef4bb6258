# SPDX-License-Identifier: Apache-2.0
"""Has old TensorFlows build optimizers from the configs that we write for them.

    python -m tests.formats.accept 2.3=PYTHON 2.21=PYTHON keras3=PYTHON ...

records in `accepted.json`, for each version and sample, the config and the `get_config()` of the
optimizer that the version made of it. The part that runs under an old TensorFlow is `BUILD`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from compat_lossscale.spec import Generation
from tests.formats.samples import emitted

RECORD = Path(__file__).parent / "accepted.json"
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


def main() -> None:
    """Records what the versions of the command line accept, beside those recorded before."""
    accepted = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for argument in sys.argv[1:]:
        version, python = argument.split("=", 1)
        configs = emitted()[GENERATIONS[version].value]
        environment = {
            **os.environ,
            "CUDA_VISIBLE_DEVICES": "",
            "TF_USE_LEGACY_KERAS": "1" if version in ("2.16", "2.21") else "0",
        }
        done = subprocess.run(
            [python, "-c", BUILD],
            input=json.dumps(configs),
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        built = json.loads(done.stdout.splitlines()[-1])
        accepted[version] = {
            name: {"config": configs[name], **outcome} for name, outcome in built.items()
        }
        print(version, {name: b["error"] for name, b in built.items() if "error" in b} or "all")
    text = json.dumps(accepted, indent=1, sort_keys=True)
    RECORD.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
