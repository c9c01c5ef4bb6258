# SPDX-License-Identifier: Apache-2.0
"""The demo's third part: training is saved half-way, verified, resumed, and equal to the bit.

Trains on scikit-learn's digits with a loss scale that starts too high, saves the model half-way in
each of Keras' formats, shows what `compat-lossscale verify` finds in the file, loads it, trains on.
Weights, slots, iterations, loss scale and counter must be those of the training that was never
interrupted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # after the environment is set
import tf_keras
from sklearn.datasets import load_digits

from compat_lossscale import experimental

STEPS = 120
BATCH = 32
FORMATS = (".h5", ".keras", "")


def make_model() -> Any:
    """A small classifier under mixed precision, its optimizer in the old API."""
    tf_keras.utils.set_random_seed(7)
    experimental.set_policy(experimental.Policy("mixed_float16", loss_scale=None))
    layers = [
        tf_keras.layers.Dense(64, "relu", input_shape=(64,)),
        tf_keras.layers.Dense(10, "softmax", dtype="float32"),
    ]
    model = tf_keras.Sequential(layers)
    inner = tf_keras.optimizers.legacy.Adam(0.002)
    loss_scale = experimental.DynamicLossScale(2**24, increment_period=25)
    optimizer = experimental.LossScaleOptimizer(inner, loss_scale)
    model.compile(optimizer, "sparse_categorical_crossentropy")
    return model


def train(model: Any, steps: range) -> None:
    """Trains on the batches of the given steps."""
    images, digits = load_digits(return_X_y=True)
    images = (images / 16).astype("float32")
    for step in steps:
        rows = np.arange(step * BATCH, (step + 1) * BATCH) % len(images)
        model.train_on_batch(images[rows], digits[rows])


def state(model: Any) -> list[bytes]:
    """All that the next step depends on, byte for byte."""
    optimizer = model.optimizer
    scale = [np.float32(optimizer.loss_scale), optimizer.dynamic_counter.numpy()]
    values = [*model.get_weights(), *optimizer.get_weights(), *scale]
    return [np.asarray(value).tobytes() for value in values]


def verify(path: str) -> str:
    """What the verifier says of the state in a file."""
    done = subprocess.run(
        [sys.executable, "-m", "compat_lossscale", "verify", path],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (line.strip() for line in done.stdout.splitlines())
    return next((line for line in lines if line.startswith("state of")), done.stderr.strip())


def main() -> int:
    """Runs all formats.

    Returns:
        0 if each resumed training equals the uninterrupted one, else 1.
    """
    half = STEPS // 2
    straight = make_model()
    train(straight, range(STEPS))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for suffix in FORMATS:
            model = make_model()
            train(model, range(half))
            path = str(Path(folder) / f"digits{suffix}")
            model.save(path, save_format=None if suffix else "tf")
            print(f"saved after {half} steps as {suffix or 'SavedModel'}: {verify(path)}")
            resumed = tf_keras.models.load_model(path)
            train(resumed, range(half, STEPS))
            equal = state(resumed) == state(straight)
            failures += not equal
            print(f"  resumed to step {STEPS}: {'equal to the bit' if equal else 'DIFFERENT'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
