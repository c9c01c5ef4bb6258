# SPDX-License-Identifier: Apache-2.0
"""Old names are found in prose, and new names and other words are not."""

from __future__ import annotations

import pytest
from lossscale_codemods.tables.mentions import may_mention_old_name, mentions_of_old_names


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
