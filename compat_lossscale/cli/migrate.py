# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale migrate`: the arguments and the printing; the work is in the codemod."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from compat_lossscale.cli._reports import check_report_path, html_option, write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lossscale_codemods.configuration import Configuration
    from lossscale_codemods.engine import Options
    from lossscale_codemods.files import RunReport

_TARGETS = ("tf-keras", "compat")
_LONG_RUN = 1.0


class _WrongCallError(click.UsageError):
    exit_code = 64  # EX_USAGE of sysexits.h.


@contextlib.contextmanager
def _apart_from_reports() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        raise _WrongCallError(error.format_message(), context) from error


class _Command(click.Command):
    """A command whose exit codes 0 to 3 tell of files, so that a wrong call has another one."""

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        with _apart_from_reports():
            return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _apart_from_reports():
            return super().invoke(ctx)


@click.command(cls=_Command)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--write", is_flag=True, help="Write the changes. Without it, nothing is written.")
@click.option("--check", is_flag=True, help="Show no diffs; for CI.")
@click.option("--target", type=click.Choice(_TARGETS), help="What to migrate to [tf-keras].")
@click.option("--select", metavar="IDS", help="Apply only these rules (ids or their beginnings).")
@click.option("--ignore", metavar="IDS", help="Do not apply these rules.")
@click.option("--collapse-guards", is_flag=True, help="Take out branches for old versions.")
@click.option("--no-ignore", is_flag=True, help="Also look at ignored and excluded files.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many workers at most.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings and problems only.")
@click.option("--json", "form", flag_value="json", help="Print a JSON report.")
@click.option("--sarif", "form", flag_value="sarif", help="Print a SARIF report, with fixes.")
@click.option("--github", "form", flag_value="github", help="Print GitHub annotations.")
@html_option
@click.option(
    "--undo",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --write: also write a patch to FILE that `git apply -R` or `patch -R` takes back.",
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
    no_ignore: bool,
    jobs: int | None,
    quiet: bool,
    form: str | None,
    html: Path | None,
    undo: Path | None,
    explain: str | None,
    list_rules: bool,
) -> None:
    """Migrate PATHS, files and folders, from old loss-scale APIs to the one that stayed.

    Shows diffs, findings and a summary, and writes nothing unless --write is given. `-` reads
    standard input and writes standard output.

    Exit codes: 0 nothing left to do, 1 changes or findings are left, 2 a file could not be read or
    written, 3 both, 64 wrong options or configuration, 130 interrupted.
    """
    # Syntax trees are many objects that go together; to look through them for cycles every 700
    # objects took a tenth of a run, and half of parsing.
    gc.set_threshold(50_000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A file's name or text may hold what the terminal's encoding does not.
            stream.reconfigure(errors="backslashreplace")
    if list_rules:
        _list_rules()
        return
    if explain is not None:
        _explain(explain)
        return
    _check_arguments(paths, write=write, check=check, html=html, undo=undo)
    configuration = _configuration(paths)
    target = target or configuration.target
    options = _options_maker(
        target,
        _ids(select) if select is not None else configuration.select,
        _ids(ignore) if ignore is not None else configuration.ignore,
        collapse_guards or configuration.collapse_guards,
    )
    quiet = quiet or configuration.quiet
    if paths == (Path("-"),):
        context.exit(_standard_input(options, quiet=quiet, check=check))
    from lossscale_codemods import files
    from lossscale_codemods.interrupts import once
    from lossscale_codemods.reports.counts import exit_code

    with once():
        with _Progress(quiet=quiet or form is not None) as progress:
            run = files.run(
                paths,
                options,
                write=write,
                jobs=jobs or configuration.jobs,
                no_ignore=no_ignore or configuration.no_ignore,
                exclude=configuration.exclude,
                undo=undo,
                progress=progress,
            )
        _print(run, form=form, quiet=quiet, check=check, write=write)
        code = exit_code(run)
        if html is not None:
            from lossscale_codemods.reports.html_page import as_html_page

            code |= write_report(html, as_html_page(run, write=write, target=target))
    context.exit(code)


def _check_arguments(
    paths: tuple[Path, ...], *, write: bool, check: bool, html: Path | None, undo: Path | None
) -> None:
    """Refuses what makes no sense together, before anything is read or written."""
    if not paths:
        raise click.UsageError("Name the files or folders to migrate, for example `migrate src`.")
    if write and check:
        raise click.UsageError(
            "--write and --check exclude each other: --check writes nothing. Give one of them."
        )
    if undo is not None and not write:
        raise click.UsageError("--undo needs --write: without it nothing is changed.")
    if undo is not None and os.path.lexists(undo):
        from lossscale_codemods.undo import already_there

        raise click.UsageError(already_there(undo))
    if html is not None:
        check_report_path(html)
    if Path("-") in paths and len(paths) > 1:
        raise click.UsageError("`-` stands alone: give it, or files and folders.")
    if Path("-") in paths and html is not None:
        raise click.UsageError("--html needs files or folders, not standard input.")


def _ids(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _configuration(paths: tuple[Path, ...]) -> Configuration:
    from lossscale_codemods import configuration

    first = Path() if paths[0] == Path("-") else paths[0]
    start = first if first.is_dir() else first.parent
    try:
        return configuration.read(configuration.find(start))
    except configuration.ConfigurationError as error:
        raise click.ClickException(str(error)) from error


def _options_maker(
    target: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    collapse_guards: bool,
) -> Callable[[], Options]:
    if target not in _TARGETS:
        raise click.UsageError(f"There is no target {target!r}; use {' or '.join(_TARGETS)}.")
    if select or ignore:
        _check_ids((*select, *ignore))

    def options() -> Options:
        from lossscale_codemods.engine import Options
        from lossscale_codemods.names import Target
        from lossscale_codemods.suppression import Selection

        return Options(Target(target), Selection(select, ignore), collapse_guards)

    return options


def _check_ids(ids: tuple[str, ...]) -> None:
    from lossscale_codemods.rules import all_rules

    known = sorted(rule.id for rule in all_rules())
    for given in ids:
        if not any(rule.startswith(given) for rule in known):
            raise click.UsageError(
                f"No rule has an id that starts with {given!r}. The rules are: {', '.join(known)}."
            )


def _standard_input(options: Callable[[], Options], *, quiet: bool, check: bool) -> int:
    from lossscale_codemods.files import FileReport, RunReport
    from lossscale_codemods.full_look import has_to_be_parsed, migrate_apart
    from lossscale_codemods.records import Result, Status
    from lossscale_codemods.reports import counts, text

    source = sys.stdin.buffer.read()
    name = Path("stdin")
    if source.lstrip()[:1] == b"{" and b'"cells"' in source:
        name = Path("stdin.ipynb")
    if has_to_be_parsed(str(name), source):
        result = migrate_apart(name, source, options())
    else:
        result = Result(source, source, Status.UNCHANGED)
    if not check:
        sys.stdout.buffer.write(result.output)
        sys.stdout.buffer.flush()
    run = RunReport([FileReport(name, result, written=result.changed and not check)], looked_at=1)
    for finding in text.findings(run):
        click.echo(finding, err=True)
    if not quiet:
        click.echo(text.summary(run, write=not check), err=True)
    return counts.exit_code(run)


def _print(run: RunReport, *, form: str | None, quiet: bool, check: bool, write: bool) -> None:
    if form is not None:
        said = _machine_form(run, form)
        if said:
            click.echo(said)
        return
    from lossscale_codemods.reports import patches, text

    if not (quiet or check or write):
        for file in run.files:
            patch = patches.diff(file)
            if patch:
                click.echo(patches.coloured(patch))
    if check and not quiet:
        for file in run.files:
            if file.result.changed:
                click.echo(f"{file.path}: would change")
    if not quiet:
        for mention in text.mentions(run):
            click.echo(mention)
    for finding in text.findings(run):
        click.echo(finding)
    if not quiet:
        click.echo(text.summary(run, write=write))


def _machine_form(run: RunReport, form: str) -> str:
    from lossscale_codemods.reports import github, json_form, sarif

    from compat_lossscale._version import __version__

    if form == "json":
        return json_form.as_json(run)
    if form == "sarif":
        return sarif.as_sarif(run, __version__)
    return github.as_github(run)


def _list_rules() -> None:
    from lossscale_codemods.rules import all_rules

    for rule in sorted(all_rules(), key=lambda rule: rule.id):
        click.echo(f"{rule.id}  {rule.title}")


def _explain(rule_id: str) -> None:
    from lossscale_codemods.documentation import explain

    text = explain(rule_id)
    if text is None:
        _check_ids((rule_id,))
        _no_such_rule(rule_id)
    click.echo(text)


def _no_such_rule(rule_id: str) -> NoReturn:
    from lossscale_codemods.rules import all_rules

    known = sorted(rule.id for rule in all_rules() if rule.id.startswith(rule_id))
    raise click.UsageError(f"Several ids begin with {rule_id}; name one of: {', '.join(known)}.")


class _Progress:
    """A line on standard error that says how far a long run is; nothing if it is no terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.drawn = False

    def __enter__(self) -> _Progress:
        return self

    def __call__(self, done: int, total: int) -> None:
        if self.shown and time.monotonic() - self.started > _LONG_RUN:
            width = 30 * done // total
            bar = "#" * width + "-" * (30 - width)
            click.echo(f"\r[{bar}] {done}/{total} files", nl=False, err=True)
            self.drawn = True

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)
