# SPDX-License-Identifier: Apache-2.0
"""Reading files, as quickly as can be."""

from __future__ import annotations

from lossscale_codemods.vocabulary.records import Result, Status


def read(name: str) -> bytes:
    """Returns a file's bytes."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
        return file.read()


def unreadable(error: OSError) -> Result:
    """Returns what is to be said of a file that cannot be read."""
    problem = f"It cannot be read: {error.strerror or error}."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)
