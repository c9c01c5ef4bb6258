# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale doctor`: what works, how to fix the rest, and where to begin."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compat_lossscale.cli import Command, configuration_of
from compat_lossscale.cli.migrate import options_of
from compat_lossscale.legacy import environment
from compat_lossscale.legacy.environment import (
    LEGACY_KERAS,
    Environment,
    Job,
    Note,
    Outlook,
    ProgramUsage,
    is_installed,
)
from compat_lossscale.pages import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.project.byte_scan import Survey
    from lossscale_codemods.tables.options import Options


_TITLES = {"tensorflow": "TensorFlow", "tf_keras": "tf-keras", "keras": "Keras", "h5py": "h5py"}
_SHOWN = 5
"""How many files with old names are listed. `migrate` lists all."""


@click.command(cls=Command)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON value instead of text.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    help="How long to search for old names at most.",
)
@click.pass_context
def doctor(
    context: click.Context, paths: tuple[Path, ...], *, as_json_: bool, seconds: float
) -> None:
    """Show what is installed, whether run, migrate and verify work, and what to do next.

    Also search PATHS, files and folders, for old names of loss scaling and other removed names, and
    show what prevents the program from running as it is. The default is the current folder.
    Nothing is imported, executed or changed.

    The exit code is 0 if all three jobs work, 1 if one does not work or works only in part, and 64
    for wrong usage.
    """
    for path in paths:
        if _is_missing(path):
            raise click.UsageError(
                f"There is no file or folder {path}. Name an existing one, or none for the "
                "current folder."
            )
    installed = environment.look()
    jobs = environment.jobs(installed)
    places = paths or (Path(),)
    from lossscale_codemods.project import byte_scan

    configuration = configuration_of(places)
    exclude = configuration.exclude
    survey = byte_scan.survey(places, seconds=seconds, exclude=exclude)
    if is_installed("libcst"):
        to_migrate = _to_migrate(survey, options_of(configuration), seconds)
        survey = dataclasses.replace(survey, files=tuple(to_migrate))
    used = usage(places, exclude, seconds)
    uses = used.packages - {"tensorflow", "keras"} if used.is_for_keras_3 else used.packages
    uses = {*used.packages, "tensorflow"} if survey.files else uses
    notes = [one for one in environment.notes(installed) if not one.package or one.package in uses]
    next_step = _next_step(jobs, places, survey, is_ready=not used.needs())
    code = int(any(job.outlook is not Outlook.WORKS for job in jobs))
    if as_json_:
        value = {**_as_json(installed, jobs, notes, survey, used), "next": next_step}
        click.echo(json.dumps({**value, "exit_code": code}, indent=2))
    else:
        lines = (
            *_installed(installed, shows_choice="tensorflow" in uses),
            "",
            *_outlooks(jobs, notes),
            "",
            *_old_names(survey, places, seconds),
            *_usage_lines(used),
            f"Next: {next_step}",
        )
        for line in lines:
            click.echo(line)
    context.exit(code)


def _to_migrate(survey: Survey, options: Options, seconds: float) -> Iterator[str]:
    """Yields the files of which `migrate` says something, and those for which no time is left."""
    from lossscale_codemods.running.one_file import migrate_task
    from lossscale_codemods.running.processes import Task, Workers
    from lossscale_codemods.tables.records import Outcome, Status

    end = time.monotonic() + seconds
    with Workers(1, migrate_task) as workers:
        for name in survey.files:
            if time.monotonic() < end:
                ((_, result),) = workers.migrate([Task(name, 0, options)])
                outcomes = {record.outcome for record in result.records}
                if result.status is Status.UNCHANGED and Outcome.NEEDS_REVIEW not in outcomes:
                    continue
            yield name


def _is_missing(path: Path) -> bool:
    try:
        path.stat()
    except PermissionError:
        return False  # The survey counts files that it must not read.
    except OSError:
        return True
    return False


def _next_step(
    jobs: Sequence[Job], paths: Sequence[Path], survey: Survey, *, is_ready: bool
) -> str:
    run, migrate, _ = jobs
    named = " ".join(shlex.quote(str(path)) for path in paths)
    look = f"compat-lossscale migrate {named}"
    if migrate.outlook is not Outlook.WORKS:
        return migrate.step
    if survey.files or not survey.complete:
        return look
    if run.step or not is_ready:
        return run.step or "Install what is named above."
    return "done; `compat-lossscale verify PATH` tells about stored models and checkpoints."


def _installed(installed: Environment, *, shows_choice: bool) -> Iterator[str]:
    yield f"Python {installed.python}"
    for module, title in _TITLES.items():
        yield f"{title} {installed.packages[module] or 'is not installed'}"
    chosen = installed.legacy_keras
    if shows_choice or chosen is not None:
        yield f"{LEGACY_KERAS} is not set" if chosen is None else f"{LEGACY_KERAS}={chosen}"


def _outlooks(jobs: Sequence[Job], notes: Sequence[Note]) -> Iterator[str]:
    for job in jobs:
        yield f"{job.name:8} {job.outlook.value}: {job.reason}"
        if job.step:
            yield f"{'':8} -> {job.step}"
    for note in notes:
        yield f"{'note':8} {note.reason}"
        yield f"{'':8} -> {note.step}"


def _old_names(survey: Survey, paths: Sequence[Path], seconds: float) -> Iterator[str]:
    where = "the current folder"
    if list(paths) != [Path()]:
        where = ", ".join(escaped(str(path)) for path in paths)
    looked = _count(survey.looked_at, "file")
    if survey.files:
        yield f"{len(survey.files)} of {looked} looked at in {where} may use old names:"
        for name in survey.files[:_SHOWN]:
            yield f"  {escaped(name)}"
        if len(survey.files) > _SHOWN:
            yield f"  and {len(survey.files) - _SHOWN} more"
    else:
        yield f"No old name to migrate in the {looked} looked at in {where}."
    if survey.left_out:
        verb = "was" if survey.left_out == 1 else "were"
        yield (
            f"{_count(survey.left_out, 'file')} {verb} not looked at: too large, or not readable; "
            "`compat-lossscale migrate` says which."
        )
    if not survey.complete:
        yield (
            f"The search stopped after {seconds:g} s, before the end. Use --seconds for a longer "
            "search. `compat-lossscale migrate` looks at all files."
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _as_json(
    installed: Environment,
    jobs: Sequence[Job],
    notes: Sequence[Note],
    survey: Survey,
    used: ProgramUsage,
) -> dict[str, Any]:
    return {
        "version": 1,
        "python": installed.python,
        "packages": dict(installed.packages),
        "tf_use_legacy_keras": installed.legacy_keras,
        "jobs": [{**vars(job), "outlook": job.outlook.value} for job in jobs],
        "notes": [{"reason": note.reason, "step": note.step} for note in notes],
        "old_names": dataclasses.asdict(survey),
        "neighbours": {
            "served": [one.name for one in used.gone if one.is_served],
            "not_served": [
                {"name": one.name, "reason": one.explanation()}
                for one in used.gone
                if not one.is_served
            ],
            "needs": [{"reason": reason, "step": step} for reason, step in used.needs()],
            "not_installed": sorted(used.missing),
            "not_on_keras_3": sorted(used.not_on_keras_3),
        },
    }


_LARGEST = 2_000_000
_MOST_NAMES = 8


def usage(paths: Sequence[Path], exclude: Sequence[str], seconds: float) -> ProgramUsage:
    """Searches Python files for neighbours, for some seconds at most."""
    from lossscale_codemods.project.discovery import Skipped, discover

    used, end = ProgramUsage(), time.monotonic() + seconds
    programs = {path.absolute() for path in paths if os.path.isfile(path)}
    for one in discover(paths, exclude=exclude):
        if time.monotonic() > end:
            break
        if isinstance(one, Skipped) or not one.name.endswith(".py"):
            continue
        try:
            source = one.path.read_bytes()
        except OSError:
            continue
        if len(source) <= _LARGEST:
            used.add(source, one.path, is_asked_about=one.path.absolute() in programs)
    return used


def _usage_lines(used: ProgramUsage) -> Iterator[str]:
    """Prints what was found, and the verdict; nothing if nothing was found."""
    served = [one.name for one in used.gone if one.is_served]
    missing = [one for one in used.gone if not one.is_served]
    needs = used.needs()
    if served:
        yield (
            "The program also uses other removed names; `compat-lossscale run` restores them: "
            f"{_first(served)}."
        )
    for one in missing:
        yield f"Not restored: {one.explanation()}"
    for reason, step in needs:
        yield f"Problem: {reason}"
        yield f"  -> {step}"
    if used.not_on_keras_3:
        yield (
            "`compat-lossscale run` runs it on tf-keras, and not with --keras3: Keras 3 has no "
            f"{', '.join(sorted(used.not_on_keras_3))}."
        )
    others = sorted(used.missing - used.programs_lack)
    if others:
        yield f"Some of the files import packages that are not installed: {_first(others)}."
    if served and not missing and not needs:
        yield "No other problem is known that prevents running it as it is."


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"
