# SPDX-License-Identifier: Apache-2.0
"""Migrates the source of one file, if there is anything in it to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Exports, Options
from lossscale_codemods.tables.records import Result, Status
from lossscale_codemods.tables.suppression import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.domain import RelativeImports


def migrate_source(
    source: bytes | str,
    *,
    target: Target | str = Target.TF_KERAS,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    collapse_guards: bool = False,
    unsafe_fixes: bool = False,
    legacy_optimizers: bool = True,
    relative: RelativeImports | None = None,
    used_elsewhere: Iterable[str] = (),
) -> Result:
    """Migrates the source of one Python file.

    It sees no other file, and takes the source for a program by itself.

    Args:
        source: The file's bytes, or its text.
        target: What to migrate to: `"tf-keras"`, `"compat"`, `"keras3"`, or `"keras3-alone"`, which
            uses nothing but Keras 3.
        select: Ids, or beginnings of ids, of the rules to apply; empty for all.
        ignore: Ids, or beginnings of ids, of the rules not to apply.
        collapse_guards: Whether to take out branches that are only for old versions.
        unsafe_fixes: Whether to rewrite what is probably right and not proven as well.
        legacy_optimizers: Whether Keras optimizers stay of the family that `tf.keras.optimizers`
            had up to TensorFlow 2.10.
        relative: Turns the dotted path of an import from the same project into that of what it is
            outside of the project, if it is known.
        used_elsewhere: Names of the module that other files import or read, so that they stay what
            they are; with a dot before them, attributes of its classes.

    Returns:
        The new source and what became of each old name. It never raises for what is in the file.
    """
    users = dict.fromkeys(used_elsewhere, "another file")
    selection = Selection(tuple(select), tuple(ignore))
    options = Options(
        Target(target),
        selection,
        collapse_guards=collapse_guards,
        unsafe_fixes=unsafe_fixes,
        legacy_optimizers=legacy_optimizers,
        exports=Exports(users=users),
    )
    return migrate(source, options, relative)


def migrate(
    source: bytes | str, options: Options, relative: RelativeImports | None = None
) -> Result:
    """Does what `migrate_source` does, with the options in one value.

    Args:
        source: The file's bytes, or its text.
        options: What to do with it.
        relative: As for `migrate_source`.
    """
    given = source.encode("utf-8") if isinstance(source, str) else source
    if not options.runs_with and not can_hold_old_name(given, selection=options.selection):
        return Result(given, given, Status.UNCHANGED)
    return migrate_fully(given, options, relative)
