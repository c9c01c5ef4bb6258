# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation's page of the table: `python -m tools.neighbours_page`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from compat_lossscale.neighbour_names import COMMON_MEMBERS, SIGNATURES, TABLE, keras_names
from compat_lossscale.neighbour_names.neighbour import Neighbour

_TITLES = {
    "tensorflow": "TensorFlow",
    "numpy": "numpy",
    "scipy": "SciPy",
    "wandb": "Weights & Biases",
    "": "Python's standard library and setuptools",
}
_HEAD = """\
# Other removed names

<!-- Made by `python -m tools.neighbours_page`; do not edit. -->

Old programs also use names that have nothing to do with loss scaling and that newer versions
removed. `compat-lossscale run` and `install()` restore those with a *yes* in the column `run`,
when the program uses them. They never replace a name that exists. If there is no *yes*, the error
says what to do. `--only-loss-scale` and `install(neighbours=False)` restore none of them.

`compat-lossscale migrate` uses the same table, in files that use loss scaling and in files of the
same program ([LS901](codemod/rules/ls901.md) to [LS903](codemod/rules/ls903.md)). *Rewrites*: the
new code does the same in every case. *Reports*: it leaves the code, and names what to use. A dash:
it does not look for the name, which other classes have too. Every row with `tensorflow.keras` means
`tf.keras`.

`run` also restores [signatures](#signatures), the default values of dataclass fields that Python
3.11 refuses, and the folders of `BackupAndRestore` that TensorFlow 2.3 wrote. `fit` takes
`(batch,)` as `(batch, 1)`, as up to TensorFlow 2.6, and `predict` is quiet.
"""

_SIGNATURES = """\
## Signatures

Parameters of these functions and methods moved, were renamed or were removed after TensorFlow 2.4.
Under `run` and `install()`, calls in the old form work, and so do calls in today's form. `migrate`
reports calls in the old form ([LS903](codemod/rules/ls903.md)).
"""


def page() -> str:
    """Returns the page."""
    sections = itertools.chain.from_iterable(map(_section, _TITLES.items()))
    return "\n".join([_HEAD, *sections, *_signatures()])


def _section(heading: tuple[str, str]) -> Iterator[str]:
    root, title = heading
    yield f"## {title}\n"
    yield "| Name | In new code | `run` | `migrate` |"
    yield "| --- | --- | --- | --- |"
    alike: dict[tuple[str, ...], list[Neighbour]] = {}
    for one in TABLE:
        if _root(one) == root:
            alike.setdefault(_alike(one), []).append(one)
    yield from map(_row, alike.values())
    yield ""


def _signatures() -> Iterator[str]:
    yield _SIGNATURES
    yield "| Function or method | Calls that work as before |"
    yield "| --- | --- |"
    for one in SIGNATURES:
        calls = []
        if one.then:
            first = ["..."] if one.same else []
            calls.append(f"`{one.name}({', '.join([*first, *one.then])})`")
        calls += [f"`{old}=` for `{new}=`" for old, new in one.renamed.items()]
        if one.instead:
            calls.append("as in TensorFlow 2.4")
        path = one.path.replace("tensorflow.", "tf.", 1)
        yield f"| `{path}` | {', '.join(calls)} |"
    yield ""


def _root(neighbour: Neighbour) -> str:
    root = neighbour.name.partition(".")[0]
    return root if root in _TITLES else ""


def _alike(neighbour: Neighbour) -> tuple[str, ...]:
    """What the names in a row have in common."""
    module, _, name = neighbour.instead.rpartition(".")
    keeps_its_name = bool(module) and name == neighbour.short_name
    instead = f"{module}." if keeps_its_name else neighbour.instead
    return _served(neighbour), instead, _migrated(neighbour)


def _served(neighbour: Neighbour) -> str:
    return "yes" if neighbour.is_served else ""


def _migrated(neighbour: Neighbour) -> str:
    """What the codemod does about a name."""
    if neighbour.name.startswith(f"{keras_names.PRIVATE}."):
        return "rewrites"
    if neighbour in COMMON_MEMBERS:
        return "-"
    return "rewrites" if neighbour.successor else "reports"


def _row(alike: list[Neighbour]) -> str:
    first = alike[0]
    names = ", ".join(f"`{one.name}`" for one in alike)
    instead = first.instead
    if len(alike) > 1 and len({one.instead for one in alike}) > 1:
        instead = f"the same names of {instead.rpartition('.')[0]}"
    return f"| {names} | {instead} | {_served(first)} | {_migrated(first)} |"


if __name__ == "__main__":
    print(page(), end="")
