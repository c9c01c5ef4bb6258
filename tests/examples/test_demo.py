# SPDX-License-Identifier: Apache-2.0
"""Tests of the demo's own parts, and of one legacy program in it."""

from __future__ import annotations

import ast
import io
import sys
from pathlib import Path
from typing import Any

import demo
import pytest
import results
import running
import training_log
from rich.console import Console

from tests import forked_python

LINES = """\
policy mixed_float16, compute dtype float16, variable dtype float32
step 0 loss_scale 32768
step 20 loss 1.3723 loss_scale 65536
step 40 loss 0.2966 loss_scale 65536 global_step 39
step 61 loss nan loss_scale 32768
epoch 1 step 80 loss 0.1388 val_accuracy 0.9417 lr 0.05000 loss_scale 32768
epoch 5 step 400 test_accuracy 0.9389
final test accuracy 0.9806 (440 steps, 3.4 s)
""".splitlines()


def read(*lines: str) -> Any:
    log = training_log.Log()
    for line in lines:
        log.read(line)
    return log


def report(*, plain_exit: int = 1, compat_exit: int = 0, lines: list[str] = LINES) -> Any:
    plain = "Traceback (most recent call last):\nImportError: cannot import name 'x' from 'y'\n"
    return results.Report(
        demo.PROGRAMS[0],
        running.Finished(plain_exit, plain if plain_exit else ""),
        running.Finished(compat_exit, "ValueError: [no]\n" if compat_exit else ""),
        read(*lines),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("step 120 loss 0.1234 loss_scale 65536", (120, 65536)),
        ("step 7 loss_scale 131072", (7, 131072)),
        ("step 61 loss nan loss_scale 0.5", (61, 0.5)),
        ("step 76 loss 0.2007 loss_scale 131072 global_step 75", (76, 131072)),
        ("epoch 3 step 135 loss 0.1 val_accuracy 0.9 lr 0.04945 loss_scale 2.5e5", (135, 250000)),
        ("epoch 3 step 66 test_accuracy 0.9389", None),
        ("restored global_step 431 loss_scale 1048576", None),
        ("policy mixed_float16, compute dtype float16", None),
        ("", None),
    ],
)
def test_scale_in(line: str, expected: tuple[int, float] | None) -> None:
    assert training_log.scale_in(line) == (expected and training_log.ScaleChange(*expected))


def test_log_keeps_the_changes_of_the_scale_and_the_result() -> None:
    log = read(*LINES)
    assert [(change.step, change.scale) for change in log.path] == [
        (0, 32768),
        (20, 65536),
        (61, 32768),
    ]
    assert (log.accuracy, log.steps, log.seconds) == (0.9806, 440, 3.4)


def test_log_of_a_program_that_died_has_no_accuracy() -> None:
    assert read(*LINES[:4]).accuracy is None


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        ([], ""),
        ([32768.0], "32768"),
        ([32768.0, 65536.0, 32768.0], "32768 → 65536 → 32768"),
        ([1, 2, 4, 8, 16, 32, 64], "1 → 2 → 4 → 8 → 16 → 32 → 64"),
        ([1, 2, 4, 8, 16, 32, 64, 128], "1 → 2 → 4 → 8 → … → 64 → 128"),
    ],
)
def test_format_path(scales: list[float], expected: str) -> None:
    assert training_log.format_path(scales) == expected


@pytest.mark.parametrize(
    ("scales", "expected"), [([], (0, 0)), ([8], (0, 0)), ([8, 16, 8, 4, 8], (2, 2))]
)
def test_count_changes(scales: list[float], expected: tuple[int, int]) -> None:
    assert training_log.count_changes(scales) == expected


def test_last_error_is_the_last_line_that_is_not_blank() -> None:
    traceback = 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1\n\n'
    assert running.last_error(traceback) == "KeyError: 1"
    assert running.last_error("") == "no error"


@pytest.mark.parametrize("place", ["/venv/keras/__init__.py", r"C:\venv\keras\__init__.py"])
def test_without_path(place: str) -> None:
    message = "ImportError: cannot import name 'experimental' from 'keras.mixed_precision'"
    assert running.without_path(f"{message} ({place})") == message
    assert running.without_path("ValueError: f(x)") == "ValueError: f(x)"


def test_condenser_shows_the_first_changes_every_fifth_epoch_and_all_else() -> None:
    condenser = training_log.Condenser(changes=2)
    assert [line for line in LINES if condenser.shows(line)] == [
        LINES[0],
        LINES[1],
        LINES[2],
        LINES[6],
        LINES[7],
    ]


def test_table_row() -> None:
    assert results.table_row(report()) == (
        "digits_custom_loop.py\n[dim]TensorFlow 2.3[/dim]",
        "ImportError: cannot import name 'x' from 'y'",
        "98.1%",
        "32768 → 65536 → 32768\n[dim]in 440 steps doubled 1 times, halved 1[/dim]",
    )


def test_table_row_of_a_failure() -> None:
    _, plain, accuracy, _ = results.table_row(report(plain_exit=0, compat_exit=1, lines=[]))
    assert (plain, accuracy) == ("runs", "failed")


def test_results_table_prints_every_program() -> None:
    file = io.StringIO()
    Console(file=file, width=120).print(results.results_table([report(), report()], "2.21.0"))
    assert file.getvalue().count("digits_custom_loop.py") == 2
    assert "Plain TensorFlow 2.21.0" in file.getvalue()


def test_no_promise_is_broken_when_all_goes_well() -> None:
    assert report().broken_promises() == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"plain_exit": 0}, "runs on plain TensorFlow"),
        ({"compat_exit": 1}, "fails under compat-lossscale: ValueError: [no]"),
        ({"lines": LINES[:-1]}, "accuracy of None only"),
        ({"lines": ["final test accuracy 0.8999 (1 steps, 1.0 s)"]}, "accuracy of 0.8999 only"),
    ],
)
def test_broken_promises(changes: dict[str, Any], expected: str) -> None:
    (promise,) = report(**changes).broken_promises()
    assert expected in promise


def test_exit_code_tells_of_a_broken_promise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo.importlib.metadata, "version", lambda name: "2.21.0")
    monkeypatch.setattr(demo, "draw", lambda reports, file: None)
    monkeypatch.setattr(demo.migration, "demonstrate", lambda *_: [])
    monkeypatch.setattr(demo, "resume_training", lambda console: [])
    for plain_exit, expected in ((1, 0), (0, 1)):
        outcome = report(plain_exit=plain_exit)
        monkeypatch.setattr(demo, "demonstrate", lambda *_, outcome=outcome: outcome)
        assert demo.main(["--output", str(tmp_path / "new")]) == expected
    assert "digits_custom_loop.py runs on plain TensorFlow" in capsys.readouterr().out


@pytest.mark.parametrize("lines", [LINES, []], ids=["trained", "failed at once"])
def test_draw(tmp_path: Path, lines: list[str]) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "plot.png"
    results.draw([report(lines=lines)], file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_run_hands_on_lines_and_keeps_errors() -> None:
    lines: list[str] = []
    script = "import sys; print('a'); print('b'); sys.exit('wrong')"
    finished = running.run([sys.executable, "-c", script], lines.append)
    assert lines == ["a", "b"]
    assert finished == running.Finished(1, "wrong\n")


@pytest.mark.parametrize("program", demo.PROGRAMS, ids=lambda program: program.name)
def test_programs_do_not_know_of_compat_lossscale(program: Any) -> None:
    source = program.path.read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))  # TensorFlow 1.15 ends at Python 3.7
    assert "compat_lossscale" not in source


def test_fit_trains_for_an_epoch_under_the_shim() -> None:
    log = training_log.Log()
    program = demo.EXAMPLES / "digits_fit.py"
    command = forked_python.command("-m", "compat_lossscale", "run", str(program), "--epochs", "1")
    finished = running.run(command, log.read)
    assert finished.exit_code == 0, finished.stderr
    assert log.accuracy is not None
    assert log.accuracy > 0.7
    assert log.steps == 45
    # It starts too high for float16, so that every step overflows until the scale fits.
    scales = [change.scale for change in log.path]
    assert scales[:4] == [2**24, 2**23, 2**22, 2**21]
    assert [change.step for change in log.path[:4]] == [0, 1, 2, 3]
