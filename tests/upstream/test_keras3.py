# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from tests.upstream import keras3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_keras_own_tests_of_its_loss_scale_optimizer_pass_with_ours(backend: str) -> None:
    ours = keras3.run(keras3.SUITES[0], backend, ours=True)
    assert "failed" not in ours.values(), ours
    assert list(ours.values()).count("passed") >= 20


def test_what_is_worse_needs_a_ruling_and_a_ruling_needs_what_is_worse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keras3, "rulings", lambda: {"jax T.ruled": "why", "jax T.good": "why"})
    theirs = dict.fromkeys(("T.ruled", "T.good", "T.bad"), "passed") | {"T.same": "failed"}
    ours = {"T.ruled": "failed", "T.good": "passed", "T.bad": "failed", "T.same": "failed"}
    assert keras3.complaints("jax", theirs, ours) == [
        "T.bad fails",
        "T.good passes, but has a ruling",
    ]


def test_recording_some_suites_keeps_the_rows_of_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(keras3, "TABLE", tmp_path / "keras3.md")
    monkeypatch.setattr(keras3, "rulings", lambda: {"jax T.ruled": "why"})
    monkeypatch.setattr(keras3, "run", lambda *_, ours, **__: {"T.good": "passed"})
    suites = [one.rpartition(".")[2] for one in keras3.SUITES]
    for name in (suites[1], suites[0]):
        assert keras3.main(["--backend", "jax", "--record", f".{name}"]) == 0
    text = keras3.TABLE.read_text("utf-8")
    assert list(keras3.recorded_rows().values()) == [("1", "1")] * 2
    assert text.index(suites[0]) < text.index(suites[1])
    assert "| `T.ruled` | jax | why |" in text
