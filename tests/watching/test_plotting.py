# SPDX-License-Identifier: Apache-2.0
"""What is drawn. The data and the axes are looked at, not the pixels."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_lossscale import errors, plot_history
from tests.messages import says
from tests.support import python, run_code

STEPS = {
    "step": [10, 11, 12, 13, 14],
    "loss_scale": [4.0, 8.0, 4.0, 4.0, 2.0],
    "good_steps": [1, 0, 0, 1, 0],
    "skipped_steps": [7, 7, 8, 8, 9],
}


def drawn(figure: Any) -> dict[str, tuple[list[float], list[float]]]:
    """Each line's places and values, by its label."""
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for axes in figure.axes
        for line in axes.get_lines()
    }


def test_a_loggers_history_is_drawn_over_steps() -> None:
    figure = plot_history(SimpleNamespace(history=STEPS))
    assert drawn(figure) == {
        "loss scale": (STEPS["step"], STEPS["loss_scale"]),
        # Where steps were skipped since the look before: what came before the first is not known.
        "steps skipped": ([12, 14], [4.0, 2.0]),
        "steps skipped so far": (STEPS["step"], STEPS["skipped_steps"]),
    }
    upper, lower = figure.axes
    assert upper.get_yscale() == "log"
    assert upper.yaxis.get_transform().base == 2
    assert upper.get_ylabel() == "loss scale"
    assert lower.get_ylabel() == "steps skipped so far"
    assert lower.get_xlabel() == "step"


def test_a_history_of_fit_is_drawn_over_epochs_as_keras_prints_them() -> None:
    history = {"loss": [3.0, 2.0], "loss_scale": [4.0, 8.0], "skipped_steps": [0, 1]}
    figure = plot_history(SimpleNamespace(history=history, epoch=[5, 6]))
    assert drawn(figure)["loss scale"] == ([6, 7], [4.0, 8.0])
    assert figure.axes[-1].get_xlabel() == "epoch"


def test_a_dictionary_is_drawn_without_skipped_steps_if_it_has_none() -> None:
    figure = plot_history({"loss_scale": [4.0, 8.0]})
    assert drawn(figure) == {"loss scale": ([1, 2], [4.0, 8.0])}
    assert len(figure.axes) == 1


def test_a_fixed_scale_of_zero_has_no_logarithm() -> None:
    assert plot_history({"loss_scale": [0.0, 0.0]}).axes[0].get_yscale() == "linear"


@pytest.mark.parametrize(
    ("name", "begins"), [("scale.png", b"\x89PNG"), ("scale.svg", b"<?xml"), ("scale", b"\x89PNG")]
)
def test_the_picture_is_written_in_the_form_its_name_says(
    tmp_path: Path, name: str, begins: bytes
) -> None:
    plot_history(STEPS, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_form_that_there_is_not_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "scale.doc"
    path.write_text("mine")
    with pytest.raises(ValueError, match="'doc' is not supported"):
        plot_history(STEPS, path)
    assert [file.name for file in tmp_path.iterdir()] == ["scale.doc"]
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ({}, "There is no loss_scale in this dict. It has: nothing. Train with"),
        ({"loss": [1.0], "mae": [1.0]}, "in this dict. It has: loss, mae. Train with"),
        (SimpleNamespace(history={"loss_scale": []}), "this SimpleNamespace. It has: loss_scale"),
        ([1.0, 2.0], "in this list. Train with"),
    ],
)
def test_a_history_without_a_loss_scale_is_refused(history: Any, said: str) -> None:
    with pytest.raises(errors.LossScaleArgumentError, match=said):
        plot_history(history)


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    message = run_code(
        """
import sys
sys.modules["matplotlib"] = None
from compat_lossscale import plot_history
try:
    plot_history({"loss_scale": [1.0]})
except ImportError as error:
    print(error)
"""
    )
    assert says(
        message,
        "compat_lossscale.plot_history() needs matplotlib (matplotlib not found): "
        "pip install matplotlib",
    )


def test_drawing_needs_no_tensorflow_and_opens_no_window() -> None:
    done: subprocess.CompletedProcess[str] = python(
        "-X",
        "importtime",
        "-c",
        "from compat_lossscale import plot_history; plot_history({'loss_scale': [1.0]})",
    )
    assert done.returncode == 0, done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "matplotlib.figure" in imported
    assert not imported & {"tensorflow", "tf_keras", "matplotlib.pyplot"}
