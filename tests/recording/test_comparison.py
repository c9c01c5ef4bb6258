# SPDX-License-Identifier: Apache-2.0
"""Comparing finds the first difference, and calls nothing the same that it cannot know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compat_lossscale.recording.comparison import (
    BY_CHANCE,
    DRAWN_ALL_THE_SAME,
    DRAWS_OTHERWISE,
    IN_THREADS,
    MORE_THAN_ROUNDING,
    NEAR_OVERFLOW,
    NOT_SEEN,
    NOTHING_TRAINED,
    ROUNDS_OTHERWISE,
    SAME_OPTIMIZERS,
    SHUFFLED_UNSEEN,
    SKIPPED_STEPS_COUNT,
    ComparisonVerdict,
    RecordingComparison,
    compare,
    distance,
    lines_agree,
)
from compat_lossscale.recording.reading import Recording, read
from compat_lossscale.recording.recorder import LATE
from tests.recording.recordings_by_hand import (
    HEADER,
    VERSIONS,
    end,
    optimizer,
    printed,
    seen,
    step,
    write,
)

RNG = np.random.RandomState(3)
FIRST = RNG.randn(300)
MOVES = RNG.randn(8, 300) * 0.01
OLD = {**VERSIONS, "tensorflow": "2.3.4"}


def value(number: int) -> Any:
    """The variable after a step."""
    return FIRST + MOVES[: number + 1].sum(0)


def recording(path: Path, lines: Any = None, *more: Any, **ending: Any) -> Recording:
    """A recording of eight steps."""
    steps = [step(n, value(n)) for n in range(8)] if lines is None else lines
    lines = [optimizer(FIRST), *steps, *more, end(**ending)]
    return read(write(path / f"{len(list(path.iterdir()))}.lsr", *lines))


def changed(number: int, **changes: Any) -> list[Any]:
    """Eight steps, one of which left something else."""
    return [step(n, value(n), **(changes if n == number else {})) for n in range(8)]


def moved(start: int, by: Any) -> list[Any]:
    """Eight steps, whose variable is another from one on."""
    return [step(n, value(n) + (by if n >= start else 0.0)) for n in range(8)]


def test_steps_that_were_all_skipped_tell_nothing(tmp_path: Path) -> None:
    skipped = [step(n, FIRST, applied=False) for n in range(8)]
    result = compare(*(recording(tmp_path, skipped) for _ in range(2)))
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert result.reason == f"cannot be told: {NOTHING_TRAINED.format('LossScaleOptimizer(SGD)')}"
    trained = [*skipped[:7], step(7, value(7))]
    assert compare(*(recording(tmp_path, trained) for _ in range(2))).reason.startswith("same")
    assert different(compare(recording(tmp_path, skipped), recording(tmp_path, trained)))


def different(result: RecordingComparison) -> tuple[str, int]:
    assert result.verdict is ComparisonVerdict.DIFFERENT
    assert result.first is not None
    return result.first.what, result.first.step


def test_the_same_is_the_same_to_the_bit(tmp_path: Path) -> None:
    result = compare(recording(tmp_path), recording(tmp_path))
    assert (result.verdict, result.reason) == (
        ComparisonVerdict.SAME,
        "same to the bit for 8 steps",
    )
    assert result.exact == 8


def test_rounding_is_the_same_within_its_size(tmp_path: Path) -> None:
    result = compare(recording(tmp_path), recording(tmp_path, moved(2, 1e-8), versions=OLD))
    assert result.verdict is ComparisonVerdict.SAME
    assert result.reason.startswith("same within")
    assert result.growth[1][0] == 0.0


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"scale": 512.0}, "loss scale"),
        ({"good": 0}, "good steps"),
        ({"applied": 0}, "decision"),
        ({"steps": 3}, "count of steps"),
    ],
)
def test_decisions_and_counts_are_compared_exactly(
    changes: dict[str, Any], what: str, tmp_path: Path
) -> None:
    result = compare(recording(tmp_path), recording(tmp_path, changed(4, **changes)))
    assert different(result) == (what, 5)


def test_a_step_that_overflows_with_other_kernels_alone_tells_nothing(tmp_path: Path) -> None:
    def both(policy: str, at: Any) -> RecordingComparison:
        skipped = step(4, at, applied=0, scale=512.0, good=0)
        sides = []
        for steps, versions in ((changed(9), OLD), ([*changed(9)[:4], skipped], VERSIONS)):
            lines = [optimizer(FIRST, policy=policy), *steps, end(versions=versions)]
            sides.append(read(write(tmp_path / f"{len(sides)}.lsr", *lines)))
        return compare(*sides)

    near = both("mixed_float16", value(3))
    assert near.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert NEAR_OVERFLOW.format(5) in near.notes
    assert different(both("mixed_bfloat16", value(3))) == ("decision", 5)
    assert different(both("mixed_float16", value(3) * np.inf)) == ("decision", 5)


def test_a_difference_has_a_step_a_name_values_and_places(tmp_path: Path) -> None:
    result = compare(recording(tmp_path), recording(tmp_path, moved(5, 0.001)))
    assert different(result) == ("variable", 6)
    assert result.first is not None
    assert result.first.name == "dense/kernel"
    assert result.first.before != result.first.after
    assert result.first.before_at == "train.py:9"
    assert result.parted == "step"


def test_a_learning_rate_of_one_percent_more_is_found_at_the_first_step(tmp_path: Path) -> None:
    steps = [step(n, FIRST + 1.01 * (value(n) - FIRST)) for n in range(8)]
    result = compare(recording(tmp_path), recording(tmp_path, steps, versions=OLD))
    assert different(result) == ("variable", 1)


@pytest.mark.parametrize(
    ("policy", "versions", "is_said"),
    [("mixed_float16", OLD, True), ("mixed_float16", VERSIONS, False), ("float32", OLD, True)],
)
def test_a_note_says_how_to_tell_rounding_from_another_step(
    tmp_path: Path, policy: str, versions: dict[str, str], is_said: bool
) -> None:
    sides = [
        read(write(tmp_path / f"{n}.lsr", optimizer(FIRST, policy=policy), one, end(versions=v)))
        for n, (one, v) in enumerate(
            [(step(0, value(0)), VERSIONS), (step(0, FIRST + 1.1 * MOVES[0]), versions)]
        )
    ]
    result = compare(*sides)
    assert different(result) == ("variable", 1)
    assert (ROUNDS_OTHERWISE in result.notes) is is_said


def test_what_is_not_finite_differs_from_what_is(tmp_path: Path) -> None:
    broken = value(3).copy()
    broken[7] = np.nan
    steps = changed(3, v=[seen(broken)])
    assert different(compare(recording(tmp_path), recording(tmp_path, steps))) == ("variable", 4)


def test_other_kernels_let_rounding_grow_until_nothing_can_be_told(tmp_path: Path) -> None:
    grown = [step(n, value(n) + 1e-6 * 6.0**n * MOVES[0]) for n in range(8)]
    result = compare(recording(tmp_path), recording(tmp_path, grown, versions=OLD))
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "rounding has grown" in result.reason
    assert ROUNDS_OTHERWISE in result.notes
    same_kernels = compare(recording(tmp_path), recording(tmp_path, grown))
    assert same_kernels.verdict is ComparisonVerdict.DIFFERENT
    error = {"class": "ValueError", "text": "no", "at": "train.py:9"}
    crashed = recording(tmp_path, grown, versions=OLD, exit=1, error=error)
    assert different(compare(recording(tmp_path), crashed)) == ("end", 9)


def test_gradients_that_kernels_round_otherwise_say_nothing_of_what_divides_by_them(
    tmp_path: Path,
) -> None:
    def steps(moment: float, variable: float) -> list[Any]:
        moments = {"v": [seen(MOVES[0] * moment)]}
        return [step(n, FIRST + MOVES[0] * variable, s=moments) for n in range(3)]

    before = recording(tmp_path, steps(1.0, 1.0))
    rounded = compare(before, recording(tmp_path, steps(1.0003, 1.02), versions=OLD))
    assert rounded.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "from the first step on, rounding has grown" in rounded.reason
    other_rate = compare(before, recording(tmp_path, steps(1.0, 1.02), versions=OLD))
    assert different(other_rate) == ("variable", 1)
    other_gradients = compare(before, recording(tmp_path, steps(1.1, 1.02), versions=OLD))
    assert different(other_gradients) == ("variable", 1)


def test_a_gradient_that_differs_by_much_more_than_rounding_is_different(tmp_path: Path) -> None:
    # Such as that of an embedding which one side sums otherwise.
    names = [f"layer_{n}/kernel" for n in range(4)]

    def moments(sizes: list[float], **changes: Any) -> Recording:
        many = {"names": names, "shapes": [[300]] * 4, "digests": [seen(FIRST)] * 4}
        slots = {"v": [seen(MOVES[0] * (1 + size)) for size in sizes]}
        moved = [seen(FIRST + MOVES[0] * (1 + 10 * size)) for size in sizes]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        steps = [step(n, 0, v=moved, s=slots) for n in range(2)]
        return read(write(path, optimizer(FIRST, **many), *steps, end(**changes)))

    before = moments([0.0] * 4)
    result = compare(before, moments([0.001, 0.3, 0.002, 0.001], versions=OLD))
    assert different(result) == ("slot", 1)
    assert result.differences[0].name == "layer_1/kernel (second moment)"
    rounded = compare(before, moments([0.001, 0.01, 0.002, 0.001], versions=OLD))
    assert rounded.verdict is ComparisonVerdict.CANNOT_BE_TOLD


def test_what_other_last_digits_change_is_rounding(tmp_path: Path) -> None:
    names = [f"layer_{n}/kernel" for n in range(4)]

    def moved(*sizes: float, **changes: Any) -> Recording:
        many = {"names": names, "shapes": [[300]] * 4, "digests": [seen(FIRST)] * 4}
        arrays = [seen(FIRST + MOVES[0] + size * MOVES[1]) for size in sizes]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        steps = [step(n, 0, v=arrays) for n in range(2)]
        return read(write(path, optimizer(FIRST, **many), *steps, end(**changes)))

    before, nudged = moved(0, 0, 0, 0), moved(0.1, 0.03, 0.1, 0)
    after = moved(0.3, 0.2, 0.05, 0, versions=OLD)
    assert compare(before, after).verdict is ComparisonVerdict.DIFFERENT
    result = compare(before, after, nudged=nudged)
    assert result.reason == "same for 2 steps, as far as rounding lets it be told"
    assert any("by 0.2 in step 1" in note for note in result.notes), result.notes
    # What other last digits do not move is compared as usual.
    other = compare(before, moved(0.3, 0.2, 0.05, 0.1, versions=OLD), nudged=nudged)
    assert different(other) == ("variable", 1)
    assert other.differences[0].name == "layer_3/kernel"
    assert MORE_THAN_ROUNDING in other.notes
    unsteady = compare(before, after, nudged=moved(0.9, 0.8, 0.7, 0.6))
    assert unsteady.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "Try float32, a larger batch" in unsteady.reason
    # Which variable they move more than others is chance, and that all are moved more is none.
    one = moved(0.01, 0.01, 0.01, 0.2)
    after = moved(0.2, 0.01, 0.01, 0.01, versions=OLD)
    assert compare(before, after, nudged=one).verdict is ComparisonVerdict.SAME
    assert different(compare(before, moved(*[0.05] * 4, versions=OLD), nudged=one)) == (
        "variable",
        1,
    )


def test_what_other_last_digits_change_is_told_of_all_optimizers(tmp_path: Path) -> None:
    # By chance, it is less in one side of a GAN.
    def gan(*sizes: float, **changes: Any) -> Recording:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        values = [FIRST + MOVES[0] + size * MOVES[1] for size in sizes]
        steps = [step(n, o, o=o, v=[seen(x)]) for n in range(2) for o, x in enumerate(values)]
        lines = [optimizer(FIRST, o=o) for o in range(2)]
        return read(write(path, *lines, *steps, end(**changes)))

    before, after, nudged = gan(0, 0), gan(0.05, 0.02, versions=OLD), gan(0.002, 0.05)
    assert compare(before, after, nudged=nudged).verdict is ComparisonVerdict.SAME
    assert different(compare(before, gan(0.9, 0.02, versions=OLD), nudged=nudged)) == (
        "variable",
        1,
    )


def test_zeros_of_two_signs_are_the_same(tmp_path: Path) -> None:
    def slot(sign: float, **changes: Any) -> Recording:
        zeros = {"momentum": [seen(sign * np.zeros(3))]}
        return recording(tmp_path, [step(0, value(0), s=zeros)], **changes)

    for versions in ({}, {"versions": OLD}):
        result = compare(slot(1.0), slot(-1.0, **versions))
        assert result.verdict is ComparisonVerdict.SAME


def test_a_variable_that_only_rounding_moves_says_nothing(tmp_path: Path) -> None:
    # Such as a bias before a batch normalization, whose gradient is zero.
    names = {
        "names": ["dense/kernel", "dense/bias"],
        "shapes": [[300], [300]],
        "digests": [seen(FIRST), seen(0 * FIRST)],
    }

    def both(bias: float, **changes: Any) -> Recording:
        steps = [step(0, 0, v=[seen(value(0)), seen(bias * MOVES[1])])]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        return read(write(path, optimizer(FIRST, **names), *steps, end(**changes)))

    rounding = compare(both(3e-6), both(-3e-6, versions=OLD))
    assert (rounding.reason, rounding.exact) == ("same within 2e-05 for 1 step", 0)
    assert different(compare(both(3e-6), both(-3e-6))) == ("variable", 1)
    assert different(compare(both(0.1), both(0.101, versions=OLD))) == ("variable", 1)
    # Gradients of float16 round more, also where a graph rewrite makes them.
    more = both(1e-4), both(-1e-4, versions=OLD)
    assert different(compare(*more)) == ("variable", 1)
    rewritten = both(1e-4, graph_rewrite=True), both(-1e-4, versions=OLD, graph_rewrite=True)
    assert compare(*rewritten).verdict is ComparisonVerdict.SAME


def _network(path: Path, sizes: list[float], **changes: Any) -> Recording:
    """A recording of three steps, the gradients of which are larger by these parts."""
    names = [f"layer_{n}/kernel" for n in range(len(sizes))]
    lines: list[Any] = [
        optimizer(
            FIRST, names=names, shapes=[[300]] * len(sizes), digests=[seen(FIRST)] * len(sizes)
        )
    ]
    for n in range(3):
        grown = [min(size * 50.0**n, 2.0) for size in sizes]
        gradients = [(n + 1) * MOVES[0] * (1 + size) for size in grown]
        slots = {"momentum": [seen(-one) for one in gradients]}
        lines.append(step(n, 0, v=[seen(FIRST + one) for one in gradients], s=slots))
    return read(write(path / f"{len(list(path.iterdir()))}.lsr", *lines, end(**changes)))


def test_rounding_that_a_network_makes_much_of_says_nothing(tmp_path: Path) -> None:
    before = _network(tmp_path, [0.0] * 6)
    through_layers = [6e-3, 1e-3, 3e-4, 5e-5, 1e-5, 3e-6]
    after = _network(tmp_path, through_layers, versions=OLD)
    result = compare(before, after)
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "from the first step on, rounding has grown" in result.reason
    for other in ([6e-3] * 6, [6e-3, 1e-6, 6e-3, 1e-6, 6e-3, 1e-6]):
        result = compare(before, _network(tmp_path, other, versions=OLD))
        assert different(result) == ("variable", 1)
    assert different(compare(before, _network(tmp_path, through_layers)))[1] == 1


def _in_half(path: Path, *gradients: Any, **ending: Any) -> Recording:
    """A recording of a step under a float16 policy, in which variables go these ways."""
    many = {
        "policy": "mixed_float16",
        "names": [f"layer_{n}/kernel" for n in range(len(gradients))],
        "shapes": [[300]] * len(gradients),
        "digests": [seen(FIRST)] * len(gradients),
    }
    line = step(0, 0, v=[seen(FIRST + one) for one in gradients], s={"m": [*map(seen, gradients)]})
    name = f"{len(list(path.iterdir()))}.lsr"
    return read(write(path / name, optimizer(FIRST, **many), line, end(**ending)))


def test_in_float16_a_step_is_told_by_its_typical_variable(tmp_path: Path) -> None:
    # TensorFlow 2.3 and 2.4 sum in float16, and a unit that switches gets another gradient.
    ways = MOVES[:4]
    before = _in_half(tmp_path, *ways)
    switched = [ways[0], ways[1] + 0.3 * MOVES[5], ways[2] + 0.03 * MOVES[6], ways[3]]
    result = compare(before, _in_half(tmp_path, *switched, versions=OLD))
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert ROUNDS_OTHERWISE in result.notes
    # What other last digits change is less than what such sums do.
    nudged = _in_half(tmp_path, *ways * 1.0001)
    result = compare(before, _in_half(tmp_path, *switched, versions=OLD), nudged=nudged)
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    for mistake in (1.1, 0.0, -1.0):
        other = _in_half(tmp_path, *(mistake * way for way in switched), versions=OLD)
        assert compare(before, other).verdict is ComparisonVerdict.DIFFERENT
        assert compare(before, other, nudged=nudged).verdict is ComparisonVerdict.DIFFERENT


def test_counts_of_equal_decisions_are_no_rounding(tmp_path: Path) -> None:
    sides = []
    for size, good, versions in ((0.0, 1, VERSIONS), (0.3, 3, OLD)):
        one = step(0, FIRST + MOVES[0] + size * MOVES[1], good=good)
        lines = [optimizer(FIRST, policy="mixed_float16"), one, end(versions=versions)]
        sides.append(read(write(tmp_path / f"{good}.lsr", *lines)))
    assert different(compare(*sides)) == ("good steps", 1)


def test_rounding_that_grew_before_a_step_overflows_is_the_reason(tmp_path: Path) -> None:
    many = {"names": ["a", "b", "c"], "shapes": [[300]] * 3, "digests": [seen(FIRST)] * 3}
    sides = []
    for size, versions in ((0.0, VERSIONS), (0.3, OLD)):
        arrays = [seen(FIRST + MOVES[n] + size * (n == 1) * MOVES[7]) for n in range(3)]
        steps = [step(n, 0, v=arrays) for n in range(2)]
        if size:
            steps[1] = step(1, 0, v=[0, 0, 0], applied=0, scale=512.0, good=0)
        lines = [optimizer(FIRST, policy="mixed_float16", **many), *steps, end(versions=versions)]
        sides.append(read(write(tmp_path / f"{size}.lsr", *lines)))
    assert "from the first step on, rounding has grown" in compare(*sides).reason


def test_a_bias_whose_gradient_is_noise_says_nothing_with_adam(tmp_path: Path) -> None:
    # Adam makes a whole step of a gradient that a batch normalization leaves as rounding.
    def adam(bias: Any, gradient: float, **ending: Any) -> Recording:
        many = {
            "names": ["a/kernel", "a/bias"],
            "shapes": [[300]] * 2,
            "digests": [seen(FIRST)] * 2,
        }
        slots = {"m": [seen(MOVES[0]), seen(gradient * bias)]}
        line = step(0, 0, v=[seen(FIRST + MOVES[0]), seen(FIRST + bias)], s=slots)
        name = f"{len(list(tmp_path.iterdir()))}.lsr"
        return read(write(tmp_path / name, optimizer(FIRST, **many), line, end(**ending)))

    noise = compare(adam(MOVES[1], 1e-6), adam(MOVES[2], 1e-6, versions=OLD))
    assert noise.verdict is ComparisonVerdict.SAME
    assert different(compare(adam(MOVES[1], 0.1), adam(MOVES[2], 0.1, versions=OLD))) == (
        "variable",
        1,
    )


def test_other_last_digits_are_told_by_the_way_that_they_change(tmp_path: Path) -> None:
    # With a small learning rate, a variable goes less far than its last digits are changed.
    def went(first: Any, way: Any, **ending: Any) -> Recording:
        lines = [optimizer(first), step(0, first + way), end(**ending)]
        return read(write(tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr", *lines))

    before, after = went(FIRST, MOVES[0]), went(FIRST, 1.1 * MOVES[0], versions=OLD)
    nudged = went(FIRST + MOVES[1], 1.001 * MOVES[0])
    assert different(compare(before, after, nudged=nudged)) == ("variable", 1)


def test_first_gradients_of_other_values_tell_nothing(tmp_path: Path) -> None:
    late = recording(tmp_path, moved(0, MOVES[3]), versions=OLD, problems={LATE: 1})
    assert compare(recording(tmp_path), late).reason == f"cannot be told: {LATE}"


def test_classes_of_two_generations_need_not_round_alike(tmp_path: Path) -> None:
    def steps(slot: str, by: float) -> list[Any]:
        return [step(n, value(n) + by * MOVES[0], s={slot: [seen(MOVES[0])]}) for n in range(3)]

    before = recording(tmp_path, steps("rms", 0.0))
    same = compare(before, recording(tmp_path, steps("_velocities", 0.001)))
    assert same.verdict is ComparisonVerdict.SAME
    (note,) = same.notes
    assert "has the slots rms before and _velocities after: the classes are of two" in note
    assert different(compare(before, recording(tmp_path, steps("rms", 0.001)))) == ("variable", 1)
    # It is known what rounds otherwise, and how both sides get the same.
    other = compare(before, recording(tmp_path, steps("_velocities", 0.1)))
    assert different(other) == ("variable", 1)
    assert other.notes[0].endswith(f"TensorFlow 2.0 to 2.10: {SAME_OPTIMIZERS}.")
    assert ROUNDS_OTHERWISE not in other.notes


def test_where_rounding_of_two_generations_has_grown_they_are_named(tmp_path: Path) -> None:
    def side(slot: str, by: float, **changes: Any) -> Recording:
        slots = {slot: [seen(MOVES[0])]}
        moved = [value(n % len(MOVES)) + by * 4**n * MOVES[0] for n in range(8)]
        steps = [step(n, one, s=slots) for n, one in enumerate(moved)]
        return recording(tmp_path, steps, **changes)

    grown = compare(side("rms", 0), side("_velocities", 1e-4))
    assert "rounding has grown too much" in grown.reason
    assert grown.reason.endswith(SAME_OPTIMIZERS)
    assert ROUNDS_OTHERWISE not in grown.notes
    other = compare(side("rms", 0), side("_velocities", 1e-4, versions=OLD))
    assert ROUNDS_OTHERWISE in other.notes


def test_a_momentum_of_gradients_is_not_compared_with_one_of_steps(tmp_path: Path) -> None:
    def side(name: str, factor: float, by: float = 0.0) -> Recording:
        momentum = {"momentum": [seen(factor * MOVES[0])]}
        steps = [step(n, value(n) + by, s=momentum) for n in range(3)]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        return read(write(path, optimizer(FIRST, inner=name), *steps, end()))

    before = side("MomentumOptimizer", 1.0)
    assert compare(before, side("SGD", -0.1)).reason == "same to the bit for 3 steps"
    assert different(compare(before, side("SGD", -0.1, 0.1))) == ("variable", 1)
    assert different(compare(before, side("MomentumOptimizer", -0.1))) == ("slot", 1)


def test_equal_schedules_are_equal_settings(tmp_path: Path) -> None:
    def rate(decay: float, **more: str) -> dict[str, Any]:
        config = {"decay_rate": decay, "name": more.pop("name", None)}
        return {"learning_rate": {"class_name": "Decay", "config": config, **more}}

    sides = [
        read(write(tmp_path / f"{n}.lsr", optimizer(FIRST, config=one), step(0, value(0)), end()))
        for n, one in enumerate((rate(0.9), rate(0.9, module="keras", name="a"), rate(0.8)))
    ]
    assert compare(sides[0], sides[1]).notes == []
    (note,) = compare(sides[0], sides[2]).notes
    assert note.endswith("is Decay(decay_rate=0.9) before and Decay(decay_rate=0.8) after.")


def test_what_is_true_of_several_optimizers_is_noted_once(tmp_path: Path) -> None:
    def two(name: str, rate: float) -> Recording:
        made = [
            line
            for number in (0, 1)
            for line in (
                optimizer(FIRST, o=number, config={"learning_rate": rate}),
                step(0, value(0), o=number),
            )
        ]
        return read(write(tmp_path / name, *made, end()))

    result = compare(two("before.lsr", 0.1), two("after.lsr", 0.2))
    assert result.notes == [
        "The learning_rate of LossScaleOptimizer(SGD) is 0.1 before and 0.2 after."
    ]


@pytest.mark.parametrize("count_before_it_is_made", [None, 0])
def test_old_versions_count_no_skipped_step(
    count_before_it_is_made: int | None, tmp_path: Path
) -> None:
    skipped = {"applied": False, "steps": count_before_it_is_made}
    old = [step(n, value(n), **(skipped if n == 0 else {"steps": n})) for n in range(8)]
    new = [step(n, value(n), applied=n > 0, steps=n + 1) for n in range(8)]
    result = compare(recording(tmp_path, old, versions=OLD), recording(tmp_path, new))
    assert result.first is None
    assert SKIPPED_STEPS_COUNT in result.notes
    uncounted = recording(tmp_path, [step(n, value(n), steps=None) for n in range(8)])
    assert different(compare(recording(tmp_path), uncounted)) == ("count of steps", 1)


def test_a_tolerance_can_be_given(tmp_path: Path) -> None:
    before, after = recording(tmp_path), recording(tmp_path, moved(5, 0.001))
    assert compare(before, after, rtol=0.1).verdict is ComparisonVerdict.SAME
    assert compare(before, after, rtol=1e-6).verdict is ComparisonVerdict.DIFFERENT


def test_initial_values_that_differ_come_first(tmp_path: Path) -> None:
    other = read(write(tmp_path / "o.lsr", optimizer(FIRST + 1), *moved(0, 1.0), end()))
    result = compare(recording(tmp_path), other)
    assert different(result) == ("initial value", 0)
    assert result.parted == "initial values"
    cut = read(write(tmp_path / "cut.lsr", optimizer(FIRST), end(cut=True)))
    assert compare(cut, other).parted is None


@pytest.mark.parametrize(
    ("changes", "parted"),
    [({"data": "b" * 16}, "data"), ({"draws": [2, "x"]}, "random operations")],
)
def test_what_parted_first_is_named(changes: dict[str, Any], parted: str, tmp_path: Path) -> None:
    plain = {"data": "a" * 16, "draws": [1, "x"]}
    before = [step(n, value(n), **plain) for n in range(8)]
    after = [
        step(n, value(n) + (n >= 2), **{**plain, **(changes if n == 2 else {})}) for n in range(8)
    ]
    assert compare(recording(tmp_path, before), recording(tmp_path, after)).parted == parted


@pytest.mark.parametrize(
    ("changes", "parted"),
    [({"data": "b" * 16}, "data"), ({"draws": [2, "x"]}, "random operations")],
)
def test_steps_of_several_optimizers_are_in_the_order_of_time(
    changes: dict[str, Any], parted: str, tmp_path: Path
) -> None:
    def recorded(by: tuple[float, float], changes: dict[str, Any]) -> Recording:
        """The first optimizer takes three steps for each of the second."""
        plain = {"data": "a" * 16, "draws": [1, "x"]}
        lines = [optimizer(FIRST, o=0), optimizer(FIRST, o=1)]
        for n in range(9):
            step_of_first = {**plain, **(changes if n == 6 else {})}
            lines.append(step(n, FIRST + n + by[0] * (n >= 6), o=0, **step_of_first))
            if n % 3 == 2:
                lines.append(step(n // 3, FIRST + n + by[1] * (n == 8), o=1, **plain))
        return read(write(tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr", *lines, end()))

    before = recorded((0.0, 0.0), {})
    later = compare(before, recorded((0.0, 1.0), changes))
    assert (different(later), later.parted) == (("variable", 3), parted)
    both = compare(before, recorded((1.0, 1.0), changes))
    assert (different(both), both.parted) == (("variable", 7), parted)
    assert both.by_variable["dense/kernel"][0] == 3  # The second optimizer's third step.
    assert both.exact == 2


@pytest.mark.parametrize("draws", [[1, "x"], [0, ""]])
def test_a_step_that_draws_otherwise_in_another_version_tells_nothing(
    draws: list[Any], tmp_path: Path
) -> None:
    drawn = [step(n, value(n), draws=[1, "x"]) for n in range(4)]
    other = [step(n, value(n) + (n >= 2), draws=draws) for n in range(4)]
    versions = {"python": "3.11.7", "tensorflow": "2.3.4", "tf_keras": "2.21.0", "numpy": "2.0.0"}
    lines = [optimizer(FIRST), *other, end(versions=versions)]
    after = read(write(tmp_path / "other.lsr", *lines))
    result = compare(recording(tmp_path, drawn), after)
    if draws[0]:
        assert (result.verdict, result.parted) == (ComparisonVerdict.DIFFERENT, "step")
        assert len(result.notes) == len(set(result.notes))
    else:
        assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
        assert "--fix-random" in result.reason
        error = {"class": "ValueError", "text": "no", "at": "train.py:9"}
        crashed = end(exit=1, error=error, versions=versions)
        crash = read(write(tmp_path / "crash.lsr", optimizer(FIRST), *other, crashed))
        assert different(compare(recording(tmp_path, drawn), crash)) == ("end", 5)
    same = read(write(tmp_path / "same.lsr", optimizer(FIRST), *drawn, end(versions=versions)))
    assert compare(recording(tmp_path, drawn), same).verdict is ComparisonVerdict.SAME


def test_what_keras_3_draws_is_not_fixed(tmp_path: Path) -> None:
    before = recording(tmp_path, changed(0, draws=[1, "x"]), fixed=True)
    other = [step(n, value(n) + 1.0, draws=[1, "y"]) for n in range(8)]
    after = recording(tmp_path, other, fixed=True, versions=OLD)
    assert compare(before, after).reason == f"cannot be told: {DRAWN_ALL_THE_SAME}"


@pytest.mark.parametrize("at", [3, 6])
def test_data_beyond_what_was_kept_tells_nothing_where_it_is_shuffled(
    at: int, tmp_path: Path
) -> None:
    lines = [
        [step(n, value(n) + (n >= at) * by, data="a" * 16 if n < 5 else None) for n in range(8)]
        for by in (0.0, 0.1)
    ]
    new = {name: one for name, one in VERSIONS.items() if name != "tf_keras"}
    before = recording(tmp_path, lines[0], shuffled=True)
    after = recording(tmp_path, lines[1], shuffled=True, versions={**new, "keras": "3.15.1"})
    if at < 5:
        assert different(compare(before, after)) == ("variable", at + 1)
    else:
        assert compare(before, after).reason == f"cannot be told: {SHUFFLED_UNSEEN}"


@pytest.mark.parametrize("after", [0, 3])
def test_what_is_printed_of_other_random_numbers_tells_nothing(after: int, tmp_path: Path) -> None:
    """A program that prints what it computes of noise, before a step or after it."""
    drawn = changed(after, draws=[1, "x"])
    before = recording(tmp_path, [*drawn[:after], printed("noise 0.125", after), *drawn[after:]])
    other = changed(after, draws=[1, "y"])
    lines = [*other[:after], printed("noise 0.250", after), *other[after:]]
    result = compare(before, recording(tmp_path, lines, versions=OLD))
    assert result.reason == f"cannot be told: {DRAWS_OTHERWISE}"
    here = compare(before, recording(tmp_path, lines))
    assert (different(here), here.parted) == (("printed line", after), "random operations")
    lines = [*drawn[:after], printed("noise 0.250", after), *drawn[after:]]
    alike = compare(before, recording(tmp_path, lines, versions=OLD))
    assert (different(alike), alike.parted) == (("printed line", after), None)


@pytest.mark.parametrize("seen", ["a" * 16, None])
def test_a_shuffled_dataset_that_was_not_seen_tells_nothing_of_another_keras(
    seen: str | None, tmp_path: Path
) -> None:
    lines = [[step(n, value(n) + (n >= 2) * by, data=seen) for n in range(8)] for by in (0.0, 0.1)]
    new = {name: one for name, one in VERSIONS.items() if name != "tf_keras"}
    before, after, unshuffled, alike = (
        recording(tmp_path, lines[side], shuffled=shuffled, versions=versions)
        for side, shuffled, versions in (
            (0, True, VERSIONS),
            (1, True, {**new, "keras": "3.15.1"}),
            (1, False, {**new, "keras": "3.15.1"}),
            (1, True, VERSIONS),
        )
    )
    result = compare(before, after)
    if seen is None:
        assert (result.verdict, result.reason) == (
            ComparisonVerdict.CANNOT_BE_TOLD,
            f"cannot be told: {SHUFFLED_UNSEEN}",
        )
    else:
        assert different(result) == ("variable", 3)
    assert different(compare(before, unshuffled)) == ("variable", 3)
    assert different(compare(before, alike)) == ("variable", 3)


def test_what_fit_shuffles_itself_tells_nothing_of_another_keras(tmp_path: Path) -> None:
    fit = {"t": "fit", "data": "a" * 16}
    new = {name: one for name, one in VERSIONS.items() if name != "tf_keras"}
    before = recording(tmp_path, None, fit)
    after = recording(tmp_path, moved(2, 0.1), fit, versions={**new, "keras": "3.15.1"})
    assert compare(before, after).reason == f"cannot be told: {SHUFFLED_UNSEEN}"
    old = recording(tmp_path, moved(2, 0.1), fit, versions={**VERSIONS, "tensorflow": "2.3.4"})
    assert different(compare(before, old)) == ("variable", 3)


def test_what_the_program_does_not_reproduce_is_left_out_and_named(tmp_path: Path) -> None:
    def three(by: float) -> Recording:
        names = ["a/kernel", "b/kernel", "c/kernel"]
        made = optimizer(FIRST, names=names, shapes=[[300]] * 3, digests=[seen(FIRST)] * 3)
        steps = [
            step(n, 0, v=[seen(value(n) + by * (n >= 3)), *[seen(value(n))] * 2]) for n in range(8)
        ]
        return read(write(tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr", made, *steps, end()))

    before, after = three(0.0), three(1.0)
    before.unstable = {(0, "variables", 0): 3}
    words = "a/kernel of LossScaleOptimizer(SGD) from step 4 on"
    result = compare(before, after)
    assert result.reason == (
        f"same to the bit for 8 steps, without what the program does not reproduce: {words}"
    )
    assert result.left_out == [words]
    before.unstable = {(0, "variables", 0): 4}
    earlier = compare(before, after)
    assert different(earlier) == ("variable", 4)
    assert BY_CHANCE in earlier.notes


def test_a_program_that_does_not_reproduce_most_of_what_it_trains_is_not_the_same(
    tmp_path: Path,
) -> None:
    before = recording(tmp_path, None, printed("loss 0.5", 8))
    before.unstable = {(0, "variables", 0): 3}
    after = recording(tmp_path, moved(3, 1.0), printed("loss 0.6", 8))
    result = compare(before, after)
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "the same for 3 steps; then the program does not reproduce itself" in result.reason
    assert result.steps == 3
    assert different(compare(before, recording(tmp_path, moved(2, 1.0)))) == ("variable", 3)


def test_each_optimizer_has_to_be_compared_and_to_move(tmp_path: Path) -> None:
    def two(second: Any, **changes: Any) -> Recording:
        made = [optimizer(FIRST, o=n, **(changes if n else {})) for n in (0, 1)]
        steps = [step(n, one, o=o) for n in range(3) for o, one in ((0, value(n)), (1, second(n)))]
        return read(write(tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr", *made, *steps, end()))

    assert compare(two(value), two(value)).reason == "same to the bit for 3 steps"
    still = compare(*(two(lambda _: FIRST, **{"class": "Second"}) for _ in range(2)))
    assert still.reason == f"cannot be told: {NOTHING_TRAINED.format('Second(SGD)')}"
    before = two(value)
    before.unstable = {(1, "variables", 0): 0}
    assert "are the same for 1 step; then the program" in compare(before, two(value)).reason
    for one in before.optimizers[1].steps:
        one.arrays["variables"][0] = None  # type: ignore[index]
    before.unstable = None
    assert "could not read most of what" in compare(before, two(value)).reason


def test_an_optimizer_whose_steps_are_not_seen_leaves_it_untold(tmp_path: Path) -> None:
    result = compare(*(recording(tmp_path, hidden=["Adam"]) for _ in range(2)))
    assert result.reason == f"cannot be told: {NOT_SEEN.format('Adam')}"
    changed = recording(tmp_path, moved(3, 1.0), hidden=["Adam"])
    assert different(compare(recording(tmp_path), changed)) == ("variable", 4)


def test_what_threads_do_in_another_order_tells_nothing(tmp_path: Path) -> None:
    before = recording(tmp_path, threads=3)
    assert compare(before, recording(tmp_path)).verdict is ComparisonVerdict.SAME
    assert compare(before, recording(tmp_path, moved(3, 1.0))).reason.endswith(IN_THREADS)
    before.unstable = {}
    assert different(compare(before, recording(tmp_path, moved(3, 1.0)))) == ("variable", 4)


@pytest.mark.parametrize(("steps", "limits"), [(8, (8, 8)), (3, (8, 3))])
def test_what_ends_before_its_limit_has_fewer_steps(
    steps: int, limits: tuple[int, int], tmp_path: Path
) -> None:
    def side(count: int, second: int, limit: int, **ending: Any) -> Recording:
        made = [optimizer(FIRST, o=n) for n in (0, 1)]
        done = [step(n, value(n), o=o) for o, c in ((0, count), (1, second)) for n in range(c)]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.lsr"
        return read(write(path, *made, *done, end(**ending), header={**HEADER, "steps": limit}))

    whole = side(8, 4, limits[0], limited=True)
    shorter = compare(whole, side(steps, 2, limits[1], limited=True))
    if steps == 8:  # after as many steps of the first one
        assert different(shorter) == ("number of steps", 3)
    else:
        assert shorter.verdict is ComparisonVerdict.SAME
    assert different(compare(whole, side(6, 3, 8)))[0] == "number of steps"


def test_a_program_that_reproduces_nothing_is_never_the_same(tmp_path: Path) -> None:
    before = recording(tmp_path)
    before.unstable = {(0, "variables", 0): -1, (0, "scale", -1): 0, (0, "good", -1): 0}
    result = compare(before, recording(tmp_path))
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "enable_op_determinism" in result.reason


def test_what_stays_zero_does_not_make_a_program_the_same(tmp_path: Path) -> None:
    def after(value: Any) -> RecordingComparison:
        lines = [step(n, random(n), s={"momentum": [seen(value)]}) for n in range(8)]
        before = recording(tmp_path, lines)
        before.unstable = {(0, "variables", 0): -1}
        return compare(before, recording(tmp_path, lines))

    def random(number: int) -> Any:
        return np.random.default_rng(number).random(FIRST.shape)

    for slot in (np.zeros_like(FIRST), np.ones_like(FIRST)):
        assert after(slot).verdict is ComparisonVerdict.CANNOT_BE_TOLD


def test_recordings_without_a_step_say_nothing(tmp_path: Path) -> None:
    empty = read(write(tmp_path / "e.lsr", end()))
    for pair in ((empty, empty), (empty, recording(tmp_path)), (recording(tmp_path), empty)):
        result = compare(*pair)
        assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
        assert "no optimizer took a step" in result.reason


def test_a_program_that_fails_before_its_first_step_says_nothing(tmp_path: Path) -> None:
    error = {"class": "InvalidArgumentError", "text": "no kernel", "at": "train.py:3"}
    failed = read(write(tmp_path / "f.lsr", end(exit=1, error=error)))
    result = compare(failed, recording(tmp_path))
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert "which ended with InvalidArgumentError: no kernel" in result.reason
    assert different(compare(recording(tmp_path), failed))[0] == "end"


def test_an_exception_and_fewer_steps_are_differences(tmp_path: Path) -> None:
    error = {"class": "ValueError", "text": "no", "at": "train.py:5"}
    failed = recording(tmp_path, moved(9, 0.0)[:5], exit=1, error=error)
    assert different(compare(recording(tmp_path), failed)) == ("end", 6)
    errors = [{**error, "text": f"no /tmp/{name}/a.h5"} for name in ("before", "again")]
    alike = [recording(tmp_path, exit=1, error=one) for one in errors]
    assert compare(*alike).verdict is ComparisonVerdict.SAME
    assert "Both programs end with ValueError: no /tmp/before/a.h5" in compare(*alike).notes
    texts = ("no kernel with [T=DT_HALF, padding=SAME]", "no kernel with [padding=SAME, T=DT_HALF]")
    alike = [recording(tmp_path, exit=1, error={**error, "text": text}) for text in texts]
    assert compare(*alike).verdict is ComparisonVerdict.SAME
    shorter = recording(tmp_path, moved(9, 0.0)[:5])
    assert different(compare(recording(tmp_path), shorter)) == ("number of steps", 6)
    limited = recording(tmp_path, moved(9, 0.0)[:5], limited=True)
    assert compare(recording(tmp_path), limited).verdict is ComparisonVerdict.SAME


def test_a_program_that_was_killed_is_compared_up_to_there(tmp_path: Path) -> None:
    steps = [step(n, value(n)) for n in range(4)]
    killed = read(write(tmp_path / "killed.lsr", optimizer(FIRST), *steps))
    result = compare(recording(tmp_path, None, printed("done", 8)), killed)
    assert result.verdict is ComparisonVerdict.CANNOT_BE_TOLD
    assert result.reason.endswith(
        "killed.lsr has no end. Up to there, it is the same to the bit for 4 steps"
    )
    assert any("the program was killed" in note for note in result.notes)


def test_printed_lines_count_unless_they_are_left_out(tmp_path: Path) -> None:
    before = recording(tmp_path, None, printed("accuracy 0.91", 8))
    after = recording(tmp_path, None, printed("accuracy 0.81", 8))
    assert different(compare(before, after)) == ("printed line", 8)
    assert compare(before, after, output=False).verdict is ComparisonVerdict.SAME
    assert different(compare(before, recording(tmp_path))) == ("printed line", 8)


def test_a_loss_before_the_first_applied_step_may_be_rounded_otherwise(tmp_path: Path) -> None:
    steps = [step(0, FIRST, applied=False), *(step(n, value(n)) for n in range(1, 8))]
    rounded = [steps[0], *(step(n, value(n) + 1e-3 * MOVES[0]) for n in range(1, 8))]
    before = recording(tmp_path, steps, printed("loss 1.170216", 1))
    after = recording(tmp_path, rounded, printed("loss 1.170200", 1), versions=OLD)
    assert compare(before, after).verdict is ComparisonVerdict.SAME
    wrong = recording(tmp_path, rounded, printed("loss 1.270012", 1), versions=OLD)
    assert different(compare(before, wrong)) == ("printed line", 1)
    here = recording(tmp_path, steps, printed("loss 1.170200", 1))
    assert different(compare(before, here)) == ("printed line", 1)


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [("mixed_float16", ComparisonVerdict.SAME), ("float32", ComparisonVerdict.DIFFERENT)],
)
def test_what_is_printed_may_be_rounded_to_float16_on_one_side(
    policy: str, verdict: ComparisonVerdict, tmp_path: Path
) -> None:
    def side(text: str, **versions: Any) -> Recording:
        steps = [step(n, value(n)) for n in range(8)]
        lines = [optimizer(FIRST, policy=policy), printed(text), *steps, end(**versions)]
        return read(write(tmp_path / "one.lsr", *lines))

    before = side("Loss test: 1.412109375")
    assert compare(before, side("Loss test: 1.411998152", versions=OLD)).verdict is verdict
    wrong = side("Loss test: 1.4155", versions=OLD)
    assert compare(before, wrong).verdict is ComparisonVerdict.DIFFERENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("loss 0.123456", "loss 0.123457"),
        ("took 1.5s", "took 12.25s"),
        ("Time: 28.6887, loss 0.5", "Time: 41.7936, loss 0.5"),
        ("step time = 0.01", "step time = 0.25"),
        ("loss 0.5 (12.25 pos/s)", "loss 0.5 (3 pos/s)"),
        ("9.5images/sec, 0:01:02 left", "8images/sec, 1:10:02 left"),
        ("logs/20200102-030405", "logs/20261127-130944"),
        ("logs/2020-01-02_03-04-05/a", "logs/2026-11-27_13-09-44/a"),
        ("wrote /tmp/a/model.h5", "wrote /home/b/model.h5"),
        ("'/tmp/a/model.h5'      ['str']", "'/tmp/longer/model.h5' ['str']"),
        ("<Object at 0x7f0011aa>", "<Object at 0x7f0022bb>"),
        ("12:00:01 epoch 3", "13:59:59 epoch 3"),
        ("inputs input_1, input_2", "inputs input_layer, input_layer_1"),
        ("TensorFlow 2.3.4.", "TensorFlow 2.21.0."),
        ("2.2.4-tf", "2.21.0"),
        ("{'loss': 0.665, 'steps': 3}", "{'loss': np.float32(0.665), 'steps': np.int64(3)}"),
        ("['w', True]", "[np.str_('w'), np.True_]"),
        ("v2.3.0-54-gfcc4b966f1 2.3.1", "v2.21.0-rc1-4-gcd01d58bba9 2.21.0"),
        (
            "<BatchDataset shapes: (None, 2), types: tf.float32> 2",
            "<_BatchDataset element_spec=TensorSpec(shape=(None, 2), dtype=tf.float32)> 2",
        ),
    ],
)
def test_lines_agree_but_for_rounding_times_paths_and_addresses(one: str, other: str) -> None:
    assert lines_agree(one, other, 1e-5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("step 3", "step 4"),
        ("loss 0.12", "loss 0.15"),
        ("Time: 3", "Time: 4"),
        ("20200102", "20261127"),
        ("2 images", "3 images"),
        ("done", "Done"),
        ("a 1", "a 1 2"),
        ("[0.5, True]", "[np.float32(0.75), np.True_]"),
        ("[0.5, True]", "[np.float32(0.5), np.False_]"),
        ("0.1230.456", "0.1230.459"),
    ],
)
def test_other_lines_do_not_agree(one: str, other: str) -> None:
    assert not lines_agree(one, other, 1e-5)


@pytest.mark.parametrize("size", [1, 300, 40_000, 200_000])
def test_the_distance_of_arrays_is_estimated(size: int, tmp_path: Path) -> None:
    rng = np.random.RandomState(size)
    array = rng.randn(size).astype(np.float32)
    for scale in (1e-5, 1e-2, 1.0):
        other = (array + scale * rng.randn(size)).astype(np.float32)
        lines = [optimizer(array), step(0, array), step(1, other)]
        steps = read(write(tmp_path / "a.lsr", *lines)).optimizers[0].steps
        one, two = (s.arrays["variables"][0] for s in steps)
        assert one is not None
        assert two is not None
        true = np.linalg.norm(array.astype(float) - other)
        assert true / 8 < distance(one, two) < 4 * true
