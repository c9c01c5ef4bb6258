# SPDX-License-Identifier: Apache-2.0
"""Compares public names of old TensorFlows with today's: `compare_public_names.py OLD... TODAY`.

The arguments are what `record_public_names.py` wrote under each; under today's with
`TF_USE_LEGACY_KERAS=1`, and without this package. What it prints is `public-names.json`: names and
members that are gone, and signatures that refuse old calls or mean something else by them. Of
members of many classes, one class stands for all.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Recording = dict[str, Any]


def main(paths: list[str]) -> None:
    """Prints the differences."""
    *olds, today = [_named(json.loads(Path(path).read_text("utf-8"))["names"]) for path in paths]
    differences = {
        "names": sorted({name for old in olds for name in old.keys() - today.keys()}),
        "members": _shortest(_gone_members(olds, today)),
        "signatures": _shortest(_changed_signatures(olds, today)),
    }
    json.dump(differences, sys.stdout, indent=0)
    sys.stdout.write("\n")


def _named(recording: Recording) -> Recording:
    """Leaves out estimators, which are a package of their own, kernels and messages."""
    return {
        name: what
        for name, what in recording.items()
        if not any(module in name for module in (".estimator.", ".raw_ops."))
        and "DESCRIPTOR" not in what.get("has", {})
    }


def _gone_members(olds: list[Recording], today: Recording) -> set[str]:
    """The members that no version of a class has today."""
    return {
        f"{name}.{member}"
        for old in olds
        for name, what in old.items()
        if "has" in today.get(name, {})
        for member in what.get("has", {}).keys() - today[name]["has"].keys()
    }


def _changed_signatures(olds: list[Recording], today: Recording) -> set[str]:
    """The functions, classes and methods that refuse or misunderstand calls of an old version."""
    changed = set()
    for old in olds:
        for name, what in old.items():
            now = today.get(name, {})
            if differs(what.get("takes"), now.get("takes")):
                changed.add(name)
            for member, takes in what.get("has", {}).items():
                if differs(takes, now.get("has", {}).get(member)):
                    changed.add(f"{name}.{member}")
    return changed


def differs(old: list[str] | None, now: list[str] | None) -> bool:
    """Whether a call that fits an old signature can fail today, or mean something else.

    Args:
        old: The parameters, as `record_public_names.py` writes them; `None` if they are not known.
        now: Those of today.
    """
    if old is None or now is None:
        return False
    before, after = _places(old), _places(now)
    has_any = any(one.startswith("**") for one in now)
    for index, name in enumerate(before):
        if name not in {one.rstrip("=") for one in now} and not has_any:
            return True
        if after[index : index + 1] != [name] and not any(one == "*args" for one in now):
            return True
    return any(one[0] != "*" and one[-1] != "=" and one.rstrip("=") not in before for one in now)


def _places(takes: list[str]) -> list[str]:
    """The parameters that arguments without names go to."""
    stars = [index for index, one in enumerate(takes) if one.startswith("*")]
    return [one.rstrip("=") for one in takes[: stars[0] if stars else len(takes)]]


def _shortest(paths: set[str]) -> list[str]:
    """Of paths with the same last name, the shortest, for methods; and all others."""
    chosen: dict[str, str] = {}
    for path in sorted(paths, key=lambda one: (len(one), one)):
        place, _, name = path.rpartition(".")
        is_member = place.rpartition(".")[2][0].isupper()
        chosen.setdefault(name if is_member else path.replace("tf.compat.v1.", "tf."), path)
    return sorted(chosen.values())


if __name__ == "__main__":
    main(sys.argv[1:])
