# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale migrate`: its options and its output. The codemod does the work."""

from __future__ import annotations

import functools
import gc
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from compat_lossscale._require import require_libcst
from compat_lossscale.cli._migrate_arguments import (
    TARGETS,
    MigrateCommand,
    check_arguments,
    check_ids,
    check_proof,
    check_standard_input,
    form_of,
    ids,
    options_of,
    with_observed,
    with_per_file_ignores,
)
from compat_lossscale.cli._migrate_output import (
    Progress,
    color_option,
    is_coloured,
    print_run,
    proof_of,
)
from compat_lossscale.cli._project import configuration_of
from compat_lossscale.cli._reports import html_option, write_report

if TYPE_CHECKING:
    from lossscale_codemods.vocabulary.options import Options

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
    check_proof(paths, prove=prove, steps=steps, suppress=add_suppressions)
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
    from lossscale_codemods.reports.counts import exit_code, without_findings
    from lossscale_codemods.runner import migrate_files
    from lossscale_codemods.runner.interrupts import once

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
            proof = proof_of(run, prove, target=target, steps=steps)
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
    from lossscale_codemods.reports import counts, text
    from lossscale_codemods.reports.run_report import FileReport, RunReport
    from lossscale_codemods.runner.file_task import migrate_apart

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
    return counts.exit_code(run)


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
