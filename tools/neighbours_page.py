# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation's page of the table: `python -m tools.neighbours_page`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from compat_lossscale.neighbour_names import TABLE, keras_names, removed_names
from compat_lossscale.neighbour_names.changed_signatures import SIGNATURES
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

<!-- Made by `python -m tools.neighbours_page`; do not edit. -->

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
some uses" means that it rewrites the calls of a function for which it can prove that, and
"leaves" that it does not look for the name, which is also one of other classes.

In addition to names, `run` and `install()` restore:

- One rule of Python while TensorFlow is in use: the default of a dataclass field can be an
  instance of another dataclass, or an array, as up to Python 3.10.
- [Signatures](#signatures) that changed.
- Folders of `BackupAndRestore` that TensorFlow 2.3 wrote. Later versions look for the checkpoint in
  the folder `chief` in them, and start again at epoch 0. Under `run`, training goes on after the
  saved epoch.
"""

_SIGNATURES = """\
## Signatures

Parameters of these functions, classes and methods moved, were renamed or removed after TensorFlow
2.4. Under `run` and `install()`, calls in the old form work as before; calls in today's form work,
too. Where the types of the arguments do not tell which form it is, it is today's. "Otherwise" says
what to do about arguments that are an error. `migrate` names the arguments, or reports the call
([LS904](codemod/rules.md#ls904)).

`tf.nn.compute_average_loss` also takes a `global_batch_size` that is not an integer, and
`model.save` writes HDF5 into a `.keras` file if you give it `include_optimizer` or another argument
that the current format does not have.
"""


def page() -> str:
    """Returns the page."""
    sections = itertools.chain.from_iterable(map(_section, _TITLES.items()))
    return "\n".join([_HEAD, *sections, *_signatures()])


def _section(heading: tuple[str, str]) -> Iterator[str]:
    root, title = heading
    yield f"## {title}\n"
    yield "| Name | Until | Restored by | Behavior | In new code | `migrate` |"
    yield "| --- | --- | --- | --- | --- | --- |"
    neighbours = [one for one in TABLE if _root(one) == root]
    for _, alike in itertools.groupby(neighbours, key=_alike):
        yield _row(list(alike))
    yield ""


def _signatures() -> Iterator[str]:
    yield _SIGNATURES
    yield "| Function or method | Calls that work as before | Otherwise |"
    yield "| --- | --- | --- |"
    for one in SIGNATURES:
        calls = []
        if one.then:
            first = ["..."] if one.same else []
            calls.append(f"`{one.name}({', '.join([*first, *one.then])})`")
        calls += [f"`{old}=` for `{new}=`" for old, new in one.renamed.items()]
        if one.instead:
            calls.append("the arguments and the result of TensorFlow 2.4")
        others = [f"`{name}`: {text}." for name, text in one.refused.items()]
        path = one.path.replace("tensorflow.", "tf.", 1)
        yield f"| `{path}` | {', '.join(calls)} | {' '.join(others)} |"
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
    which = neighbour.name if is_ours else "" if neighbour.is_served else neighbour.instead
    migrated = _migrated(neighbour)
    return neighbour.place, neighbour.until, _target(neighbour), neighbour.faithful, which, migrated


def _migrated(neighbour: Neighbour) -> str:
    """What the codemod does about a name."""
    if neighbour.name.startswith(f"{keras_names.PRIVATE}."):
        return "rewrites public names"
    if neighbour in removed_names.COMMON_METHODS:
        return "leaves"
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
