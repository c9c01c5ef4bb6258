# SPDX-License-Identifier: Apache-2.0
"""Loads every artefact that old versions wrote, trains on, and prints what came of each as JSON.

    python train_on.py legacy|new [EVERY]

`legacy` and `new` are the families of Keras optimizers: each process has one of them installed.
With EVERY, every nth version of them is loaded. The training is `write.py`'s, the very code that
wrote the artefacts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compat_lossscale

HERE = Path(__file__).parent
ONE_FAMILY = ("1.14", "1.15", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.10")
TWO_FAMILIES = ("2.15", "2.16", "2.21")


def artefacts(family: str, names: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """The artefacts of a family, with the key of each one's name.

    Args:
        family: `legacy` or `new`.
        names: Names by their keys, with `%s` where a family's name stands in some.
    """
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    versions = (*ONE_FAMILY, *TWO_FAMILIES) if family == "legacy" else TWO_FAMILIES
    for version in versions[::every]:
        suffix = "-legacy" if family == "legacy" and version in TWO_FAMILIES else ""
        for key, name in names.items():
            path = HERE / version / (name % suffix)
            if path.with_name(f"{path.name}.json").exists():
                yield key, path


def continued_checkpoint(write: Any, path: Path, *, fixed: bool) -> Any:
    """Restores a checkpoint and trains on."""
    weight, bias, optimizer, checkpoint = write.checkpoint_parts("default", fixed)
    status = checkpoint.restore(f"{path}-1")
    write.train(weight, bias, optimizer, write.STEPS_AFTER_SAVING)
    status.assert_existing_objects_matched()
    return write.state([weight, bias], optimizer)


def continued_model(write: Any, path: Path, form: str) -> Any:
    """Loads a model, or its weights, and trains on."""
    import tensorflow as tf  # after the old names are installed

    if form == "weights":
        model = write.model_parts("default", False)
        if not hasattr(model.optimizer.inner_optimizer, "get_slot"):
            model.optimizer.build(model.trainable_variables)
        model.load_weights(str(path))
    else:
        model = tf.keras.models.load_model(str(path))
    write.train_model(model, write.STEPS_AFTER_SAVING)
    return write.model_state(model)


def number(version: str) -> tuple[int, int]:
    """The first two parts of a version."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def main() -> None:
    """Prints `{artefact: state}`, an artefact being its version and name."""
    family = sys.argv[1]
    compat_lossscale.install(legacy_optimizers=family == "legacy")
    sys.path.insert(0, str(HERE))
    import write  # it imports tensorflow

    results = {}
    checkpoints = {"": "checkpoint%s", "fixed": "fixed-checkpoint%s"}
    for key, path in artefacts(family, checkpoints):
        results[str(path.relative_to(HERE))] = continued_checkpoint(write, path, fixed=bool(key))
    for form, path in artefacts(family, write.FORMS):
        # Keras reads no model of a later Keras: its layers have more settings.
        if form != "weights" and number(path.parent.name) > number(write.tf.__version__):
            continue
        results[str(path.relative_to(HERE))] = continued_model(write, path, form)
    print(json.dumps(results, default=write.encode))


if __name__ == "__main__":
    main()
