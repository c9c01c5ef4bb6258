# SPDX-License-Identifier: Apache-2.0
"""The graph of objects in an object-based checkpoint: who holds which optimizer and which scale.

An object can be reached by several paths, and a checkpoint names each variable after one of them
only. So optimizers and loss scales are found by the edges of the graph. Source:
`tensorflow/core/protobuf/trackable_object_graph.proto`.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from compat_lossscale.formats.artefact import UnreadableArtefactError
from compat_lossscale.formats.protobuf import Budget, fields, messages, text

KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""Where a checkpoint has it."""
_VALUE = "VARIABLE_VALUE"
# Field numbers of the proto.
_NODES, _CHILDREN, _ATTRIBUTES, _SLOTS = 1, 1, 2, 3
_CHILD_ID, _CHILD_NAME = 1, 2
_ATTRIBUTE_NAME, _ATTRIBUTE_KEY = 1, 3


@dataclasses.dataclass
class Node:
    """One object.

    Attributes:
        children: The numbers of other objects, by the names of the attributes that hold them.
        key: The name of its value among the checkpoint's, if it is a variable.
        slots: How many slot variables it has as an optimizer.
        path: The shortest path from the root; empty for the root.
    """

    children: dict[str, int] = dataclasses.field(default_factory=dict)
    key: str | None = None
    slots: int = 0
    path: str = ""


class ObjectGraph:
    """The objects of a checkpoint.

    Args:
        data: The value of `KEY`.

    Raises:
        UnreadableArtefactError: It is damaged.
    """

    def __init__(self, data: bytes) -> None:
        budget = Budget()
        self.nodes = [_node(value, budget) for value in messages(memoryview(data), _NODES, budget)]
        seen, queue = {0}, collections.deque([0] if self.nodes else [])
        while queue:
            node = self.nodes[queue.popleft()]
            for name, number in node.children.items():
                if number >= len(self.nodes):
                    raise UnreadableArtefactError("its object graph is damaged")
                if number not in seen:
                    seen.add(number)
                    queue.append(number)
                    self.nodes[number].path = f"{node.path}/{name}" if node.path else name

    def child(self, node: Node, *names: str) -> Node | None:
        """Returns the object that the first of some attributes holds; `None` if none does."""
        for name in names:
            number = node.children.get(name)
            if number is not None and number < len(self.nodes):
                return self.nodes[number]
        return None

    def holders(self, name: str) -> Iterator[Node]:
        """Yields the objects with an attribute of a name."""
        return (node for node in self.nodes if name in node.children)


def _node(message: memoryview, budget: Budget) -> Node:
    node = Node()
    for number, _, value in fields(message, budget):
        if not isinstance(value, memoryview):
            continue
        if number == _CHILDREN:
            child, name = 0, ""
            for field, _, part in fields(value, budget):
                if field == _CHILD_ID and isinstance(part, int):
                    child = part
                elif field == _CHILD_NAME and isinstance(part, memoryview):
                    name = text(part)
            node.children[name] = child
        elif number == _ATTRIBUTES:
            named = {
                field: text(part)
                for field, _, part in fields(value, budget)
                if isinstance(part, memoryview)
            }
            if named.get(_ATTRIBUTE_NAME) == _VALUE:
                node.key = named.get(_ATTRIBUTE_KEY)
        elif number == _SLOTS:
            node.slots += 1
    return node
