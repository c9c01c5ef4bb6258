# SPDX-License-Identifier: Apache-2.0
"""What the tests of the guards share: catching their warnings."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from compat_lossscale.errors import LossScaleMisuseWarning


@contextlib.contextmanager
def told() -> Iterator[list[str]]:
    """Gives the messages of the warnings of misuse within it."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    messages += [str(one.message) for one in caught if one.category is LossScaleMisuseWarning]
