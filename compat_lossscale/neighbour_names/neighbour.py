# SPDX-License-Identifier: Apache-2.0
"""The rows of the tables in `names.json`. Plain data: nothing is imported to make one.

Loss scaling is elsewhere. The rows are for what public programs use, and for what a comparison of
the public names and signatures of TensorFlow 2.0.4, 2.1.4, 2.2.3, 2.3.4 and 2.4.4 with today's came
to (`tests/neighbour_names/record_public_names.py`). Of any other name, TensorFlow's own
error says that it is not there.
"""

from __future__ import annotations

import builtins
import dataclasses
import json
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TABLES: dict[str, Any] = json.loads(
    Path(__file__).with_name("names.json").read_text(encoding="utf-8")
)

THE_SAME = "the same"
"""What serves the name is what the name stood for, or does the same in every case."""


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A name that programs of the old API use besides loss scaling, and that is gone today.

    Attributes:
        name: The name, with the module it was in. A name that ends in `.*` is a module with all
            that is below it.
        until: The last version that had it, such as `"numpy 1.23"`.
        served_by: What serves it now, as `module:name`, or a module; empty if nothing does.
        faithful: `THE_SAME`, or in what way it differs; why nothing serves it, if nothing does.
        instead: What to write in new code, in words.
        exactly: What new code has in its place, to the letter, where that does the same in every
            case and is not what serves the name: a dotted path or a number; a minus sign may stand
            in front.
        package: The package that serves it, if that has to be installed besides: what is imported
            of it, and the command that installs it.
    """

    name: str
    until: str
    served_by: str
    faithful: str = THE_SAME
    instead: str = ""
    exactly: str = ""
    package: tuple[str, str] | None = None

    @property
    def is_served(self) -> bool:
        """Whether anything serves the name."""
        return bool(self.served_by)

    @property
    def module_or_name(self) -> str:
        """The name, without the sign that it is a module with all that is below."""
        return self.name.removesuffix(".*")

    @property
    def place(self) -> str:
        """The module, or the class, that the name was in."""
        return self.module_or_name.rpartition(".")[0]

    @property
    def short_name(self) -> str:
        """The name without the module it was in."""
        return self.module_or_name.rpartition(".")[2]

    @property
    def successor(self) -> str:
        """What new code has in its place, as `exactly` writes it; empty if nothing is the same."""
        if self.exactly:
            return self.exactly
        is_ours = self.served_by.startswith("compat_lossscale.")
        # `tf` has no attribute `python`: a single name of a private module cannot be spelled so.
        is_private = self.served_by.startswith("tensorflow.python.") and ":" in self.served_by
        if self.faithful != THE_SAME or is_ours or is_private or ", " in self.served_by:
            return ""
        return self.served_by.replace(":", ".").removeprefix("builtins.")

    def resolve(self) -> Any:
        """Imports what serves the name, or raises an AttributeError that says what to do."""
        if not self.is_served:
            raise AttributeError(self.explanation(), name=self.short_name)
        return pkgutil.resolve_name(self.served_by)

    def missing(self) -> str:
        """Says that the package that serves it is missing, and what to do."""
        assert self.package is not None
        return (
            f"{self.module_or_name} ended with {self.until}, and works with the package that it "
            f"came from, which is not installed: {self.package[1]}"
        )

    def explanation(self) -> str:
        """Says why nothing serves the name, and what to do."""
        return f"{self.module_or_name} ended with {self.until}: {self.faithful}. {self.instead}."


@dataclasses.dataclass(frozen=True)
class Changed:
    """A signature that changed.

    Attributes:
        path: The function, the class or the method. A class stands for its constructor.
        same: How many of the first parameters are what they were.
        then: The old parameters after these, in order.
        told_by: By place, the types of values that the parameter at this place takes in the old
            signature alone. The types are exact: a bool is no int.
        at_most: How many arguments today's signature takes without names; `None` for any number.
        renamed: Today's names of parameters, by the old ones.
        dropped: Parameters that are gone, and whose values do nothing today.
        refused: By name, parameters whose values are an error, and what to do. `None` is none.
        instead: What to write for the calls that the rest says nothing of, if they changed too.
        needs: The argument without which they changed, and only under a policy of float16.
    """

    path: str
    same: int = 0
    then: tuple[str, ...] = ()
    told_by: Mapping[int, tuple[type, ...]] = dataclasses.field(default_factory=dict)
    at_most: int | None = None
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    refused: Mapping[str, str] = dataclasses.field(default_factory=dict)
    instead: str = ""
    needs: str = ""

    @property
    def is_method(self) -> bool:
        """Whether it is in a class."""
        return self.path.split(".")[-2][0].isupper()

    @property
    def name(self) -> str:
        """The name, without the module or the class it is in."""
        return self.path.rpartition(".")[2]

    def is_old(self, kinds: Sequence[type | None]) -> bool:
        """Whether arguments without names, of these types if known, are in the old order."""
        if self.at_most is not None and len(kinds) > self.at_most:
            return True
        told = self.told_by.items()
        return any(place < len(kinds) and kinds[place] in types for place, types in told)

    def as_today(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Returns the arguments of a call as today's signature takes them, or refuses a value."""
        positional, named = list(args), dict(kwargs)
        if self.then and self.is_old([type(value) for value in args]):
            is_whole = len(args) <= self.same + len(self.then)
            if is_whole and not named.keys() & {*self.then[: max(len(args) - self.same, 0)]}:
                positional = list(args[: self.same])
                named.update(zip(self.then, args[self.same :], strict=False))
        for old, new in self.renamed.items():
            if old in named and new not in named:
                named[new] = named.pop(old)
        for name, instead in self.refused.items():
            if named.get(name) is not None:
                raise ValueError(f"{self.name}() has no {name} any more. {instead}.")
        kept = {name: value for name, value in named.items() if name not in self.dropped}
        return positional, kept


def neighbours(table: str) -> tuple[Neighbour, ...]:
    """Reads a table of neighbours.

    A row has the fields of `Neighbour`, and is for one name or several, which are below its
    `place`. Its `names` are words, or state what serves each. In its texts, `{}` is the last part
    of a name. Without `instead`, new code writes what serves the name.
    """
    return tuple(one for row in TABLES[table] for one in _neighbours_in(row))


def _neighbours_in(row: Mapping[str, Any]) -> Iterator[Neighbour]:
    texts = {"served_by": "", "faithful": THE_SAME, "instead": "", "exactly": ""}
    for name in _names_in(row):
        own = dict(row, served_by=row["names"][name]) if isinstance(row["names"], dict) else row
        last = name.removesuffix(".*").rpartition(".")[2]
        said = {key: own.get(key, text).replace("{}", last) for key, text in texts.items()}
        said["instead"] = said["instead"] or _written(said["served_by"])
        packages = tuple(row.get("package", ()))
        yield Neighbour(_below(row, name), row["until"], **said, package=packages or None)


def _names_in(row: Mapping[str, Any]) -> list[str]:
    names = row["names"]
    return list(names) if isinstance(names, dict) else names.split()


def _below(row: Mapping[str, Any], name: str) -> str:
    return f"{row['place']}.{name}" if "place" in row else name


def _written(path: str) -> str:
    """How new code writes a name, `builtins:float` as `float`."""
    return path.replace(":", ".").removeprefix("builtins.").replace("numpy.", "np.", 1)


def changed_signatures() -> tuple[Changed, ...]:
    """Reads the table of signatures, whose rows have the fields of `Changed`."""
    return tuple(
        Changed(
            _below(row, name),
            row.get("same", 0),
            tuple(row.get("then", "").split()),
            {
                int(place): tuple(getattr(builtins, name) for name in names.split())
                for place, names in row.get("told_by", {}).items()
            },
            row.get("at_most"),
            row.get("renamed", {}),
            frozenset(row.get("dropped", "").split()),
            row.get("refused", {}),
            row.get("instead", "").replace("{}", name),
            row.get("needs", ""),
        )
        for row in TABLES["signatures"]
        for name in _names_in(row)
    )
