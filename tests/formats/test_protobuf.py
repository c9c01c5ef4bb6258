# SPDX-License-Identifier: Apache-2.0
"""The limits on the fields of a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.formats import tensor_bundle
from tests.formats.samples import reason_here


def test_a_graph_of_absurdly_many_fields_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensor_bundle.Budget.__init__, "__defaults__", (1000,))
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01" * 2000)
    assert "fields" in reason_here(tmp_path)
