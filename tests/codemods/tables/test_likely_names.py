# SPDX-License-Identifier: Apache-2.0
"""Text and names that read like old names."""

from __future__ import annotations

from lossscale_codemods.tables.likely_names import is_old_path

EXPERIMENTAL = "tensorflow.keras.mixed_precision.experimental"


def test_strings_that_spell_an_old_name() -> None:
    assert is_old_path(f"{EXPERIMENTAL}.Policy.name")
    assert not is_old_path(f"See {EXPERIMENTAL}.Policy")
