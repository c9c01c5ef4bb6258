# SPDX-License-Identifier: Apache-2.0
"""Verifies stored artefacts: reads each, converts its configs and back, and counts the results.

The text, the JSON and the exit code are made from the same results.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compat_lossscale.errors import CompatLossScaleError
from compat_lossscale.formats import checkpoint, isolated
from compat_lossscale.formats.artefact import Artefact, LiveState, StatedConfig
from compat_lossscale.formats.conversion import Conversion, Verdict, convert_artefact
from compat_lossscale.formats.reading import find, read_in_this_process
from compat_lossscale.pages import escaped
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.inner_optimizers import class_name
from compat_lossscale.spec.wrapper_configs import read_wrapper_config

_NO_CHECKPOINT = (
    "the optimizer's state: {} does not look for it in such a checkpoint; name a function that "
    "builds the model, and it becomes an archive: --to keras3 --model SCRIPT:FUNCTION --output "
    "FILE.keras"
)
_KERAS3_CHECKPOINT = (
    "the optimizer's state: {} does not look for it in a checkpoint of Keras 3; restore it there, "
    "save the model as .keras and convert that"
)
_USELESS = (
    "the loss scale of {}: it is {:g}, and must be positive and finite. TensorFlow, tf-keras and "
    "Keras 3 go on with it: with inf or nan they skip every step, and Keras 3 writes NaN into the "
    "variables with 0. compat_lossscale.keras3 starts again at the initial scale, with a warning"
)
MAX_MESSAGE = 600
"""The longest message, because the content of a hostile file must not fill the screen."""


class ArtefactStatus(enum.Enum):
    """What was found out about one artefact."""

    LOSSLESS = "lossless"
    LOSSY = "lossy"
    NO_LOSS_SCALE = "no loss scale"
    UNREADABLE = "unreadable"

    @property
    def words(self) -> str:
        """The words for artefacts of this status."""
        return {
            ArtefactStatus.LOSSY: "would lose something",
            ArtefactStatus.NO_LOSS_SCALE: "without a loss scale",
        }.get(self, self.value)


@dataclasses.dataclass(frozen=True)
class Verification:
    """The result of verifying one artefact.

    Attributes:
        path: Its path.
        status: The result in one word.
        artefact: Its content; `None` if it is unreadable.
        conversions: The conversions of each config to the other generations.
        lost: What a target does not read, or nothing can go on with, with the reason, where no
            conversion says so.
        error: Why it is unreadable; empty if it is readable.
    """

    path: str
    status: ArtefactStatus
    artefact: Artefact | None = None
    conversions: tuple[tuple[StatedConfig, tuple[Conversion, ...]], ...] = ()
    lost: tuple[str, ...] = ()
    error: str = ""

    @property
    def made(self) -> list[Conversion]:
        """All conversions."""
        return [one for _, of_config in self.conversions for one in of_config]

    @property
    def distinct(self) -> list[tuple[StatedConfig, tuple[Conversion, ...], int]]:
        """The configs that differ, their conversions, and the number of further places of each.

        Each layer of a model states the policy that it has.
        """
        places: dict[str, list[tuple[StatedConfig, tuple[Conversion, ...]]]] = {}
        for stated, of_config in self.conversions:
            key = repr((stated.config, stated.automatic, stated.note))
            places.setdefault(key, []).append((stated, of_config))
        return [(*same[0], len(same) - 1) for same in places.values()]


def verify_artefact(
    path: str,
    *,
    targets: Sequence[Generation] = tuple(Generation),
    strict: bool = False,
    has_model: bool = False,
) -> Verification:
    """Verifies one artefact. No content of a file makes this raise an error.

    Args:
        path: See `read`.
        targets: The generations to convert its configs to.
        strict: Whether what is not in it, and changes that do not affect training, are losses too.
        has_model: Whether a function builds the model of a checkpoint, which becomes an archive.
    """
    asked = [target.value for target in targets]
    try:
        here = f"{__name__}:verify_here"
        result = isolated.READER.call(Verification, here, path, asked, strict, has_model)
    except CompatLossScaleError as error:
        return Verification(path, ArtefactStatus.UNREADABLE, error=printable(str(error)))
    artefact = result.artefact and dataclasses.replace(result.artefact, path=path)
    return dataclasses.replace(result, path=path, artefact=artefact)


def verify_here(
    path: str, asked: Sequence[str], strict: bool, has_model: bool = False
) -> Verification:
    """Does what `verify_artefact` does, in the other process."""
    artefact, targets = read_in_this_process(path), [Generation(one) for one in asked]
    conversions = tuple(
        (
            stated,
            tuple(
                convert_artefact(artefact, stated, target)
                for target in targets
                if target is not stated.generation
            ),
        )
        for stated in artefact.configs
    )
    made = [conversion for _, of_config in conversions for conversion in of_config]
    verdicts = {field.verdict for conversion in made for field in conversion.fields}
    useless = [
        _USELESS.format(printable(state.where), state.loss_scale)
        for state in artefact.states
        if state.loss_scale is not None and not 0 < state.loss_scale < math.inf
    ]
    unread = () if has_model else _lost_in_checkpoint(artefact, targets)
    lost = (*artefact.lost, *useless, *unread)
    if not (artefact.has_loss_scale or artefact.missing):
        status = ArtefactStatus.NO_LOSS_SCALE
    elif (lost or Verdict.LOST in verdicts) or (
        strict and (artefact.missing or verdicts - {Verdict.KEPT})
    ):
        status = ArtefactStatus.LOSSY
    else:
        status = ArtefactStatus.LOSSLESS
    return Verification(artefact.path, status, artefact, conversions, lost)


def _lost_in_checkpoint(artefact: Artefact, targets: Sequence[Generation]) -> tuple[str, ...]:
    """Says what a generation does not restore, if somebody asks for it alone.

    A checkpoint has no config to convert, so nothing else says it.
    """
    if artefact.format != checkpoint.FORMAT or len(targets) != 1 or not artefact.states:
        return ()
    is_of_keras3 = artefact.layout == checkpoint.KERAS3
    if is_of_keras3 == (targets[0] is Generation.KERAS3):
        return ()
    reason = _KERAS3_CHECKPOINT if is_of_keras3 else _NO_CHECKPOINT
    return (reason.format(targets[0].title),)


def expand(paths: Iterable[str]) -> Iterator[str]:
    """Yields artefacts: the paths themselves, and for a folder the artefacts in it.

    The folder of a SavedModel is an artefact. A folder without artefacts is yielded itself, so that
    it is reported.
    """
    for path in paths:
        artefacts = list(find(path)) if os.path.isdir(path) else []
        yield from artefacts or [path]


def totals(results: Sequence[Verification]) -> dict[ArtefactStatus, int]:
    """Counts the artefacts of each status."""
    statuses = [result.status for result in results]
    return {status: statuses.count(status) for status in ArtefactStatus}


def exit_code(results: Iterable[Verification]) -> int:
    """Returns the exit code: 1 if something is lost, plus 2 if something is unreadable."""
    statuses = {result.status for result in results}
    return (ArtefactStatus.LOSSY in statuses) + 2 * (ArtefactStatus.UNREADABLE in statuses)


def printable(text: str) -> str:
    """Returns text from a file, escaped and shortened."""
    safe = escaped(text)
    return safe if len(safe) <= MAX_MESSAGE else f"{safe[: MAX_MESSAGE - 3]}..."


_SAID = ("growth_steps", "growth_factor")
"""The fields of a rule that are said without it."""


def describe_config(stated: StatedConfig, further: int = 0) -> str:
    """Describes a config: its places, its loss scale and its optimizer."""
    spec, inner = stated.spec, read_wrapper_config(stated.config).inner
    if spec.dynamic:
        rule = {} if spec.rule is None else spec.rule.to_config()
        more = "".join(f", {name} {value}" for name, value in rule.items() if name not in _SAID)
        scale = (
            f"dynamic loss scale, initially {spec.initial_scale:g}, "
            f"times {spec.multiplier:g} after {spec.growth_steps} good steps{more}"
        )
    else:
        scale = f"fixed loss scale {spec.initial_scale:g}"
    around = f", around {printable(class_name(inner))}" if inner is not None else ""
    by_keras = ", wrapped by Keras itself" if stated.automatic else ""
    also = f" and {further} more" if further else ""
    return f"{printable(stated.where or 'config')}{also}: {scale}{around}{by_keras}"


def describe_state(state: LiveState) -> str:
    """Describes the saved state of one optimizer."""
    known = {
        "loss scale": state.loss_scale,
        "good steps": state.good_steps,
        "hysteresis left": state.hysteresis_left,
        "iterations": state.iterations,
    }
    parts = [f"{name} {value:g}" for name, value in known.items() if value is not None]
    return f"state of {printable(state.where)}: {', '.join([*parts, f'{state.slots} slots'])}"


def as_json(results: Sequence[Verification]) -> dict[str, Any]:
    """Returns the results as a JSON value, in the form of `--json`."""
    return {
        "version": 1,
        "exit_code": exit_code(results),
        "totals": {status.value: count for status, count in totals(results).items()},
        "artefacts": [_result_as_json(result) for result in results],
    }


def _result_as_json(result: Verification) -> dict[str, Any]:
    value: dict[str, Any] = {"path": result.path, "status": result.status.value}
    artefact = result.artefact
    if artefact is None:
        return {**value, "error": result.error}
    return {
        **value,
        "format": artefact.format,
        "layout": artefact.layout,
        "writer": artefact.writer,
        "states": [
            # Only a rule of this package has the last value.
            json_value(
                {k: v for k, v in vars(state).items() if k != "hysteresis_left" or v is not None}
            )
            for state in artefact.states
        ],
        "missing": list(artefact.missing),
        **({"notes": list(artefact.notes)} if artefact.notes else {}),
        **({"lost": list(result.lost)} if result.lost else {}),
        "configs": [
            {
                "where": stated.where,
                "generation": stated.generation.value,
                "automatic": stated.automatic,
                **({"note": stated.note} if stated.note else {}),
                "spec": json_value(_spec_as_json(stated.spec)),
                "conversions": [_conversion_as_json(conversion) for conversion in conversions],
            }
            for stated, conversions in result.conversions
        ],
    }


def _spec_as_json(spec: LossScaleSpec) -> dict[str, Any]:
    value = dataclasses.asdict(spec)
    value.pop("rule")
    return value if spec.rule is None else {**value, "rule": spec.rule.to_config()}


def _conversion_as_json(conversion: Conversion) -> dict[str, Any]:
    return {
        "to": conversion.target.value,
        "lossless": not conversion.lost,
        "config": json_value(conversion.config),
        "fields": [
            {**vars(field), "verdict": field.verdict.value, "value": json_value(field.value)}
            for field in conversion.fields
        ],
    }


def json_value(value: Any) -> Any:
    """Returns a value without infinite numbers and NaN, which JSON cannot express."""
    if isinstance(value, dict):
        return {key: json_value(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(child) for child in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value
