# SPDX-License-Identifier: Apache-2.0
"""What is read of an optimizer's loss scale."""

from __future__ import annotations

from typing import Any

import pytest
import tf_keras

from compat_lossscale.watching import logging_hooks


@pytest.mark.parametrize("family", [tf_keras.optimizers, tf_keras.optimizers.legacy])
def test_a_bare_optimizer_has_no_loss_scale(family: Any) -> None:
    optimizer = family.SGD()
    assert logging_hooks.loss_scale_of(optimizer) is None
    assert logging_hooks.skipped_steps_of(optimizer) is None
