# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

from tests.support import python


def test_each_case_is_measured_with_and_without_the_count() -> None:
    done = python(
        *("-m", "benchmarks.keras3_counter", "0", "2"), timeout=300, tensorflow_may_be_imported=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["SGD, 1 x 100", "Adam, 1 x 100"]
    for overheads in found.values():
        assert list(overheads) == ["stock", "counted", "uncounted"]
