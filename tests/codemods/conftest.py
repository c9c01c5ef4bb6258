# SPDX-License-Identifier: Apache-2.0
"""Lets most tests of the codemod do without worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.codemods.in_process import workers_in_this_process

WITHOUT_WORKERS = {"analysis", "both_ways", "project", "reports", "rules"}
"""The folders whose tests are about what becomes of files, and not about how they are migrated."""


@pytest.fixture(autouse=True)
def without_workers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Migrates in this process, unless a test is marked `workers`."""
    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    if folder not in WITHOUT_WORKERS or request.node.get_closest_marker("workers"):
        yield
        return
    with workers_in_this_process():
        yield
