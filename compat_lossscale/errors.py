# SPDX-License-Identifier: Apache-2.0
"""The errors this package raises.

    CompatLossScaleError                    everything below
      ├─ LossScaleArgumentError             a loss_scale, or an optimizer, nobody can use  (ValueError, TypeError)
      ├─ InexpressibleLossScaleError        a loss scale that a generation has no words for (ValueError)
      ├─ ConfigFormatError                  a config that is no loss scale's               (ValueError, KeyError)
      ├─ InstallError                       the old names cannot be put back               (RuntimeError)
      └─ MissingExtraError                  TensorFlow or tf-keras is not installed        (ImportError)

Where TensorFlow 2.3 raised `ValueError` and TensorFlow 2.4 raised `TypeError` for one mistake,
the error here is both, so that either era's `except` clause catches it.
"""

from __future__ import annotations


class CompatLossScaleError(Exception):
    """Base class of every error that this package defines."""


class LossScaleArgumentError(CompatLossScaleError, ValueError, TypeError):
    """An argument from which no loss-scale optimizer can be made.

    TensorFlow 2.0-2.3 raised `ValueError`, TensorFlow 2.4 `TypeError` for several of these.
    """


class InexpressibleLossScaleError(CompatLossScaleError, ValueError):
    """A loss scale that the asked-for generation has no words for."""


class ConfigFormatError(CompatLossScaleError, ValueError, KeyError):
    """A config dictionary that is not the config of a loss scale of any generation."""

    def __str__(self) -> str:
        # KeyError would show the message's repr.
        return str(self.args[0]) if self.args else ""


class InstallError(CompatLossScaleError, RuntimeError):
    """The old names cannot be put back into TensorFlow as it is loaded now."""


class MissingExtraError(CompatLossScaleError, ImportError):
    """TensorFlow or tf-keras is needed and is not installed."""
