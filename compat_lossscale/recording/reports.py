# SPDX-License-Identifier: Apache-2.0
"""What comparing two recordings gave, as text, as data for JSON, and as an HTML page."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from compat_lossscale.pages import escaped, page
from compat_lossscale.pages.page import HEIGHT, WIDTH, line_chart
from compat_lossscale.recording.comparison import (
    ComparisonVerdict,
    Difference,
    RecordingComparison,
    steps_words,
)
from compat_lossscale.recording.reading import Recording

_NEAR = 5
_PARTED = {
    "data": "The data parted first: the steps got other data. Other versions shuffle and draw "
    "otherwise, and a parallel map does in each run: record both sides with --fix-random. If they "
    "are, --fix-data N keeps the data of the first N steps, and --start-from replays it.",
    "initial values": "The initial values parted first. TensorFlow draws others since 2.10. To "
    "compare what comes after them, record the old side with --with-initial-values, and the new "
    "side with --start-from.",
    "random operations": "The random operations parted first: other ones were made, or they got "
    "other seeds. The initial values, and the data where it was seen, are the same.",
    "step": "The step itself parted first. The initial values, and the data and the random "
    "operations as far as they were seen, are the same.",
}
_PACKAGES = {
    "tensorflow": "TensorFlow", "tf_keras": "tf-keras", "keras": "Keras", "jax": "JAX",
    "torch": "PyTorch", "numpy": "NumPy", "python": "Python",
}  # fmt: skip
_MOST_LEFT_OUT = 8
Finding = tuple[str, int, str]
"""A file, a line, and what `migrate` says of it."""


def as_text(comparison: RecordingComparison, findings: Sequence[Finding] = ()) -> Iterator[str]:
    """Yields the lines that a person reads."""
    for side in (comparison.before, comparison.after):
        yield escaped(f"{side.path}: {about(side)}")
    yield escaped(verdict_words(comparison))
    for difference in comparison.differences:
        yield from map(escaped, _difference_lines(difference, difference is comparison.first))
    if comparison.parted:
        yield _PARTED[comparison.parted]
    for file, line, words in near(comparison.first, findings):
        yield escaped(f"  migrate reports near it: {file}:{line}: {words}")
    grown = [step for step in comparison.growth if step >= comparison.exact]
    if any(comparison.growth[step][0] for step in grown):
        sizes = (f"step {step}: {comparison.growth[step][0]:.1e}" for step in _some(grown, 8))
        yield f"Largest relative difference: {', '.join(sizes)}"
    left_out = collections.Counter(comparison.left_out)
    for words, times in itertools.islice(left_out.items(), _MOST_LEFT_OUT):
        number = f", {times} times" if times > 1 else ""
        yield escaped(f"Left out, for the program does not reproduce it: {words}{number}")
    if len(left_out) > _MOST_LEFT_OUT:
        yield f"Left out for that, too: {len(left_out) - _MOST_LEFT_OUT} more"
    for words in comparison.notes:
        yield escaped(f"Note: {words}")


def about(side: Recording) -> str:
    """Returns in some words what a recording is of."""
    versions = [f"{words} {side.versions[name]}" for name, words in _PACKAGES.items()
                if name in side.versions]  # fmt: skip
    program, steps = side.header.get("program"), steps_words(side.steps)
    return f"{program}, {steps}; {', '.join(versions) or 'no versions'}"


def verdict_words(comparison: RecordingComparison) -> str:
    """Returns the verdict as a sentence."""
    first = comparison.first
    if first is None:
        return f"{comparison.reason[:1].upper()}{comparison.reason[1:]}."
    if first.what == "end":
        return "Different: the programs end otherwise."
    when = f"from step {first.step} on" if first.step else "before the first step"
    return f"Different {when}: {first.what}."


def near(difference: Difference | None, findings: Sequence[Finding]) -> list[Finding]:
    """Returns the findings that stand near the place of a difference."""
    if difference is None:
        return []
    found: list[Finding] = []
    stacks = [difference.before_stack[:1], difference.after_stack[:1]]
    stacks += [difference.before_stack, difference.after_stack]
    for place in dict.fromkeys(itertools.chain(*stacks)):
        file, _, line = place.rpartition(":")
        for finding in findings:
            same = finding[0].replace("\\", "/").endswith(file) and bool(file)
            if same and abs(finding[1] - int(line)) <= _NEAR and finding not in found:
                found.append(finding)
    return found


def _difference_lines(one: Difference, is_first: bool) -> Iterator[str]:
    whose = " of ".join(part for part in (one.name, one.optimizer) if part)
    size = f", relative difference {one.size:.1e}" if one.size is not None else ""
    start = "" if is_first else f"Then from step {one.step} on: {one.what}. "
    if start or whose:
        yield f"  {start}{whose}{size}".rstrip()
    yield f"    before: {one.before}" + (f"   ({one.before_at})" if one.before_at else "")
    yield f"    after:  {one.after}" + (f"   ({one.after_at})" if one.after_at else "")


def _some(items: Sequence[Any], count: int) -> Sequence[Any]:
    """Returns a few of many items, the first and the last among them."""
    if len(items) <= count:
        return items
    return [items[round(i * (len(items) - 1) / (count - 1))] for i in range(count)]


def as_json(comparison: RecordingComparison, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """Returns the comparison as data; `schemas/compare.schema.json` describes it."""
    sides = {
        name: {
            "path": side.path,
            "program": str(side.header.get("program")),
            "versions": dict(side.versions),
            "seed": side.header.get("seed"),
            "steps": side.steps,
            "optimizers": [one.title for one in side.optimizers],
        }
        for name, side in (("before", comparison.before), ("after", comparison.after))
    }
    differences = [_difference_data(one) for one in comparison.differences]
    return {
        "version": 1,
        **sides,
        "verdict": comparison.verdict.name.lower().replace("_", " "),
        "reason": comparison.reason,
        "steps": comparison.steps,
        "first": next(iter(differences), None),
        "others": differences[1:],
        "parted": comparison.parted,
        "findings": [
            {"file": file, "line": line, "message": words}
            for file, line, words in near(comparison.first, findings)
        ],
        "growth": [
            {"step": step, "size": _finite(size), "name": name}
            for step, (size, name) in comparison.growth.items()
        ],
        "variables": [
            {"name": name, "first_step": step or None, "size": _finite(size)}
            for name, (step, size) in comparison.by_variable.items()
        ],
        "left_out": comparison.left_out,
        "notes": comparison.notes,
        "exit_code": int(comparison.verdict),
    }


def _difference_data(one: Difference) -> dict[str, Any]:
    data = {**dataclasses.asdict(one), "before_at": one.before_at, "after_at": one.after_at}
    del data["before_stack"], data["after_stack"], data["place"]
    return {**data, "size": None if one.size is None else _finite(one.size)}


def _finite(size: float) -> float | str:
    return size if math.isfinite(size) else "infinite"


def as_html_page(comparison: RecordingComparison, findings: Sequence[Finding] = ()) -> str:
    """Returns the comparison as a page that loads nothing else."""
    kind = {ComparisonVerdict.SAME: "lossless", ComparisonVerdict.DIFFERENT: "lossy"}.get(
        comparison.verdict, "unreadable"
    )
    skipped = [
        sum(not step.applied for one in side.optimizers for step in one.steps)
        for side in (comparison.before, comparison.after)
    ]
    return page.render(
        "compare.html.jinja",
        lead=verdict_words(comparison),
        tiles=[
            (kind, "verdict", comparison.verdict.name.lower().replace("_", " ")),
            ("whole", "steps compared", f"{comparison.steps:,}"),
            ("whole", "steps the same to the bit", f"{comparison.exact:,}"),
            ("no-loss-scale", "steps skipped before", f"{skipped[0]:,}"),
            ("no-loss-scale", "steps skipped after", f"{skipped[1]:,}"),
        ],
        sides=[("before", comparison.before.path, about(comparison.before)),
               ("after", comparison.after.path, about(comparison.after))],
        width=WIDTH,
        height=HEIGHT,
        scales=_scale_chart(comparison),
        growth=_growth_chart(comparison),
        variables=sorted(comparison.by_variable.items(), key=lambda item: -item[1][1]),
        differences=comparison.differences,
        parted=_PARTED.get(comparison.parted or ""),
        findings=near(comparison.first, findings),
        notes=[*(f"Left out: {words}" for words in comparison.left_out), *comparison.notes],
    )  # fmt: skip


def _scale_chart(comparison: RecordingComparison) -> Any:
    """Both loss scales over the steps, with a mark at each skipped step; the second as a series."""
    before, after = map(_scaled_steps, (comparison.before, comparison.after))
    if not before or not after:
        return None
    places, scales, applied = zip(*before, strict=True)
    other_places, other_scales, _ = zip(*after, strict=True)
    marks = [(i, f"step {places[i]}: skipped before") for i, ok in enumerate(applied) if not ok]
    return line_chart(places, scales, marks, stepped=True, other=(other_places, other_scales))


def _scaled_steps(side: Recording) -> list[tuple[int, float, bool]]:
    steps = next((one.steps for one in side.optimizers if one.scaled), [])
    return [
        (step.number + 1, step.scale, step.applied)
        for step in steps
        if step.scale is not None and math.isfinite(step.scale)
    ]


def _growth_chart(comparison: RecordingComparison) -> Any:
    points = [(n, size) for n, (size, _) in comparison.growth.items() if 0 < size < math.inf]
    if not points:
        return None
    places, sizes = zip(*points, strict=True)
    return line_chart(places, sizes, stepped=False, label="{:.0e}".format)
