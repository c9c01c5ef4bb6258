# SPDX-License-Identifier: Apache-2.0
"""What a worker does with a file."""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.project.discovery import CONFIG_SUFFIXES
from lossscale_codemods.project.files import read, unreadable
from lossscale_codemods.project.gitignore import IgnoreFile
from lossscale_codemods.rules.texts import migrate_config
from lossscale_codemods.running.processes import Task, Workers
from lossscale_codemods.source.layout import LINE_LENGTH
from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.tables.options import Options


def migrate_file(path: Path, source: bytes, options: Options) -> Result:
    """Gives a file a full parse; a mistake of ours becomes a report, not a traceback.

    Args:
        path: Where it is; relative imports are looked up from there, and notebooks told by it.
        source: What is in it.
        options: What to do with it.
    """
    exports = dataclasses.replace(options.exports, package=path.stem == "__init__")
    here = options.observed_in(path.absolute().as_posix())
    options = dataclasses.replace(options, exports=exports, observed_here=here)
    if options.per_file_ignores:
        ignore = (*options.selection.ignore, *_ignored_in(path, options))
        selection = dataclasses.replace(options.selection, ignore=ignore)
        options = dataclasses.replace(options, selection=selection)
    try:
        if path.suffix in CONFIG_SUFFIXES:
            return migrate_config(source, options)
        from lossscale_codemods.project.files import ProjectImports
        from lossscale_codemods.rewriting.engine import migrate_fully
        from lossscale_codemods.running.notebook import migrate_notebook

        options = dataclasses.replace(options, line_length=LINE_LENGTH)
        files = ProjectImports(path, options.together)
        migrate = migrate_notebook if path.suffix == ".ipynb" else migrate_fully
        result = migrate(source, options, files)
        return dataclasses.replace(result, is_asking=files.is_asking)
    except KeyboardInterrupt:
        raise
    # One bad file must not stop the others, and libcst's panics are no `Exception`.
    except BaseException as error:
        problem = (
            f"This is a mistake in the codemod ({type(error).__name__}: {error}). The file is "
            "unchanged. Report it."
        )
        return Result(source, source, Status.REFUSED, problem=problem)


def _ignored_in(path: Path, options: Options) -> Iterator[str]:
    """Yields the rules that are not applied in a file, though they are in others."""
    folder = Path(options.ignores_from)
    place = Path(os.path.relpath(path.absolute(), folder))
    for pattern, ids in options.per_file_ignores:
        ignores = IgnoreFile.of(folder, [pattern])
        for part in (place, *place.parents):
            if ignores.match(part.as_posix(), is_folder=part != place) is not None:
                yield from ids
                break


def migrate_task(task: Task) -> Result:
    """Reads a file and migrates it."""
    try:
        source = read(task.name)
    except OSError as error:
        return unreadable(error)
    return migrate_file(Path(task.name), source, task.options)


def migrate_apart(path: Path, source: bytes, options: Options) -> Result:
    """Migrates a source that is in no file, in a worker, as files are.

    Args:
        path: What it is called; notebooks are told by it.
        source: The source.
        options: What to do with it.

    Returns:
        What became of it; the source as it was if the worker came to an end over it.
    """
    if not can_hold_old_name(source, selection=options.selection):
        return Result(source, source, Status.UNCHANGED)
    task = Task(str(path), len(source), options)
    with Workers(1, functools.partial(_migrate_given, source)) as workers:
        [(_, result)] = workers.migrate([task])
    if result.status is Status.UNREADABLE:
        return dataclasses.replace(result, source=source, output=source)
    return result


def _migrate_given(source: bytes, task: Task) -> Result:
    return migrate_file(Path(task.name), source, task.options)
