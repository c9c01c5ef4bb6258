# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale migrate`: its options and its output. The codemod does the work."""

from __future__ import annotations

import dataclasses
import functools
import gc
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compat_lossscale._require import require_libcst
from compat_lossscale._version import __version__
from compat_lossscale.cli import (
    Command,
    check_report_path,
    configuration_of,
    html_option,
    write_report,
)
from compat_lossscale.pages import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lossscale_codemods.reports.run_report import Proof, RunReport
    from lossscale_codemods.running.configuration import Configuration
    from lossscale_codemods.tables.names import Target
    from lossscale_codemods.tables.options import Options


TARGETS = ("tf-keras", "compat", "keras3")


def check_usage(paths: tuple[Path, ...], given: Mapping[str, Any]) -> None:
    """Refuses options that contradict each other, before anything is read or written."""
    html, undo = given["html"], given["undo"]
    is_input = Path("-") in paths
    form_of(given)
    for_files = [
        name for name in ("html", "undo", *FORMS, "prove", "add_suppressions") if given[name]
    ]
    for_proofs = [name for name in ("steps", "rtol") if given[name] is not None]
    for is_wrong, message in (
        (not paths, "Name the files or folders to migrate, for example `migrate src`."),
        (
            given["write"] and given["check"],
            "--write and --check exclude each other: --check writes nothing. Give one of them.",
        ),
        (undo and not given["write"], "--undo needs --write: without it nothing is changed."),
        (is_input and len(paths) > 1, "`-` stands alone: give it, or files and folders."),
        (
            is_input and for_files,
            f"{_option(*for_files)} needs files or folders, not standard input.",
        ),
        (
            given["stdin_filename"] and not is_input,
            "--stdin-filename is for standard input: give `-` as the path.",
        ),
        (
            for_proofs and not given["prove"],
            f"{_option(*for_proofs)} needs --prove: without it, nothing is run.",
        ),
        (
            given["prove"] and given["add_suppressions"],
            "--prove is for changes, and --add-suppressions makes none.",
        ),
    ):
        if is_wrong:
            raise click.UsageError(message)
    if undo is not None and os.path.lexists(undo):
        from lossscale_codemods.running.writing import already_there

        raise click.UsageError(already_there(undo))
    if html is not None:
        check_report_path(html)


def _option(first: str = "", *_: str) -> str:
    return f"--{first.replace('_', '-')}"


FORMS = ("json", "sarif", "github", "statistics")
"""The forms of the report other than text, by the option that asks for each."""


def form_of(given: Mapping[str, Any]) -> str | None:
    """Returns the form of the report that an option asks for; nothing for text."""
    forms = [form for form in FORMS if given[form]]
    if len(forms) > 1:
        options = " and ".join(f"--{form}" for form in forms)
        raise click.UsageError(f"{options} exclude each other. Give one of them.")
    return forms[0] if forms else None


def ids(text: str) -> tuple[str, ...]:
    """Splits a list at its commas. Ids have upper case, whatever is written."""
    from lossscale_codemods.tables.options import split_ids

    return split_ids(text)


def configured(paths: Sequence[Path], given: Mapping[str, Any]) -> Configuration:
    """Returns what the configuration says, with what the command line says otherwise."""
    configuration = configuration_of(paths, given["config"])
    changed: dict[str, Any] = {
        name: ids(",".join(getattr(configuration, name)) if given[name] is None else given[name])
        for name in ("select", "ignore")
    }
    flags = ("collapse_guards", "unsafe_fixes", "no_dependency", "no_ignore", "quiet")
    changed |= {name: True for name in flags if given[name]}
    values = ("target", "jobs", "legacy_optimizers")
    changed |= {name: given[name] for name in values if given[name] is not None}
    if given["exclude"]:
        from lossscale_codemods.project.discovery import patterns_from

        further = patterns_from(str(Path.cwd()), given["exclude"])
        changed["exclude"] = (*configuration.exclude, *further)
    return dataclasses.replace(configuration, **changed)


def options_of(configuration: Configuration, observed: str | None = None) -> Options:
    """Checks the configuration, and returns what a run does."""
    target = configuration.target
    if target not in TARGETS:
        *others, last = TARGETS
        known = f"{', '.join(others)} or {last}"
        raise click.UsageError(f"There is no target {target!r}; use {known}.")
    if configuration.no_dependency and target != "keras3":
        raise click.UsageError(
            "--no-dependency is for --target keras3: the result of --target tf-keras needs nothing "
            "of this package, and --target compat is for what it has."
        )
    ignores = tuple(
        (pattern, tuple(one.upper() for one in names))
        for pattern, names in configuration.per_file_ignores
    )
    named = (*configuration.select, *configuration.ignore, *(one for _, n in ignores for one in n))
    if named:
        check_ids(named)
    from lossscale_codemods.tables.names import Target
    from lossscale_codemods.tables.options import Options, Selection

    options = Options(
        Target.KERAS3_ALONE if configuration.no_dependency else Target(target),
        Selection(configuration.select, configuration.ignore),
        collapse_guards=configuration.collapse_guards,
        unsafe_fixes=configuration.unsafe_fixes,
        legacy_optimizers=configuration.legacy_optimizers,
        per_file_ignores=ignores,
        ignores_from=configuration.folder,
    )
    if observed is None:
        return options
    from compat_lossscale.recording.reading import observed_kinds, read

    return dataclasses.replace(options, observed=observed_kinds(read(observed).observed))


def check_ids(ids: tuple[str, ...]) -> None:
    """Refuses ids with which no rule's id begins."""
    from lossscale_codemods.rules.base import all_rules
    from lossscale_codemods.tables.options import stands_for

    known = sorted(rule.id for rule in all_rules())
    for given in ids:
        if not any(stands_for((given,), rule) for rule in known):
            raise click.UsageError(
                f"No rule has an id that starts with {given!r}. The rules are: {', '.join(known)}."
            )


# Paths that cannot be read are reported, and the other paths are migrated.
_A_PATH = click.Path(path_type=Path, allow_dash=True, readable=False)


@click.command(cls=Command)
@click.argument("paths", nargs=-1, type=_A_PATH)
@click.option("--write", is_flag=True, help="Write the changes. Without it, nothing is written.")
@click.option("--check", is_flag=True, help="Show no diffs; for CI.")
@click.option("--target", type=click.Choice(TARGETS), help="What to migrate to [tf-keras].")
@click.option("--select", metavar="IDS", help="Apply only these rules (ids or their beginnings).")
@click.option("--ignore", metavar="IDS", help="Do not apply these rules.")
@click.option("--collapse-guards", is_flag=True, help="Remove branches for old versions.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Also make rewrites that are probably right and cannot be proven.",
)
@click.option(
    "--observed",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Also make rewrites that this recording of a run decides: where nothing but loss-scale "
    "optimizers of Keras came by.",
)
@click.option(
    "--legacy-optimizers/--new-optimizers",
    default=None,
    help="Whether tf.keras.optimizers.Adam and the other optimizers stay the classes of TensorFlow "
    "2.0 to 2.10 (the default in programs with old names), or become those of 2.11 and later.",
)
@click.option(
    "--no-dependency",
    is_flag=True,
    help="With --target keras3: use nothing but Keras 3, and report what only this package keeps.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Also leave out these files and folders: a pattern as in .gitignore. Repeatable.",
)
@click.option("--no-ignore", is_flag=True, help="Also look at ignored and excluded files.")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Read [tool.compat-lossscale] of FILE, not of the project's pyproject.toml.",
)
@click.option(
    "--stdin-filename",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With `-`: which file standard input is the content of.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="How many workers at most.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings and problems only.")
@click.option(
    "--color",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Whether to colour diffs [auto: on terminals; NO_COLOR and FORCE_COLOR count].",
)
@click.option("--statistics", is_flag=True, help="Print how often each rule decided, and no diffs.")
@click.option("--exit-zero", is_flag=True, help="Do not count changes and findings as failures.")
@click.option(
    "--add-suppressions",
    is_flag=True,
    help="Instead of changes: comments that suppress all that is found now. For large codebases, "
    "in which only new old names are to fail.",
)
@click.option("--json", is_flag=True, help="Print a JSON report.")
@click.option("--sarif", is_flag=True, help="Print a SARIF report, with fixes.")
@click.option("--github", is_flag=True, help="Print GitHub annotations.")
@html_option
@click.option(
    "--undo",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --write: also write a patch to FILE. `git apply -R` or `patch -R` undoes it.",
)
@click.option(
    "--prove",
    metavar='"PROGRAM ARGS"',
    help="Run this program before and after, in copies of the folder, and compare how it trains. "
    "With --write, write only if it is the same.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --prove: end the program after N steps of its first optimizer.",
)
@click.option(
    "--rtol",
    type=click.FloatRange(min=0),
    metavar="X",
    help="With --prove: the relative difference of a variable that counts as the same [by how far "
    "it has gone].",
)
@click.option("--explain", metavar="ID", help="Explain a rule, with examples, and stop.")
@click.option("--list-rules", is_flag=True, help="List the rules and stop.")
@click.pass_context
def migrate(context: click.Context, /, paths: tuple[Path, ...], **given: Any) -> None:
    """Migrate PATHS, files and folders, from old loss-scale APIs to the current API.

    Show diffs, findings and a summary, and write nothing without --write. `-` reads
    standard input and writes standard output. Nothing is executed, except the program of --prove.

    Exit codes: 0 nothing is left to do, 1 changes or findings are left, 2 a file could not be read
    or written, 3 both, 64 wrong options or configuration, 70 a mistake of this program, 130
    interrupted.
    """
    _prepare()
    if given["list_rules"]:
        from lossscale_codemods.rules.base import all_rules

        for rule in sorted(all_rules(), key=lambda rule: rule.id):
            click.echo(f"{rule.id}  {rule.title}")
        return
    if given["explain"] is not None:
        _explain(given["explain"])
        return
    check_usage(paths, given)
    require_libcst("migrate")
    name = given["stdin_filename"]
    configuration = configured([name] if name else paths, given)
    options = options_of(configuration, given["observed"])
    from lossscale_codemods.reports.run_report import exit_code, without_findings
    from lossscale_codemods.running.processes import once

    if paths == (Path("-"),):
        code = _standard_input(
            name or Path("stdin"), options, quiet=configuration.quiet, check=given["check"]
        )
        context.exit(without_findings(code) if given["exit_zero"] else code)
    with once():
        run, write = _run(paths, options, configuration, given)
        _print_run(run, options.target, given, quiet=configuration.quiet, write=write)
        code = without_findings(exit_code(run)) if given["exit_zero"] else exit_code(run)
        if given["html"] is not None:
            from lossscale_codemods.reports.html_page import as_html_page

            page = as_html_page(run, write=write, target=configuration.target)
            code |= write_report(given["html"], page)
    context.exit(code)


def _run(
    paths: tuple[Path, ...],
    options: Options,
    configuration: Configuration,
    given: Mapping[str, Any],
) -> tuple[RunReport, bool]:
    """Migrates files, and proves it first if that is asked for. Returns whether it may write."""
    from lossscale_codemods.running import migrate_files

    program, write = given["prove"], given["write"]
    with Progress(quiet=configuration.quiet or form_of(given) is not None) as progress:
        migrate_paths = functools.partial(
            migrate_files.run,
            paths,
            options,
            jobs=configuration.jobs,
            no_ignore=configuration.no_ignore,
            exclude=configuration.exclude,
            suppress=given["add_suppressions"],
            progress=progress,
        )
        run = migrate_paths(write=write and program is None, undo=given["undo"])
    if program is not None:
        proof = _proof_of(run, configuration.target, given)
        write = write and proof.passed
        if write:
            run = migrate_paths(write=True, undo=given["undo"])
        run.proof = proof
    return run, write


def _prepare() -> None:
    # Syntax trees are many objects that are freed together. Garbage collection every 700 objects
    # took a tenth of a run, and half of parsing.
    gc.set_threshold(50_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A file's name or text may have characters that the terminal's encoding does not have.
            stream.reconfigure(errors="backslashreplace")


def _standard_input(name: Path, options: Options, *, quiet: bool, check: bool) -> int:
    from lossscale_codemods.reports import run_report, text
    from lossscale_codemods.reports.run_report import FileReport, RunReport
    from lossscale_codemods.running.one_file import migrate_apart

    if sys.stdin is None:
        raise click.UsageError("The standard input is closed. Give `-` something to read.")
    source = sys.stdin.buffer.read()
    if not name.suffix and source.lstrip()[:1] == b"{" and b'"cells"' in source:
        name = name.with_suffix(".ipynb")
    result = migrate_apart(name, source, options)
    if not check:
        sys.stdout.buffer.write(result.output)
        sys.stdout.buffer.flush()
    run = RunReport([FileReport(name, result, written=result.changed and not check)], looked_at=1)
    for finding in text.findings(run):
        click.echo(finding, err=True)
    if not quiet:
        click.echo(text.summary(run, write=not check, to_output=True), err=True)
    return run_report.exit_code(run)


def _explain(rule_id: str) -> None:
    from lossscale_codemods.reports.text import explain
    from lossscale_codemods.rules.base import all_rules

    rule_id = rule_id.strip().upper()
    text = explain(rule_id)
    if text is None:
        check_ids((rule_id,))
        known = ", ".join(sorted(one.id for one in all_rules() if one.id.startswith(rule_id)))
        raise click.UsageError(f"Several ids begin with {rule_id}; name one of: {known}.")
    click.echo(text)


_LONG_RUN = 1.0
"""Seconds after which the line is shown."""


class Progress:
    """A line on standard error with the progress of a long run, if that is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.drawn = False

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, total: int) -> None:
        """Shows how much is done."""
        if self.shown and time.monotonic() - self.started > _LONG_RUN:
            width = 30 * done // total
            bar = "#" * width + "-" * (30 - width)
            click.echo(f"\r[{bar}] {done}/{total} files", nl=False, err=True)
            self.drawn = True

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)


def is_coloured(choice: str) -> bool:
    """Whether standard output is coloured: https://no-color.org and https://force-color.org."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _print_run(
    run: RunReport, target: Target, given: Mapping[str, Any], *, quiet: bool, write: bool
) -> None:
    """Prints diffs, mentions, findings and the summary, or a report in another form."""
    from lossscale_codemods.reports import text

    form, check = form_of(given), given["check"]
    if form not in (None, "statistics"):
        from lossscale_codemods.reports import machine_formats

        if form == "sarif":
            report = machine_formats.as_sarif(run, __version__)
        else:
            json = form == "json"
            report = machine_formats.as_json(run) if json else machine_formats.as_github(run)
        if report:
            click.echo(report)
        return
    if form == "statistics":
        lines = list(text.statistics(run))
    else:
        if not (quiet or check or write):
            _print_diffs(run, coloured=is_coloured(given["colour"]))
        changed = [file for file in run.files if file.result.changed]
        lines = [f"{escaped(str(file.path))}: would change" for file in changed if check]
        lines = [] if quiet else lines
        lines += [] if quiet else text.mentions(run)
        lines += text.findings(run)
    for line in lines:
        click.echo(line)
    if not quiet:
        # A hook runs again and again, and on code that others run.
        is_last = not (check or given["add_suppressions"] or "PRE_COMMIT" in os.environ)
        click.echo(text.summary(run, write=write, target=target if is_last else None))


def _print_diffs(run: RunReport, *, coloured: bool) -> None:
    """Prints diffs: for people on terminals and in hooks, as patches into pipes and files."""
    from lossscale_codemods.reports import run_report

    for_people = coloured or sys.stdout.isatty() or "PRE_COMMIT" in os.environ
    for file in run.files:
        if not file.result.changed:
            continue
        if for_people:
            click.echo(f"{run_report.for_people(file, coloured=coloured)}\n", color=coloured)
        else:
            # Bytes: a patch of a file in another encoding than the terminal's is one, too.
            click.echo(run_report.diff(file))


def _place_before(place: str, run: RunReport) -> str:
    """Returns the place in a file as it is that a place in the migrated file comes of."""
    import difflib

    name, _, line = place.rpartition(":")
    for file in run.files:
        if file.path.as_posix() == name and file.result.changed:
            both = file.result.output, file.result.source
            new, old = (text.decode("latin-1").split("\n") for text in both)
            blocks = difflib.SequenceMatcher(None, new, old, autojunk=False).get_matching_blocks()
            above = [one for one in blocks if one.a < int(line)]
            after, before, _ = max(above, default=difflib.Match(0, 0, 0))
            return f"{name}:{int(line) - after + before}"
    return place


def _proof_of(run: RunReport, target: str, given: Mapping[str, Any]) -> Proof:
    """Runs a program before and after the migration, in copies of the working directory."""
    from lossscale_codemods.reports.run_report import Proof
    from lossscale_codemods.tables.records import Outcome

    from compat_lossscale.recording import proving, reports

    program, steps, rtol = given["prove"], given["steps"], given["rtol"]
    outputs = {file.path: file.result.output for file in run.files if file.result.changed}
    click.echo(f"Running {program!r} before and after, in copies of this folder.", err=True)
    try:
        comparison = proving.prove(
            Path.cwd(), outputs, program, keras3=target == "keras3", steps=steps, rtol=rtol
        )
    except proving.ProofError as error:
        return Proof(program, "cannot be told", f"Cannot be told: {error}.")
    for index, one in enumerate(comparison.differences):
        stack = tuple(_place_before(place, run) for place in one.after_stack)
        comparison.differences[index] = dataclasses.replace(one, after_stack=stack)
    findings = [
        (file.path.as_posix(), record.line, f"{record.rule} {record.name}: {record.message}")
        for file in run.files
        for record in file.result.records
        if record.outcome is Outcome.NEEDS_REVIEW
    ]
    lines = list(reports.as_text(comparison, findings))[2:]
    first = comparison.first
    file, _, line = first.after_at.rpartition(":") if first is not None else ("", "", "")
    return Proof(
        program,
        comparison.verdict.name.lower().replace("_", " "),
        "\n".join(lines),
        (file, int(line)) if file else None,
    )
