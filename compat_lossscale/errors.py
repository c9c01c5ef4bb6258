# SPDX-License-Identifier: Apache-2.0
"""The errors this package raises.

They are a tree::

    CompatLossScaleError              everything below
      ├─ LossScaleArgumentError       no loss scale, or optimizer, to use   ValueError, TypeError
      │   └─ AlreadyWrappedError      an optimizer with loss scaling      + AttributeError
      ├─ InexpressibleLossScaleError  a generation has no words for it      ValueError
      ├─ ConfigFormatError            a config that states no loss scale    ValueError, KeyError
      ├─ UnreadableArtefactError      a file that is no readable artefact   ValueError
      ├─ ConversionError              nothing to write, or nowhere to       ValueError
      ├─ NotCountedError              skipped steps that nothing counts     RuntimeError
      ├─ LossScaleMisuseError         calls that contradict each other      RuntimeError
      ├─ InstallError                 the old names cannot be put back      RuntimeError
      ├─ MissingExtraError            what is needed is not installed       ImportError
      └─ ProgramError                 no program can be run like that

Where TensorFlow 2.3 raised `ValueError` and TensorFlow 2.4 raised `TypeError` for one mistake,
the error here is both, so that either era's `except` clause catches it.
"""

from __future__ import annotations


class CompatLossScaleError(Exception):
    """Base class of every error that this package defines."""


class LossScaleStuckWarning(UserWarning):
    """A loss scale had to shrink or to grow, and is as low or as high as it can be."""


class LossScaleMisuseWarning(UserWarning):
    """A loss-scale optimizer is used in a way that trains badly: the message says which."""


class LossScaleArgumentError(CompatLossScaleError, ValueError, TypeError):
    """An argument from which no loss-scale optimizer can be made.

    TensorFlow 2.0-2.3 raised `ValueError`, TensorFlow 2.4 `TypeError` for several of these.
    """


class AlreadyWrappedError(LossScaleArgumentError, AttributeError):
    """An optimizer that has loss scaling already cannot be wrapped again.

    TensorFlow 2.3 raised `ValueError`, 2.4 `AttributeError`, and 2.5 and later `TypeError`.
    """


class InexpressibleLossScaleError(CompatLossScaleError, ValueError):
    """A loss scale that the asked-for generation has no words for."""


class ConfigFormatError(CompatLossScaleError, ValueError, KeyError):
    """A config dictionary that is not the config of a loss scale of any generation."""

    def __str__(self) -> str:
        # KeyError would show the message's repr.
        return str(self.args[0]) if self.args else ""


class UnreadableArtefactError(CompatLossScaleError, ValueError):
    """A file that cannot be read as an artefact: the message says where and why."""


class ConversionError(CompatLossScaleError, ValueError):
    """There is nothing to write, or no place to write it: the message says which."""


class NotCountedError(CompatLossScaleError, RuntimeError):
    """Skipped steps are not counted: in graphs of TensorFlow 1, and in Keras 3 on JAX."""


class LossScaleMisuseError(CompatLossScaleError, RuntimeError):
    """Calls of a loss-scale optimizer that contradict each other: the message says which."""


class InstallError(CompatLossScaleError, RuntimeError):
    """The old names cannot be put back into TensorFlow as it is loaded now."""


class ProgramError(CompatLossScaleError):
    """A program cannot be run as it is asked for."""


class MissingExtraError(CompatLossScaleError, ImportError):
    """TensorFlow, tf-keras, libcst or matplotlib is needed and is not installed."""
