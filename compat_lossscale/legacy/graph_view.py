# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.python.training.tracking.graph_view`, with what it said of variables up to 2.9.

Of a variable it gave the key in the checkpoint, and of one with copies the first copy. Today it
gives a part of the key, and all copies together.
"""

from __future__ import annotations

import copy
import pkgutil
from typing import Any

_Today: Any = pkgutil.resolve_name("tensorflow.python.checkpoint.graph_view:ObjectGraphView")


class ObjectGraphView(_Today):  # type: ignore[misc]  # TensorFlow is untyped
    """The objects that a checkpoint of `root` holds."""

    def serialize_object_graph(self, saveables_cache: Any = None) -> Any:
        """Returns what is saved of the variables, the graph as a message, and what to feed."""
        saved, graph, fed = super().serialize_object_graph(saveables_cache)
        return [_as_it_was(one) for one in saved], graph, fed


def _as_it_was(saved: Any) -> Any:
    if len(saved.specs) != 1:
        return saved
    saved = copy.copy(saved)
    saved.name = saved.specs[0].name
    copies = [value for value in vars(saved).values() if hasattr(value, "_primary")]
    if copies:
        saved.op = copies[0]._primary
    return saved
