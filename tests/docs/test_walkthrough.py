# SPDX-License-Identifier: Apache-2.0
"""The walk through the code names the functions that run, in the order in which they run."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

import tensorflow as tf
import tf_keras

import compat_lossscale
from tests.docs.fences import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

PAGE = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")


def steps(walk: str) -> list[tuple[str, str]]:
    """Returns the modules and functions of a walk, in its order."""
    found = re.findall(r"^\|[^|]+\| `([\w/.]+\.py)` \| `(\w+)` \|$", walk, re.MULTILINE)
    assert len(found) >= 15
    return found


@contextlib.contextmanager
def calls_into(package: Path) -> Iterator[list[tuple[str, str]]]:
    """Notes each function of a package when it is first called."""
    first: dict[tuple[str, str], None] = {}
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        del argument
        if event == "call" and frame.f_code.co_filename.startswith(f"{package}/"):
            module = frame.f_code.co_filename.removeprefix(f"{package}/")
            first.setdefault((module, frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        calls.extend(first)


def test_a_loss_scale_from_the_constructor_to_the_variable() -> None:
    variable = tf.Variable(1.0)
    with calls_into(ROOT / "compat_lossscale") as calls:
        optimizer = compat_lossscale.LossScaleOptimizer(
            tf_keras.optimizers.legacy.SGD(), dynamic_growth_steps=1
        )
        with tf.GradientTape() as tape:
            loss = optimizer.get_scaled_loss(variable * variable)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, [variable]))
        optimizer.apply_gradients(zip(gradients, [variable], strict=True))
    walk = steps(PAGE)
    assert [call for call in calls if call in walk] == walk
