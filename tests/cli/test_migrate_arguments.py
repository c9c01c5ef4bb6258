# SPDX-License-Identifier: Apache-2.0
"""Arguments of `migrate` that contradict each other are refused before the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from lossscale_codemods.tables.names import Target

from compat_lossscale.cli.migrate import (
    TARGETS,
    check_arguments,
    check_ids,
    ids,
    options_of,
)

NOTHING: dict[str, Any] = {
    "write": False, "check": False, "form": None, "html": None, "undo": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("paths", "arguments"),
    [
        (["src"], {}),
        (["src", "train.py"], {"write": True, "undo": Path("undo.patch")}),
        (["-"], {"check": True}),
        (["src"], {"form": "json", "html": Path("report.html")}),
    ],
)
def test_what_makes_sense_together(paths: list[str], arguments: dict[str, Any]) -> None:
    check_arguments(tuple(map(Path, paths)), **{**NOTHING, **arguments})


@pytest.mark.parametrize(
    ("paths", "arguments", "reason"),
    [
        ([], {}, "Name the files or folders"),
        (["src"], {"write": True, "check": True}, "--write and --check"),
        (["src"], {"undo": Path("undo.patch")}, "--undo needs --write"),
        (["src"], {"write": True, "undo": Path("existing")}, "existing"),
        (["src"], {"html": Path("train.py")}, r"\.html"),
        (["-", "src"], {}, "`-`"),
        (["-"], {"form": "json"}, "--json"),
        (["-"], {"html": Path("report.html")}, "--html"),
    ],
)
def test_what_does_not(
    paths: list[str],
    arguments: dict[str, Any],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("existing").touch()
    with pytest.raises(click.UsageError, match=reason):
        check_arguments(tuple(map(Path, paths)), **{**NOTHING, **arguments})


def test_ids_are_separated_by_commas() -> None:
    assert ids(" LS1, LS502,,") == ("LS1", "LS502")
    assert ids("") == ()


def test_an_id_is_that_of_a_rule_or_its_beginning() -> None:
    check_ids(("LS201", "LS5", "L"))
    with pytest.raises(click.UsageError, match=r"'LS999'.*LS201"):
        check_ids(("LS999",))


CHOICES = {
    "collapse_guards": False,
    "unsafe_fixes": False,
    "legacy_optimizers": True,
    "no_dependency": False,
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_one_of_three(target: str) -> None:
    assert options_of(target, ("LS2",), (), **CHOICES).target.value == target
    with pytest.raises(click.UsageError, match=r"'keras2'.*tf-keras, compat or keras3"):
        options_of("keras2", (), (), **CHOICES)


def test_only_keras_3_goes_without_this_package() -> None:
    choices = {**CHOICES, "no_dependency": True}
    assert options_of("keras3", (), (), **choices).target is Target.KERAS3_ALONE
    for target in ("tf-keras", "compat"):
        with pytest.raises(click.UsageError, match=r"--no-dependency is for --target keras3"):
            options_of(target, (), (), **choices)
