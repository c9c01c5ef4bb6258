# SPDX-License-Identifier: Apache-2.0
"""The process that reads files: whatever happens in it is one line, and the next file is read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest
from click.testing import CliRunner

from compat_lossscale.cli.verify import verify
from compat_lossscale.formats import isolated, read
from tests.formats.samples import ARTEFACTS, reason

FAULT = (
    "from compat_lossscale.formats import isolated, verification; read = verification.verify_here; "
    "verification.verify_here = lambda path, *a: {} if 'bad' in path else read(path, *a); "
)
"""What the process does instead of reading a file whose name says that it is bad."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with a name that says so."""
    return Path(shutil.copy(ARTEFACTS / "2.3" / "model.h5", tmp_path / "bad.h5"))


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    isolated.READER.stop()
    yield
    isolated.READER.stop()


def replace_reading(monkeypatch: pytest.MonkeyPatch, instead: str) -> None:
    start = isolated._START.replace(
        "from compat_lossscale.formats.isolated import serve; ", FAULT.format(instead), 1
    )
    monkeypatch.setattr(isolated, "_START", start.replace("serve()", "isolated.serve()"))


def test_a_relative_path_is_relative_to_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / "file.h5", "w") as file:
            file.attrs["keras_version"], file.attrs["model_config"] = name, "{}"
        monkeypatch.chdir(tmp_path / name)
        assert read("file.h5").writer == f"Keras {name}"


@pytest.mark.parametrize(
    ("instead", "says"),
    [
        ("1 / 0", "the attempt to read it failed with ZeroDivisionError: "),
        ("__import__('os').abort()", "the process that had to read it crashed (exit status -6)"),
        ("__import__('os')._exit(0)", "the process that had to read it crashed (exit status 0)"),
        ("bytearray(2**33)", "more than 2 GB of memory"),
        ("sum(1 for _ in iter(int, 1))", "more than 3 seconds to read"),
        ("print('x')", "the process that has to read it gives no answer"),
        ("{'x': object()}", "the attempt to read it failed with TypeError: "),
    ],
)
def test_whatever_happens_is_one_line_and_the_next_file_is_read(
    instead: str, says: str, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_reading(monkeypatch, instead)
    monkeypatch.setattr(isolated.READER, "seconds", 3)
    shutil.copy(model, model.with_name("good.h5"))
    result = CliRunner().invoke(verify, [str(model.parent), "--to", "tf2.4"])
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{model}: unreadable: ")
    assert says in lines[0]
    assert lines[1].startswith(f"{model.with_name('good.h5')}: lossless: ")
    assert result.exit_code == 2


def test_a_file_on_which_a_library_hangs_is_unreadable(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_reading(monkeypatch, "__import__('time').sleep(60)")
    monkeypatch.setattr(isolated.READER, "seconds", 1)
    assert "more than 1 seconds" in reason(model)


def test_one_process_reads_all_files(model: Path) -> None:
    read(model)
    first = isolated.READER.process
    assert "No such file" in reason(model.parent / "none.h5")
    read(ARTEFACTS / "2.21" / "saved_model")
    assert isolated.READER.process is first is not None


def test_without_h5py_models_say_what_to_install_and_archives_still_give_their_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = isolated._START.replace(";", "; sys.modules['h5py'] = None;", 1)
    monkeypatch.setattr(isolated, "_START", without)
    assert "pip install h5py" in reason(ARTEFACTS / "2.21" / "model.h5")
    artefact = read(ARTEFACTS / "2.21" / "model.keras")
    assert artefact.configs[0].spec.initial_scale == 64.0
    assert "was not read" in artefact.missing[0]
