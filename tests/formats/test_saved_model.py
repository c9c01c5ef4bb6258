# SPDX-License-Identifier: Apache-2.0
"""Reading SavedModels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import UnreadableArtefactError, saved_model

if TYPE_CHECKING:
    from pathlib import Path


def test_the_error_names_an_empty_graph(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").touch()
    with pytest.raises(UnreadableArtefactError, match=r"^saved_model\.pb is empty"):
        saved_model.read(str(tmp_path))


@pytest.mark.parametrize(
    "config",
    [
        b'{"model_config": {"class_name": "Net"}}',  # As TensorFlow 2.3 writes it.
        b'{"model_config": {"class_name": "Net", "config": {}}}',  # As TensorFlow 2.10 does.
    ],
)
def test_a_model_of_a_class_without_a_config_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: bytes
) -> None:
    of_layer = b'{"model_config": {"class_name": "Sequential", "config": {"layers": []}}}'
    stored = (None, [("saved_model.pb", config), ("saved_model.pb", of_layer)])
    monkeypatch.setattr(saved_model, "_stored", lambda *_: stored)
    with pytest.raises(UnreadableArtefactError, match=r"own classes; pass --model SCRIPT:FUNCTION"):
        saved_model.read_model(str(tmp_path))
