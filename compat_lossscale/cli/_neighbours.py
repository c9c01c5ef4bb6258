# SPDX-License-Identifier: Apache-2.0
"""What doctor says about other removed names, and about packages that prevent a run."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_lossscale.legacy.environment import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compat_lossscale.neighbour_names.neighbour import Neighbour

_LARGEST = 2_000_000
_SHOWN = 8


@dataclasses.dataclass
class UsedNeighbours:
    """The neighbours and packages that the files of a program use.

    Attributes:
        files: The number of files that use each neighbour.
        packages: The packages that they import.
    """

    files: dict[Neighbour, int] = dataclasses.field(default_factory=dict)
    packages: set[str] = dataclasses.field(default_factory=set)

    def needs(self) -> list[tuple[str, str]]:
        """Returns what prevents `run`, each with the command that fixes it."""
        names = {one.name.removesuffix(".*") for one in self.files}
        needed = []
        if any(name.endswith(".estimator") for name in names) and not _version(
            "tensorflow-estimator"
        ):
            needed.append(
                (
                    (
                        "tf.estimator needs the package tensorflow-estimator, which TensorFlow "
                        "does not install any more."
                    ),
                    "pip install --no-deps 'tensorflow-estimator==2.15.*'",
                )
            )
        if "tensorboard" in self.packages and not _version("tensorboard"):
            needed.append(
                (
                    "It imports tensorboard, which TensorFlow does not install any more.",
                    "pip install tensorboard",
                )
            )
        if "official" in self.packages and numbers(_version("absl-py") or "0.0") >= (2, 0):
            needed.append(
                (
                    "absl-py 2 refuses the flags of tf-models-official up to 2.4.",
                    "pip install 'absl-py<2'",
                )
            )
        return needed


def usage(paths: Sequence[Path], exclude: Sequence[str], seconds: float) -> UsedNeighbours:
    """Searches Python files for neighbours, for some seconds at most."""
    from lossscale_codemods.project.discovery import Skipped, discover

    from compat_lossscale.neighbours.usage import roots_imported_in, used_in

    used, end = UsedNeighbours(), time.monotonic() + seconds
    for one in discover(paths, exclude=exclude):
        if time.monotonic() > end:
            break
        if isinstance(one, Skipped) or not one.name.endswith(".py"):
            continue
        try:
            source = one.path.read_bytes()
        except OSError:
            continue
        if len(source) > _LARGEST:
            continue
        for neighbour in used_in(source):
            used.files[neighbour] = used.files.get(neighbour, 0) + 1
        used.packages |= roots_imported_in(source)
    return used


def lines(used: UsedNeighbours) -> Iterator[str]:
    """Prints what was found, and the verdict; nothing if nothing was found."""
    served = sorted(one.name for one in used.files if one.is_served)
    missing = [one for one in used.files if not one.is_served]
    needs = used.needs()
    if served:
        more = f" and {len(served) - _SHOWN} more" if len(served) > _SHOWN else ""
        yield (
            "The program also uses other removed names; `compat-lossscale run` restores them: "
            f"{', '.join(served[:_SHOWN])}{more}."
        )
    for one in missing:
        yield f"Not restored: {one.explanation()}"
    for reason, step in needs:
        yield f"Problem: {reason}"
        yield f"  -> {step}"
    if served and not missing and not needs:
        yield "No other problem is known that prevents running it as it is."


def as_json(used: UsedNeighbours) -> dict[str, Any]:
    """Returns the same as a value for `--json`."""
    return {
        "served": sorted(one.name for one in used.files if one.is_served),
        "not_served": [
            {"name": one.name, "reason": one.explanation()}
            for one in used.files
            if not one.is_served
        ],
        "needs": [{"reason": reason, "step": step} for reason, step in used.needs()],
    }


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
