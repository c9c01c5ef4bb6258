# SPDX-License-Identifier: Apache-2.0
"""Errors are caught by the `except` clauses that programs for the old versions have."""

from __future__ import annotations

import pytest

from compat_lossscale import errors

CAUGHT_BY: dict[type[Exception], tuple[type[Exception], ...]] = {
    errors.LossScaleArgumentError: (ValueError, TypeError),
    errors.AlreadyWrappedError: (ValueError, TypeError, AttributeError),
    errors.UnscalableError: (ValueError, TypeError, AttributeError),
    errors.InexpressibleLossScaleError: (ValueError,),
    errors.ConfigFormatError: (ValueError, KeyError, TypeError),
    errors.UnreadableArtefactError: (ValueError,),
    errors.ConversionError: (ValueError,),
    errors.NotCountedError: (RuntimeError, AttributeError),
    errors.LossScaleStuckError: (FloatingPointError,),
    errors.LossScaleMisuseError: (RuntimeError,),
    errors.InstallError: (RuntimeError,),
    errors.MissingExtraError: (ImportError,),
    errors.ProgramError: (),
}


def test_every_error_is_listed() -> None:
    defined = {one for one in vars(errors).values() if isinstance(one, type)}
    raised = {one for one in defined if not issubclass(one, Warning)}
    assert raised == {*CAUGHT_BY, errors.CompatLossScaleError}
    assert all(one.__name__ in (errors.__doc__ or "") for one in raised)


@pytest.mark.parametrize(("error", "bases"), CAUGHT_BY.items())
def test_an_error_is_of_the_classes_that_the_old_versions_raised(
    error: type[Exception], bases: tuple[type[Exception], ...]
) -> None:
    for base in (errors.CompatLossScaleError, *bases):
        with pytest.raises(base, match="the message"):
            raise error("the message")


def test_the_message_of_a_key_error_is_not_quoted() -> None:
    assert str(errors.ConfigFormatError("the message")) == "the message"


def test_a_stuck_loss_scale_is_a_warning() -> None:
    assert issubclass(errors.LossScaleStuckWarning, Warning)
