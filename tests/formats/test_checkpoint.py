# SPDX-License-Identifier: Apache-2.0
"""Reading checkpoints."""

from __future__ import annotations

from compat_lossscale.formats import LiveState, checkpoint
from compat_lossscale.formats.tensor_bundle import KEY
from tests.formats.attacks import field


class Bundle:
    """A checkpoint of scalar variables."""

    def __init__(self, **variables: float) -> None:
        self.entries = variables
        self.number = variables.get
        self.text = {}.get


def described(**variables: float) -> tuple[tuple[LiveState, ...], tuple[str, ...]]:
    bundle = Bundle(**variables)
    content = checkpoint.describe(bundle)  # type: ignore[arg-type]  # a stand-in
    return content.states, content.missing


def test_a_checkpoint_without_a_loss_scale_misses_nothing() -> None:
    assert described(global_step=3.0) == ((), ())


def test_a_counter_has_the_number_of_its_loss_scale() -> None:
    variables = {
        "current_loss_scale": 8.0,
        "good_steps": 1.0,
        "current_loss_scale_1": 16.0,
        "good_steps_1": 2.0,
        "tower/current_loss_scale_1": 32.0,
        "tower/good_steps_1": 3.0,
    }
    states, missing = described(**variables)
    assert missing == ()
    assert [(s.where, s.loss_scale, s.good_steps) for s in states] == [
        ("current_loss_scale", 8.0, 1),
        ("current_loss_scale_1", 16.0, 2),
        ("tower/current_loss_scale_1", 32.0, 3),
    ]


def test_a_checkpoint_of_objects_without_an_optimizer_is_said_to_be_one() -> None:
    bundle = Bundle()
    bundle.text = {KEY: field(1, b"")}.get
    content = checkpoint.describe(bundle)  # type: ignore[arg-type]  # a stand-in
    assert content.layout == "object-based, without an optimizer"
