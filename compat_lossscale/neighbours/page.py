# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation's page of the table: `python -m compat_lossscale.neighbours.page`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from compat_lossscale.neighbour_names import TABLE, keras_names
from compat_lossscale.neighbour_names.neighbour import Neighbour

_TITLES = {
    "tensorflow": "TensorFlow",
    "numpy": "numpy",
    "scipy": "SciPy",
    "wandb": "Weights & Biases",
    "": "Python's standard library and setuptools",
}
_HEAD = """\
# Neighbours

<!-- Made by `python -m compat_lossscale.neighbours.page`; do not edit. -->

Old programs also use names that have nothing to do with loss scaling and that newer versions
removed. This project calls them *neighbours*. `compat-lossscale run` and `install()` restore
the names on this page:

- They import what restores a name only when a program uses the name.
- They never replace a name that exists, and `uninstall()` removes all that they added.
- `compat-lossscale run --only-loss-scale` and `install(neighbours=False)` do not restore them.

"Restored by" is the module or object that a program gets, and "Behavior" says whether that
differs from the old one. If "Restored by" is empty, the name is not restored: the error says
why, and what to do.

`compat-lossscale migrate` uses the same table, in files that use loss scaling and in files that
run in the same program: see [other removed names](codemod/index.md#other-removed-names). It
rewrites a name if the new code does the same in every case, and reports the others. "Rewrites
some uses" means that it rewrites the calls of a function for which it can prove that.

In addition to names, `run` and `install()` restore one rule of Python while TensorFlow is in
use: the default of a dataclass field can be an instance of another dataclass, or an array, as
up to Python 3.10.
"""


def page() -> str:
    """Returns the page."""
    return "\n".join([_HEAD, *itertools.chain.from_iterable(map(_section, _TITLES.items()))])


def _section(heading: tuple[str, str]) -> Iterator[str]:
    root, title = heading
    yield f"## {title}\n"
    yield "| Name | Until | Restored by | Behavior | In new code | `migrate` |"
    yield "| --- | --- | --- | --- | --- | --- |"
    neighbours = [one for one in TABLE if _root(one) == root]
    for _, alike in itertools.groupby(neighbours, key=_alike):
        yield _row(list(alike))
    yield ""


def _root(neighbour: Neighbour) -> str:
    root = neighbour.name.partition(".")[0]
    return root if root in _TITLES else ""


def _target(neighbour: Neighbour) -> str:
    """What restores a name; for names that keep their short name, the module where they are now."""
    if neighbour.served_by.startswith("compat_lossscale."):
        return "compat_lossscale"
    module, _, name = neighbour.served_by.partition(":")
    keeps_its_name = not name or name == neighbour.short_name
    return module if keeps_its_name else f"{module}.{name}"


def _alike(neighbour: Neighbour) -> tuple[str, ...]:
    """What the names in a row have in common."""
    is_ours = _target(neighbour) == "compat_lossscale"
    which = neighbour.name if is_ours or not neighbour.is_served else ""
    migrated = _migrated(neighbour)
    return neighbour.place, neighbour.until, _target(neighbour), neighbour.faithful, which, migrated


def _migrated(neighbour: Neighbour) -> str:
    """What the codemod does about a name."""
    if neighbour.name.startswith(f"{keras_names.PRIVATE}."):
        return "rewrites public names"
    if neighbour.for_members or "..." in neighbour.successor:
        return "rewrites some uses"
    return "rewrites" if neighbour.successor else "reports"


def _row(alike: list[Neighbour]) -> str:
    first = alike[0]
    names = ", ".join(f"`{one.name}`" for one in alike)
    instead = {one.instead for one in alike}
    in_new_code = first.instead if len(instead) == 1 else f"the same names of {_target(first)}"
    cells = (
        names,
        first.until,
        _target(first),
        first.faithful,
        in_new_code,
        _migrated(first),
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(page(), end="")
