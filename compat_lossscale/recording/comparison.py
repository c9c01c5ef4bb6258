# SPDX-License-Identifier: Apache-2.0
"""Compares two recordings: whether they are the same, and where they part first."""

from __future__ import annotations

import dataclasses
import enum
import math
import re
from collections.abc import Iterator, Mapping, Sequence

from compat_lossscale.recording.matching import family_of, match, slot_kind
from compat_lossscale.recording.reading import (
    PrintedLine,
    RecordedOptimizer,
    Recording,
    Seen,
    Step,
)
from compat_lossscale.recording.recorder import VARIABLES

UPDATE_TOLERANCE = 0.002
"""How much of the way that a variable has gone may differ, for float32."""
HALF_TOLERANCE = 0.05
"""The same for float16 and bfloat16, whose gradients have three digits or fewer."""
SAME_KERNELS_TOLERANCE = 0.0001
"""The same for both types, if TensorFlow, Keras and the platform are the same on both sides."""
ROUNDING = 1e-6
"""How much of a variable's norm may differ by rounding at each step."""
SKIPPED_STEPS_COUNT = (
    "One side counts skipped steps in `iterations`, as TensorFlow does since 2.3. The other one, "
    "TensorFlow up to 2.2 or Keras 3, does not."
)
_JUMP = 8.0
"""A difference that grows by this factor in one step is no rounding that grows."""
_CONFIG = (
    "learning_rate", "lr", "momentum", "nesterov", "beta_1", "beta_2", "epsilon", "rho", "decay",
    "amsgrad", "centered", "clipnorm", "clipvalue", "global_clipnorm", "weight_decay",
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)(?![\w.])")
_LEFT_OUT = re.compile(
    r"<[\w.]*keras[\w.]* object at 0x[0-9a-fA-F]+>|<\w+ name=\w+, built=\w+>"  # objects of Keras
    r"|0x[0-9a-fA-F]{4,}"  # addresses
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?"  # times
    r"|\d+(?:\.\d+)?(?:e[-+]\d+)? ?(?:[mun]?s|secs?|seconds?|min|minutes?)(?:/\w+)?\b"
    r"|(?<!\w)(?:[A-Za-z]:)?[/\\][\w.\-/\\]+"  # paths
)
ADVICE = (
    "Make the program reproducible and record again: set its seeds, set TF_DETERMINISTIC_OPS=1 or "
    "call tf.config.experimental.enable_op_determinism(), use one thread, and sort what comes from "
    "sets and folders."
)


class ComparisonVerdict(enum.IntEnum):
    """What comparing gave; the exit code of `compare`."""

    SAME = 0
    DIFFERENT = 1
    CANNOT_BE_TOLD = 2


@dataclasses.dataclass(frozen=True)
class Difference:
    """A difference.

    Attributes:
        what: What differs: `variable`, `loss scale`, `printed line` and so on.
        step: The number of steps that the optimizer had done, with this one; 0 for before them.
        optimizer: The optimizer; empty if it belongs to none.
        name: The variable or slot; empty for others.
        before: The value in the first recording.
        after: The value in the second one.
        before_at: The line of the program in the first recording.
        after_at: The line of the program in the second recording.
        size: The relative size, for variables and slots.
        before_calls: The lines that called `before_at`, the innermost first, where they are known.
        after_calls: The same for `after_at`.
    """

    what: str
    step: int
    optimizer: str
    name: str
    before: str
    after: str
    before_at: str = ""
    after_at: str = ""
    size: float | None = None
    before_calls: tuple[str, ...] = ()
    after_calls: tuple[str, ...] = ()


@dataclasses.dataclass
class RecordingComparison:
    """What comparing two recordings gave.

    Attributes:
        before: The first recording.
        after: The second one.
        verdict: The verdict.
        reason: The verdict in a sentence.
        first: The first difference, if there is one.
        others: The first difference of other things.
        parted: What parted first: `data`, `initial values`, `random operations` or `step`.
        draws_known: Whether it is known if random operations in steps drew the same on both sides.
        steps: How many steps were compared.
        exact: How many of the first steps are the same to the bit.
        bits: Whether all that was compared is the same to the bit.
        growth: The largest relative difference after each step, and whose it is.
        by_variable: By the variable or slot, the first step that differs and the largest
            relative difference.
        notes: What to know besides.
        left_out: What was left out because the program does not reproduce it.
    """

    before: Recording
    after: Recording
    verdict: ComparisonVerdict = ComparisonVerdict.SAME
    reason: str = ""
    first: Difference | None = None
    others: list[Difference] = dataclasses.field(default_factory=list)
    parted: str | None = None
    draws_known: bool = True
    steps: int = 0
    exact: int = 0
    bits: bool = True
    growth: list[tuple[int, float, str]] = dataclasses.field(default_factory=list)
    by_variable: dict[str, tuple[int, float]] = dataclasses.field(default_factory=dict)
    notes: list[str] = dataclasses.field(default_factory=list)
    left_out: list[str] = dataclasses.field(default_factory=list)


def compare(
    before: Recording, after: Recording, *, rtol: float | None = None, output: bool = True
) -> RecordingComparison:
    """Compares two recordings.

    Args:
        before: The recording of the program as it was.
        after: The recording of the program as it is.
        rtol: The largest relative difference of a variable or slot that counts as the same. By
            default, it depends on how far the variable has gone. With 0, bits are compared.
        output: Whether printed lines count.
    """
    return _Comparing(before, after, rtol, output).run()


class _Comparing:
    """One comparison."""

    def __init__(
        self, before: Recording, after: Recording, rtol: float | None, output: bool
    ) -> None:
        self.before, self.after = before, after
        self.rtol, self.output = rtol, output
        self.result = RecordingComparison(before, after)
        self.found: list[Difference] = []
        self.unstable = _unstable(before, after)
        self.same_kernels = all(
            before.versions.get(name) == after.versions.get(name)
            for name in ("tensorflow", "keras", "tf_keras", "jax", "torch")
        ) and before.header.get("platform") == after.header.get("platform")
        self.compared_values = 0
        self.grew_at: int | None = None
        self.data_at: int | None = None
        self.draws_at: int | None = None
        self.largest: dict[int, tuple[float, str]] = {}

    def run(self) -> RecordingComparison:
        """Compares everything, and says what it gave."""
        result = self.result
        self._ends()
        first, second = self.before.optimizers, self.after.optimizers
        fewer = self.before if len(first) < len(second) else self.after
        if len(first) != len(second) and first and second and not _failed(fewer):
            titles = ["; ".join(o.title for o in side) for side in (first, second)]
            self._differ("optimizers", 0, None, titles)
        for one, other in zip(first, second, strict=False):
            self._optimizers(one, other)
        if len(self.before.unused) == len(self.after.unused):
            for made, made2 in zip(self.before.unused, self.after.unused, strict=True):
                self._kinds(made, made2)
        self._in_force()
        if self.output:
            self._printed()
        self._notes()
        result.growth = [(step, *self.largest[step]) for step in sorted(self.largest)]
        parted = [step for step, size, _ in result.growth if size > 0]
        result.exact = min(parted) - 1 if parted else result.steps
        result.bits &= not any(start for start, _ in result.by_variable.values())
        self.found.sort(key=lambda one: one.step)
        self._conclude()
        return result

    def _differ(
        self,
        what: str,
        step: int,
        one: RecordedOptimizer | None,
        words: Sequence[str],
        at: Sequence[str] = ("", ""),
        name: str = "",
        size: float | None = None,
        calls: Sequence[tuple[str, ...]] = ((), ()),
    ) -> None:
        title = one.title if one is not None else ""
        before, after = words
        before_at, after_at = at
        sides = (before, after, before_at, after_at)
        self.found.append(Difference(what, step, title, name, *sides, size, calls[0], calls[1]))

    # What is compared.

    def _ends(self) -> None:
        ends = [side.end for side in (self.before, self.after)]
        for side in (self.before, self.after):
            if side.end is None:
                self.result.notes.append(f"{side.path} has no end: the program was killed.")
            elif side.end.get("cut"):
                self.result.notes.append(
                    f"{side.path} reached its largest size: later steps are not in it."
                )
        if None in ends:
            return
        words = [_end_words(end or {}) for end in ends]
        if words[0] != words[1]:
            errors = [(end or {}).get("error") or {} for end in ends]
            steps = [max((len(o.steps) for o in side.optimizers), default=0)
                     for side in (self.before, self.after)]  # fmt: skip
            limited = [bool((end or {}).get("limited")) for end in ends]
            if any(limited) and not any(errors):
                return
            places = [error.get("at", "") for error in errors]
            calls = [tuple(error.get("calls", ())) for error in errors]
            self._differ("end", min(steps) + 1, None, words, places, calls=calls)

    def _optimizers(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        self._kinds(one, other)
        places = (one.at, other.at)
        if one.scaled != other.scaled:
            words = ("with", "without") if one.scaled else ("without", "with")
            self._differ("loss scaling", 0, one, words, places)
        if one.policy and other.policy and _policy(one.policy) != _policy(other.policy):
            self._differ("policy", 0, one, (one.policy, other.policy), places)
        for name in _CONFIG:
            pair = [side.config.get(name) for side in (one, other)]
            if None not in pair and not _equal_settings(*pair):
                self.result.notes.append(
                    f"The {name} of {one.title} is {pair[0]} before and {pair[1]} after."
                )
        pairs, left, right = match(one, other)
        for sides, names in ((left, one.names), (right, other.names)):
            for place in sides:
                values = ("trained", "not trained") if sides is left else ("not trained", "trained")
                self._differ("trained variables", 0, one, values, places, names[place])
        self._initial(one, other, pairs)
        if self.draws_at is None and self.same_kernels and one.draws != other.draws:
            self.draws_at = 0
        for index, (step, step2) in enumerate(zip(one.steps, other.steps, strict=False)):
            if step.number != step2.number:
                self.result.notes.append(
                    "The recordings hold other steps of the same optimizer: give --every alike."
                )
                break
            self._step(one, other, pairs, index, step, step2)
        self.result.steps = max(self.result.steps, min(len(one.steps), len(other.steps)))
        self._counts(one, other)

    def _kinds(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        """Compares the families of optimizers, and the loss scales that they were made with."""
        places = (one.at, other.at)
        if family_of(one.inner) != family_of(other.inner):
            self._differ("optimizer", 0, one, (one.title, other.title), places)
        if one.settings and other.settings and one.settings != other.settings:
            self._differ("loss scale", 0, one, (one.settings, other.settings), places)

    def _in_force(self) -> None:
        """Compares what is in force when the programs end."""
        ends = [side.end or {} for side in (self.before, self.after)]
        for what in ("policy", "graph_rewrite"):
            one, other = (end.get(what) for end in ends)
            if isinstance(one, str) and isinstance(other, str):
                one, other = _policy(one), _policy(other)
            if None not in (one, other) and one != other:
                words = (str(one), str(other))
                self._differ(what.replace("_", " "), self.result.steps + 1, None, words)

    def _counts(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        counts = [len(side.steps) for side in (one, other)]
        ends = [side.end or {} for side in (self.before, self.after)]
        limited = any(end.get("limited") or end.get("cut") or not end for end in ends)
        if counts[0] != counts[1] and not limited:
            words = (f"{counts[0]} steps", f"{counts[1]} steps")
            self._differ("number of steps", min(counts) + 1, one, words, (one.at, other.at))

    def _initial(
        self, one: RecordedOptimizer, other: RecordedOptimizer, pairs: Sequence[tuple[int, int]]
    ) -> None:
        places = (one.at, other.at)
        for left, right in pairs:
            seen, seen2 = one.first[left], other.first[right]
            if seen is None or seen2 is None or self._is_unstable(one, VARIABLES, left, -1):
                continue
            size = relative(seen, seen2)
            if seen.digest != seen2.digest and size > (self.rtol or ROUNDING):
                words = (_words(seen), _words(seen2))
                self._differ("initial value", 0, one, words, places, one.names[left], size)
        if None not in (one.scale, other.scale) and one.scale != other.scale:
            self._differ("loss scale", 0, one, (_plain(one.scale), _plain(other.scale)), places)

    def _step(
        self, one: RecordedOptimizer, other: RecordedOptimizer, pairs: Sequence[tuple[int, int]],
        index: int, step: Step, step2: Step,
    ) -> None:  # fmt: skip
        number = step.number + 1
        if self.data_at is None and None not in (step.data, step2.data) and step.data != step2.data:
            self.data_at = number
        if step.draws != step2.draws and self.draws_at is None and self.same_kernels:
            self.draws_at = number
        decisions = ("applied", "skipped")
        for what, key, left, right in (
            ("decision", "applied", decisions[not step.applied], decisions[not step2.applied]),
            ("loss scale", "scale", step.scale, step2.scale),
            ("good steps", "good", step.good, step2.good),
            ("count of steps", "steps", step.steps, step2.steps),
        ):
            unknown = (
                self._counts_agree(one, step, step2) if key == "steps" else None in (left, right)
            )
            if unknown or self._is_unstable(one, key, None, index):
                continue
            words = (_plain(left), _plain(right))
            if words[0] != words[1]:
                self._differ(what, number, one, words, (step.at, step2.at))
        kinds = {slot_kind(name): name for name in step2.arrays}
        for name, arrays in step.arrays.items():
            name2 = kinds.get(slot_kind(name))
            if name2 is None:
                continue
            for left, right in pairs:
                if max(left - len(arrays), right - len(step2.arrays[name2])) >= 0:
                    continue
                seen, seen2 = arrays[left], step2.arrays[name2][right]
                if seen is None or seen2 is None or self._is_unstable(one, name, left, index):
                    continue
                first = one.first[left] if name == VARIABLES else None
                self._values(one, name, left, number, seen, seen2, first, (step.at, step2.at))

    def _counts_agree(self, one: RecordedOptimizer, step: Step, step2: Step) -> bool:
        """Whether two counts of steps are the same, if skipped steps count on one side alone."""
        applied = [s.applied for s in one.steps if s.number <= step.number]
        # Up to TensorFlow 2.2, the first step that is applied makes the variable.
        made = any(applied)
        left, right = (
            0 if count is None and not made else count for count in (step.steps, step2.steps)
        )
        if left is None or right is None:
            return left == right
        apart, skipped = abs(left - right), applied.count(False)
        if not apart or self.same_kernels or apart != skipped:
            return not apart
        if SKIPPED_STEPS_COUNT not in self.result.notes:
            self.result.notes.append(SKIPPED_STEPS_COUNT)
        return True

    def _values(
        self, one: RecordedOptimizer, kind: str, place: int, number: int, seen: Seen, seen2: Seen,
        first: Seen | None, at: tuple[str, str],
    ) -> None:  # fmt: skip
        self.compared_values += 1
        name = one.names[place] if kind == VARIABLES else f"{one.names[place]} ({slot_kind(kind)})"
        size = 0.0 if seen.digest == seen2.digest else relative(seen, seen2)
        known = self.result.by_variable.get(name)
        if seen.digest != seen2.digest:
            start = known[0] if known and known[0] else number
            worst = max(size, known[1] if known else 0.0)
            self.result.by_variable[name] = (start, worst)
        elif known is None:
            self.result.by_variable[name] = (0, 0.0)
        if number not in self.largest or size > self.largest[number][0]:
            self.largest[number] = (size, name)
        if seen.digest == seen2.digest or self._is_close(one, number, seen, seen2, first):
            return
        if self.rtol is None and not self.same_kernels and self._grew(name, number, size, known):
            self.grew_at = min(number, self.grew_at or number)
            return
        what = "variable" if kind == VARIABLES else "slot"
        self._differ(what, number, one, (_words(seen), _words(seen2)), at, name, size)

    def _is_close(
        self, one: RecordedOptimizer, number: int, seen: Seen, seen2: Seen, first: Seen | None
    ) -> bool:
        apart = distance(seen, seen2)
        norm = max(seen.norm, seen2.norm)
        if self.rtol is not None:
            return self.rtol > 0 and apart <= self.rtol * norm
        gone = norm if first is None else distance(first, seen)
        if self.same_kernels:
            return apart <= SAME_KERNELS_TOLERANCE * gone + 0.1 * ROUNDING * norm + 1e-12
        half = "16" in (one.policy or "")
        tolerance = HALF_TOLERANCE if half else UPDATE_TOLERANCE
        # A product that rounds to 12 digits hides what is smaller.
        return apart <= tolerance * gone + ROUNDING * number * norm + 1e-12

    def _grew(self, name: str, number: int, size: float, known: tuple[int, float] | None) -> bool:
        """Whether a difference has grown out of rounding, step by step."""
        if self.grew_at is not None and self.grew_at < number:
            return True
        return known is not None and 0 < known[0] <= number - 3 and size < _JUMP * known[1]

    def _is_unstable(
        self, one: RecordedOptimizer, kind: str, place: int | None, index: int
    ) -> bool:
        key = f"{one.number}/{kind}" + ("" if place is None else f"/{place}")
        return key in self.unstable and index >= self.unstable[key]

    def _printed(self) -> None:
        unstable = set()
        for side in (self.before, self.after):
            unstable |= set((side.unstable or {}).get("print", ()))
        ended = [bool((side.end or {}).get("limited")) for side in (self.before, self.after)]
        lines, lines2 = self.before.printed, self.after.printed
        for index, (line, line2) in enumerate(zip(lines, lines2, strict=False)):
            self.result.bits &= line.text == line2.text
            sizes = [size for step, (size, _) in self.largest.items() if step <= line.step]
            tolerance = max([1e-5, *(10 * size for size in sizes)])
            if self.rtol is not None:
                tolerance = 0.0 if self.rtol == 0 else max(tolerance, self.rtol)
            if index in unstable or lines_agree(line.text, line2.text, tolerance):
                continue
            self._line(line, line2)
            return
        if len(lines) != len(lines2) and not any(ended):
            index = min(len(lines), len(lines2))
            short = self.before if len(lines) == index else self.after
            if not _failed(short):
                self._line(
                    *(side[index] if index < len(side) else None for side in (lines, lines2))
                )

    def _line(self, one: PrintedLine | None, other: PrintedLine | None) -> None:
        nothing = PrintedLine("", (), "(nothing)", max(o.step for o in (one, other) if o))
        sides = [one or nothing, other or nothing]
        self._differ(
            "printed line", sides[0].step, None, [side.text for side in sides],
            [side.at for side in sides], calls=[side.calls for side in sides],
        )  # fmt: skip

    # What it gave.

    def _notes(self) -> None:
        result = self.result
        for (name, names), (_, names2) in zip(self.before.saves, self.after.saves, strict=False):
            if names != names2:
                count = len(set(names) ^ set(names2))
                result.notes.append(
                    f"The checkpoint {name} holds other names or shapes: {count} are in one only."
                )
        if self.unstable:
            result.left_out = sorted(self._unstable_words())
        for side in (self.before, self.after):
            if side.resumed:
                result.notes.append(
                    f"In {side.path}, the second run of --twice went on where the first one had "
                    "ended, from files outside of the current folder, such as checkpoints. Move or "
                    "delete them before each run."
                )
            problems = (side.end or {}).get("problems") or {}
            if problems:
                first = next(iter(problems))
                result.notes.append(
                    f"The recorder could not observe everything in {side.path}: {first[:200]}"
                )

    def _unstable_words(self) -> Iterator[str]:
        titles = {str(one.number): one for one in self.before.optimizers}
        for key, step in self.unstable.items():
            number, kind, *place = key.split("/")
            one = titles.get(number)
            if one is None:
                continue
            names = one.names
            inside = bool(place) and place[0].isdigit() and int(place[0]) < len(names)
            thing = names[int(place[0])] if inside else kind
            slot = f" ({kind})" if inside and kind != VARIABLES else ""
            yield f"{thing}{slot} of {one.title} from step {max(0, step + 1)} on"

    def _conclude(self) -> None:
        result = self.result
        values = [one for one in self.found if one.what != "end"]
        steps = [sum(len(o.steps) for o in side.optimizers) for side in (self.before, self.after)]
        if not any(steps) and not self.found:
            self._cannot("no optimizer took a step that the recorder could see in either recording")
        elif not all(steps) and not self.found:
            side = self.before if not steps[0] else self.after
            self._cannot(f"no optimizer took a step that the recorder could see in {side.path}")
        elif self.unstable and not self.compared_values:
            self._cannot(f"the program does not reproduce itself. {ADVICE}")
        elif self.found and not (self.grew_at and self.found[0].step >= self.grew_at):
            result.verdict = ComparisonVerdict.DIFFERENT
            result.first = self.found[0]
            seen = {result.first.what}
            for one in self.found[1:]:
                if one.what not in seen:
                    seen.add(one.what)
                    result.others.append(one)
            result.parted = self._parted(result.first)
            result.reason = "different"
        elif self.grew_at:
            worst = next((s for n, s, _ in result.growth if n == self.grew_at - 1), 0.0)
            self._cannot(
                f"the recordings are the same within {_at_most(worst)} for {self.grew_at - 1} "
                "steps; then rounding has grown so much that the rest says nothing. These kernels "
                "are not the same on both sides; --rtol sets how much may differ"
            )
        else:
            worst = max((size for _, size, _ in result.growth), default=0.0)
            count = f"{result.steps} step{'' if result.steps == 1 else 's'}"
            bits = not any(start for start, _ in result.by_variable.values())
            same = "to the bit" if bits else f"within {_at_most(worst)}"
            result.reason = f"same {same} for {count}"
        if (
            values
            and self.before.unstable is None
            and result.verdict is ComparisonVerdict.DIFFERENT
        ):
            result.notes.append(
                "Whether the program reproduces itself is not known: record it with --twice."
            )

    def _cannot(self, reason: str) -> None:
        self.result.verdict = ComparisonVerdict.CANNOT_BE_TOLD
        self.result.reason = f"cannot be told: {reason.rstrip('.')}"

    def _parted(self, first: Difference) -> str | None:
        if first.what in ("end", "printed line", "number of steps"):
            return None
        if any(one.what == "initial value" for one in self.found):
            return "initial values"
        fits = list(zip(self.before.fits, self.after.fits, strict=False))
        if any(None not in pair and pair[0] != pair[1] for pair in fits):
            return "data"
        if self.data_at is not None and self.data_at <= first.step:
            return "data"
        sides = (self.before, self.after)
        steps = (step for side in sides for one in side.optimizers for step in one.steps)
        self.result.draws_known = self.same_kernels or not any(step.draws[0] for step in steps)
        if first.step and self.draws_at is not None and self.draws_at <= first.step:
            return "random operations"
        return "step"


def distance(one: Seen, other: Seen) -> float:
    """Returns an estimate of the Euclidean distance of two arrays.

    The mean square of the product of a vector with random signs is the square of its norm.

    Args:
        one: What was seen of an array.
        other: What was seen of an array of the same shape.
    """
    if one.not_finite != other.not_finite:
        return math.inf
    pairs = zip(one.products, other.products, strict=True)
    square = sum((left - right) ** 2 for left, right in pairs) / len(one.products)
    return max(math.sqrt(square), abs(one.norm - other.norm))


def relative(one: Seen, other: Seen) -> float:
    """Returns the distance of two arrays as a part of the larger norm."""
    apart = distance(one, other)
    norm = max(one.norm, other.norm)
    return apart / norm if norm else (math.inf if apart else 0.0)


def _at_most(size: float) -> str:
    """A size in one digit, rounded up."""
    if not (size > 0 and math.isfinite(size)):
        return f"{size:.1g}"
    unit = 10.0 ** math.floor(math.log10(size))
    return f"{math.ceil(round(size / unit, 6)) * unit:.1g}"


def lines_agree(one: str, other: str, tolerance: float) -> bool:
    """Whether two printed lines say the same, but for rounding, times, paths and addresses.

    Args:
        one: A line.
        other: The other one.
        tolerance: The relative difference of numbers that are not whole. One unit of the last
            printed digit may differ too, if it is not 0.
    """
    one, other = (_LEFT_OUT.sub("<>", line) for line in (one, other))
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    if not tolerance:
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(left == right or _numbers_agree(left, right, tolerance) for left, right in pairs)


def _numbers_agree(left: str, right: str, tolerance: float) -> bool:
    if left.lstrip("+-").isdigit() and right.lstrip("+-").isdigit():
        return False  # Whole numbers are counts.
    unit = max(map(_last_unit, (left, right)))
    return math.isclose(float(left), float(right), rel_tol=tolerance, abs_tol=1.01 * unit)


def _last_unit(text: str) -> float:
    digits, _, exponent = text.lower().partition("e")
    places = len(digits.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - places)) if "." in digits else 0.0


def _unstable(before: Recording, after: Recording) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for side in (before, after):
        for key, step in (side.unstable or {}).items():
            if isinstance(step, int):
                found[key] = min(step, found.get(key, step))
    return found


def _failed(side: Recording) -> bool:
    """Whether an exception ended a program, so that what it did not get to says nothing more."""
    return (side.end or {}).get("error") is not None


def _end_words(end: Mapping[str, object]) -> str:
    error = end.get("error")
    if isinstance(error, dict):
        return f"{error['class']}: {error['text']}"
    return f"exit code {end.get('exit')}"


def _policy(name: str) -> str:
    return name.strip("_").replace("infer", "float32").replace("policy", "float32")


def _equal_settings(one: object, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6)
    return one == other


def _words(seen: Seen) -> str:
    bad = f", {seen.not_finite} not finite" if seen.not_finite else ""
    return f"norm {seen.norm:.9g}, largest {seen.largest:.9g}{bad}"


def _plain(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
