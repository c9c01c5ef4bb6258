# SPDX-License-Identifier: Apache-2.0
"""What the tests of the guards share: catching their warnings, and switching them off."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.steps.guards import MisuseGuards


@contextlib.contextmanager
def told() -> Iterator[list[str]]:
    """Gives the messages of the warnings of misuse within it."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    messages += [str(one.message) for one in caught if one.category is LossScaleMisuseWarning]


def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the guards do nothing."""

    def nothing(*args: Any, **kwargs: Any) -> None:
        del args, kwargs

    for name in vars(MisuseGuards):
        if not name.startswith("_"):
            monkeypatch.setattr(MisuseGuards, name, nothing)
