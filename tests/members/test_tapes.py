# SPDX-License-Identifier: Apache-2.0
"""A loss that is no callable needs the tape that it was computed under."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.members.optimizer import check_has_tape


@pytest.mark.parametrize("loss", [2.0, None])
@pytest.mark.parametrize("error", [TypeError, ValueError, AttributeError])
def test_without_a_tape_it_is_refused_as_in_any_version(loss: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="`tape` is required"):
        check_has_tape(loss, None)


def test_a_callable_needs_none() -> None:
    check_has_tape(lambda: 2.0, None)


def test_a_tensor_has_its_tape() -> None:
    check_has_tape(tf.constant(2.0), tf.GradientTape())
