# SPDX-License-Identifier: Apache-2.0
"""The errors this package raises.

They are a tree::

    CompatLossScaleError              everything below
      ├─ LossScaleArgumentError       an invalid loss scale or optimizer    ValueError, TypeError
      │   └─ AlreadyWrappedError      an optimizer with loss scaling      + AttributeError
      ├─ UnscalableError              a loss that cannot be scaled    + AttributeError
      ├─ InexpressibleLossScaleError  a generation cannot express it        ValueError
      ├─ ConfigFormatError            a config without a loss scale         ValueError, KeyError
      ├─ UnreadableArtefactError      a file that cannot be read            ValueError
      ├─ ConversionError              a conversion that cannot be written   ValueError
      ├─ NotCountedError              skipped steps that are not counted    RuntimeError,
                                                                            AttributeError
      ├─ LossScaleStuckError          a loss scale at its floor           FloatingPointError
      ├─ LossScaleMisuseError         calls that contradict each other      RuntimeError
      ├─ InstallError                 the old names cannot be restored      RuntimeError
      ├─ MissingExtraError            a dependency is not installed         ImportError
      └─ ProgramError                 a program that cannot be run

If TensorFlow 2.3 raised `ValueError` and TensorFlow 2.4 raised `TypeError` for the same mistake,
the error is an instance of both, so the `except` clauses of both versions catch it.
"""

from __future__ import annotations


class CompatLossScaleError(Exception):
    """Base class of every error that this package defines."""


class LossScaleStuckWarning(UserWarning):
    """A loss scale has to shrink or to grow, but is already at its minimum or maximum."""


class LossScaleMisuseWarning(UserWarning):
    """A loss-scale optimizer is used in a way that trains badly: the message says which."""


class LossScaleArgumentError(CompatLossScaleError, ValueError, TypeError):
    """An argument from which no loss-scale optimizer can be made.

    TensorFlow 2.0-2.3 raised `ValueError`, TensorFlow 2.4 `TypeError` for several of these.
    """


class AlreadyWrappedError(LossScaleArgumentError, AttributeError):
    """An optimizer that already has loss scaling cannot be wrapped again.

    TensorFlow 2.3 raised `ValueError`, 2.4 `AttributeError`, and 2.5 and later `TypeError`.
    """


class UnscalableError(CompatLossScaleError, ValueError, TypeError, AttributeError):
    """A loss or a gradient that cannot be scaled: a bool, no tensor, or one without its tape.

    TensorFlow 2.1 and later raised `AttributeError` for what has no dtype. For a tensor without the
    tape that it was computed under, 2.0-2.3 raised `TypeError`, and later versions `ValueError`.
    """


class InexpressibleLossScaleError(CompatLossScaleError, ValueError):
    """A loss scale that the requested generation cannot express."""


class ConfigFormatError(CompatLossScaleError, ValueError, KeyError, TypeError):
    """A dictionary that is not a loss-scale config of any generation.

    TensorFlow's `from_config` raised `KeyError` for a missing entry, and `TypeError` or
    `ValueError` for one of another type.
    """

    def __str__(self) -> str:
        # KeyError would show the message's repr.
        return str(self.args[0]) if self.args else ""


class UnreadableArtefactError(CompatLossScaleError, ValueError):
    """A file that cannot be read as an artefact. The message says where and why."""


class ConversionError(CompatLossScaleError, ValueError):
    """A converted config cannot be written. The message says why."""


class NotCountedError(CompatLossScaleError, RuntimeError, AttributeError):
    """Skipped steps are not counted: in graphs of TensorFlow 1, and in Keras 3 on JAX.

    To `hasattr`, an optimizer does not have them there.
    """


class LossScaleStuckError(CompatLossScaleError, FloatingPointError):
    """A loss scale is at its floor and has to shrink, and its rule says `on_floor="raise"`."""


class LossScaleMisuseError(CompatLossScaleError, RuntimeError):
    """Calls of a loss-scale optimizer that contradict each other: the message says which."""


class InstallError(CompatLossScaleError, RuntimeError):
    """The old names cannot be restored in the loaded TensorFlow."""


class ProgramError(CompatLossScaleError):
    """A program cannot be run with these options."""


class MissingExtraError(CompatLossScaleError, ImportError):
    """TensorFlow, tf-keras, h5py, libcst or matplotlib is required and is not installed."""
