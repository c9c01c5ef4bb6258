# SPDX-License-Identifier: Apache-2.0
"""What recording costs: whole training steps with the recorder and without, in turns.

    python -m benchmarks.recording_steps [--rounds N]

Prints a table. The recorder is installed once; in every second turn it observes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf
import tf_keras

from benchmarks import models
from benchmarks.measure import in_turns

_RECORDER = Path(__file__).parent.parent / "compat_lossscale" / "recording" / "recorder.py"
_CASES = (
    ("ResNet-20, 32 x 32 x 32, SGD with momentum", 32, 32, "SGD"),
    ("ResNet-20, 32 x 32 x 32, Adam", 32, 32, "Adam"),
    ("ResNet-20, 128 x 32 x 32, Adam", 128, 32, "Adam"),
)


def installed(output: str, *options: str) -> Any:
    """Installs a recorder in this process, and returns it."""
    spec = importlib.util.spec_from_file_location("lossscale_recorder", _RECORDER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    parsed = module.parser().parse_args(["-o", output, *options])
    recorder = module.TrainingRecorder(parsed, os.path.realpath(Path.cwd()))
    recorder.out.put("lossscale-recording", version=module.VERSION)
    recorder.install()
    return recorder


def training(pixels: int, batch: int, optimizer: str) -> Callable[[], None]:
    """Returns what does a step of a ResNet-20 in a `tf.function`."""
    model = models.resnet(pixels)
    inner = getattr(tf_keras.optimizers.legacy, optimizer)(0.001)
    if optimizer == "SGD":
        inner = tf_keras.optimizers.legacy.SGD(0.001, momentum=0.9)
    scaled = tf_keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=4.0)
    loss_of = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    data = [tf.constant(one) for one in models.examples(model, batch)]

    @tf.function
    def train(inputs: Any, targets: Any) -> None:
        with tf.GradientTape() as tape:
            loss = scaled.get_scaled_loss(loss_of(targets, model(inputs, training=True)))
        variables = model.trainable_variables
        gradients = scaled.get_unscaled_gradients(tape.gradient(loss, variables))
        scaled.apply_gradients(zip(gradients, variables, strict=True))

    return lambda: train(*data)


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    print("| Model | step | overhead | processor time | overhead |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(Path(folder)):
        recorder = installed("it.lsr", "--limit", "1000")
        for name, batch, pixels, optimizer in _CASES:
            step = training(pixels, batch, optimizer)

            def with_recorder(on: bool, step: Callable[[], None] = step) -> None:
                recorder.on = on
                step()

            with_recorder(on=True)
            row = []
            for clock in (time.perf_counter, time.process_time):
                times = in_turns(
                    {
                        "without": lambda: with_recorder(on=False),
                        "with": lambda: with_recorder(on=True),
                    },
                    rounds=rounds,
                    clock=clock,
                )
                pairs = zip(times["with"], times["without"], strict=True)
                overhead = statistics.median(one / other - 1 for one, other in pairs)
                row += [f"{statistics.median(times['without']) * 1000:.0f} ms", f"{overhead:.0%}"]
            print(f"| {name} | {' | '.join(row)} |", flush=True)
        size = Path("it.lsr").stat().st_size
        recorder.end(0)
        print(f"\n{size / sum(one.seen for one in recorder.optimizers) / 1000:.1f} kB a step")


if __name__ == "__main__":
    main()
