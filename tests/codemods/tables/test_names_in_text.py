# SPDX-License-Identifier: Apache-2.0
"""Text and names that read like old names."""

from __future__ import annotations

import pytest
from lossscale_codemods.tables.names import is_old_path, may_mention_old_name, mentions_of_old_names

EXPERIMENTAL = "tensorflow.keras.mixed_precision.experimental"


def test_strings_that_spell_an_old_name() -> None:
    assert is_old_path(f"{EXPERIMENTAL}.Policy.name")
    assert not is_old_path(f"See {EXPERIMENTAL}.Policy")


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        (
            "See `tf.keras.mixed_precision.experimental.Policy`.",
            ["tf.keras.mixed_precision.experimental.Policy"],
        ),
        ("A FixedLossScale, or a DynamicLossScale.", ["FixedLossScale", "DynamicLossScale"]),
        ("tf.train.experimental.enable_mixed_precision_graph_rewrite", None),
        ("tf.contrib.mixed_precision.LossScaleManager", None),
        ("from tf.mixed_precision import experimental", ["tf.mixed_precision import experimental"]),
    ],
)
def test_each_place_is_found(text: str, mentions: list[str] | None) -> None:
    assert may_mention_old_name(text)
    found = [match.group() for match in mentions_of_old_names(text)]
    assert found == ([text] if mentions is None else mentions)


@pytest.mark.parametrize(
    "text",
    ["tf.keras.mixed_precision.LossScaleOptimizer", "an experimental policy", "DynamicLossScales"],
)
def test_other_text(text: str) -> None:
    assert list(mentions_of_old_names(text)) == []
