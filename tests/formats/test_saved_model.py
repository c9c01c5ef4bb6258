# SPDX-License-Identifier: Apache-2.0
"""Reading SavedModels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import UnreadableArtefactError, saved_model

if TYPE_CHECKING:
    from pathlib import Path


def test_metadata_is_bounded_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    value = b'{"loss_scale": 1}'
    monkeypatch.setattr(saved_model, "MAX_METADATA_BYTES", 2 * len(value))
    metadata = saved_model._Metadata()
    for _ in range(2):
        metadata.add("x.pb", iter([memoryview(value), memoryview(b"a layer's")]))
    assert metadata.copies == [("x.pb", value)] * 2
    with pytest.raises(UnreadableArtefactError, match=r"in x\.pb is too large"):
        metadata.add("x.pb", iter([memoryview(value)]))


def test_the_error_names_an_empty_graph(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").touch()
    with pytest.raises(UnreadableArtefactError, match=r"^saved_model\.pb is empty"):
        saved_model.read(str(tmp_path))
