# SPDX-License-Identifier: Apache-2.0
"""What is known of the files that may use names of this one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Exports:
    """What is known of the other files.

    Attributes:
        package: Whether the file is a package's own, whose imports are there for other files.
        users: Names that other files use, each with such a file. Those that begin with a dot are
            attributes of classes.
    """

    package: bool = False
    users: Mapping[str, str] = dataclasses.field(default_factory=dict)
