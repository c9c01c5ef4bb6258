# SPDX-License-Identifier: Apache-2.0
"""Warnings for the usual mistakes around loss scaling, and for a loss scale that cannot move.

A loss that is scaled twice is recognized by identity. Nothing reads a value, adds an operation or
changes a result.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final

from compat_lossscale.errors import LossScaleMisuseWarning, LossScaleStuckWarning

_LIBRARIES: Final = {
    "compat_lossscale",
    "tensorflow",
    "tf_keras",
    "keras",
    "jax",
    "torch",
    "contextlib",
}
_BY_AUTOGRAPH: Final = "__autograph_generated_file"
"""Is in the names of files that AutoGraph writes, of which the program knows nothing."""


class MisuseGuards:
    """Warns of mistakes, of each the first time only."""

    def __init__(self) -> None:
        self.warned: set[str] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # A copy warns again.

    def warn(self, mistake: str, message: str) -> None:
        """Warns of a mistake, the first time only."""
        if mistake in self.warned:
            return
        self.warned.add(mistake)
        warnings.warn(message, LossScaleMisuseWarning, stacklevel=frames_to_the_program())


_scaled_losses: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""Scaled losses of any framework by their identity, each for as long as it lives."""


class GuardsScaling:
    """Adds to an optimizer that it warns of a loss that is scaled already."""

    _fixed_scale: Callable[[], float | None]
    """Gives the loss scale if it is fixed, and `None` otherwise."""
    _multiply: Callable[[Any, str], Any]
    """Multiplies a loss by the loss scale, for a method that was called."""

    @functools.cached_property
    def _guards(self) -> MisuseGuards:
        return MisuseGuards()

    def _scaled(self, loss: Any, method: str) -> Any:
        if id(loss) in _scaled_losses and self._fixed_scale() != 1:
            self._guards.warn(
                "scaled twice",
                f"{method}() was given a loss that is scaled already, so its gradients are "
                "multiplied by the loss scale twice. Scale each loss once. minimize() and "
                "compute_gradients() scale it themselves, and an optimizer needs one wrapper.",
            )
        scaled = self._multiply(loss, method)
        with contextlib.suppress(TypeError):  # It takes no references: it is not recognized.
            _scaled_losses[id(scaled)] = scaled
        return scaled


def frames_to_the_program() -> int:
    """Returns how far up the calling program is, as `warnings.warn` in the caller counts it."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in _LIBRARIES and _BY_AUTOGRAPH not in frame.f_code.co_filename:
            break
        frame, count = frame.f_back, count + 1
    return count


_OF_TENSORFLOW_1 = {
    "tensorflow.python.training.": (
        "An optimizer of tf.compat.v1.train is wrapped by "
        "compat_lossscale.v1.MixedPrecisionLossScaleOptimizer."
    )
}


def where_to_go(optimizer: Any, keras: str, elsewhere: Mapping[str, str]) -> str:
    """Returns what to use instead of an optimizer of another library, or nothing.

    `elsewhere` has what to say of other libraries, by how the names of their modules begin.
    """
    if isinstance(optimizer, str):
        return f" A name becomes one by {keras}.optimizers.get({optimizer!r})."
    modules = [base.__module__ for base in type(optimizer).__mro__]
    for root, words in {**_OF_TENSORFLOW_1, **elsewhere}.items():
        if any(module.startswith(root) for module in modules):
            return f" {words}"
    return ""


_STUCK = (
    "The loss scale has to move and cannot. At {floor:g}, the lowest it can be, the "
    "gradients still hold a NaN or an infinity: look for one in the input or the loss, or for a "
    "learning rate at which training diverges."
)
AT_FLOOR = (
    "The loss scale is at the floor of its rule and has to shrink: the gradients still hold a NaN "
    "or an infinity. Look for one in the input or the loss, or for a learning rate at which "
    'training diverges. To go on without an error, use a rule with on_floor="warn", or with more '
    "floor_steps."
)
"""What the error says, in functions too."""


def warn_that_it_is_stuck(floor: float = 1.0) -> None:
    """Warns that the loss scale is at its floor, and cannot shrink."""
    warnings.warn(_STUCK.format(floor=floor), LossScaleStuckWarning, stacklevel=3)


def warn_that_it_starts_again(scale: float, initial: float) -> None:
    """Warns that the loss scale was of no use, `scale`, and starts again at `initial`."""
    warnings.warn(
        f"The loss scale is {scale:g}, with which nothing can be trained: it must be positive and "
        f"finite. It starts again at its initial value, {initial:g}.",
        LossScaleStuckWarning,
        stacklevel=frames_to_the_program(),
    )
