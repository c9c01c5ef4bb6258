# SPDX-License-Identifier: Apache-2.0
"""What several paths of TensorFlow lead to is known by the shortest of them."""

from __future__ import annotations

import pytest
from lossscale_codemods.tables.paths import canonical


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("tensorflow.compat.v2.keras", "tensorflow.keras"),
        ("tensorflow_core._api.v2.keras", "tensorflow.keras"),
        ("tensorflow.compat.v1.compat.v1.train", "tensorflow.compat.v1.train"),
        ("tensorflow.compat.v1.compat.v2.keras", "tensorflow.keras"),
        ("tensorflow._api.v1.train", "tensorflow.train"),
        ("tensorflows.compat.v2", "tensorflows.compat.v2"),
    ],
)
def test_paths_to_one_thing_have_one_short_form(path: str, short: str) -> None:
    assert canonical(path) == short
