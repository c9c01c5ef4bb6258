# SPDX-License-Identifier: Apache-2.0
"""Compares two recordings: whether they are the same, and where they part first."""

from __future__ import annotations

import dataclasses
import enum
import math
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest

from compat_lossscale.recording.matching import Pairs, family_of, match, slot_kind
from compat_lossscale.recording.reading import PrintedLine, RecordedOptimizer, Recording, Seen, Step
from compat_lossscale.recording.recorder import LATE, VARIABLES

_NUDGES = 4.0
"""Two Kerases may be this many times as far apart as other last digits take an array."""
UPDATE_TOLERANCE = 0.002
"""How much of the way that a variable has gone may differ, for float32."""
HALF_TOLERANCE = 0.05
"""The same for float16 and bfloat16, whose gradients have three digits or fewer."""
SAME_KERNELS_TOLERANCE = 0.0001
"""The same for both types, if TensorFlow, Keras and the platform are the same on both sides."""
ROUNDING = 1e-6
"""How much of a variable's norm may differ by rounding at each step."""
NOISE = 0.0001
"""How much of the longest way that a variable has gone others may differ by, with other kernels.

The gradient of a bias before a normalization is zero, and what comes of it is rounding alone. For
float16 and bfloat16, it is ten times as much.
"""
SKIPPED_STEPS_COUNT = (
    "One side counts skipped steps in `iterations`, as TensorFlow does since 2.3. The other one, "
    "TensorFlow up to 2.2 or Keras 3, does not."
)
_JUMP = 8.0
"""A difference that grows by this factor is no rounding that grows, over steps or variables."""
_GRADIENT_SLOTS = {"first moment": 1, "second moment": 2}
"""Slots that are means of gradients or of their squares, and which power it is."""
_ROUNDED_GRADIENTS = (1e-5, 0.01)
"""Gradients that differ by this much in the median differ by rounding, and more than usual."""
_CONFIG = (
    "learning_rate", "lr", "momentum", "nesterov", "beta_1", "beta_2", "epsilon", "rho", "decay",
    "amsgrad", "centered", "clipnorm", "clipvalue", "global_clipnorm", "weight_decay",
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)(?![\w.])")
_LEFT_OUT = re.compile(
    r"<[\w.]*keras[\w.]* object at 0x[0-9a-fA-F]+>|<\w+ name=\w+, built=\w+>"  # objects of Keras
    r"|<\w+Dataset (?:shapes|element_spec)\b[^>]*>"  # data, by any version
    r"|\binput_(?:layer(?:_\d+)?|\d+)\b"  # names of inputs that a Keras makes up
    r"|0x[0-9a-fA-F]{4,}"  # addresses
    r"|(?<![\w.])v?\d\d?\.\d\d?\.\d\d?(?!\d)[\w.+-]*"  # versions
    r"|\d{4}-\d\d-\d\d(?:[T _-]\d\d[:-]\d\d(?:[:-]\d\d)?(?:[.,]\d+)?)?"  # times
    r"|(?<![\d.])(?:19|20)\d{6}[-_T]?\d{4,6}\b|\b\d?\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d+(?:\.\d+)?(?:e[-+]\d+)? ?(?:[mun]?s|secs?|seconds?|min|minutes?)(?:/\w+)?\b"
    r"|\d+(?:\.\d+)?(?:e[-+]\d+)? ?[A-Za-z]+/(?:s|sec|second)\b"
    r"|(?i:\b(?:time|elapsed|took|duration|eta)\b)[ :=]+\d+\.\d+"
    r"|(?<!\w)(?:[A-Za-z]:)?[/\\][\w.\-/\\]+"  # paths
)
_NUMPY_2 = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)")
"""How NumPy 2 shows a scalar in a list or a dictionary: `np.float32(0.5)`."""
ROUNDS_OTHERWISE = (
    "Two TensorFlows or generations of Keras round otherwise, most of all in float16, and a deep "
    "network can make much of it. To measure it, record the first program again with --start-from "
    "and --nudge, and give that recording to compare --nudged."
)
ROUND_LESS = "try float32, float64, a larger batch or SGD, or set with --rtol how much may differ"
SAME_OPTIMIZERS = (
    "give both sides the same optimizers, with migrate --legacy-optimizers, or with run "
    "--new-optimizers"
)
OF_TF_KERAS = f" tf.keras.optimizers.legacy has those of TensorFlow 2.0 to 2.10: {SAME_OPTIMIZERS}."
NEAR_OVERFLOW = (
    "In step {}, one side overflows and the other does not. Rounding decides that where a scaled "
    "gradient is near the largest float16, but a mistake in scaling can do the same: compare with "
    "a fixed, lower loss scale, or in float32."
)
NUDGED = (
    "With other last digits in its initial values, the unchanged program differs from itself by "
    "{}, in the median of its variables; four times as much is taken for rounding."
)
MORE_THAN_ROUNDING = (
    "It differs by more than four times what other last digits in its initial values change. Where "
    "the kernels of one side sum in float16, that can be rounding, too: compare in float32 as well."
)
NOT_KNOWN_IF_REPRODUCED = "Whether the program repeats itself is not known: record it with --twice."
DRAWS_OTHERWISE = (
    "random operations draw otherwise across versions and generations of Keras. Record both sides "
    "with --fix-random, which leaves dropout out and seeds what the program itself draws"
)
DRAWN_ALL_THE_SAME = (
    "random operations draw otherwise across versions, backends and generations of Keras, and "
    "--fix-random does not reach the generators of Keras 3. Leave out what they draw"
)
SHUFFLED_UNSEEN = (
    "shuffled data comes in another order with another Keras, and the recorder did not see the "
    "data of the steps. Record one side with --fix-data N and the other with --start-from, which "
    "gives it the same data, or compare without shuffling"
)
DATA_NOT_SEEN = (
    "The recorder did not see the data of the steps, as where an iterator gives it. A parallel map "
    "that draws random numbers gives other data in each run, but not with --fix-random."
)
_NOT_OF_NUMBERS = ("end", "optimizers", "policy", "graph rewrite")
_COUNTS = ("loss scale", "good steps", "count of steps")
FIXED_RANDOM = (
    "Random layers, such as dropout, were left out, and what the program itself draws and shuffles "
    "got a seed by its place: --fix-random."
)
NOTHING_TRAINED = (
    "{} has moved nothing, as where all steps are skipped or the learning rate is 0: compare more "
    "steps"
)
ADVICE = (
    "Make the program reproducible and record again: set its seeds, set TF_DETERMINISTIC_OPS=1 or "
    "call tf.config.experimental.enable_op_determinism(), use one thread, sort what comes from "
    "sets and folders, and delete the checkpoints that it would go on from."
)
NOT_SEEN = (
    "{} takes steps that the recorder cannot see, as in a function that JAX compiles or that was "
    "loaded. Of the others, nothing differs"
)
IN_THREADS = (
    "several threads take steps, or one Session.run those of several optimizers, and their order "
    "may be chance. Record the first program with --twice, which tells whether it reproduces itself"
)
BY_CHANCE = f"It may be chance, for the program does not reproduce itself. {ADVICE}"


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
        before_stack: The lines of the program in the first recording, the innermost first.
        after_stack: The same in the second recording.
        size: The relative size, for variables and slots.
        place: How many steps all optimizers had done, with this one.
    """

    what: str
    step: int
    optimizer: str
    name: str
    before: str
    after: str
    before_stack: tuple[str, ...] = ()
    after_stack: tuple[str, ...] = ()
    size: float | None = None
    place: int = 0

    @property
    def before_at(self) -> str:
        """The line of the program in the first recording, or nothing."""
        return next(iter(self.before_stack), "")

    @property
    def after_at(self) -> str:
        """The line of the program in the second recording, or nothing."""
        return next(iter(self.after_stack), "")


@dataclasses.dataclass
class RecordingComparison:
    """What comparing two recordings gave.

    Attributes:
        before: The first recording.
        after: The second one.
        verdict: The verdict.
        reason: The verdict in a sentence.
        differences: The first difference, and then the first difference of other things.
        parted: What parted first, if known: `data`, `initial values`, `random operations`, `step`.
        steps: How many steps were compared.
        exact: How many of the first steps are the same to the bit.
        bits: Whether all that was compared is the same to the bit.
        growth: By the step, the largest relative difference after it, and whose it is.
        by_variable: By the variable or slot, the first step that differs (0 for none) and the
            largest relative difference.
        notes: What to know besides.
        left_out: What was left out because the program does not reproduce it.
        may_be_rounding: Whether rounding can be the reason that the two differ.
        nudged: By the step, the relative difference that other last digits make, in the median.
    """

    before: Recording
    after: Recording
    verdict: ComparisonVerdict = ComparisonVerdict.SAME
    reason: str = ""
    differences: list[Difference] = dataclasses.field(default_factory=list)
    parted: str | None = None
    steps: int = 0
    exact: int = 0
    bits: bool = True
    growth: dict[int, tuple[float, str]] = dataclasses.field(default_factory=dict)
    by_variable: dict[str, tuple[int, float]] = dataclasses.field(default_factory=dict)
    notes: list[str] = dataclasses.field(default_factory=list)
    left_out: list[str] = dataclasses.field(default_factory=list)
    may_be_rounding: bool = False
    nudged: dict[int, float] = dataclasses.field(default_factory=dict)

    @property
    def first(self) -> Difference | None:
        """The first difference, if there is one."""
        return next(iter(self.differences), None)

    def cannot_be_told(self, reason: str) -> None:
        """Changes the verdict."""
        self.verdict = ComparisonVerdict.CANNOT_BE_TOLD
        self.reason = f"cannot be told: {reason.rstrip('.')}"
        self.parted = None
        self.differences = []
        self.may_be_rounding = False


@dataclasses.dataclass
class _Both:
    """An array that both sides have after a step.

    Attributes:
        kind: `VARIABLES`, or what a slot holds.
        place: Its place among those of the kind.
        seen: What was seen of it in the first recording.
        seen2: What was seen of it in the second one.
        apart: The distance of the two.
        way: How far a variable has gone since the beginning; of a slot, the larger norm.
        longer: How much longer the way is in the second recording.
        share: How much of the longest way is noise.
        nudged: How far other last digits take arrays like it.
        is_steady: Whether it is a variable that they do not move, but for its own rounding.
        longest: The longest way of all arrays of the kind.
        is_gradient: Whether it is a sum of gradients, of which nothing divides by their root.
    """

    kind: str
    place: int
    seen: Seen
    seen2: Seen
    apart: float
    way: float
    longer: float
    share: float
    nudged: float = 0.0
    is_steady: bool = False
    longest: float = 0.0
    is_gradient: bool = False

    @property
    def noise(self) -> float:
        """How much the two may differ for no reason."""
        return max(self.share * self.longest, _NUDGES * self.nudged)

    def size(self) -> float:
        """How much the two differ, as a part of the array; what is noise, of the longest way."""
        if self.seen.digest == self.seen2.digest:
            return 0.0
        size = relative(self.seen, self.seen2)
        is_noise = 0 < self.apart <= self.noise and self.longest > 0
        return min(size, self.apart / self.longest) if is_noise else size


def compare(
    before: Recording,
    after: Recording,
    *,
    rtol: float | None = None,
    output: bool = True,
    nudged: Recording | None = None,
) -> RecordingComparison:
    """Compares two recordings.

    Args:
        before: The recording of the program as it was.
        after: The recording of the program as it is.
        rtol: The largest relative difference of a variable or slot that counts as the same. By
            default, it depends on how far the variable has gone. With 0, bits are compared.
        output: Whether printed lines count.
        nudged: A recording of the first program that begins with other last digits, which tells
            how much rounding does.
    """
    return _Comparing(before, after, rtol, nudged).run(output=output)


class _Comparing:
    """One comparison."""

    def __init__(
        self, before: Recording, after: Recording, rtol: float | None, nudged: Recording | None
    ) -> None:
        self.sides = (before, after)
        self.ends = [side.end or {} for side in self.sides]
        self.rtol = rtol
        self.result = RecordingComparison(before, after)
        self.found: list[Difference] = []
        self.unstable = dict(before.unstable or {})
        for key, step in (after.unstable or {}).items():
            self.unstable[key] = min(step, self.unstable.get(key, step))
        self.same_kernels = all(
            before.versions.get(name) == after.versions.get(name)
            for name in ("tensorflow", "keras", "tf_keras", "jax", "torch")
        ) and before.header.get("platform") == after.header.get("platform")
        self.rounds_alike = self.same_kernels
        self.other_slots: set[str] = set()
        self.nudged: dict[tuple[str, int], tuple[float, float]] = {}
        self.steady: dict[int, set[int]] = {}
        self.starts: dict[tuple[int, str, int], tuple[int, float]] = {}
        self.grew_at: int | None = None
        self.overflowed = 0  # the step
        self.moved: set[int] = set()  # the optimizers of which what is compared has moved
        self.compared: list[Step] = []
        self.untold: tuple[float, str] = (math.inf, "")  # the place of the first step, and why
        self.sees_fit = any(known for side in self.sides for known in side.fits)
        self.unseen_at = self.data_at = self.draws_at = math.inf  # places of steps
        if nudged is not None:
            self._measure(nudged)

    def run(self, *, output: bool) -> RecordingComparison:
        """Compares everything, and says what it gave."""
        result = self.result
        before, after = self.sides
        self._ends()
        for one, other in zip(before.optimizers, after.optimizers, strict=False):
            self._optimizers(one, other)
        if len(before.unused) == len(after.unused):
            for one, other in zip(before.unused, after.unused, strict=True):
                self._kinds(one, other)
        told = [step.number + 1 for step in self.compared if step.place < self.untold[0]]
        result.steps = max(told, default=0)
        if output:
            self._printed()
        self._notes()
        parted = [start for start, _ in result.by_variable.values() if start]
        result.exact = min(parted) - 1 if parted else result.steps
        result.bits &= not parted
        self.found.sort(key=lambda one: one.place)
        drawn = self._drawn()
        if self.found and self._follows_chance(self.found[0]):
            self.found = self._certain()
        self._conclude(drawn)
        if result.verdict is ComparisonVerdict.SAME:
            self._qualify()
        result.notes = list(dict.fromkeys(result.notes))  # Several optimizers can have one alike.
        return result

    def _differ(
        self,
        what: str,
        step: int,
        words: Sequence[str],
        stacks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
        one: RecordedOptimizer | None = None,
        name: str = "",
        size: float | None = None,
        place: int = 0,
    ) -> None:
        title = one.title if one is not None else ""
        self.found.append(
            Difference(what, step, title, name, words[0], words[1], *stacks, size, place)
        )

    def _was_stopped(self, counts: Sequence[int]) -> bool:
        """Whether the side that has less was stopped, so that this says nothing more.

        After the same number of steps of the first optimizer, both have as much of all others.
        """
        both = zip(self.ends, self.sides, strict=True)
        limits = [(end.get("limited"), side.header.get("steps")) for end, side in both]
        end = self.ends[counts.index(min(counts))]
        limited = end.get("limited") and limits[0] != limits[1]
        return bool(not end or limited or end.get("cut") or self._end_otherwise())

    def _end_otherwise(self) -> bool:
        return any(one.what == "end" for one in self.found)

    # What is compared.

    def _ends(self) -> None:
        """Compares how the programs end, what is in force then, and how many optimizers stepped."""
        for side, end in zip(self.sides, self.ends, strict=True):
            if not end:
                self.result.notes.append(f"{side.path} has no end: the program was killed.")
            elif end.get("cut"):
                self.result.notes.append(
                    f"{side.path} reached its largest size, and later steps are not in it: record "
                    "with a larger --limit."
                )
        limited = any(end.get("limited") for end in self.ends)
        errors = [end.get("error") for end in self.ends]
        words = [_end_words(end) for end in self.ends]
        last = min(side.steps for side in self.sides)
        ended = min(side.steps_done for side in self.sides) + 1
        # In no order: TensorFlow lists the attributes of an operation as a hash table has them.
        left, right = (sorted(re.findall(r"[\w.]+", _LEFT_OUT.sub("", text))) for text in words)
        same = left == right
        if same and all(errors) and last:
            self.result.notes.append(f"Both programs end with {words[0]}")
        if all(self.ends) and not same and (any(errors) or not limited):
            stacks = [error["stack"] if error else () for error in errors]
            self._differ("end", last + 1, words, (stacks[0], stacks[1]), place=ended)
        for what in ("policy", "graph_rewrite"):
            forces = [end.get(what) for end in self.ends]
            words = [_policy(str(one)) for one in forces]
            if None not in forces and words[0] != words[1] and (all(errors) or not any(errors)):
                self._differ(what.replace("_", " "), last + 1, words, place=ended)
        counts = [len(side.optimizers) for side in self.sides]
        if all(counts) and counts[0] != counts[1] and not self._was_stopped(counts):
            titles = ["; ".join(one.title for one in side.optimizers) for side in self.sides]
            self._differ("optimizers", 0, titles)

    def _optimizers(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        self._kinds(one, other)
        self._slots(one, other)
        pairs = self._beginnings(one, other)
        steps = {step.number: step for step in other.steps}  # --every may leave out others
        counts = [side.steps[-1].number + 1 if side.steps else 0 for side in (one, other)]
        for step in one.steps:
            if step.number in steps:
                self._step(one, pairs, step, steps[step.number])
                self.compared.append(step)
        if counts[0] != counts[1] and not self._was_stopped(counts):
            words = [steps_words(count) for count in counts]
            longer = max(one.steps, other.steps, key=len)
            place = next((step.place for step in longer if step.number >= min(counts)), 0)
            stacks = ((one.at,), (other.at,))
            self._differ("number of steps", min(counts) + 1, words, stacks, one, place=place)

    def _slots(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        """Compares the names of slots, which tell the generations of Keras' optimizers apart."""
        slots = [
            ", ".join(sorted({*side.steps[-1].arrays} - {VARIABLES}) if side.steps else ())
            for side in (one, other)
        ]
        self.rounds_alike = self.same_kernels and slots[0] == slots[1]
        # The momentum of TensorFlow 1 sums gradients, and that of Keras sums steps.
        is_of_v1 = [side.inner == "MomentumOptimizer" for side in (one, other)]
        self.other_slots = {"momentum"} if is_of_v1[0] != is_of_v1[1] else set()
        if family_of(one.inner) == family_of(other.inner) and all(slots) and slots[0] != slots[1]:
            has_both = "tf_keras" in self.sides[1].versions
            self.result.notes.append(
                f"{one.title} has the slots {slots[0]} before and {slots[1]} after: the classes "
                f"are of two generations of Keras.{OF_TF_KERAS * has_both}"
            )

    def _beginnings(self, one: RecordedOptimizer, other: RecordedOptimizer) -> Pairs:
        """Compares what is known before the first step; returns the places of equal variables."""
        stacks = ((one.at,), (other.at,))
        words: Sequence[str]
        if one.scaled != other.scaled:
            words = ["with" if side.scaled else "without" for side in (one, other)]
            self._differ("loss scaling", 0, words, stacks, one)
        if one.policy and other.policy and _policy(one.policy) != _policy(other.policy):
            self._differ("policy", 0, (one.policy, other.policy), stacks, one)
        for name in _CONFIG:
            left, right = (_setting(side.config.get(name, "")) for side in (one, other))
            if left and right and left != right:
                self.result.notes.append(
                    f"The {name} of {one.title} is {left} before and {right} after."
                )
        pairs, alone, alone2 = match(one, other)
        for places, side, words in (
            (alone, one, ("trained", "not trained")),
            (alone2, other, ("not trained", "trained")),
        ):
            for place in places:
                self._differ("trained variables", 0, words, stacks, one, side.names[place])
        for place, place2 in pairs:
            seen, seen2 = one.first[place], other.first[place2]
            if seen is None or seen2 is None or self._is_unstable(one, VARIABLES, place, -1):
                continue
            size = relative(seen, seen2)
            if seen.digest != seen2.digest and size > (self.rtol or ROUNDING):
                words = (_words(seen), _words(seen2))
                self._differ("initial value", 0, words, stacks, one, one.names[place], size)
        if None not in (one.scale, other.scale) and one.scale != other.scale:
            self._differ("loss scale", 0, (_plain(one.scale), _plain(other.scale)), stacks, one)
        return pairs

    def _kinds(self, one: RecordedOptimizer, other: RecordedOptimizer) -> None:
        """Compares the families of optimizers, and the loss scales that they were made with."""
        if family_of(one.inner) != family_of(other.inner):
            self._differ("optimizer", 0, (one.title, other.title), ((one.at,), (other.at,)), one)
        if one.settings and other.settings and one.settings != other.settings:
            words = (one.settings, other.settings)
            self._differ("loss scale", 0, words, ((one.at,), (other.at,)), one)

    def _step(self, one: RecordedOptimizer, pairs: Pairs, step: Step, step2: Step) -> None:
        """Compares a step."""
        number = step.number + 1
        if None in (step.data, step2.data):
            self.unseen_at = min(self.unseen_at, step.place)
        elif step.data != step2.data:
            self.data_at = min(self.data_at, step.place)
        if step.draws != step2.draws:
            self.draws_at = min(self.draws_at, step.place)
        both = list(self._both(one, pairs, step, step2))
        here = sum(left < len(step.arrays[VARIABLES]) for left, _ in pairs)
        told = sum(array.kind == VARIABLES for array in both)
        if 2 * told < max(here, 1):
            unread = f"the recorder could not read most of what {one.title} trains"
            why = f"the program does not reproduce itself. {ADVICE}" if self.unstable else unread
            self.untold = min(self.untold, (step.place, why))
        is_half = "_float16" in (one.policy or "") and self.rtol is None and not self.rounds_alike
        is_finite = not any(array.seen.not_finite or array.seen2.not_finite for array in both)
        if step.applied != step2.applied and is_half and is_finite:
            # Rounding decides whether it overflows.
            if not self.overflowed:
                self.result.notes.append(NEAR_OVERFLOW.format(number))
            self.overflowed = self.overflowed or number
            self.grew_at = min(number, self.grew_at or number)
            return
        decisions = ("applied", "skipped")
        for what, key, left, right in (
            ("decision", "applied", decisions[not step.applied], decisions[not step2.applied]),
            ("loss scale", "scale", step.scale, step2.scale),
            ("good steps", "good", step.good, step2.good),
            ("count of steps", "steps", step.steps, step2.steps),
        ):
            words = (_plain(left), _plain(right))
            agree = words[0] == words[1] or None in (left, right)
            if key == "steps":
                agree = self._counts_agree(one, step, step2)
            if not agree and not self._is_unstable(one, key, -1, step.number):
                self._differ(what, number, words, ((step.at,), (step2.at,)), one, place=step.place)
        if self.nudged:
            self._nudge(one, both, step)
        rounded = 0.0 if self.rounds_alike else self._rounding(one, both)
        for array in both:
            self._array(one, array, step, step2, rounded=rounded)

    def _both(
        self, one: RecordedOptimizer, pairs: Pairs, step: Step, step2: Step
    ) -> Iterator[_Both]:
        family = family_of(one.inner)
        kinds = {slot_kind(name, family): arrays for name, arrays in step2.arrays.items()}
        share = NOISE * (10 if self._in_half(one) and not self.rounds_alike else 1)
        for name, arrays in step.arrays.items():
            kind = slot_kind(name, family)
            arrays2 = () if kind in self.other_slots else kinds.get(kind, ())
            for left, right in pairs:
                seen = arrays[left] if left < len(arrays) else None
                seen2 = arrays2[right] if right < len(arrays2) else None
                if seen and seen2 and not self._is_unstable(one, name, left, step.number):
                    first = one.first[left] if kind == VARIABLES else None
                    ways = [distance(first, x) if first else x.norm for x in (seen, seen2)]
                    way = ways[0] if first else max(ways)  # One may be near 0 by chance.
                    apart = distance(seen, seen2)
                    yield _Both(kind, left, seen, seen2, apart, way, ways[1] - ways[0], share)

    def _measure(self, nudged: Recording) -> None:
        """Says how far other last digits take the arrays of each step.

        It is told by the kind of array and in all optimizers: by chance, they take one array or one
        side of a GAN much less far than in another run.
        """
        for one, other in zip(self.sides[0].optimizers, nudged.optimizers, strict=False):
            pairs = [(place, place) for place in range(len(one.names))]
            steps = {step.number: step for step in other.steps}
            for step in (step for step in one.steps if step.number in steps):
                both = [*self._both(one, pairs, step, steps[step.number])]
                for array in (array for array in both if array.kind == VARIABLES):
                    # Not where they begin, but the way that they go is to be compared.
                    first, first2 = one.first[array.place], other.first[array.place]
                    if first and first2:
                        array.apart = distance(array.seen, array.seen2, first, first2)
                for kind, parts in _parts(both).items():
                    usual, largest = self.nudged.get((kind, step.number), (0.0, 0.0))
                    usual = max(usual, statistics.median(parts))
                    self.nudged[kind, step.number] = (usual, max(largest, *parts))
                arrays = (one for one in both if one.kind == VARIABLES)
                # After the last step: what they move at all, they move by then.
                self.steady[one.number] = {a.place for a in arrays if a.apart <= ROUNDING * a.way}

    def _nudge(self, one: RecordedOptimizer, both: Sequence[_Both], step: Step) -> None:
        """Says what may come of other last digits: the median, or of single arrays the largest."""
        parts = _parts(both)
        levels = {kind: self.nudged.get((kind, step.number), (0.0, 0.0)) for kind in parts}
        usual = [level for level, _ in levels.values()]
        self.result.nudged[step.number + 1] = statistics.median(usual) if usual else 0.0
        for array in both:
            if array.kind == VARIABLES and array.place in self.steady.get(one.number, ()):
                array.is_steady = True
            elif array.kind in parts:
                usually, largest = levels[array.kind]
                is_far = statistics.median(parts[array.kind]) > _NUDGES * usually
                array.nudged = (usually if is_far else largest) * array.way
            if _NUDGES * array.nudged >= array.way:
                array.nudged = array.way  # Nothing is told of it.

    def _rounding(self, one: RecordedOptimizer, both: Sequence[_Both]) -> float:
        """Says what is noise, and how much gradients differ by rounding; 0 if it is as usual."""
        longest: dict[str, float] = {}
        for array in both:
            if math.isfinite(array.way):
                longest[array.kind] = max(array.way, longest.get(array.kind, 0.0))
        for array in both:
            array.longest = longest.get(array.kind, 0.0)
        # What divides by the root of a gradient that is noise goes as far as with any other.
        gradients = [(a, _GRADIENT_SLOTS[a.kind]) for a in both if a.kind in _GRADIENT_SLOTS]
        noise = {a.place for a, power in gradients if a.way <= a.share**power * a.longest}
        for array in both:
            array.nudged = array.way if array.place in noise else array.nudged
        told = [array for array in both if array.noise < array.way]
        shares, longer = _parts(told), _parts(told, "longer")
        moments = [share for kind in _GRADIENT_SLOTS for share in shares.get(kind, ())]
        sums = moments or shares.get("momentum") or shares.get(VARIABLES, [])
        for array in both:
            array.is_gradient = array.kind in _GRADIENT_SLOTS or not moments
        # A mistake in a step shows in the typical array, and rounding in some more than in others.
        tolerance = HALF_TOLERANCE if moments or self._in_half(one) else UPDATE_TOLERANCE
        is_typical = bool(shares) and all(
            statistics.median(shares[kind]) < 1
            and abs(statistics.median(longer[kind])) < tolerance * _GRADIENT_SLOTS.get(kind, 1)
            for kind in shares
        )
        same_tensorflow = len({side.versions.get("tensorflow") for side in self.sides}) == 1
        if is_typical and self._in_half(one) and not (self.nudged and same_tensorflow):
            # TensorFlow 2.3 and 2.4 sum in float16, and a few units switch, which changes much.
            return math.inf
        return _largest_rounding(sums) if is_typical else 0.0

    def _counts_agree(self, one: RecordedOptimizer, step: Step, step2: Step) -> bool:
        """Whether two counts of steps are the same, if skipped steps count on one side alone."""
        applied = [s.applied for s in one.steps if s.number <= step.number]
        if step.steps is None or step2.steps is None:
            # Up to TensorFlow 2.2, the first step that is applied makes the variable.
            return step.steps == step2.steps or not any(applied)
        apart = abs(step.steps - step2.steps)
        if not apart or self.same_kernels or apart != applied.count(False):
            return not apart
        self.result.notes.append(SKIPPED_STEPS_COUNT)
        return True

    def _array(
        self, one: RecordedOptimizer, array: _Both, step: Step, step2: Step, *, rounded: float
    ) -> None:
        kind, seen, seen2, number = array.kind, array.seen, array.seen2, step.number + 1
        name = one.names[array.place]
        name = name if kind == VARIABLES else f"{name} ({kind})"
        size, growth = array.size(), self.result.growth
        if number not in growth or size > growth[number][0]:
            growth[number] = (size, name)
        if array.way > 0:
            self.moved.add(one.number)
        key = (one.number, kind, array.place)
        start, worst = self.starts.get(key, (0, 0.0))
        of_name = self.result.by_variable.setdefault(name, (0, 0.0))
        if seen.digest == seen2.digest:
            return
        self.starts[key] = (start or number, max(size, worst))
        earliest = min(of_name[0] or number, number)  # Several variables can have one name.
        self.result.by_variable[name] = (earliest, max(size, of_name[1]))
        if self._is_close(one, array, number):
            return
        if self.rtol is None and not self.rounds_alike and not array.is_steady:
            # A difference that grows out of rounding, step by step.
            grew = 0 < start <= number - 3 and size < _JUMP * worst
            is_more = array.is_gradient and array.apart > 2 * rounded * array.way
            is_rounding = rounded > 0 and not is_more
            if grew or is_rounding or (self.grew_at is not None and self.grew_at < number):
                self.grew_at = min(number, self.grew_at or number)
                return
        what = "variable" if kind == VARIABLES else "slot"
        words = (_words(seen), _words(seen2))
        self._differ(what, number, words, ((step.at,), (step2.at,)), one, name, size, step.place)

    def _is_close(self, one: RecordedOptimizer, array: _Both, number: int) -> bool:
        norm = max(array.seen.norm, array.seen2.norm)
        if self.rtol is not None:
            return self.rtol > 0 and array.apart <= self.rtol * norm
        if self.rounds_alike:
            tolerance, rounding = SAME_KERNELS_TOLERANCE, 0.1 * ROUNDING
        else:
            tolerance = HALF_TOLERANCE if self._in_half(one) else UPDATE_TOLERANCE
            rounding = ROUNDING * number
        # The numbers of an array are sums, in which smaller differences are lost.
        return array.apart <= tolerance * array.way + rounding * norm + array.noise + 1e-12

    def _in_half(self, one: RecordedOptimizer) -> bool:
        """Whether gradients are of float16 or bfloat16: by a policy, or by the graph rewrite."""
        return "16" in (one.policy or "") or any(end.get("graph_rewrite") for end in self.ends)

    def _is_unstable(self, one: RecordedOptimizer, what: str, place: int, step: int) -> bool:
        return self.unstable.get((one.number, what, place), math.inf) <= step

    def _printed(self) -> None:
        growth = self.result.growth
        # Before a step is applied, the loss shows the rounding that the first applied one shows.
        moved = [step for step, (size, _) in growth.items() if size and not self.same_kernels]
        lines = zip_longest(*(side.printed for side in self.sides))
        # What is computed in float16 has three digits, and another Keras may compute it in float32.
        in_half = not self.rounds_alike and any(map(self._in_half, self.sides[0].optimizers))
        least = 1e-3 if in_half else 1e-5
        for index, (one, other) in enumerate(lines):
            if (-1, "print", index) in self.unstable:
                continue
            if one is None or other is None:
                if not self._was_stopped([len(side.printed) for side in self.sides]):
                    self._line(one, other)
                return
            self.result.bits &= one.text == other.text
            last = max(one.step, min(moved, default=0))
            sizes = [10 * size for step, (size, _) in growth.items() if step <= last]
            tolerance = max(least, *sizes, self.rtol or 0.0) if self.rtol != 0 else 0.0
            if not lines_agree(one.text, other.text, tolerance):
                self._line(one, other)
                return

    def _line(self, one: PrintedLine | None, other: PrintedLine | None) -> None:
        there = next(o for o in (one, other) if o)
        nothing = PrintedLine((), "(nothing)", there.step, there.place)
        left, right = one or nothing, other or nothing
        words, stacks = (left.text, right.text), (left.stack, right.stack)
        self._differ("printed line", left.step, words, stacks, place=left.place)

    # What it gave.

    def _notes(self) -> None:
        notes = self.result.notes
        for (name, names), (_, names2) in zip(*(side.saves for side in self.sides), strict=False):
            if names != names2:
                count = len(set(names) ^ set(names2))
                notes.append(
                    f"The checkpoint {name} holds other names or shapes: {count} are in one only."
                )
        if any(end.get("fixed") for end in self.ends):
            notes.append(FIXED_RANDOM)
        self.result.left_out = sorted(self._unstable_words())
        for side, end in zip(self.sides, self.ends, strict=True):
            for problem in list(end.get("problems") or ())[:1]:
                notes.append(
                    f"The recorder could not observe everything in {side.path}: {problem[:200]}"
                )

    def _unstable_words(self) -> Iterator[str]:
        optimizers = {one.number: one for one in self.sides[0].optimizers}
        for (number, what, place), step in self.unstable.items():
            if number in optimizers:
                one = optimizers[number]
                name = one.names[place] if 0 <= place < len(one.names) else what
                slot = f" ({what})" if what not in (name, VARIABLES) else ""
                when = f"from step {step + 1} on" if step >= 0 else "from its initial value on"
                yield f"{name}{slot} of {one.title} {when}"
        printed = sum(what == "print" for _, what, _ in self.unstable)
        if printed:
            yield f"{printed} printed line{'s' * (printed > 1)}"

    def _certain(self, *more: str) -> list[Difference]:
        """Returns what no rounding explains: where the same steps are applied, counts agree."""
        decided = self.overflowed or any(one.what == "decision" for one in self.found)
        kinds = (*_NOT_OF_NUMBERS, *(() if decided else _COUNTS), *more)
        return [one for one in self.found if one.what in kinds]

    def _follows_chance(self, difference: Difference) -> bool:
        """Whether a difference can come of chance, or of rounding that had grown by then."""
        if difference in self._certain():
            return False
        if difference.place >= self.untold[0]:
            return True
        if self.grew_at is None or difference.step != self.grew_at:
            return self.grew_at is not None and difference.step > self.grew_at
        # An array that differs by more than rounding in the same step has another reason.
        return difference.what not in ("variable", "slot")

    def _drawn(self) -> str | None:
        """Leaves out what other random numbers explain; if that is everything, says which."""
        first = next(iter(self.found), None)
        parted = self._parted(first) if first and not self.same_kernels else None
        kerases = {str(side.versions.get("keras")).startswith("3.") for side in self.sides}
        shuffled = (len(kerases) > 1 and self.sees_fit) or all(e.get("shuffled") for e in self.ends)
        is_unseen = first is not None and self.unseen_at <= first.place
        if parted == "step" and first and first.step and shuffled and is_unseen:
            reason = SHUFFLED_UNSEEN
        elif parted == "random operations":
            is_fixed = all(end.get("fixed") for end in self.ends)
            reason = DRAWN_ALL_THE_SAME if is_fixed else DRAWS_OTHERWISE
        elif parted == "step" and any(LATE in end.get("problems", ()) for end in self.ends):
            reason = LATE
        else:
            return None
        self.found = self._certain("number of steps")
        return None if self.found else reason

    def _nothing_told(self, drawn: str | None) -> str | None:
        """Returns why the differences tell nothing, or that there is nothing to compare."""
        empty = [side.path for side in self.sides if not side.steps]
        never_began = not self.sides[0].steps and self.ends[0].get("error") is not None
        if never_began or (empty and not self.found):
            where = "either recording" if len(empty) > 1 else empty[0]
            errors = [_end_words(end) for end in self.ends if end.get("error")]
            why = f", which ended with {errors[0]}" if errors else ""
            return f"no optimizer took a step that the recorder could see in {where}{why}"
        in_threads = any(end.get("threads", 1) > 1 for end in self.ends)
        if self.found and in_threads and not self._end_otherwise():
            return drawn if self.sides[0].unstable == {} else IN_THREADS
        return drawn

    def _conclude(self, drawn: str | None) -> None:
        result = self.result
        sizes = {number: size for number, (size, _) in result.growth.items()}
        reason = self._nothing_told(drawn)
        if reason is not None:
            result.cannot_be_told(reason)
        elif self.found:
            self._conclude_different()
        elif self.untold[1]:
            compared = f"the recordings are the same for {steps_words(result.steps)}; then "
            result.cannot_be_told((compared if result.steps else "") + self.untold[1])
        elif self.grew_at and (
            self.overflowed or not (self.nudged and self.grew_at > result.exact + 1)
        ):
            same = self.grew_at - 1
            start = "from the first step on,"
            if same:
                size = _at_most(sizes.get(same, 0.0))
                start = f"the recordings are the same within {size} for {steps_words(same)}; then"
            overflows = self.overflowed == self.grew_at
            grown = "one side overflows" if overflows else "rounding has grown too much"
            result.cannot_be_told(
                f"{start} {grown}, and the rest says nothing. The two sides do not round alike: "
                + (SAME_OPTIMIZERS if self.same_kernels else ROUND_LESS)
            )
            result.may_be_rounding = True
            if not (self.nudged or overflows or self.same_kernels):
                result.notes.append(ROUNDS_OTHERWISE)
        elif self.nudged and result.exact < result.steps:
            self._conclude_by_nudged()
        else:
            # Smaller differences are lost in the sums that a recording has.
            size = _at_most(max([1e-12, *sizes.values()]))
            within = "to the bit" if result.exact == result.steps else f"within {size}"
            result.reason = f"same {within} for {steps_words(result.steps)}"

    def _qualify(self) -> None:
        """Says of what is the same how far it is."""
        result = self.result
        pairs = zip(*(side.optimizers for side in self.sides), strict=False)
        still = [one.title for one, _ in pairs if one.steps and one.number not in self.moved]
        killed = next((side.path for side in self.sides if side.end is None), None)
        if result.left_out:
            first, *others = result.left_out
            more = f" and {len(others)} more" if others else ""
            result.reason += f", without what the program does not reproduce: {first}{more}"
        hidden = [name for end in self.ends for name in end.get("hidden", ())]
        if hidden:
            result.cannot_be_told(NOT_SEEN.format(hidden[0]))
        elif still:
            result.cannot_be_told(NOTHING_TRAINED.format(still[0]))
        elif killed is not None:
            result.cannot_be_told(f"{killed} has no end. Up to there, it is the {result.reason}")

    def _conclude_different(self) -> None:
        result = self.result
        result.verdict = ComparisonVerdict.DIFFERENT
        result.reason = "different"
        by_what: dict[str, Difference] = {}
        for one in self.found:
            by_what.setdefault(one.what, one)
        result.differences = list(by_what.values())
        result.parted = self._parted(self.found[0])
        moved = bool({"variable", "slot"} & {*by_what})
        result.may_be_rounding = moved and self.rtol is None and not self.rounds_alike
        if self.nudged:
            result.notes.append(MORE_THAN_ROUNDING)
        elif result.parted == "step" and not self.same_kernels:
            result.notes.append(ROUNDS_OTHERWISE)
        if self.sides[0].unstable is None and set(by_what) != {"end"}:
            result.notes.append(NOT_KNOWN_IF_REPRODUCED)

    def _conclude_by_nudged(self) -> None:
        """Says that the two are the same, if other last digits leave enough to tell it by."""
        result = self.result
        shares = [(n, share) for n, share in result.nudged.items() if n > result.exact]
        words = ", ".join(f"{share:.1g} in step {n}" for n, share in (shares[0], shares[-1]))
        note = NUDGED.format(words)
        if all(_NUDGES * share >= 1 for _, share in shares):
            result.cannot_be_told(f"{note} Try float32, a larger batch, float64 or SGD")
        else:
            steps = steps_words(result.steps)
            result.reason = f"same for {steps}, as far as rounding lets it be told"
            result.notes.append(note)

    def _parted(self, first: Difference) -> str | None:
        cut = any((side.end or {}).get("cut") and not side.steps for side in self.sides)
        if cut or first.what in ("end", "number of steps"):
            return None
        if any(one.what == "initial value" for one in self.found):
            return "initial values"
        fits = zip(*(side.fits for side in self.sides), strict=False)
        if any(None not in pair and pair[0] != pair[1] for pair in fits) or (
            self.data_at <= first.place
        ):
            return "data"
        # What is printed after a step is of what is drawn before the next one, too.
        is_line = first.what == "printed line"
        if self.draws_at <= first.place + is_line:
            return "random operations"
        if is_line:
            return None
        if not self.sees_fit and self.unseen_at <= first.place:
            self.result.notes.append(DATA_NOT_SEEN)
        if any(what != "print" for _, what, _ in self.unstable):
            self.result.notes.append(BY_CHANCE)
        return "step"


def distance(one: Seen, other: Seen, *firsts: Seen) -> float:
    """Returns an estimate of the Euclidean distance of two arrays, or of their ways from others.

    The mean square of the product of a vector with random signs is the square of its norm.
    """
    if one.not_finite != other.not_finite:
        return math.inf
    begins = [first.products for first in firsts] or [(0.0,) * len(one.products)] * 2
    known = zip(one.products, other.products, *begins, strict=True)
    square = sum((a - b - c + d) ** 2 for a, b, c, d in known) / len(one.products)
    return max(math.sqrt(square), 0.0 if firsts else abs(one.norm - other.norm))


def _parts(both: Sequence[_Both], of: str = "apart") -> dict[str, list[float]]:
    """Returns how far arrays are apart, or longer, by their kind, as parts of what they are."""
    found: dict[str, list[float]] = {}
    for array in both:
        if 0 < array.way < math.inf:
            found.setdefault(array.kind, []).append(getattr(array, of) / array.way)
    return found


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
    """Whether two printed lines say the same, but for rounding, times, paths, addresses and spaces.

    Numbers that are not whole may differ by a relative tolerance, and if it is not 0, by one unit
    of the last printed digit.
    """
    one, other = (_NUMPY_2.sub(r"\1\2", line) for line in (one, other))
    one, other = (" ".join(_LEFT_OUT.sub("<>", line).split()) for line in (one, other))
    if one == other:
        return True
    if not tolerance or _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
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


def _end_words(end: Mapping[str, object]) -> str:
    error = end.get("error")
    if isinstance(error, dict):
        return f"{error['class']}: {error['text']}"
    return f"exit code {end.get('exit')}"


def _policy(name: str) -> str:
    return name.strip("_").replace("infer", "float32").replace("policy", "float32")


def _largest_rounding(sizes: Iterable[float]) -> float:
    """Returns how much gradients differ by kernels that round otherwise; 0 if they do not.

    What differs by a jump more than all others does not differ by rounding.
    """
    ordered = sorted(sizes)
    usual = ordered[len(ordered) // 2 :]
    least, most = _ROUNDED_GRADIENTS
    if not usual or not least < usual[0] < most:
        return 0.0
    return next((left for left, right in pairwise(usual) if right >= _JUMP * left), usual[-1])


def steps_words(count: int) -> str:
    """Returns a number of steps as text."""
    return "1 step" if count == 1 else f"{count} steps"


def _words(seen: Seen) -> str:
    bad = f", {seen.not_finite} not finite" if seen.not_finite else ""
    return f"norm {seen.norm:.9g}, largest {seen.largest:.9g}{bad}"


def _setting(value: object) -> str:
    """Returns a number, or a schedule of the learning rate, in six digits."""
    if isinstance(value, dict) and isinstance(value.get("config"), dict):
        config = {name: one for name, one in value["config"].items() if name != "name"}
        given = ", ".join(f"{name}={_setting(one)}" for name, one in sorted(config.items()))
        return f"{value.get('class_name')}({given})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
