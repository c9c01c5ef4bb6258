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


def test_a_model_of_a_class_without_a_config_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As TensorFlow 2.3 writes it.
    stored = (None, [("saved_model.pb", b'{"model_config": {"class_name": "Net"}}')])
    monkeypatch.setattr(saved_model, "_stored", lambda *_: stored)
    with pytest.raises(UnreadableArtefactError, match="as those of models of your own classes"):
        saved_model.read_model(str(tmp_path))
