# SPDX-License-Identifier: Apache-2.0
"""Changes that matter are found at the right step, and others are not reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.recording.comparison import compare
from compat_lossscale.recording.reading import Recording
from tests.recording.mutations import PROGRAMS, Mutation, mutations, recorded, wrong

pytestmark = pytest.mark.slow

MUTATIONS = list(mutations())


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """The recordings of the programs as they are."""
    folder = tmp_path_factory.mktemp("originals")
    return {name: recorded(folder / name, source) for name, source in PROGRAMS.items()}


def test_there_are_a_hundred_of_each() -> None:
    matter = sum(mutation.step is not None for mutation in MUTATIONS)
    assert (matter, len(MUTATIONS) - matter) == (100, 100)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: f"{one.program} {one.name}")
def test_what_matters_is_found_and_nothing_else(
    mutation: Mutation, originals: dict[str, Recording], tmp_path: Path
) -> None:
    result = compare(originals[mutation.program], recorded(tmp_path, mutation.source))
    assert wrong(mutation, result) == ""
