# SPDX-License-Identifier: Apache-2.0
"""The codemod that moves codebases from old loss-scale APIs to the one that stayed.

>>> from lossscale_codemods import migrate_source
>>> result = migrate_source(source)
>>> result.output, result.records
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossscale_codemods.running.one_file import migrate_source as migrate_source
    from lossscale_codemods.tables.records import Edit as Edit
    from lossscale_codemods.tables.records import Outcome as Outcome
    from lossscale_codemods.tables.records import Record as Record
    from lossscale_codemods.tables.records import Result as Result
    from lossscale_codemods.tables.records import Status as Status

__all__ = ["Edit", "Outcome", "Record", "Result", "Status", "migrate_source"]


def __getattr__(name: str) -> Any:
    # libcst takes most of a second to import, so it waits until something is parsed.
    if name == "migrate_source":
        from lossscale_codemods.running.one_file import migrate_source

        return migrate_source
    if name in __all__:
        from lossscale_codemods.tables import records

        return getattr(records, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
