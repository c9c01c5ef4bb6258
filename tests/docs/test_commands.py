# SPDX-License-Identifier: Apache-2.0
"""Commands that the documentation only names, or shows without running them, exist."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import click
import pytest
from lossscale_codemods.running import configuration

from compat_lossscale.cli import command_line
from tests.docs.fences import ROOT, fences
from tests.docs.test_pages import PAGES

_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_TARGET = re.compile(r"^([\w-]+)(?=[\w -]*:)", re.MULTILINE)
_ENDS = set("<>|;&")
"""What a shell reads as the end of a command."""


def named(text: str) -> list[list[str]]:
    """The words of every command that a page names."""
    blocks = "".join(f"{one.text}\n" for one in fences(text) if one.language == "console")
    lines = re.sub(r"\\\n *", "", blocks).splitlines()
    sentences = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines += [" ".join(span.split()) for span in _SPAN.findall(sentences)]
    found = []
    for line in lines:
        if re.match(r"(\$ )?(\w+=\S+ )?(compat-lossscale|make|python -m) ", line):
            found.append(words(line.removeprefix("$ ")))
    return found


def words(line: str) -> list[str]:
    """The words of a line until its command ends, without variables and comments."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found = []
    for word in lexer:
        if set(word) <= _ENDS:
            break
        found.append(word)
    return [word for word in found if not re.fullmatch(r"[A-Z_]+=.+", word)]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_is_named_exists(page: str) -> None:
    check((ROOT / page).read_text("utf-8"))


@pytest.mark.parametrize(
    "command", ["make all", "python -m no_such", "compat-lossscale migrate --x"]
)
def test_a_command_that_does_not_exist_is_found(command: str) -> None:
    for text in (f"So\n`{command}`.", f"```console\n$ {command} > a\n```\n"):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            check(text)


def test_the_configuration_that_is_shown_has_every_key(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "codemod" / "index.md").read_text("utf-8")
    (block,) = [one for one in fences(page) if one.language == "toml"]
    (tmp_path / "pyproject.toml").write_text(block.text, "utf-8")
    assert set(configuration.read(tmp_path / "pyproject.toml").__dict__) - {"folder"} == {
        line.partition(" = ")[0].replace("-", "_") for line in block.text.splitlines()[1:]
    }


def check(text: str) -> None:
    for program, *arguments in named(text):
        if program == "make":
            assert set(arguments) <= set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
        elif program == "python":
            assert importlib.util.find_spec(arguments[1]), arguments
        elif not {"[OPTIONS]", "...", "…"}.intersection(arguments):
            check_call(arguments)


def check_call(arguments: list[str]) -> None:
    """Checks a call of `compat-lossscale`, without making it."""
    if arguments[0] in ("--help", "--version"):
        return
    context = click.Context(command_line)
    command = command_line.get_command(context, arguments[0])
    assert command, arguments
    try:
        parsed = command.make_context(arguments[0], arguments[1:])
    except click.MissingParameter:
        return  # A sentence may leave out what it is about.
    except click.ClickException as error:
        if re.search("Path '.*' does not exist", error.format_message()):
            return  # The file is the reader's.
        pytest.fail(f"{arguments}: {error.format_message()}")
    assert not str(parsed.params.get("script", "")).startswith("--"), arguments
