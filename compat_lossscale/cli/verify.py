# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale verify`: what stored artefacts hold, and what a conversion loses."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from compat_lossscale import models
from compat_lossscale._require import INSTALL_TENSORFLOW
from compat_lossscale.cli import Command, check_report_path, html_option, write_report
from compat_lossscale.errors import CompatLossScaleError, InexpressibleLossScaleError
from compat_lossscale.formats import verification
from compat_lossscale.formats.conversion import Conversion, Field, Verdict, meaning
from compat_lossscale.formats.verification import Verification, printable
from compat_lossscale.pages import escaped
from compat_lossscale.spec import Generation

_INSTALL = (
    "what is kept of a whole model is kept by --output FILE.keras, which needs TensorFlow, "
    f"tf-keras and Keras 3: {INSTALL_TENSORFLOW}"
)

_A_PATH = click.Path(readable=False)
"""For completion in shells. The reader of a path reports what is wrong with it."""
_SHOWN_QUIETLY = (verification.ArtefactStatus.LOSSY, verification.ArtefactStatus.UNREADABLE)


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=_A_PATH)
@click.option(
    "--to",
    "target",
    type=click.Choice([generation.value for generation in Generation]),
    help="Check the conversion to this generation only. With --output, convert to it.",
)
@click.option(
    "--output",
    metavar="FILE",
    type=_A_PATH,
    help="Write the converted model (.keras), the converted config (.json), or a copy of the "
    "artefact with the converted config (.h5, .keras). Never replaces the input. Needs --to and "
    "one PATH.",
)
@click.option(
    "--model",
    "function",
    metavar="SCRIPT:FUNCTION",
    help="Run SCRIPT, and call FUNCTION of it to build the compiled model of a checkpoint, which "
    "holds no config. Needs --to keras3 and --output.",
)
@click.option("--overwrite", is_flag=True, help="Let --output replace an existing file.")
@click.option(
    "--quiet", "-q", is_flag=True, help="Print only what would be lost or cannot be read."
)
@click.option("--json", is_flag=True, help="Print one JSON value instead of text.")
@html_option
@click.option(
    "--strict",
    is_flag=True,
    help="Count what an artefact does not hold, and changes that do not affect training, as losses "
    "too. Write nothing that loses something.",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Also build each optimizer, in this package and in tf-keras, and compare them step by "
    "step with random gradients. Needs TensorFlow and tf-keras.",
)
def verify(paths: tuple[str, ...], **given: Any) -> None:
    """Show which generation wrote each PATH, its loss scale, and what a conversion loses.

    PATH is a config (JSON), an .h5 or .keras model, a SavedModel, a TensorFlow checkpoint, or a
    folder of these, of which each has one line: name one for its details. Nothing in it is
    executed.

    With --to keras3, --output FILE.keras converts a whole model, with the state of its optimizer.
    That needs TensorFlow, tf-keras and Keras 3.

    The exit code is 0 if nothing is lost, 1 if something is lost, 2 if something cannot be
    read or written, 3 for both, and 64 for wrong usage.
    """
    _check_usage(paths, given)
    html: Path | None = given["html"]
    targets = tuple(Generation) if given["target"] is None else (Generation(given["target"]),)
    has_model = given["function"] is not None
    results = [
        verification.verify_artefact(
            path, targets=targets, strict=given["strict"], has_model=has_model
        )
        for path in verification.expand(paths)
    ]
    code = verification.exit_code(results)
    extra: list[str] = []
    if given["output"] is not None:
        code |= _convert(results, targets[0], given, extra)
    elif _could_be_whole(results):
        extra.append(_INSTALL)
    value = verification.as_json(results)
    if given["deep"]:
        code |= _go_deep(results, value, extra)
    if html is not None:
        from compat_lossscale.formats.html_page import as_html_page

        code |= write_report(html, as_html_page(results, deep=value.get("deep", [])))
    value["exit_code"] = code
    if given["json"]:
        lines = [json.dumps(value, indent=2, allow_nan=False)]
    elif given["quiet"]:
        left = [one for one in results if one.status in _SHOWN_QUIETLY]
        lines = [*text_of(left, paths), *extra]
    else:
        counts = [f"{count} {one.words}" for one, count in verification.totals(results).items()]
        noun = "artefact" if len(results) == 1 else "artefacts"
        summary = f"{len(results)} {noun}: {', '.join(counts)}"
        lines = [*text_of(results, paths), *extra, summary]
    for line in lines:
        click.echo(line)
    sys.exit(code)


def _check_usage(paths: tuple[str, ...], given: Mapping[str, Any]) -> None:
    output = given["output"]
    if output is not None and (given["target"] is None or len(paths) != 1):
        raise click.UsageError("--output needs --to and exactly one PATH.")
    if given["function"] is not None and output is None:
        raise click.UsageError("--model needs --output: the model is built to be converted.")
    if given["overwrite"] and output is None:
        raise click.UsageError("--overwrite needs --output: no other file is replaced.")
    if given["html"] is not None:
        check_report_path(given["html"])


def _convert(
    results: list[Verification], target: Generation, given: Mapping[str, Any], extra: list[str]
) -> int:
    """Writes the converted artefact, and returns the number to add to the exit code."""
    if len(results) != 1:
        raise click.UsageError(
            f"--output needs one artefact, and the folder has {len(results)}. Name one of them."
        )
    artefact = results[0].artefact
    if artefact is None:
        return 2
    try:
        conversion = models.write(
            artefact,
            target,
            given["output"],
            function=given["function"],
            lossy=not given["strict"],
            overwrite=given["overwrite"],
        )
    except CompatLossScaleError as error:
        click.echo(f"compat-lossscale: {printable(str(error))}", err=True)
        return 1 if isinstance(error, InexpressibleLossScaleError) else 2
    known = {(field.name, field.reason) for made in results[0].made for field in made.fields}
    for field in conversion.fields:
        # What the libraries say of the model, besides what is known without them.
        if field.verdict is not Verdict.KEPT and (field.name, field.reason) not in known:
            extra.append(_field(field).strip())
    extra.append(f"wrote {given['output']}, in the form of {target.title}")
    if conversion.lost:
        results[0] = dataclasses.replace(results[0], status=verification.ArtefactStatus.LOSSY)
    return 1 if conversion.lost else 0


def _could_be_whole(results: Sequence[Verification]) -> bool:
    """Whether a model could be converted as a whole if the libraries were installed."""
    is_model = any(
        models.is_whole(result.artefact.format, made.source, made.target)
        for result in results
        if result.artefact is not None
        for made in result.made
    )
    return is_model and not models.is_installed()


def _go_deep(results: Sequence[Verification], value: dict[str, Any], extra: list[str]) -> int:
    """Compares each config's optimizers, and returns the number to add to the exit code."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    from compat_lossscale import equivalence  # TensorFlow

    configs = [(result.path, stated) for result in results for stated, _, _ in result.distinct]
    known: dict[str, equivalence.Comparison] = {}
    compared = []
    for path, stated in configs:
        key = json.dumps(meaning(stated.config), sort_keys=True)
        if key not in known:
            known[key] = equivalence.compare_with_stock(stated.config)
        outcome, reason = known[key].outcome.value, printable(known[key].reason)
        place = printable(f"{path}: {stated.where}".rstrip(": "))
        extra.append(f"deep: {place}: {outcome}: {reason}")
        compared.append({"path": path, "where": stated.where, "outcome": outcome, "reason": reason})
    value["deep"] = compared
    return int(any(c.outcome is equivalence.StockOutcome.DIFFERENT for c in known.values()))


def text_of(results: Sequence[Verification], named: Sequence[str] | None = None) -> Iterator[str]:
    """Yields the printed lines about results, without the summary.

    What is not among the paths that the user `named` was found in a folder, and has one line.
    """
    for result in results:
        lines = list(_lines(result))
        if named is not None and result.path not in named:
            lost = len(result.lost) + sum(len(one.lost) for one in result.made)
            lines = [f"{lines[0]}; {lost} lost" if lost else lines[0]]
        yield from map(escaped, lines)


def _lines(result: Verification) -> Iterator[str]:
    artefact = result.artefact
    if artefact is None:
        yield f"{result.path}: unreadable: {result.error}"
        return
    writer = f", written by {printable(artefact.writer)}" if artefact.writer else ""
    yield f"{result.path}: {result.status.value}: {artefact.format}, {artefact.layout}{writer}"
    for stated, conversions, further in result.distinct:
        yield f"  {verification.describe_config(stated, further)}"
        if stated.note:
            yield f"    noted: {stated.note}"
        for conversion in conversions:
            yield from _conversion(conversion)
    for state in artefact.states:
        yield f"  {verification.describe_state(state)}"
    for what in artefact.missing:
        yield f"  not in it: {what}"
    for what in artefact.notes:
        yield f"  noted: {what}"
    for what in result.lost:
        yield f"  lost: {printable(what)}"


def _conversion(conversion: Conversion) -> Iterator[str]:
    lost = conversion.lost
    verdict = f"{len(lost)} lost" if lost else "lossless"
    kept = [f.name for f in conversion.fields if f.verdict is Verdict.KEPT]
    title = conversion.target.title
    yield printable(f"  to {title} and back: {verdict}; kept: {', '.join(kept)}")
    for field in conversion.fields:
        if field.verdict is not Verdict.KEPT:
            yield _field(field)


def _field(field: Field) -> str:
    value = "" if field.value is None else f" = {printable(json.dumps(field.value))}"
    return printable(f"    {field.verdict.value}: {field.name}{value}: {field.reason}")
