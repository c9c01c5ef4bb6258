# SPDX-License-Identifier: Apache-2.0
"""Warnings for the usual mistakes around loss scaling, each once for an optimizer.

They look at which tensors an optimizer is given, and at which of its methods are called. They read
no values but one, add no operations, and change no result.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final

from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.steps.call_order import CallOrder
from compat_lossscale.steps.tensor_notes import TensorNotes

INFINITE_IN_FLOAT16: Final = 65520.0
"""The smallest number that becomes infinite in float16."""
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


class _Unscaling:
    """One call that unscaled gradients: of which optimizer, and whether they were applied."""

    def __init__(self, guards: MisuseGuards) -> None:
        self.guards = guards
        self.was_applied = False


_scaled: TensorNotes[bool] = TensorNotes("_is_scaled_loss")
_unscaled: TensorNotes[_Unscaling] = TensorNotes("_unscaling")


class MisuseGuards:
    """What an optimizer remembers to recognize mistakes, and which it has warned of.

    Args:
        function: Gives the function that is being traced; `None` outside of one.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._warned: set[str] = set()
        self.order = CallOrder(function)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)

    def check_loss(self, loss: Any, method: str, fixed_scale: Callable[[], float | None]) -> None:
        """Warns if a loss that is to be scaled has been scaled already, by whatever optimizer.

        Args:
            loss: The loss.
            method: The method that was called, for the message.
            fixed_scale: Gives the loss scale if it is fixed, and `None` otherwise.
        """
        if _scaled.of(loss) and fixed_scale() != 1:
            self.warn(
                "scaled twice",
                f"{method}() was given a loss that is scaled already, so its gradients are "
                "multiplied by the loss scale twice. Scale each loss once. minimize() and "
                "compute_gradients() scale it themselves, and an optimizer needs one wrapper.",
            )

    def note_scaled(self, scaled: Any) -> None:
        """Notes a loss that was scaled."""
        _scaled.write((scaled,), True)

    def check_range(
        self, fixed_scale: float | None, overflows: Callable[[], bool] | None = None
    ) -> None:
        """Warns if a fixed loss scale makes a float16 loss infinite.

        Args:
            fixed_scale: The loss scale if it is fixed, and `None` otherwise.
            overflows: Tells, from the values, whether scaling made the loss infinite. It is asked
                for one loss of an optimizer: to read a value, the program waits for the device.
        """
        if fixed_scale is None or "infinite" in self._warned:
            return
        instead = (
            "Cast the loss to float32 before you scale it, use a smaller loss scale, or a dynamic "
            "one."
        )
        if fixed_scale >= INFINITE_IN_FLOAT16:
            self.warn(
                "infinite",
                f"The fixed loss scale {fixed_scale:g} is infinite in float16, the dtype of this "
                f"loss, and so is the scaled loss. {instead}",
            )
        elif overflows is not None and "range" not in self._warned:
            self._warned.add("range")
            if overflows():
                self.warn(
                    "infinite",
                    f"The fixed loss scale {fixed_scale:g} makes this float16 loss infinite: "
                    f"float16 ends at 65504. {instead}",
                )

    def check_gradients(
        self, gradients: Iterable[Any], method: str, fixed_scale: Callable[[], float | None]
    ) -> None:
        """Warns if gradients that are to be unscaled were unscaled by this optimizer already.

        Args:
            gradients: The gradients.
            method: See `check_loss`.
            fixed_scale: See `check_loss`.
        """
        if "unscaled twice" in self._warned:
            return
        for gradient in gradients:
            unscaling = _unscaled.of(gradient)
            if unscaling is not None and unscaling.guards is self and fixed_scale() != 1:
                self.warn(
                    "unscaled twice",
                    f"{method}() was given gradients that this optimizer has unscaled already, so "
                    "they are divided by the loss scale twice, and the model will hardly train. "
                    "Unscale gradients once. minimize() and compute_gradients() do it themselves.",
                )
                return

    def note_unscaled(self, given: Iterable[Any], unscaled: Iterable[Any]) -> None:
        """Notes gradients that were unscaled.

        Args:
            given: The gradients before.
            unscaled: The gradients after, in the same order. What has stayed the same is left out.
        """
        new = [after for before, after in zip(given, unscaled, strict=True) if after is not before]
        _unscaled.write(new, _Unscaling(self))

    def check_unscaled(self, method: str, *, ever: bool) -> None:
        """Warns if a step scaled a loss and is about to apply gradients that nobody unscaled.

        A step ends here: what was called before it belongs to it.

        Args:
            method: See `check_loss`.
            ever: Whether gradients were ever unscaled. If not, there is another warning.
        """
        scaled = self.order.use_all("get_scaled_loss")
        unscaled = self.order.use("get_unscaled_gradients")
        if scaled and ever and not unscaled:
            self.warn(
                "not unscaled",
                f"{method}() was called in a step that called get_scaled_loss() and did not call "
                "get_unscaled_gradients(), so the gradients are as many times too large as the "
                "loss scale. Call it once before each apply_gradients().",
            )

    def check_scaled(
        self, method: str, fixed_scale: Callable[[], float | None], *, ever: bool
    ) -> None:
        """Warns if a step unscales gradients, and no loss was scaled for it by `scale_loss`.

        It is for the protocol of Keras 3.

        Args:
            method: See `check_loss`.
            fixed_scale: See `check_loss`.
            ever: Whether a loss was ever scaled. If not, there is another warning.
        """
        if not self.order.use("scale_loss") and ever and fixed_scale() is None:
            self.warn(
                "applied twice",
                f"{method}() was called again, and scale_loss() was not called since the call "
                "before. Each call divides the gradients by the loss scale, which the call before "
                "may have moved. Give all gradients of a loss to one call, or use an optimizer for "
                "each group of variables, and scale the loss in each step.",
            )

    def check_applied_once(
        self, gradients: Iterable[Any], method: str, fixed_scale: Callable[[], float | None]
    ) -> None:
        """Warns if gradients of one unscaling are applied by a second call.

        Args:
            gradients: The gradients that are applied.
            method: See `check_loss`.
            fixed_scale: See `check_loss`.
        """
        # The gradients of one call mostly come from one unscaling, and the first one tells which.
        first = next((one for one in gradients if one is not None), None)
        unscaling = _unscaled.of(first)
        if unscaling is None or unscaling.guards is not self:
            return
        if unscaling.was_applied and fixed_scale() is None:
            self.warn(
                "applied twice",
                f"{method}() was called twice with gradients that were unscaled together. Each "
                "call counts a step and moves the dynamic loss scale, and of two calls one can be "
                "skipped and the other applied. Give all pairs to one call, or use an optimizer "
                "for each group of variables.",
            )
        unscaling.was_applied = True

    def was_told_of(self, mistake: str) -> None:
        """Notes that the program has been warned of a mistake in other words."""
        self._warned.add(mistake)

    def warn(self, mistake: str, message: str) -> None:
        """Warns of a mistake, the first time only.

        Args:
            mistake: A name of the mistake.
            message: What is wrong, what follows from it, and what to do instead.
        """
        if mistake in self._warned:
            return
        self._warned.add(mistake)
        warnings.warn(message, LossScaleMisuseWarning, stacklevel=frames_to_the_program())


def frames_to_the_program() -> int:
    """Returns how far up the calling program is, as `warnings.warn` in the caller counts it."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and _is_of_a_library(frame):
        frame, count = frame.f_back, count + 1
    return count


def _is_of_a_library(frame: types.FrameType) -> bool:
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package in _LIBRARIES or _BY_AUTOGRAPH in frame.f_code.co_filename
