# SPDX-License-Identifier: Apache-2.0
"""What the rules for Keras 3 and the rules for every target say and ask alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.rules.base import Review
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import (
    KERAS_3_HOME,
    Meaning,
    OldName,
    Target,
    loss_scale_optimizers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lossscale_codemods.domain import Program
    from lossscale_codemods.rules.base import Rewrite

WITHOUT_FLOOR = Review(
    "Keras 3's own loss scale has no floor and no cap, and `iterations` does not count steps that "
    "are skipped",
    "Use it with --unsafe-fixes, if the model trains as well; or do without --no-dependency.",
)
NOT_FIXED = Review(
    "Keras 3's own LossScaleOptimizer takes no `dynamic`, and has no fixed loss scale",
    "Give the wrapped optimizer `loss_scale_factor`, and leave out the wrapper; or do without "
    "--no-dependency.",
)


def inherits(node: cst.CSTNode, program: Program, is_base: Callable[[str], bool]) -> bool:
    """Whether a node is a class with a base of some kind.

    Args:
        node: The node.
        program: The file.
        is_base: Whether a path is that of such a base.
    """
    return isinstance(node, cst.ClassDef) and any(
        path is not None and is_base(path)
        for base in node.bases
        for path in program.resolver.paths(base.value)
    )


def inherits_from_keras(node: cst.CSTNode, program: Program) -> bool:
    """Whether a class inherits from one of Keras: a layer or a model."""
    return inherits(node, program, is_layer)


def is_layer(path: str) -> bool:
    """Whether a path is that of a layer or a model of Keras."""
    in_layers = frameworks.is_framework(path) and ".layers." in path
    return in_layers or frameworks.is_keras_model(path)


def is_moved(path: str) -> bool:
    """Whether a path is that of TensorFlow 2.4's LossScaleOptimizer, in Keras as it was."""
    is_left = path.startswith((KERAS_3_HOME, "tf_keras."))
    return frameworks.is_new_optimizer(path) and not is_left


def old_name(path: str, target: Target) -> OldName:
    """Returns TensorFlow 2.4's LossScaleOptimizer as the old name that it is for Keras 3.

    Args:
        path: Its path.
        target: What the program is migrated to.
    """
    return OldName(path, Meaning.NEW_OPTIMIZER, loss_scale_optimizers(target, path))


def stock_constructor(arguments: Iterable[str], made: Rewrite) -> Review:
    """Returns what to say of a constructor of Keras 3's own class.

    Args:
        arguments: The arguments that say the loss scale, as source.
        made: What writes the constructor.
    """
    if any(text.startswith(("dynamic=", "**")) for text in arguments):
        return NOT_FIXED
    return Review(WITHOUT_FLOOR.message, WITHOUT_FLOOR.advice, unsafe_fix=made)
