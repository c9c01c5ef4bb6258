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
from typing import TYPE_CHECKING, ClassVar, NoReturn

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
    from lossscale_codemods.reports.run_report import Proof, RunReport
    from lossscale_codemods.running.configuration import Configuration
    from lossscale_codemods.tables.names import Target
    from lossscale_codemods.tables.options import Options


TARGETS = ("tf-keras", "compat", "keras3")
color_option = click.option(
    "--color",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Whether to colour diffs [auto: on terminals; NO_COLOR and FORCE_COLOR count].",
)


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
        from lossscale_codemods.running.writing import already_there

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
    paths: tuple[Path, ...],
    *,
    prove: str | None,
    steps: int | None,
    rtol: float | None,
    suppress: bool = False,
) -> None:
    """Refuses options of a proof that contradict others."""
    for option, given in {"steps": steps, "rtol": rtol}.items():
        if given is not None and prove is None:
            raise click.UsageError(f"--{option} needs --prove: without it, nothing is run.")
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
    from lossscale_codemods.tables.suppression import split_ids

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
    from lossscale_codemods.tables.names import Target
    from lossscale_codemods.tables.options import Options
    from lossscale_codemods.tables.suppression import Selection

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
    from compat_lossscale.recording.reading import observed_kinds, read

    return dataclasses.replace(options, observed=observed_kinds(read(path).observed))


def check_ids(ids: tuple[str, ...]) -> None:
    """Refuses ids with which no rule's id begins."""
    from lossscale_codemods.rules.registry import all_rules
    from lossscale_codemods.tables.suppression import stands_for

    known = sorted(rule.id for rule in all_rules())
    for given in ids:
        if not any(stands_for((given,), rule) for rule in known):
            raise click.UsageError(
                f"No rule has an id that starts with {given!r}. The rules are: {', '.join(known)}."
            )


# Paths that cannot be read are reported, and the other paths are migrated.
_A_PATH = click.Path(path_type=Path, allow_dash=True, readable=False)


@click.command(cls=MigrateCommand)
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
    "2.0 to 2.10 (the default), or become those of 2.11 and later.",
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
@color_option
@click.option("--statistics", is_flag=True, help="Print how often each rule decided, and no diffs.")
@click.option("--exit-zero", is_flag=True, help="Do not count changes and findings as failures.")
@click.option(
    "--add-suppressions",
    is_flag=True,
    help="Instead of changes: comments that suppress all that is found now. For large codebases, "
    "in which only new old names are to fail.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON report.")
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
def migrate(
    context: click.Context,
    paths: tuple[Path, ...],
    write: bool,
    check: bool,
    target: str | None,
    select: str | None,
    ignore: str | None,
    collapse_guards: bool,
    unsafe_fixes: bool,
    observed: str | None,
    legacy_optimizers: bool | None,
    no_dependency: bool,
    exclude: tuple[str, ...],
    no_ignore: bool,
    config: Path | None,
    stdin_filename: Path | None,
    jobs: int | None,
    quiet: bool,
    colour: str,
    statistics: bool,
    exit_zero: bool,
    add_suppressions: bool,
    as_json: bool,
    sarif: bool,
    github: bool,
    html: Path | None,
    undo: Path | None,
    prove: str | None,
    steps: int | None,
    rtol: float | None,
    explain: str | None,
    list_rules: bool,
) -> None:
    """Migrate PATHS, files and folders, from old loss-scale APIs to the current API.

    Show diffs, findings and a summary, and write nothing without --write. `-` reads
    standard input and writes standard output. Nothing is executed, except the program of --prove.

    Exit codes: 0 nothing is left to do, 1 changes or findings are left, 2 a file could not be read
    or written, 3 both, 64 wrong options or configuration, 70 a mistake of this program, 130
    interrupted.
    """
    _prepare()
    if list_rules:
        _list_rules()
        return
    if explain is not None:
        _explain(explain)
        return
    form = form_of(json=as_json, sarif=sarif, github=github, statistics=statistics)
    check_arguments(paths, write=write, check=check, form=form, html=html, undo=undo)
    check_proof(paths, prove=prove, steps=steps, rtol=rtol, suppress=add_suppressions)
    check_standard_input(paths, stdin_filename, suppress=add_suppressions)
    require_libcst("migrate")
    configuration = configuration_of([stdin_filename] if stdin_filename else paths, config)
    target = target or configuration.target
    options = with_per_file_ignores(
        options_of(
            target,
            ids(select if select is not None else ",".join(configuration.select)),
            ids(ignore if ignore is not None else ",".join(configuration.ignore)),
            collapse_guards=collapse_guards or configuration.collapse_guards,
            unsafe_fixes=unsafe_fixes or configuration.unsafe_fixes,
            legacy_optimizers=(
                configuration.legacy_optimizers if legacy_optimizers is None else legacy_optimizers
            ),
            no_dependency=no_dependency or configuration.no_dependency,
        ),
        configuration,
    )
    if observed is not None:
        options = with_observed(options, observed)
    quiet = quiet or configuration.quiet
    from lossscale_codemods.reports.run_report import exit_code, without_findings
    from lossscale_codemods.running import migrate_files
    from lossscale_codemods.running.processes import once

    if paths == (Path("-"),):
        name = stdin_filename or Path("stdin")
        code = _standard_input(name, options, quiet=quiet, check=check)
        context.exit(without_findings(code) if exit_zero else code)
    with once():
        with Progress(quiet=quiet or form is not None) as progress:
            migrate_paths = functools.partial(
                migrate_files.run,
                paths,
                options,
                jobs=jobs or configuration.jobs,
                no_ignore=no_ignore or configuration.no_ignore,
                exclude=(*configuration.exclude, *_from_here(exclude)),
                suppress=add_suppressions,
                progress=progress,
            )
            run = migrate_paths(write=write and prove is None, undo=undo if write else None)
        if prove is not None:
            proof = proof_of(run, prove, target=target, steps=steps, rtol=rtol)
            write = write and proof.passed
            if write:
                run = migrate_paths(write=True, undo=undo)
            run.proof = proof
        print_run(
            run,
            form=form,
            target=None if add_suppressions else options.target,
            quiet=quiet,
            check=check,
            write=write,
            coloured=is_coloured(colour),
        )
        code = without_findings(exit_code(run)) if exit_zero else exit_code(run)
        if html is not None:
            from lossscale_codemods.reports.html_page import as_html_page

            code |= write_report(html, as_html_page(run, write=write, target=target))
    context.exit(code)


def _prepare() -> None:
    # Syntax trees are many objects that are freed together. Garbage collection every 700 objects
    # took a tenth of a run, and half of parsing.
    gc.set_threshold(50_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A file's name or text may have characters that the terminal's encoding does not have.
            stream.reconfigure(errors="backslashreplace")


def _from_here(patterns: tuple[str, ...]) -> list[str]:
    from lossscale_codemods.project.discovery import patterns_from

    return patterns_from(str(Path.cwd()), patterns) if patterns else []


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


def _list_rules() -> None:
    from lossscale_codemods.rules.registry import all_rules

    for rule in sorted(all_rules(), key=lambda rule: rule.id):
        click.echo(f"{rule.id}  {rule.title}")


def _explain(rule_id: str) -> None:
    from lossscale_codemods.reports.rule_reference import explain

    rule_id = rule_id.strip().upper()
    text = explain(rule_id)
    if text is None:
        check_ids((rule_id,))
        _no_such_rule(rule_id)
    click.echo(text)


def _no_such_rule(rule_id: str) -> NoReturn:
    from lossscale_codemods.rules.registry import all_rules

    known = sorted(rule.id for rule in all_rules() if rule.id.startswith(rule_id))
    raise click.UsageError(f"Several ids begin with {rule_id}; name one of: {', '.join(known)}.")


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
    """Returns whether to colour standard output: https://no-color.org and https://force-color.org.

    Args:
        choice: What the option says: auto, always or never.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def print_run(
    run: RunReport,
    *,
    form: str | None,
    target: Target | None,
    quiet: bool,
    check: bool,
    write: bool,
    coloured: bool,
) -> None:
    """Prints diffs, mentions, findings and the summary, or a report in another form.

    Args:
        run: The run.
        form: json, sarif, github or statistics; nothing for text.
        target: What programs are migrated to, if it is to be said how to run the result.
        quiet: Whether to print findings and problems only.
        check: Whether to name the files that would change instead of showing how.
        write: Whether changes were to be written.
        coloured: Whether to colour diffs.
    """
    from lossscale_codemods.reports import text

    if form not in (None, "statistics"):
        if report := _machine_form(run, form):
            click.echo(report)
        return
    if form == "statistics":
        lines = list(text.statistics(run))
    else:
        if not (quiet or check or write):
            _print_diffs(run, coloured=coloured)
        lines = [] if quiet or not check else list(_files_that_would_change(run))
        lines += [] if quiet else text.mentions(run)
        lines += text.findings(run)
    for line in lines:
        click.echo(line)
    if not quiet:
        # A hook runs again and again, and on code that others run.
        ends = None if check or "PRE_COMMIT" in os.environ else target
        click.echo(text.summary(run, write=write, target=ends))


def _files_that_would_change(run: RunReport) -> list[str]:
    return [f"{escaped(str(file.path))}: would change" for file in run.files if file.result.changed]


def _print_diffs(run: RunReport, *, coloured: bool) -> None:
    """Prints diffs: for people on terminals and in hooks, as patches into pipes and files."""
    from lossscale_codemods.reports import patches

    for_people = coloured or sys.stdout.isatty() or "PRE_COMMIT" in os.environ
    for file in run.files:
        if not file.result.changed:
            continue
        if for_people:
            click.echo(f"{patches.for_people(file, coloured=coloured)}\n", color=coloured)
        else:
            # Bytes: a patch of a file in another encoding than the terminal's is one, too.
            click.echo(patches.diff(file))


def _machine_form(run: RunReport, form: str | None) -> str:
    from lossscale_codemods.reports import machine_formats

    if form == "json":
        return machine_formats.as_json(run)
    if form == "sarif":
        return machine_formats.as_sarif(run, __version__)
    return machine_formats.as_github(run)


def proof_of(
    run: RunReport, program: str, *, target: str, steps: int | None, rtol: float | None
) -> Proof:
    """Runs a program before and after the migration, in copies of the working directory.

    Args:
        run: What the migration would change.
        program: What would follow `compat-lossscale run`.
        target: What the program is migrated to.
        steps: After how many steps it ends; `None` to let it end by itself.
        rtol: The relative difference of a variable that counts as the same; `None` for the default.
    """
    from lossscale_codemods.reports.run_report import Proof
    from lossscale_codemods.tables.records import Outcome

    from compat_lossscale.recording import proving, reports

    outputs = {file.path: file.result.output for file in run.files if file.result.changed}
    click.echo(f"Running {program!r} before and after, in copies of this folder.", err=True)
    try:
        comparison = proving.prove(
            Path.cwd(), outputs, program, keras3=target == "keras3", steps=steps, rtol=rtol
        )
    except proving.ProofError as error:
        return Proof(program, "cannot be told", f"Cannot be told: {error}.")
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
