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
