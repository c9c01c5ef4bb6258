# SPDX-License-Identifier: Apache-2.0
"""The record of overflows on JAX and PyTorch: kept in Python, since no variable may be added."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from compat_lossscale.steps.overflow import Overflow, names_of


class RecordsOverflowsInPython:
    """Adds the record of overflows to an optimizer. Without being asked, it does nothing."""

    _overflows: list[Overflow] | None = None
    _variables_of: Callable[[list[Any]], Sequence[Any]]

    def _record_overflows(self) -> bool:
        """Begins to record. Functions that are compiled already do not.

        Returns:
            Whether this is the first time.
        """
        if self._overflows is not None:
            return False
        self.__dict__["_overflows"] = []
        return True

    def _take_overflows(self) -> list[Overflow]:
        """Returns the first skipped step since the last reading, and forgets it."""
        if keras.backend.backend() == "jax":
            import jax  # noqa: PLC0415  # not installed with every backend

            jax.effects_barrier()  # type: ignore[no-untyped-call]  # it has no types
        taken = list(self._overflows or ())
        if self._overflows:
            self._overflows.clear()
        return taken

    def _note_overflow(self, gradients: list[Any], step: Any) -> None:
        """Notes a skipped step, where it is skipped.

        Args:
            gradients: The gradients; `None` where there is none.
            step: The number of the step.
        """
        if self._overflows is None:
            return
        pairs = zip(gradients, self._variables_of(gradients), strict=True)
        known = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        note = functools.partial(
            _note,
            self._overflows,
            names_of(variable for _, variable in known),
            [int(ops.size(gradient)) for gradient, _ in known],
        )
        bad = [ops.sum(ops.cast(~ops.isfinite(gradient), "int32")) for gradient, _ in known]
        if keras.backend.backend() == "jax":
            import jax  # noqa: PLC0415  # not installed with every backend

            jax.debug.callback(note, step, bad)  # calls it when the compiled step skips
        else:
            note(ops.convert_to_numpy(step), [ops.convert_to_numpy(one) for one in bad])


def _note(
    overflows: list[Overflow], names: Sequence[str], sizes: Sequence[int], step: Any, bad: Any
) -> None:
    if overflows:
        more = overflows[0].skipped_steps + 1
        overflows[0] = dataclasses.replace(overflows[0], skipped_steps=more)
    else:
        overflows.append(Overflow.of_counts(step, names, bad, sizes))
