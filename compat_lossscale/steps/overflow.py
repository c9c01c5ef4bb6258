# SPDX-License-Identifier: Apache-2.0
"""A skipped step, as the gradients that were not finite in it. Pure Python."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class NonFiniteGradient:
    """A gradient with a NaN or an infinity.

    Attributes:
        variable: The name of its variable.
        count: How many of its elements are not finite, on all replicas together.
        size: How many elements it has, on all replicas together. A sparse gradient has those of
            the rows that it is about.
    """

    variable: str
    count: int
    size: int

    @property
    def share(self) -> float:
        """The share of elements that are not finite, above 0 and up to 1."""
        return self.count / self.size


@dataclasses.dataclass(frozen=True)
class Overflow:
    """A skipped step, and which of its gradients were not finite.

    Attributes:
        step: The optimizer's `iterations` after the step.
        gradients: The gradients that are not finite, from the last variable to the first. A
            backward pass goes from the last layer to the first, and whatever follows an overflow
            is not finite either. So an overflow in the backward pass began at the first one here.
        of: How many gradients the step had.
        last_variable: The last variable that has a gradient.
        skipped_steps: How many steps were skipped until the next reading, this one included.
    """

    step: int
    gradients: tuple[NonFiniteGradient, ...]
    of: int
    last_variable: str
    skipped_steps: int = 1

    @classmethod
    def of_counts(
        cls,
        step: int,
        names: Sequence[str],
        counts: Iterable[int],
        sizes: Iterable[int],
        skipped_steps: int = 1,
    ) -> Overflow:
        """Makes one of counts for each gradient, in the order of the variables.

        Args:
            step: See `Overflow`.
            names: The variables' names.
            counts: The numbers of elements that are not finite.
            sizes: The numbers of elements.
            skipped_steps: See `Overflow`.
        """
        each = [
            NonFiniteGradient(name, int(count), int(size))
            for name, count, size in zip(names, counts, sizes, strict=True)
        ]
        bad = tuple(one for one in reversed(each) if one.count)
        return cls(int(step), bad, len(each), names[-1], int(skipped_steps))

    @property
    def first(self) -> NonFiniteGradient | None:
        """The gradient that overflowed first.

        `None` if all were finite on the replicas of this process, and the step was skipped for
        those of another one.
        """
        return self.gradients[0] if self.gradients else None

    @property
    def began_at_the_end(self) -> bool:
        """Whether the first one is of the last layer.

        Then nothing tells the backward pass from what comes before it: the loss, or a layer whose
        output is not finite.
        """
        first = self.first
        return first is not None and layer_of(first.variable) == layer_of(self.last_variable)

    def __str__(self) -> str:
        first = self.first
        if first is None:
            return f"step {self.step}: all gradients are finite on this worker"
        return (
            f"step {self.step}: {first.variable} first, {first.share:.2%} of its elements; "
            f"{len(self.gradients)} of {self.of} gradients"
        )


def layer_of(variable: str) -> str:
    """The name of a variable's layer: `dense` of `dense/kernel`."""
    return variable.rpartition("/")[0] or variable


def names_of(variables: Iterable[Any]) -> tuple[str, ...]:
    """The names of variables, each of its own: Keras 3's paths, or TensorFlow's names.

    Args:
        variables: Variables of Keras 3 or of TensorFlow; `None` for one that is not known.
    """
    names = [
        str(getattr(one, "path", None) or getattr(one, "name", "variable")).removesuffix(":0")
        for one in variables
    ]
    times = Counter(names)
    return tuple(
        name if times[name] == 1 else f"{name} (variable {number})"
        for number, name in enumerate(names, 1)
    )
