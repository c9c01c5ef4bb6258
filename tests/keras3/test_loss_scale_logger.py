# SPDX-License-Identifier: Apache-2.0
"""The callback of Keras 3 that watches the loss scale, on the backend in use."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale import LossScaleRule
from compat_lossscale.keras3 import LossScaleLogger, LossScaleOptimizer
from tests.support import NAN

GOOD, BAD = 1.0, NAN
BATCHES = [GOOD, GOOD, BAD, GOOD, BAD, BAD]
# From 8, growing after 2 good steps.
SCALES = [8.0, 16.0, 8.0, 8.0, 4.0, 2.0]
GOOD_STEPS = [1, 0, 0, 1, 0, 0]
SKIPPED = [0, 0, 1, 1, 2, 3]
Stock = keras.optimizers.LossScaleOptimizer
each_class = pytest.mark.parametrize("cls", [LossScaleOptimizer, Stock], ids=["ours", "stock"])
pytestmark = pytest.mark.filterwarnings("ignore::compat_lossscale.errors.LossScaleStuckWarning")


def fit(optimizer: Any, logger: Any, batches: list[float] = BATCHES, epochs: int = 1) -> Any:
    layer = keras.layers.Dense(1, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile(optimizer, "mae")
    x = np.array(batches, np.float32)[:, None]
    options = {"batch_size": 1, "shuffle": False, "verbose": 0, "epochs": epochs}
    return model.fit(x, np.zeros_like(x), callbacks=[logger], **options)


def small(cls: Any, **kwargs: Any) -> Any:
    arguments = {"initial_scale": 8.0, "dynamic_growth_steps": 2, **kwargs}
    return cls(keras.optimizers.SGD(0.0), **arguments)


@each_class
def test_every_step_is_seen_if_asked(cls: Any) -> None:
    logger = LossScaleLogger(every=1)
    history = fit(small(cls), logger)
    assert logger.history == {
        "step": [1, 2, 2, 3, 3, 3],
        "loss_scale": SCALES,
        "good_steps": GOOD_STEPS,
        "skipped_steps": SKIPPED,
    }
    assert history.history["loss_scale"] == SCALES[-1:]
    assert history.history["skipped_steps"] == SKIPPED[-1:]


def test_skipped_steps_that_a_rule_tolerates_are_counted() -> None:
    logger = LossScaleLogger(every=1)
    rule = LossScaleRule(growth_steps=2, hysteresis=3)
    fit(small(LossScaleOptimizer, dynamic_growth_steps=None, rule=rule), logger, [GOOD] + [BAD] * 4)
    assert logger.history["loss_scale"] == [8.0, 8.0, 8.0, 4.0, 2.0]
    assert logger.history["skipped_steps"] == [0, 1, 2, 3, 4]


@each_class
def test_epochs_are_seen_by_default(cls: Any) -> None:
    logger = LossScaleLogger()
    history = fit(small(cls), logger, BATCHES[:4], epochs=2)
    assert history.history["loss_scale"] == [8.0, 8.0]
    assert logger.history["step"] == [3, 6]


def test_a_fixed_loss_scale_has_no_good_steps() -> None:
    logger = LossScaleLogger(every=1)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.0), dynamic=False, initial_scale=4.0)
    fit(optimizer, logger, [GOOD, GOOD])
    assert logger.history["loss_scale"] == [4.0, 4.0]
    assert "good_steps" not in logger.history


def test_a_loss_scale_at_its_floor_or_cap_is_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logging.getLogger("tensorflow").propagate = True
    fit(small(LossScaleOptimizer, initial_scale=2.0), LossScaleLogger(every=1), [GOOD] + [BAD] * 4)
    capped = small(LossScaleOptimizer, initial_scale=2.0**126, dynamic_growth_steps=1)
    fit(capped, LossScaleLogger(every=1), [0.0] * 4)
    said = [one.getMessage() for one in caplog.records if "LossScaleLogger" in one.getMessage()]
    assert len(said) <= 2  # on TensorFlow the optimizer may say it itself
    assert any("it would be infinite if it grew again" in message for message in said)


def test_summaries_are_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow", reason="it writes the summaries, on every backend")
    fit(small(LossScaleOptimizer), LossScaleLogger(every=1, log_dir=tmp_path))
    assert any(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.parametrize("every", [0, -1, 1.5, "epoch"])
def test_every_must_be_a_positive_whole_number(every: Any) -> None:
    with pytest.raises(ValueError, match="every"):
        LossScaleLogger(every)
