# SPDX-License-Identifier: Apache-2.0
"""The arguments of `migrate`. Contradictions are refused before anything is read or written."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from compat_lossscale.cli._command import Command
from compat_lossscale.cli._reports import check_report_path

if TYPE_CHECKING:
    from lossscale_codemods.runner.configuration import Configuration
    from lossscale_codemods.vocabulary.options import Options

TARGETS = ("tf-keras", "compat", "keras3")


class MigrateCommand(Command):
    """The command, with hints for those who come from other tools."""

    hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ("--fix", "-w", "-i", "--in-place", "--inplace"),
            "--write writes the changes.",
        ),
        **dict.fromkeys(
            ("--diff", "--dry-run", "-n"),
            "Without --write, nothing is written and the diffs are shown.",
        ),
        "--add-noqa": "--add-suppressions --write suppresses what is found today.",
        "--extend-exclude": "--exclude adds to what the configuration excludes.",
        "--explain-rule": "--explain ID explains a rule.",
    }


def check_arguments(
    paths: tuple[Path, ...],
    *,
    write: bool,
    check: bool,
    form: str | None,
    html: Path | None,
    undo: Path | None,
) -> None:
    """Refuses options that contradict each other, before anything is read or written."""
    if not paths:
        raise click.UsageError("Name the files or folders to migrate, for example `migrate src`.")
    if write and check:
        raise click.UsageError(
            "--write and --check exclude each other: --check writes nothing. Give one of them."
        )
    if undo is not None and not write:
        raise click.UsageError("--undo needs --write: without it nothing is changed.")
    if undo is not None and os.path.lexists(undo):
        from lossscale_codemods.runner.undo import already_there

        raise click.UsageError(already_there(undo))
    if html is not None:
        check_report_path(html)
    if Path("-") in paths and len(paths) > 1:
        raise click.UsageError("`-` stands alone: give it, or files and folders.")
    reports = {"html": html, "undo": undo, form: form}
    for option, given in reports.items() if Path("-") in paths else ():
        if given is not None:
            raise click.UsageError(f"--{option} needs files or folders, not standard input.")


def check_proof(
    paths: tuple[Path, ...], *, prove: str | None, steps: int | None, suppress: bool = False
) -> None:
    """Refuses options of a proof that contradict others."""
    if steps is not None and prove is None:
        raise click.UsageError("--steps needs --prove: without it, nothing is run.")
    if prove is not None and suppress:
        raise click.UsageError("--prove is for changes, and --add-suppressions makes none.")
    if prove is not None and Path("-") in paths:
        raise click.UsageError("--prove needs files or folders, not standard input.")


def form_of(**forms: bool) -> str | None:
    """Returns the form of the report that an option asks for; nothing for text.

    Args:
        **forms: Whether each form was asked for.
    """
    given = [form for form, asked in forms.items() if asked]
    if len(given) > 1:
        options = " and ".join(f"--{form}" for form in given)
        raise click.UsageError(f"{options} exclude each other. Give one of them.")
    return given[0] if given else None


def check_standard_input(paths: tuple[Path, ...], name: Path | None, *, suppress: bool) -> None:
    """Refuses options that are for standard input, or are not, where it is read or not."""
    is_read = Path("-") in paths
    if name is not None and not is_read:
        raise click.UsageError("--stdin-filename is for standard input: give `-` as the path.")
    if suppress and is_read:
        raise click.UsageError("--add-suppressions needs files or folders, not standard input.")


def ids(text: str) -> tuple[str, ...]:
    """Splits a list at its commas. Ids have upper case, whatever is written."""
    from lossscale_codemods.vocabulary.suppression import split_ids

    return split_ids(text)


def options_of(
    target: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    *,
    collapse_guards: bool,
    unsafe_fixes: bool,
    legacy_optimizers: bool,
    no_dependency: bool,
) -> Options:
    """Checks the options of the command line and of the configuration, and returns them."""
    if target not in TARGETS:
        *others, last = TARGETS
        known = f"{', '.join(others)} or {last}"
        raise click.UsageError(f"There is no target {target!r}; use {known}.")
    if no_dependency and target != "keras3":
        raise click.UsageError(
            "--no-dependency is for --target keras3: the result of --target tf-keras needs nothing "
            "of this package, and --target compat is for what it has."
        )
    if select or ignore:
        check_ids((*select, *ignore))
    from lossscale_codemods.vocabulary.names import Target
    from lossscale_codemods.vocabulary.options import Options
    from lossscale_codemods.vocabulary.suppression import Selection

    return Options(
        Target.KERAS3_ALONE if no_dependency else Target(target),
        Selection(select, ignore),
        collapse_guards=collapse_guards,
        unsafe_fixes=unsafe_fixes,
        legacy_optimizers=legacy_optimizers,
    )


def with_per_file_ignores(options: Options, configuration: Configuration) -> Options:
    """Returns the options with the rules that the configuration does not apply in some files."""
    rows = tuple(
        (pattern, tuple(one.upper() for one in names))
        for pattern, names in configuration.per_file_ignores
    )
    if rows:
        check_ids(tuple(one for _, names in rows for one in names))
    return dataclasses.replace(options, per_file_ignores=rows, ignores_from=configuration.folder)


def with_observed(options: Options, path: str) -> Options:
    """Returns the options with what a recorded run saw.

    Args:
        options: The options.
        path: The recording.
    """
    from compat_lossscale.recording.observed import observed_kinds
    from compat_lossscale.recording.reading import read

    return dataclasses.replace(options, observed=observed_kinds(read(path).observed))


def check_ids(ids: tuple[str, ...]) -> None:
    """Refuses ids with which no rule's id begins."""
    from lossscale_codemods.rules.registry import all_rules
    from lossscale_codemods.vocabulary.former_ids import stands_for

    known = sorted(rule.id for rule in all_rules())
    for given in ids:
        if not any(stands_for((given,), rule) for rule in known):
            raise click.UsageError(
                f"No rule has an id that starts with {given!r}. The rules are: {', '.join(known)}."
            )
