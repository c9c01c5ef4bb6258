# SPDX-License-Identifier: Apache-2.0
"""Several replicas and workers, a few steps of each kind. `workers` has the long mode."""

from __future__ import annotations

import pytest

from tests.support import python


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("setting", "generation", "rule"),
    [
        ("mirrored-2", "v1", "tensorflow"),
        ("mirrored-4", "public-legacy", "deepspeed"),
        ("workers-2", "public-new", "tensorflow"),
        ("workers-2", "keras3-unscaled", "megatron"),
    ],
)
def test_replicas_and_workers_train_as_one_device(setting: str, generation: str, rule: str) -> None:
    # In a process of its own: one that has run TensorFlow cannot be forked.
    done = python(
        "-m",
        "tests.reliability.workers",
        "--count",
        "4",
        "--only",
        generation,
        "--rule",
        rule,
        setting,
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{setting}: 8 steps as on one device" in done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("setting", ["mirrored-2", "workers-2"])
def test_every_rule_on_replicas_and_workers(setting: str) -> None:
    done = python(
        "-m",
        "tests.reliability.workers",
        "--count",
        "20",
        "--only",
        "public-new",
        "--rule",
        "all",
        setting,
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{setting}: 320 steps as on one device" in done.stdout


@pytest.mark.nightly
def test_the_loss_of_a_worker_is_an_error_of_the_others_and_no_hang() -> None:
    done = python(
        "-m",
        "tests.reliability.workers",
        "--count",
        "8",
        "lost-worker",
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lost-worker: the other raised " in done.stdout
