# SPDX-License-Identifier: Apache-2.0
"""Arguments of `migrate` that contradict each other are refused before the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from lossscale_codemods.running.configuration import Configuration
from lossscale_codemods.tables.names import Target

from compat_lossscale.cli.migrate import TARGETS, check_ids, check_usage, ids, migrate, options_of

NOTHING: dict[str, Any] = {
    option.name: False if option.is_flag else None
    for option in migrate.params
    if isinstance(option, click.Option) and option.name is not None
}


@pytest.mark.parametrize(
    ("paths", "arguments"),
    [
        (["src"], {}),
        (["src", "train.py"], {"write": True, "undo": Path("undo.patch")}),
        (["-"], {"check": True}),
        (["src"], {"json": True, "html": Path("report.html")}),
    ],
)
def test_what_makes_sense_together(paths: list[str], arguments: dict[str, Any]) -> None:
    check_usage(tuple(map(Path, paths)), {**NOTHING, **arguments})


@pytest.mark.parametrize(
    ("paths", "arguments", "reason"),
    [
        ([], {}, "Name the files or folders"),
        (["src"], {"write": True, "check": True}, "--write and --check"),
        (["src"], {"undo": Path("undo.patch")}, "--undo needs --write"),
        (["src"], {"write": True, "undo": Path("existing")}, "existing"),
        (["src"], {"html": Path("train.py")}, r"\.html"),
        (["-", "src"], {}, "`-`"),
        (["src"], {"json": True, "sarif": True}, "--json and --sarif exclude each other"),
        (["-"], {"json": True}, "--json"),
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
        check_usage(tuple(map(Path, paths)), {**NOTHING, **arguments})


def test_ids_are_separated_by_commas() -> None:
    assert ids(" LS1, LS502,,") == ("LS1", "LS502")
    assert ids("") == ()


def test_an_id_is_that_of_a_rule_or_its_beginning() -> None:
    check_ids(("LS201", "LS5", "L"))
    with pytest.raises(click.UsageError, match=r"'LS999'.*LS201"):
        check_ids(("LS999",))


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_one_of_three(target: str) -> None:
    configuration = Configuration(target=target, select=("LS2",))
    assert options_of(configuration).target.value == target
    with pytest.raises(click.UsageError, match=r"'keras2'.*tf-keras, compat or keras3"):
        options_of(Configuration(target="keras2"))


def test_only_keras_3_goes_without_this_package() -> None:
    configuration = Configuration(target="keras3", no_dependency=True)
    assert options_of(configuration).target is Target.KERAS3_ALONE
    for target in ("tf-keras", "compat"):
        with pytest.raises(click.UsageError, match=r"--no-dependency is for --target keras3"):
            options_of(Configuration(target=target, no_dependency=True))
