# SPDX-License-Identifier: Apache-2.0
"""Running programs in this process; tests/cli/test_run.py runs the command."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale import program


@pytest.fixture(autouse=True)
def python_as_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts back what running a program changes."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", ["to be replaced", *sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if name.startswith("under_test"):
            del sys.modules[name]


def test_a_script_that_can_be_read_passes_the_check(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("")
    program.check_readable(str(tmp_path / "a.py"))
    program.check_readable(str(tmp_path / "app"))


def test_a_script_that_cannot_be_read_is_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(program.ProgramError, match=r"can't open .*: No such file or directory"):
        program.check_readable(str(tmp_path / "missing.py"))
    with pytest.raises(program.ProgramError, match="the directory has no __main__"):
        program.check_readable(str(tmp_path / "empty"))


def test_a_script_gets_its_arguments_and_its_directory_on_the_path(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "a.py"
    path.write_text("import sys\nprint(sys.argv[1:], sys.path[0], __name__, __file__)")
    assert program.run(str(path), ["-m", "--x"], is_module=False) == 0
    out = capsys.readouterr().out.strip()
    assert out == f"['-m', '--x'] {tmp_path.resolve()} __main__ {path}"
    assert sys.argv[0] == str(path)


def test_classes_of_the_script_can_be_pickled(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import pickle\nclass A:\n    x = 1\nprint(pickle.loads(pickle.dumps(A())).x, __spec__)"
    )
    assert program.run(str(path), [], is_module=False) == 0
    assert capsys.readouterr().out.split() == ["1", "None"]


def test_an_encoding_line_and_a_future_import_are_heeded(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("# -*- coding: latin-1 -*-\nprint('\xe9')\n".encode("latin-1"))
    assert program.run(str(path), [], is_module=False) == 0
    assert capsys.readouterr().out == "\xe9\n"


def test_the_runners_own_future_imports_do_not_reach_the_script(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f(x: int): pass\nprint(f.__annotations__['x'] is int)")
    assert program.run(str(path), [], is_module=False) == 0
    assert capsys.readouterr().out == "True\n"


def test_a_module_is_found_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    package = tmp_path / "under_test_pkg"
    package.mkdir()
    (package / "__init__.py").write_text("VALUE = 5")
    (package / "train.py").write_text(
        "import sys\nfrom . import VALUE\nprint(VALUE, sys.argv[1:], __name__, __package__)"
    )
    monkeypatch.chdir(tmp_path)
    assert program.run("under_test_pkg.train", ["a"], is_module=True) == 0
    assert capsys.readouterr().out.strip() == "5 ['a'] __main__ under_test_pkg"


@pytest.mark.parametrize("name", ["under_test_missing", "under_test_missing.inner", "json.no_such"])
def test_a_module_that_is_not_there_is_one_line(name: str, capsys: Any) -> None:
    assert program.run(name, [], is_module=True) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "module" in lines[0]


def test_a_zip_file_is_run(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "app.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("__main__.py", "import under_test_inner; print(under_test_inner.VALUE)")
        file.writestr("under_test_inner.py", "VALUE = 5")
    assert program.run(str(path), [], is_module=False) == 0
    assert capsys.readouterr().out == "5\n"


@pytest.mark.parametrize(
    ("statement", "code", "err"),
    [
        ("pass", 0, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit(False)", 0, ""),
        ("raise SystemExit('message')", 1, "message\n"),
        ("raise SystemExit((1, 2))", 1, "(1, 2)\n"),
    ],
)
def test_exit_codes_are_pythons(
    tmp_path: Path, capsys: Any, statement: str, code: int, err: str
) -> None:
    path = tmp_path / "a.py"
    path.write_text(statement)
    assert program.run(str(path), [], is_module=False) == code
    assert capsys.readouterr().err == err


def test_an_exception_shows_the_programs_own_frames_only(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f():\n    raise ValueError('bad')\nf()\n")
    assert program.run(str(path), [], is_module=False) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{path}", line 3, in <module>'
    assert [line for line in lines if line.startswith("  File")] == [
        f'  File "{path}", line 3, in <module>',
        f'  File "{path}", line 2, in f',
    ]
    assert lines[-1] == "ValueError: bad"


def test_an_exception_of_a_module_shows_its_own_frames_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "under_test_failing.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    assert program.run("under_test_failing", [], is_module=True) == 1
    err = capsys.readouterr().err
    assert "runpy" not in err
    assert "compat_lossscale" not in err
    assert err.splitlines()[-1].startswith("ZeroDivisionError")


def test_an_exception_in_a_modules_package_shows_its_own_frames_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    package = tmp_path / "under_test_package"
    package.mkdir()
    (package / "__init__.py").write_text("1 / 0\n")
    (package / "train.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert program.run("under_test_package.train", [], is_module=True) == 1
    err = capsys.readouterr().err
    files = [line for line in err.splitlines() if line.startswith("  File")]
    assert files == [f'  File "{package / "__init__.py"}", line 1, in <module>']


def test_a_program_may_come_through_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    source = (
        "import sys, under_test_beside\n"
        "print(__name__, '__file__' in globals(), sys.argv, repr(sys.path[0]))\n"
        "def f():\n    1 / 0\nf()\n"
    )
    (tmp_path / "under_test_beside.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source.encode())))
    program.check_readable("-")
    assert program.run("-", ["--lr", "1"], is_module=False) == 1
    captured = capsys.readouterr()
    assert captured.out == "__main__ False ['-', '--lr', '1'] ''\n"
    assert [line for line in captured.err.splitlines() if line.startswith("  File")] == [
        '  File "<stdin>", line 5, in <module>',
        '  File "<stdin>", line 4, in f',
    ]


def test_the_programs_own_excepthook_is_used(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import sys\nsys.excepthook = lambda t, v, tb: print('hooked', t.__name__)\n1 / 0\n"
    )
    hook = sys.excepthook
    try:
        assert program.run(str(path), [], is_module=False) == 1
    finally:
        sys.excepthook = hook
    assert capsys.readouterr().out == "hooked ZeroDivisionError\n"
