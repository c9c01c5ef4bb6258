# SPDX-License-Identifier: Apache-2.0
"""The tape that an optimizer needs to differentiate a loss."""

from __future__ import annotations

from typing import Any

from compat_lossscale.errors import UnscalableError


def check_has_tape(loss: Any, tape: Any) -> None:
    """Refuses a loss that cannot be scaled under its tape.

    Args:
        loss: What `minimize` was given: a tensor, or a callable that gives one.
        tape: The tape that it was given, or `None`.

    Raises:
        UnscalableError: `loss` is no callable, and there is no tape. (It is a `TypeError`, as in
            TensorFlow 2.0 to 2.3, and a `ValueError`, as in later versions.)
    """
    if tape is None and not callable(loss):
        raise UnscalableError(
            "`tape` is required when the loss is a tensor: the tape under which it was computed. "
            "A callable loss needs none."
        )
