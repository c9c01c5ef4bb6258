# SPDX-License-Identifier: Apache-2.0
"""What real old TensorFlows wrote loads here, and trains on as the writer itself did."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import python

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
# Their writers kept no loss-scale state in these, so nobody can restore it.
WITHOUT_SCALE = (".h5", ".keras")
# Nor any of a legacy optimizer's variables in these.
WITHOUT_OPTIMIZER = ("-legacy.keras",)


# `make nightly` loads those of all versions.
EVERY = 1 if os.environ.get("ALL_CASES") else 3


@pytest.fixture(scope="module", params=["legacy", "new"])
def trained(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The state of each artefact of a family after it was loaded and trained on."""
    done = python(
        str(HERE / "train_on.py"),
        request.param,
        str(EVERY),
        timeout=600,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return results


def record(artefact: str) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((HERE / f"{artefact}.json").read_text(encoding="utf-8"))
    return recorded


def approximately(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: approximately(value) for name, value in state.items()}
    if isinstance(state, list):
        return [approximately(value) for value in state]
    return pytest.approx(state, rel=1e-6, abs=1e-6) if isinstance(state, float) else state


def test_what_holds_all_state_continues_as_its_writer_did(trained: dict[str, Any]) -> None:
    complete = [artefact for artefact in trained if not artefact.endswith(WITHOUT_SCALE)]
    assert len(complete) >= 11 // EVERY
    for artefact in complete:
        assert trained[artefact] == approximately(record(artefact)["continued"]), artefact


def test_what_holds_the_optimizer_alone_continues_but_for_the_loss_scale(
    trained: dict[str, Any],
) -> None:
    partial = [
        artefact
        for artefact in trained
        if artefact.endswith(WITHOUT_SCALE) and not artefact.endswith(WITHOUT_OPTIMIZER)
    ]
    assert len(partial) >= 4 // EVERY
    for artefact in partial:
        expected = record(artefact)["continued"]
        for name in ("variables", "slots", "iterations"):
            assert trained[artefact][name] == approximately(expected[name]), artefact


def test_what_holds_no_optimizer_trains_on_as_its_writer_did_after_loading_it(
    trained: dict[str, Any],
) -> None:
    for artefact, state in trained.items():
        if artefact.endswith(WITHOUT_OPTIMIZER):
            assert state == approximately(record(artefact)["reloaded"]), artefact
