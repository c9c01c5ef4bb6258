# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, a few rounds of each kind. `threads` has the long mode."""

from __future__ import annotations

import pytest

from tests.support import python


@pytest.mark.nightly
def test_threads_train_wrap_and_install_at_the_same_time() -> None:
    # In a process of its own: each round is forked from one that has not run TensorFlow.
    done = python(
        "-m",
        "tests.reliability.threads",
        "--count",
        "1",
        timeout=900,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in ("train", "wrap", "install_and_uninstall"):
        assert f"{kind}: " in done.stdout
