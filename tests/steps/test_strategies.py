# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.steps import strategies


def test_strategies_with_a_copy_of_each_variable_on_each_replica_are_supported(
    mirrored: Any,
) -> None:
    assert strategies.is_supported()
    for strategy in (mirrored, tf.distribute.OneDeviceStrategy("CPU:0")):
        with strategy.scope():
            assert strategies.is_supported()
            strategies.check()


def test_other_strategies_get_the_error_of_the_original() -> None:
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    message = (
        "Loss scaling is not supported with the tf.distribute.Strategy: CentralStorageStrategy. "
        "Try using a different Strategy, e.g. a MirroredStrategy"
    )
    with strategy.scope():
        assert not strategies.is_supported()
        with pytest.raises(ValueError, match=message):
            strategies.check()


def test_tpu_strategies_are_told_that_they_need_no_loss_scaling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tpu = object.__new__(tf.distribute.TPUStrategy)
    monkeypatch.setattr(tf.distribute, "has_strategy", lambda: True)
    monkeypatch.setattr(tf.distribute, "get_strategy", lambda: tpu)
    with pytest.raises(ValueError, match="Loss scaling is not supported with TPUStrategy"):
        strategies.check()
