# SPDX-License-Identifier: Apache-2.0
"""Kill and resume, a few kills for each generation. `resume` has the long mode."""

from __future__ import annotations

import pytest

from tests.support import python


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("driver", "rule"),
    [
        ("public-new", "consecutive"),
        ("experimental-legacy", "tensorflow"),
        ("v1-monitored-session", "megatron"),
        ("keras3-scaled", "tensorflow"),
    ],
)
def test_a_killed_training_ends_as_one_that_nobody_killed(driver: str, rule: str) -> None:
    # In a process of its own: one that has run TensorFlow cannot be forked.
    done = python(
        "-m",
        "tests.reliability.resume",
        "--count",
        "3",
        "--rule",
        rule,
        driver,
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{driver}: killed during " in done.stdout
