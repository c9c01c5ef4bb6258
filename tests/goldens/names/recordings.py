# SPDX-License-Identifier: Apache-2.0
"""The recorded names: reading and writing them, and what to expect where versions disagree.

`recorded/<version>.json` holds, case by case, what differs from the version before it in
`VERSIONS`; `null` stands for what that version had and this one has not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import cases

Json: TypeAlias = Any
Names: TypeAlias = dict[str, dict[str, Json]]
"""What was observed of each case, by the line that names the case."""

HERE: Final = Path(__file__).resolve().parent
VERSIONS: Final = ("1.14", "1.15", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.21")
"""The last is today's TensorFlow with tf-keras."""
KERAS: Final = ("experimental", "rewrite_keras", "public", "new")
V1: Final = ("v1", "rewrite")
CASES: Final = cases.all_cases()


@dataclass(frozen=True)
class Ruling:
    """Versions whose names are not followed, because another version's are.

    Attributes:
        versions: These versions.
        apis: The wrappers concerned, as in `cases.ASPECTS`.
        observation: What differs.
        side: The version that is followed.
        why: The reason, in one sentence.
        modes: The modes concerned; all by default.
        optimizers: The optimizers concerned; all by default.
    """

    versions: tuple[str, ...]
    apis: tuple[str, ...]
    observation: str
    side: str
    why: str
    modes: tuple[str, ...] = tuple(cases.ASPECTS["mode"])
    optimizers: tuple[str, ...] = tuple(cases.ASPECTS["optimizer"])

    def concerns(self, version: str, case: Any, observation: str) -> bool:
        """Whether it says what to expect in the place of one observation of one version."""
        return (
            version in self.versions
            and case.api in self.apis
            and case.mode in self.modes
            and case.optimizer in self.optimizers
            # Those of a second optimizer have a number behind their names.
            and observation.rstrip("0123456789") == self.observation
        )


RULINGS: Final = (
    Ruling(
        versions=("1.14", "1.15", "2.0", "2.1", "2.2"),
        apis=V1,
        observation="wrapper_variables",
        side="2.3",
        why="From 2.3 on, `variables()` of the v1 optimizer returns the variables of the inner "
        "optimizer and of the loss scale; before, it was empty.",
    ),
    Ruling(
        versions=("1.14", "1.15"),
        apis=KERAS,
        observation="wrapper_variables",
        side="2.3",
        why="`variables()` of the Keras wrapper failed up to 1.15 and works in later versions.",
    ),
    Ruling(
        versions=("1.14", "1.15", "2.0", "2.1", "2.2"),
        apis=KERAS,
        observation="checkpoint_keys",
        side="2.4",
        why="From 2.3 on, a checkpoint has the inner optimizer under the wrapper's own key; "
        "before, under `base_optimizer`. This package reads both.",
    ),
    *(
        Ruling(
            versions=("1.14",),
            apis=KERAS,
            observation=observation,
            side="2.4",
            why="With the control flow of TensorFlow 1, variables that the Keras wrapper creates "
            "are named after its branch, such as `cond_1/Adam/iter`, from 1.15 on, but not in "
            "1.14.",
            modes=("session",),
        )
        for observation in ("variables", "saver_keys", "slots", "inner_variables")
    ),
    *(
        Ruling(
            versions=("2.0", "2.1", "2.2"),
            apis=("experimental",),
            observation=observation,
            side="2.3",
            why="In a `tf.function`, variables that the Keras wrapper creates are named after its "
            "branch from 2.3 on, but not before.",
            modes=("function",),
        )
        for observation in ("slots", "inner_variables", "wrapper_variables")
    ),
    *(
        Ruling(
            versions=versions,
            apis=("experimental",),
            observation=observation,
            side="2.4",
            why="Ftrl has the hyperparameter `beta` from 2.4 on.",
            optimizers=("Ftrl",),
        )
        for versions, observation in (
            (("1.15", "2.0", "2.1", "2.2", "2.3"), "variables"),
            (("2.3",), "checkpoint_keys"),
        )
    ),
)


def read() -> dict[str, Names]:
    """Reads what is recorded, whole, by version."""
    found: dict[str, Names] = {}
    names: Names = {}
    for version in VERSIONS:
        path = path_of(version)
        if path.exists():
            changes = json.loads(path.read_text(encoding="utf-8"))
            names = found[version] = _patched(names, changes)
    return found


def write(recordings: Mapping[str, Names]) -> None:
    """Writes recordings, each as its differences from the one before."""
    before: Names = {}
    for version in VERSIONS:
        if version in recordings:
            changes = _changes(before, recordings[version])
            lines = [f"{json.dumps(line)}: {json.dumps(changes[line])}" for line in sorted(changes)]
            path = path_of(version)
            path.parent.mkdir(exist_ok=True)
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
            before = recordings[version]


def path_of(version: str) -> Path:
    """Where a version's names are."""
    return HERE / "recorded" / f"{version}.json"


def _changes(before: Names, after: Names) -> dict[str, Json]:
    changes: dict[str, Json] = dict.fromkeys(before.keys() - after.keys())
    for line, names in after.items():
        old = before.get(line, {})
        changed: dict[str, Json] = dict.fromkeys(sorted(old.keys() - names.keys()))
        changed |= {name: names[name] for name in sorted(names) if old.get(name) != names[name]}
        if changed:
            changes[line] = changed
    return changes


def _patched(before: Names, changes: Mapping[str, Json]) -> Names:
    after = dict(before)
    for line, changed in changes.items():
        if changed is None:
            del after[line]
        else:
            names = {**before.get(line, {}), **changed}
            after[line] = {name: value for name, value in names.items() if value is not None}
    return after


def expected(recordings: Mapping[str, Names], version: str) -> Names:
    """What to expect of a wrapper with the names of a version, after the rulings.

    A case that failed in a version is left out: what worked once works.
    """
    found: Names = {}
    for line, names in recordings[version].items():
        if "error" not in names:
            found[line] = {
                observation: _value(recordings, version, line, observation) for observation in names
            }
    return found


def _value(recordings: Mapping[str, Names], version: str, line: str, observation: str) -> Json:
    for ruling in applying(version, line, observation):
        return recordings[ruling.side][line][observation]
    return recordings[version][line][observation]


def applying(version: str, line: str, observation: str) -> list[Ruling]:
    """The rulings on one observation of one version."""
    return [one for one in RULINGS if one.concerns(version, CASES[line], observation)]
