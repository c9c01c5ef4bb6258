# SPDX-License-Identifier: Apache-2.0
"""What is called lossless was loaded by the versions that the claim is about, and trained on."""

from __future__ import annotations

import json

from tests.formats.claims import RECORD, VERSIONS, claims

CLAIMS = json.loads(RECORD.read_text(encoding="utf-8"))


def test_every_claim_about_the_artefacts_was_checked() -> None:
    wanted = {f"{name} {target.value}": set(VERSIONS[target]) for name, _, target in claims()}
    assert {claim: set(versions) for claim, versions in CLAIMS.items()} == wanted, (
        "run `python -m tests.formats.claims` with the real versions again"
    )


def test_no_version_that_loads_a_copy_trains_otherwise_with_it() -> None:
    outcomes = {
        (claim, version): outcome
        for claim, versions in CLAIMS.items()
        for version, outcome in versions.items()
    }
    assert [key for key, outcome in outcomes.items() if outcome.startswith("differs")] == []
    assert sum(outcome == "same" for outcome in outcomes.values()) >= len(CLAIMS)


def test_what_a_version_refuses_are_layers_of_newer_ones() -> None:
    for claim, versions in CLAIMS.items():
        for version, outcome in versions.items():
            if outcome.startswith("refused"):
                assert version not in ("2.21", "keras3"), (claim, version, outcome)
