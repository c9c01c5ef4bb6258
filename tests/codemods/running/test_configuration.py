# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path

import pytest
from lossscale_codemods.running.configuration import Configuration, ConfigurationError, read

SECTION = '[tool.compat-lossscale]\nignore = ["LS201"]\n'


@pytest.mark.parametrize(
    "content",
    [SECTION.encode("utf-16"), SECTION.encode("utf-16-le"), b"# caf\xe9\n" + SECTION.encode()],
    ids=["UTF-16", "UTF-16 without a mark", "Latin-1"],
)
def test_what_is_not_utf_8_is_an_error_that_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"is not UTF-8.*Save it as UTF-8"):
        read(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(SECTION, encoding="utf-8-sig")
    assert read(path) == Configuration(ignore=("LS201",), folder=str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "[tool.compat-lossscale]\ntarget = 'keras3'\n",
        "[tool.'compat-lossscale']\ntarget = 'keras3'\n",
        "[ tool . compat-lossscale ]\ntarget = 'keras3'\n",
        "[tool]\ncompat-lossscale.target = 'keras3'\n",
        "tool = {compat-lossscale = {target = 'keras3'}}\n",
    ],
)
def test_every_way_to_write_the_table_is_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    assert read(file).target == "keras3"


def test_a_value_in_the_place_of_the_table_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool]\ncompat-lossscale = 3\n")
    with pytest.raises(ConfigurationError, match="must be a table"):
        read(file)


def test_a_project_that_depends_on_the_package_needs_no_table(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\ndependencies = ['compat-lossscale']\n")
    assert read(file) == Configuration(folder=str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        f"jobs = {'1' * 5000}\n",
        f"select = {'[' * 5000}{']' * 5000}\n",
        f"jobs = {'{a=' * 3000}1{'}' * 3000}\n",
        "a." * 5000 + "a = 1\n",
    ],
    ids=["digits", "brackets", "tables", "dots"],
)
def test_what_python_cannot_read_is_an_error_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.compat-lossscale]\n{text}")
    with pytest.raises(ConfigurationError) as raised:
        read(file)
    assert len(str(raised.value)) < 600


def test_a_long_value_is_shown_in_part(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.compat-lossscale]\nquiet = '{'x' * 5000}'\n")
    with pytest.raises(
        ConfigurationError, match=r"must be true or false, but is 'xxx.*\.\.\."
    ) as raised:
        read(file)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("what", ["a pipe", "a device", "a huge file"])
def test_no_other_thing_in_its_place_hangs_the_run(tmp_path: Path, what: str) -> None:
    file = tmp_path / "pyproject.toml"
    if what == "a pipe":
        os.mkfifo(file)
    elif what == "a device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as huge:
            huge.truncate(10**10)
    with pytest.raises(
        ConfigurationError, match=r"cannot be read: it is (no regular file|too large)"
    ):
        read(file)


def test_patterns_start_where_the_file_is(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.compat-lossscale]\nexclude = ['gen', 'a/b', '*.pyi']\n")
    assert read(file).exclude == ("gen", f"{tmp_path}/a/b", "*.pyi")
