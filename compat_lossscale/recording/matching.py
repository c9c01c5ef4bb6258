# SPDX-License-Identifier: Apache-2.0
"""Which variable, slot and optimizer of one recording is which of another, across generations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from compat_lossscale.recording.reading import RecordedOptimizer

Pairs = list[tuple[int, int]]  # places of variables that are the same in two recordings
_FAMILIES = {"gradientdescent": "sgd", "momentum": "sgd"}
_SLOTS = {
    "momentum": "momentum", "momentums": "momentum",
    "m": "first moment", "velocity": "second moment", "v": "second moment",
    "vhat": "largest second moment", "velocity_hats": "largest second moment",
    "velocities": "second moment", "rms": "second moment", "mg": "mean gradient",
    "average_gradients": "mean gradient", "accumulator": "accumulator",
    "accumulators": "accumulator",
}  # fmt: skip
"""What the slots of each generation hold. Slots that are not here have the names of both sides."""
_WITH_MOMENTUM = ("sgd", "rmsprop")


def family_of(name: str) -> str:
    """Returns the family of an optimizer's class: `adam` of `AdamOptimizer` or `Adam`."""
    plain = re.sub(r"(Optimizer)?(V\d)?$", "", name).lower()
    return _FAMILIES.get(plain, plain)


def slot_kind(name: str, family: str) -> str:
    """Returns what a slot holds: Keras 3's Adam calls its first moments `momentums`."""
    plain = name.lstrip("_").lower()
    if plain == "momentums" and family not in _WITH_MOMENTUM:
        return "first moment"
    return _SLOTS.get(plain, plain)


def match(one: RecordedOptimizer, other: RecordedOptimizer) -> tuple[Pairs, list[int], list[int]]:
    """Matches the variables of an optimizer in two recordings.

    Variables in the same order with the same shapes are the same. Otherwise, names decide, with
    fewer and fewer of their parts, and then the bits that the variables begin with.

    Returns:
        The places of the variables that are the same, and those without a partner on each side.
    """
    tails = [[_tail(name, 1) for name in side.names] for side in (one, other)]
    # Names may be missing.
    agree = all(left == right or not left or not right for left, right in zip(*tails, strict=False))
    if one.shapes == other.shapes and agree:
        return [(place, place) for place in range(len(one.names))], [], []
    left, right = list(range(len(one.names))), list(range(len(other.names)))
    pairs: Pairs = []
    for parts in (9, 3, 2, 1):
        keys = [
            [(_tail(name, parts), shape) for name, shape in zip(s.names, s.shapes, strict=True)]
            for s in (one, other)
        ]
        _pair(pairs, left, right, *keys)
    digests = [[seen.digest if seen else "" for seen in side.first] for side in (one, other)]
    _pair(pairs, left, right, *digests)
    _pair(pairs, left, right, one.shapes, other.shapes)
    if [one.shapes[place] for place in left] == [other.shapes[place] for place in right]:
        pairs += zip(left, right, strict=True)
        left, right = [], []
    return sorted(pairs), left, right


def _tail(name: str, parts: int) -> str:
    """Returns the last parts of a name. Fewer than three come without numbers that make unique."""
    last = name.split("/")[-parts:]
    return "/".join(last if parts > 2 else [re.sub(r"_\d+$", "", part) for part in last])


def _pair(
    pairs: Pairs, left: list[int], right: list[int], keys: Sequence[object], other: Sequence[object]
) -> None:
    """Pairs what is left by keys that occur once on each side."""
    counts = Counter(keys[place] for place in left), Counter(other[place] for place in right)
    places = {other[place]: place for place in right if counts[1][other[place]] == 1}
    for place in list(left):
        key = keys[place]
        if counts[0][key] == 1 and key in places:
            pairs.append((place, places[key]))
            left.remove(place)
            right.remove(places[key])
