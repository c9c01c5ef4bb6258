# SPDX-License-Identifier: Apache-2.0
"""What is known of a published program: where it is from, and how it is started. Plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

GITHUB = "github:"
"""What the distribution of a program begins with that is in no package index."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A published program.

    In the command, `{folder}` is a folder of its own, `{program}` where the program is installed,
    `{steps}` how many steps to have trained at the end, `{epochs}` how many epochs that is, and
    `{checkpoint}` the latest checkpoint of the first run.

    Attributes:
        name: What it is called here, with the project in front of a colon.
        distribution: The distribution that it comes in, with its version; or the repository on
            GitHub, as `github:owner/name@commit`.
        command: What comes after `compat-lossscale run`.
        needs: What else to install; TensorFlow and tf-keras are there.
        files: What to put into that folder first.
        resume: What the second command has in addition, where a program has to be told that it
            goes on.
        prepare: The script in `data` that makes its data in that folder.
        sources: Its own sources, below where it is installed.
        starts_in: The folder, below where it is installed, to start it in; its own if empty.
        model: Where it saves checkpoints, below its folder; with `{steps}` if each run needs its
            own.
        steps: How many steps an epoch has.
        added: How many steps the second run trains.
        migrated: The files and folders to migrate, and to run without the shim. Empty where the
            program needs the shim for something else.
        by_hand: What findings of `migrate` ask to be changed: by the file, below where it is
            installed, the text of the migrated file and what takes its place.
        prints_times: Whether it prints how fast it is, so that its lines are not compared.
        augments: Whether it draws random numbers in a pipeline with threads, so that it repeats
            itself with TF_DETERMINISTIC_OPS=1 alone.
        shim: Why a migrated program needs the shim still; empty if it does not.
        note: What to know of the result.
    """

    name: str
    distribution: str
    command: str
    needs: tuple[str, ...]
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    resume: str = ""
    prepare: str = ""
    sources: tuple[str, ...] = (".",)
    starts_in: str = ""
    model: str = "model"
    steps: int = 1
    added: int = 2
    migrated: tuple[str, ...] = ()
    by_hand: Mapping[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    prints_times: bool = False
    augments: bool = False
    shim: str = ""
    note: str = ""
