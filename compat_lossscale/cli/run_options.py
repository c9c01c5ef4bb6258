# SPDX-License-Identifier: Apache-2.0
"""The options of `compat-lossscale run`, in one table, with and without click."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence


class Switch:
    """One option that is on or off.

    Attributes:
        name: The argument of `startup.install_when_imported`.
        on: The option that turns it on; empty if there is none.
        off: The option that turns it off; empty if there is none.
        default: Whether it is on by default.
        help: The help text.
    """

    def __init__(self, name: str, on: str, off: str, default: bool, help_: str) -> None:
        self.name, self.on, self.off = name, on, off
        self.default, self.help = default, help_


SWITCHES = (
    Switch(
        "legacy_optimizers",
        "--legacy-optimizers",
        "--new-optimizers",
        True,
        "Which classes tf.keras.optimizers.SGD and the other optimizers are: those of TensorFlow "
        "2.0 to 2.10 (the default), or those of 2.11 and later.",
    ),
    Switch(
        "keras3",
        "--keras3",
        "",
        False,
        "Keep tf.keras as Keras 3, and restore the old names there. Without it, tf.keras is "
        "tf-keras. Keras 3 has one family of optimizers, so --new-optimizers has no effect.",
    ),
    Switch(
        "tf1",
        "--tf1",
        "",
        False,
        "Let `import tensorflow as tf` mean TensorFlow 1, as programs for 1.14 and 1.15 expect.",
    ),
    Switch(
        "neighbours",
        "",
        "--only-loss-scale",
        True,
        "Restore only the names of loss scaling, not the other removed names of TensorFlow, NumPy "
        "and Python that old programs use.",
    ),
)


def read(arguments: Sequence[str]) -> tuple[list[str], dict[str, bool]] | None:
    """Reads a command line that runs a program.

    Returns:
        The arguments after the options, and the options; `None` for any other command line.
    """
    if not arguments or arguments[0] != "run":
        return None
    chosen = {switch.name: switch.default for switch in SWITCHES}
    known = {switch.on: (switch.name, True) for switch in SWITCHES}
    known |= {switch.off: (switch.name, False) for switch in SWITCHES}
    for index, argument in enumerate(arguments[1:], start=1):
        if argument and argument in known:
            name, value = known[argument]
            chosen[name] = value
        elif argument.startswith("--") or argument == "-h":
            return None
        else:
            return list(arguments[index:]), chosen
    return None
