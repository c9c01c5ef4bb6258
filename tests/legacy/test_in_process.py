# SPDX-License-Identifier: Apache-2.0
"""Running programs in this process; tests/cli/test_run_as_python.py has debuggers do it."""

from __future__ import annotations

import io
import py_compile
import sys
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.legacy import program


@pytest.fixture(autouse=True)
def python_as_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts back what running a program changes."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", ["to be replaced", *sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    known = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(known):
        if name.startswith("under_test"):
            del sys.modules[name]
    for name, module in known.items():
        sys.modules.setdefault(name, module)


def test_a_script_gets_its_arguments_and_its_directory_on_the_path(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "a.py"
    path.write_text("import sys\nprint(sys.argv[1:], sys.path[0], __name__, __file__, __cached__)")
    program.run_in_process([str(path), "-m", "--x"])
    out = capsys.readouterr().out.strip()
    assert out == f"['-m', '--x'] {tmp_path.resolve()} __main__ {path} None"
    assert sys.argv[0] == str(path)


def test_classes_of_the_script_can_be_pickled(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import pickle\nclass A:\n    x = 1\nprint(pickle.loads(pickle.dumps(A())).x, __spec__)"
    )
    program.run_in_process([str(path)])
    assert capsys.readouterr().out.split() == ["1", "None"]


def test_an_encoding_line_is_heeded_and_no_future_import_of_the_runners(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "a.py"
    source = "# -*- coding: latin-1 -*-\nprint('\xe9')\ndef f(x: int): pass\n"
    source += "print(f.__annotations__['x'] is int)\n"
    path.write_bytes(source.encode("latin-1"))
    program.run_in_process([str(path)])
    assert capsys.readouterr().out == "\xe9\nTrue\n"


@pytest.mark.parametrize("option", [["-m", "under_test_pkg.train"], ["-munder_test_pkg.train"]])
def test_a_module_is_found_from_the_working_directory(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    package = tmp_path / "under_test_pkg"
    package.mkdir()
    (package / "__init__.py").write_text("VALUE = 5")
    (package / "train.py").write_text(
        "import sys\nfrom . import VALUE\nprint(VALUE, sys.argv[1:], __name__, __package__)"
    )
    monkeypatch.chdir(tmp_path)
    program.run_in_process([*option, "a"])
    assert capsys.readouterr().out.strip() == "5 ['a'] __main__ under_test_pkg"


def test_a_module_that_is_not_there_ends_the_process_in_pythons_words() -> None:
    with pytest.raises(SystemExit, match="No module named under_test_missing"):
        program.run_in_process(["-m", "under_test_missing"])


def test_a_zip_file_and_a_directory_are_run_by_their_main(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "app.zip"
    code = "import sys, under_test_inner; print(under_test_inner.VALUE, sys.argv == sys.path[:1])"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("__main__.py", code)
        file.writestr("under_test_inner.py", "VALUE = 5")
    path.write_bytes(b"#!/usr/bin/env python\n" + path.read_bytes())
    program.run_in_process([str(path)])
    with zipfile.ZipFile(path) as file:
        file.extractall(tmp_path / "app")
    del sys.modules["under_test_inner"]
    program.run_in_process([str(tmp_path / "app")])
    assert capsys.readouterr().out == "5 True\n5 True\n"


def test_compiled_files_are_run(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.py").write_text("print(__name__, __file__)")
    compiled = py_compile.compile(str(tmp_path / "a.py"), str(tmp_path / "a.pyc"))
    program.run_in_process([str(compiled)])
    assert capsys.readouterr().out == f"__main__ {compiled}\n"


def test_code_is_run(capsys: Any) -> None:
    program.run_in_process(["-c", "import sys; print(sys.argv, repr(sys.path[0]))", "-x"])
    assert capsys.readouterr().out == "['-c', '-x'] ''\n"


def test_a_program_may_come_through_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    source = "import sys\nprint('__file__' in globals(), sys.argv, repr(sys.path[0]))\n1 / 0\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source.encode())))
    with pytest.raises(ZeroDivisionError) as raised:
        program.run_in_process(["-", "--lr", "1"])
    assert capsys.readouterr().out == "False ['-', '--lr', '1'] ''\n"
    assert traceback.extract_tb(raised.tb)[-1].filename == "<stdin>"


def test_a_programs_own_click_is_not_hidden_by_the_command_lines(
    tmp_path: Path, capsys: Any
) -> None:
    import click  # noqa: F401  # as the command line has

    (tmp_path / "click.py").write_text("VALUE = 'own'")
    (tmp_path / "a.py").write_text("import click; print(click.VALUE)")
    program.run_in_process([str(tmp_path / "a.py")])
    del sys.modules["click"]
    assert capsys.readouterr().out == "own\n"
