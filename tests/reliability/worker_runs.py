# SPDX-License-Identifier: Apache-2.0
"""What `workers` trains, and what its processes must have in common."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, TypeAlias

import numpy as np

from tests.reliability import rules
from tests.reliability.generations import Generation
from tests.support import INF, NAN

BATCH = 8
TASKS = ("exact", "network")
Batch: TypeAlias = dict[str, np.ndarray[Any, Any]]
Results: TypeAlias = dict[str, Any]
"""By `name_of`, what a run has: its path, the copies of its variables, what it recorded."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is trained.

    Attributes:
        generations: Which optimizers.
        batches: The data, and so the faults.
        rule_names: How the loss scale moves, of `rules.NAMES`.
    """

    generations: list[Generation]
    batches: list[Batch]
    rule_names: tuple[str, ...] = (rules.DEFAULT,)


def batches_of(count: int, seed: int) -> list[Batch]:
    """Batches of dyadic coefficients and normal inputs; 40 % have one non-finite element."""
    chance = np.random.default_rng(seed)
    batches = []
    for _ in range(count):
        batch = {
            "coefficients": chance.integers(-8, 9, (BATCH, 4)) / 8,
            "rows": chance.integers(-8, 9, (BATCH, 2)) / 8,
            "inputs": chance.normal(size=(BATCH, 4)),
        }
        if chance.random() < 0.4:
            example, fault = chance.integers(BATCH), chance.choice([NAN, INF, -INF])
            batch["coefficients"][example, chance.integers(4)] = fault
            batch["inputs"][example, chance.integers(4)] = fault
        batch = {name: array.astype(np.float32) for name, array in batch.items()}
        batch["ids"] = chance.integers(0, 5, BATCH)
        batches.append(batch)
    return batches


def name_of(generation: Generation, task: str, rule: str) -> str:
    """The name of one training among others."""
    return f"{generation.name} {task} {rule}"


def differences(found: Results, expected: Results) -> list[str]:
    """Where a run differs from the one on one device."""
    wrong = []
    for name, wanted in expected.items():
        got = found[name]
        if got["path"] != wanted["path"]:
            wrong.append(f"{name}: another path of the loss scale")
        (alone,) = wanted["copies"]
        # With other loss scales, what is summed before or after unscaling is rounded otherwise.
        is_exact = "exact" in name and all(_is_power_of_2(scale) for scale, *_ in wanted["path"])
        tolerance = 0 if is_exact else 1e-5
        for copies in got["copies"]:
            for ours, theirs in zip(copies, alone, strict=True):
                if not np.allclose(ours, theirs, rtol=tolerance, atol=tolerance):
                    wrong.append(f"{name}: {ours} is not {theirs}")
    return wrong


def _is_power_of_2(number: float) -> bool:
    return math.frexp(number)[0] == 0.5


def off_the_rule(found: Results, plan: Plan) -> list[str]:
    """Where the loss scale of a run did not move by the pure rule."""
    wrong = []
    finite = [not _bad_examples(batch).size for batch in plan.batches]
    for rule in plan.rule_names:
        wanted = rules.path(rules.rule_of(rule), finite)
        for generation in plan.generations:
            for task in TASKS:
                name = name_of(generation, task, rule)
                states = [one[:-1] for one in found[name]["path"]]
                if states != [tuple(x for x in state if x is not None) for state in wanted]:
                    wrong.append(f"{name}: not the rule's path")
    return wrong


def _bad_examples(batch: Batch) -> np.ndarray[Any, Any]:
    return np.flatnonzero(~np.isfinite(batch["coefficients"]).all(axis=1))
