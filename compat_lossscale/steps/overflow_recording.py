# SPDX-License-Identifier: Apache-2.0
"""What every optimizer of this package tells of the gradients that were not finite, if asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core import OnGradients
from compat_lossscale.errors import NotCountedError
from compat_lossscale.steps.overflow import Overflow, names_of
from compat_lossscale.steps.overflow_log import OverflowLog


class RecordsOverflows:
    """Adds the record of overflows to an optimizer. Without being asked, it does nothing."""

    _overflow_log: OverflowLog | None = None
    _step_counter: Callable[[], Any] | None

    def _record_overflows(self) -> bool:
        """Begins to record. Functions that are traced already do not.

        Returns:
            Whether this is the first time.

        Raises:
            NotCountedError: In a graph of TensorFlow 1.
        """
        if not tf.compat.v1.executing_eagerly_outside_functions():
            raise NotCountedError(
                "Overflows are recorded in eager mode and in tf.function, and not in a graph of "
                "TensorFlow 1. There, fetch the gradients and tf.math.is_finite of them."
            )
        if self._overflow_log is not None:
            return False
        self.__dict__["_overflow_log"] = OverflowLog(self._step_counter)
        return True

    def _take_overflows(self) -> list[Overflow]:
        """Reads the record, and empties it; see `OverflowLog.take`."""
        return [] if self._overflow_log is None else self._overflow_log.take()

    def _overflow_inspection(
        self, gradients: Sequence[Any], variables: Sequence[Any]
    ) -> Callable[[OnGradients], Any] | None:
        """What `apply_or_skip` is to call for a skipped step, if somebody asked.

        Args:
            gradients: The gradients; `None` where there is none.
            variables: Their variables.
        """
        log = self._overflow_log
        if log is None:
            return None
        # The log is the same for each replica, and so are the names.
        pairs = zip(gradients, variables, strict=True)
        names = names_of(variable for gradient, variable in pairs if gradient is not None)
        return lambda on_gradients: log.note(names, on_gradients)
