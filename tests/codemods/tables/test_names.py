# SPDX-License-Identifier: Apache-2.0
"""Names are known by every path to them, with what means the same today."""

from __future__ import annotations

import pytest
from lossscale_codemods.tables.names import (
    Meaning,
    Target,
    canonical,
    has_old_members,
    lookup,
    loss_scale_class,
)

EXPERIMENTAL = "tensorflow.keras.mixed_precision.experimental"


@pytest.mark.parametrize(
    ("path", "meaning", "tf_keras", "compat"),
    [
        (
            f"{EXPERIMENTAL}.LossScaleOptimizer",
            Meaning.OPTIMIZER,
            "tensorflow.keras.mixed_precision.LossScaleOptimizer",
            "compat_lossscale.experimental.LossScaleOptimizer",
        ),
        (
            f"{EXPERIMENTAL}.set_policy",
            Meaning.SET_POLICY,
            "tensorflow.keras.mixed_precision.set_global_policy",
            "compat_lossscale.experimental.set_policy",
        ),
        (
            "tensorflow.train.experimental.DynamicLossScale",
            Meaning.DYNAMIC,
            "tensorflow.compat.v1.mixed_precision.DynamicLossScale",
            "compat_lossscale.v1.DynamicLossScale",
        ),
        (f"{EXPERIMENTAL}.get_layer_policy", Meaning.LAYER_POLICY, None,
         "compat_lossscale.experimental.get_layer_policy"),
        ("tensorflow.contrib.mixed_precision.LossScaleOptimizer", Meaning.CONTRIB, None, None),
    ],
)  # fmt: skip
def test_a_name_has_a_successor_for_each_target(
    path: str, meaning: Meaning, tf_keras: str | None, compat: str | None
) -> None:
    old = lookup(path)
    assert old is not None
    assert old.meaning is meaning
    assert old.new_path(Target.TF_KERAS) == tf_keras
    assert old.new_path(Target.COMPAT) == compat


@pytest.mark.parametrize(
    "path",
    ["tensorflow.keras.mixed_precision.Policy", f"{EXPERIMENTAL}s", "experimental.Policy", ""],
)
def test_other_paths_are_no_old_names(path: str) -> None:
    assert lookup(path) is None


def test_what_leads_to_old_names() -> None:
    assert has_old_members("tensorflow.train.experimental")
    assert has_old_members("tensorflow.keras.mixed_precision")
    assert not has_old_members("tensorflow.keras.layers")


def test_the_loss_scale_classes_by_old_and_current_paths() -> None:
    assert loss_scale_class("tensorflow.train.experimental.FixedLossScale") == "FixedLossScale"
    current = "tensorflow.compat.v1.mixed_precision.DynamicLossScale"
    assert loss_scale_class(current) == "DynamicLossScale"
    assert loss_scale_class("tensorflow.train.experimental.LossScale") is None


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
