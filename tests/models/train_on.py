# SPDX-License-Identifier: Apache-2.0
"""Loads converted models with Keras 3, trains on as their writers did, and prints what they have.

    python train_on.py stock|ours MODEL ...

`ours` imports this package, which registers its class. The training is that of
`tests/artefacts/write.py`, the very code that wrote the artefacts. The answer is a JSON list.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def main() -> None:
    """Runs from the command line."""
    side, *paths = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).parents[1] / "artefacts"))
    keras = importlib.import_module("keras")
    if side == "ours":
        importlib.import_module("compat_lossscale.keras3")
    write = importlib.import_module("write")
    found = []
    for path in paths:
        model = keras.models.load_model(path)
        kind = type(model.optimizer)
        config = json.dumps(model.optimizer.inner_optimizer.get_config())
        now = write.model_state(model)
        write.train_model(model, write.STEPS_AFTER_SAVING)
        state = write.model_state(model)
        is_ours = hasattr(kind, "from_keras")
        found.append({"ours": is_ours, "now": now, "then": state, "config": config})
    assert side == "ours" or "compat_lossscale" not in sys.modules
    print(json.dumps(found, default=write.encode))


if __name__ == "__main__":
    main()
