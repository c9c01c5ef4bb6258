# SPDX-License-Identifier: Apache-2.0
"""`on_floor="raise"` on replicas and workers, for some optimizers. `floors` has all of them."""

from __future__ import annotations

import pytest

from tests.support import python


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("setting", "generation"),
    [
        ("workers-2", "public-new"),
        ("mirrored-2", "keras3-scaled"),
        ("mirrored-2", "experimental-legacy"),
        ("workers-2", "v1"),
        ("workers-2", "keras3-unscaled"),
        ("mirrored-2", "public-legacy"),
    ],
)
def test_each_worker_raises_in_its_step_and_none_hangs(setting: str, generation: str) -> None:
    # In a process of its own: one that has run TensorFlow cannot be forked.
    done = python(
        "-m",
        "tests.reliability.floors",
        "--only",
        generation,
        setting,
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{setting}: 2 runs, each worker raises in its step" in done.stdout
