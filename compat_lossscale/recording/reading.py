# SPDX-License-Identifier: Apache-2.0
"""Reads recordings. A recording may be hostile: its size is bounded, and its content is checked."""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from compat_lossscale.errors import CompatLossScaleError
from compat_lossscale.formats.artefact import UnreadableArtefactError
from compat_lossscale.formats.bounded import open_regular
from compat_lossscale.recording.recorder import PROJECTIONS, VARIABLES, VERSION

MAX_BYTES = 2**30
"""The largest recording, uncompressed."""
MAX_LINE_BYTES = 2**28
_UNUSED: Mapping[str, Any] = {
    "o": -1, "names": [], "shapes": [], "digests": [], "policy": None, "scale": None,
}  # fmt: skip
"""What an optimizer that took no step has not."""
_T = TypeVar("_T")


class UnreadableRecordingError(CompatLossScaleError):
    """A file is no recording, is damaged, or is larger than a recording can be."""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of an array.

    Attributes:
        digest: A digest of its bits.
        norm: The Euclidean norm of its finite elements.
        largest: The largest magnitude of its finite elements.
        not_finite: How many elements are not finite.
        products: Its products with pseudo-random signs, the same for each array of a size.
    """

    digest: str
    norm: float
    largest: float
    not_finite: int
    products: tuple[float, ...]


_Arrays: TypeAlias = Mapping[str, Sequence[Seen | None]]
_Last: TypeAlias = dict[tuple[int, str, int], Seen | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """What a step left.

    Attributes:
        arrays: By the kind (`VARIABLES`, or the name of a slot), what was seen.
        number: The number of the step among those of its optimizer, from 0.
        at: The line of the program that did it.
        steps: The optimizer's own count of steps.
        scale: The loss scale after the step.
        good: The good steps after the step.
        applied: Whether the step was applied; a skipped step is not.
        data: A digest of the data that the step got, where the recorder saw it.
        draws: How many random operations got seeds since the step before, and a digest of them.
        place: The number of the step among those of all optimizers, from 1.
    """

    arrays: _Arrays
    number: int
    at: str
    steps: float | None
    scale: float | None
    good: float | None
    applied: bool
    data: str | None
    draws: tuple[int, str]
    place: int


@dataclasses.dataclass
class RecordedOptimizer:
    """An optimizer.

    Attributes:
        title: Its class, and that of the optimizer that it wraps.
        inner: The class of the optimizer inside all wrappers.
        names: The names of its variables.
        shapes: Their shapes.
        first: What was seen of them before the first step.
        number: Its number among those that took steps; -1 if it took none.
        scaled: Whether it scales the loss.
        at: The line of the program that made it.
        config: The numbers that it was made with.
        policy: The policy in force.
        scale: The loss scale before the first step.
        settings: The loss scale that it was made with, as text.
        steps: The steps.
    """

    title: str
    inner: str
    names: list[str]
    shapes: list[tuple[int | None, ...]]
    first: list[Seen | None]
    number: int
    scaled: bool
    at: str
    config: Mapping[str, Any]
    policy: str | None
    scale: float | None
    settings: str | None
    steps: list[Step] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line that the program printed.

    Attributes:
        stack: The lines of the program that printed it and that called that, the innermost first.
        text: What was printed.
        step: The number of steps of the first optimizer before it.
        place: The number of steps of all optimizers before it.
    """

    stack: tuple[str, ...]
    text: str
    step: int
    place: int


@dataclasses.dataclass
class Recording:
    """A recording.

    Attributes:
        path: Its file.
        header: Its first line.
        optimizers: The optimizers that took steps, in order.
        printed: What the program printed.
        unused: The optimizers that took no step.
        fits: The digests of what `fit` got.
        saves: The names and shapes in each checkpoint that was written.
        observed: What came by at places of the program; `observed.ObservedKinds` reads it.
        end: How the program ended; `None` if it was killed.
        unstable: What a second run did otherwise, by the number of the optimizer, the kind and the
            place of an array, with the first step that shows it; -1 stands for before the steps,
            and where there is no place or no optimizer. `None` if there was no second run.
    """

    path: str
    header: Mapping[str, Any]
    optimizers: list[RecordedOptimizer] = dataclasses.field(default_factory=list)
    printed: list[PrintedLine] = dataclasses.field(default_factory=list)
    unused: list[RecordedOptimizer] = dataclasses.field(default_factory=list)
    fits: list[str | None] = dataclasses.field(default_factory=list)
    saves: list[tuple[str, Mapping[str, Any]]] = dataclasses.field(default_factory=list)
    observed: list[Mapping[str, Any]] = dataclasses.field(default_factory=list)
    end: Mapping[str, Any] | None = None
    unstable: Mapping[tuple[int, str, int], int] | None = None

    @property
    def steps(self) -> int:
        """How many steps the optimizer with the most took."""
        return max((len(one.steps) for one in self.optimizers), default=0)

    @property
    def steps_done(self) -> int:
        """How many steps all optimizers took."""
        return sum(len(one.steps) for one in self.optimizers)

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of Python and of the packages."""
        return dict(self.end["versions"]) if self.end else {}


def read(path: str) -> Recording:
    """Reads a recording.

    Raises:
        UnreadableRecordingError: It cannot be read. The message says why.
    """
    runs: list[Recording] = []
    last: _Last = {}
    number = 0
    try:
        for line in _lines(path):
            number += 1
            value = json.loads(line)
            if not runs or value["t"] == "lossscale-recording":
                runs.append(Recording(path, _header(value, path)))
                last.clear()
            else:
                _take(runs[-1], value, last)
    except UnreadableRecordingError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        message = f"{path} is damaged in line {number}: {type(error).__name__}: {error}"
        raise UnreadableRecordingError(message[:500]) from None
    if not runs:
        raise UnreadableRecordingError(f"{path} is empty: it is no recording")
    if len(runs) > 1:
        runs[0].unstable = not_reproduced(runs[0], runs[1])
    return runs[0]


def not_reproduced(one: Recording, other: Recording) -> Mapping[tuple[int, str, int], int]:
    """Returns what differs in two runs of one program, as in `Recording.unstable`."""
    found: dict[tuple[int, str, int], int] = {}
    for first in one.optimizers[len(other.optimizers) :]:  # the second run did not get so far
        found[first.number, "steps", -1] = 0
        found.update({(first.number, VARIABLES, place): -1 for place in range(len(first.names))})
    for first, second in zip(one.optimizers, other.optimizers, strict=False):
        if len(first.steps) != len(second.steps):
            found[first.number, "steps", -1] = min(len(first.steps), len(second.steps))
        kinds: list[tuple[int, _Arrays, _Arrays]] = [
            (-1, {VARIABLES: first.first}, {VARIABLES: second.first})
        ]
        for step, step2 in zip(first.steps, second.steps, strict=False):
            kinds.append((step.number, step.arrays, step2.arrays))
            for what in ("steps", "scale", "good", "applied", "data"):
                if getattr(step, what) != getattr(step2, what):
                    found.setdefault((first.number, what, -1), step.number)
        for number, arrays, arrays2 in kinds:
            for kind in arrays:
                pairs = zip(arrays[kind], arrays2.get(kind, ()), strict=False)
                for place, (seen, seen2) in enumerate(pairs):
                    if seen != seen2:
                        found.setdefault((first.number, kind, place), number)
    for index, (line, line2) in enumerate(itertools.zip_longest(one.printed, other.printed)):
        if line is None or line2 is None or line.text != line2.text:
            found[-1, "print", index] = max(one.step for one in (line, line2) if one is not None)
    return found


def _lines(path: str) -> Iterator[bytes]:
    """Yields the lines. The file may be broken off, if the program was killed."""
    total = 0
    try:
        with open_regular(path) as raw, gzip.GzipFile(fileobj=raw) as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                total += len(line)
                if total > MAX_BYTES or len(line) > MAX_LINE_BYTES:
                    raise UnreadableRecordingError(f"{path} is larger than a recording can be")
                if line.endswith(b"\n"):
                    yield line
    except UnreadableArtefactError as error:
        raise UnreadableRecordingError(f"{path} {error}") from None
    except EOFError:
        return
    except (OSError, zlib.error):
        raise UnreadableRecordingError(f"{path} is no recording") from None


def _header(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or value.get("t") != "lossscale-recording":
        raise UnreadableRecordingError(f"{path} is no recording")
    if value.get("version") != VERSION:
        raise UnreadableRecordingError(
            f"{path} has version {value.get('version')!r} of the format, and this package reads "
            f"version {VERSION}: record with the recorder of this package"
        )
    return value


def _take(recording: Recording, value: dict[str, Any], last: _Last) -> None:
    kind = value["t"]
    if kind == "optimizer":
        _take_optimizer(recording, _optimizer(value), last)
    elif kind == "step":
        optimizer = {one.number: one for one in recording.optimizers}[value["o"]]
        arrays = {VARIABLES: value["v"], **value["s"]}
        for name, seen in arrays.items():
            found = []
            for place, one in enumerate(_is(list, seen)):
                key = (optimizer.number, _is(str, name), place)
                if one != 0:
                    last[key] = _seen(one)
                found.append(last.get(key))
            arrays[name] = found
        of_step = [*_checked(_STEP, value).values(), recording.steps_done + 1]
        optimizer.steps.append(Step(arrays, *of_step))
    elif kind == "print":
        line = _checked({"at": str, "calls": [str], "line": str, "n": int}, {"calls": [], **value})
        stack = (line["at"], *line["calls"])
        text = PrintedLine(stack, line["line"], line["n"], recording.steps_done)
        recording.printed.append(text)
    elif kind == "fit":
        recording.fits.append(_text(value["data"]))
    elif kind == "save":
        recording.saves.append((_is(str, value["name"]), _is(dict, value["names"])))
    elif kind == "observed":
        places = {"places": [(str, int, str, str, int)]}
        recording.observed.append(_checked(places, value))
    elif kind == "end":
        value = {"problems": {}, "threads": 1, "hidden": [], **value}
        parts = {"exit": int, "problems": dict, "threads": int, "hidden": [str]}
        recording.end = {**value, **_checked(parts, value)}
        _checked([str], [*_is(dict, value["versions"]).values()])
        if value["error"] is not None:
            error = _checked(_ERROR, {"calls": [], **value["error"]})
            recording.end["error"] = {**error, "stack": (error["at"], *error["calls"])}
        recording.unused = [_optimizer({**_UNUSED, **one}) for one in value.get("unused", ())]


def _take_optimizer(recording: Recording, new: RecordedOptimizer, last: _Last) -> None:
    # It is described when its variables have values, maybe after a later one, and again when it
    # gets more of them.
    one = next((one for one in recording.optimizers if one.number == new.number), None)
    if one is None:
        one = dataclasses.replace(new, names=[], shapes=[], first=[])
        recording.optimizers.append(one)
        recording.optimizers.sort(key=lambda one: one.number)
    for place, first in enumerate(new.first, len(one.names)):
        last[one.number, VARIABLES, place] = first
    one.names += new.names
    one.shapes += new.shapes
    one.first += new.first


def _optimizer(value: dict[str, Any]) -> RecordedOptimizer:
    outer, inner, names, shapes, first, *others = _checked(_OPTIMIZER, value).values()
    if not len(names) == len(shapes) == len(first):
        raise ValueError("its parts do not fit together")
    title = f"{outer}({inner})" if value["wrapped"] else outer
    return RecordedOptimizer(title, inner, names, [*map(tuple, shapes)], first, *others)


def _checked(schema: Any, value: Any) -> Any:
    """Returns the parts of a value that a schema names.

    Args:
        schema: A class; a function that returns the value, or raises an error; a list of one schema
            for all elements; or a tuple or a dictionary of schemas.
        value: What was read from JSON.
    """
    if isinstance(schema, dict):
        return {key: _checked(one, _is(dict, value).get(key)) for key, one in schema.items()}
    if isinstance(schema, list):
        return [_checked(schema[0], one) for one in _is(list, value)]
    if isinstance(schema, tuple):
        return tuple(_checked(*pair) for pair in zip(schema, value, strict=True))
    return _is(schema, value) if schema in (str, int, list, dict) else schema(value)


def _seen(value: Any) -> Seen | None:
    if value is None:
        return None
    digest, norm, largest, not_finite, *products = value
    numbers = [_finite(one) for one in (norm, largest, *products)]
    if len(products) != PROJECTIONS:
        raise ValueError("an array has another number of products")
    return Seen(_is(str, digest), numbers[0], numbers[1], _is(int, not_finite), tuple(numbers[2:]))


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _is(kind: type[_T], value: Any) -> _T:
    if not isinstance(value, kind):
        raise ValueError(f"{str(value)[:50]!r} is no {kind.__name__}")
    return value


def _text(value: Any) -> str | None:
    return None if value is None else _is(str, value)


_STEP = {
    "n": int, "at": str, "steps": _number, "scale": _number, "good": _number, "applied": bool,
    "data": _text, "draws": (int, str),
}  # fmt: skip
_OPTIMIZER = {
    "class": str, "inner": str, "names": [str], "shapes": [list], "digests": [_seen], "o": int,
    "scaled": bool, "at": str, "config": dict, "policy": _text, "scale": _number,
    "settings": _text,
}  # fmt: skip
_ERROR = {"class": str, "text": str, "at": str, "calls": [str]}


ObservedKinds = dict[str, dict[int, dict[str, tuple[str, int]]]]
"""By the file, the line, and what was done there: the one kind that came by, and how often.

What was done is `loss_scale` or `lr` for an attribute of that name, `made` or `wrapped` for a
constructor of an optimizer without or with a loss scale, `scale` for the loss scale that it was
made with, `compile` for a model, and `policy`. The kind is a module and a class, such as
`tensorflow.python.training.momentum.MomentumOptimizer`, and for a loss scale its numbers; of a
policy it is its name and its loss scale. A place where kinds mixed is not in the table.
"""


def observed_kinds(lines: Iterable[Mapping[str, Any]]) -> ObservedKinds:
    """Returns the table of a recording."""
    kinds: dict[tuple[str, int, str], Counter[str]] = {}
    for file, line, what, kind, times in (row for one in lines for row in one["places"]):
        kinds.setdefault((file, line, what), Counter())[kind] += times
    found: ObservedKinds = {}
    for (file, line, what), seen in kinds.items():
        if len(seen) == 1:
            ((kind, times),) = seen.items()
            found.setdefault(file, {}).setdefault(line, {})[what] = (kind, times)
    return found
