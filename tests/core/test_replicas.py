# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import supports_strategy
from compat_lossscale.core.gradients import finite_on_all_replicas, must_merge
from compat_lossscale.members.optimizer import check_strategy
from tests.support import NAN


def _answer(mirrored: Any, numbers: list[float]) -> bool:
    """What is found, in a cross-replica context, if each replica has a gradient of its own."""

    @tf.function
    def ask() -> tf.Tensor:
        gradients = mirrored.experimental_distribute_values_from_function(
            lambda context: tf.constant([numbers[context.replica_id_in_sync_group]])
        )
        return finite_on_all_replicas([gradients])

    with mirrored.scope():
        return bool(ask())


@pytest.mark.parametrize(
    ("numbers", "finite"), [([1.0, 2.0], True), ([1.0, NAN], False), ([NAN, 1.0], False)]
)
def test_one_bad_replica_is_bad_for_all(mirrored: Any, numbers: list[float], finite: bool) -> None:
    assert _answer(mirrored, numbers) is finite


def test_without_replicas_the_gradients_themselves_are_asked() -> None:
    assert bool(finite_on_all_replicas([tf.constant(1.0)]))
    assert not bool(finite_on_all_replicas([tf.constant(NAN)]))


def test_replicas_merge_only_where_each_sees_itself_alone(mirrored: Any) -> None:
    seen = []
    assert not must_merge()
    with mirrored.scope():
        assert not must_merge()
        mirrored.run(lambda: seen.append(must_merge()))
    assert seen == [True, True]


def test_strategies_with_a_copy_of_each_variable_on_each_replica_are_supported(
    mirrored: Any,
) -> None:
    assert supports_strategy()
    for strategy in (mirrored, tf.distribute.OneDeviceStrategy("CPU:0")):
        with strategy.scope():
            assert supports_strategy()
            check_strategy()


def test_other_strategies_get_the_error_of_the_original() -> None:
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    message = (
        "Loss scaling is not supported with the tf.distribute.Strategy: CentralStorageStrategy. "
        "Try using a different Strategy, e.g. a MirroredStrategy"
    )
    with strategy.scope():
        assert not supports_strategy()
        with pytest.raises(ValueError, match=message):
            check_strategy()


def test_tpu_strategies_are_told_that_they_need_no_loss_scaling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tpu = object.__new__(tf.distribute.TPUStrategy)
    monkeypatch.setattr(tf.distribute, "has_strategy", lambda: True)
    monkeypatch.setattr(tf.distribute, "get_strategy", lambda: tpu)
    with pytest.raises(ValueError, match="Loss scaling is not supported with TPUStrategy"):
        check_strategy()
