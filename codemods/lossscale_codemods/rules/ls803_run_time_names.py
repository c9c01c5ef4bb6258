# SPDX-License-Identifier: Apache-2.0
"""An old name that is put together when the program runs, or looked up in a module's dictionary.

`importlib.import_module(ROOT + ".experimental")` and
`vars(tf.keras.mixed_precision)["experimental"]` come to the old modules without naming them in the
code, so nothing else in the file shows that they are gone. The rule does not follow such names. It
reports code that runs text, or reads an attribute by a name that is no literal, in a file that has
an old name, or a part of one, in a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.vocabulary import mentions, names
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lossscale_codemods.analysis.program import Program

_IMPORTS: Final = frozenset(
    {"__import__", "import_module", "resolve_name", "find_spec", "import_string", "locate"}
)
_RUNS: Final = frozenset({"compile", "eval", "exec", "repeat", "timeit", "Timer"})
_METHODS: Final = frozenset({"compile", "eval"})
"""Those of them that are functions of Python only if nothing stands before them."""
_OLD_CODE: Final = re.compile(
    r"mixed_precision|(?<![\w-])experimental(?![\w-])|LossScale|\.loss_|(?<![\w-])loss_scale\("
)
"""What a string has in it that can be a part of code with an old name."""
_TABLES: Final = frozenset({"globals", "locals", "vars"})
_SHORTEST_PART: Final = 3
_GETS: Final = frozenset({"get", "pop", "__getitem__"})
_OLD_PART: Final = re.compile(r"(?<!\w)experimental(?!\w)")
_WORDS: Final = ("mixed_precision", "LossScale", "loss_")
"""A file that comes to old modules has one of these somewhere."""
_HEAD = "import tensorflow as tf\n"


class RunTimeNames(Rule):
    """Reports names that are made at run time."""

    id = "LS803"
    title = "Old names that are made at run time"
    targets = frozenset(Target)
    valid = (
        Case(
            "from importlib import import_module\n"
            "ROOT = 'tensorflow.keras.mixed_precision'\n"
            "import_module(ROOT + '.experimental').set_policy('mixed_float16')\n",
            review="put together",
        ),
        Case(
            f"{_HEAD}mp = vars(tf.keras.mixed_precision)['experimental']\n",
            review="dictionary of its module",
        ),
        Case(
            f"{_HEAD}exec('tf.keras.mixed_precision.' + 'experimental.set_policy()')\n",
            review="text that is run here",
        ),
        Case(f"{_HEAD}mp = vars(tf.keras.mixed_precision)['global_policy']\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the calls and the subscripts."""
        has_old_part = _has_old_part(program)
        for node in program.tree.parents:
            role = None
            if isinstance(node, cst.Call):
                role = _role_of_call(node, program, has_old_part=has_old_part)
            elif isinstance(node, cst.Subscript) and _looks_up_own_name(node, program):
                role = Role.DOUBTFUL
            if role is None and isinstance(node, cst.Call | cst.Subscript):
                found = _looked_up(node)
                role = _role(*found, program) if found is not None else None
            if role is not None:
                yield self._occurrence(node, role, program)

    def _occurrence(self, node: cst.CSTNode, role: Role, program: Program) -> Occurrence:
        old = role is Role.FOUND
        return Occurrence(node, program.tree.span(node), role, rule=self.id, is_old_use=old)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports them."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.Call) and _last_word(node) in _IMPORTS:
            return Review(
                "the name of what is imported here is put together when the program runs, and can "
                "be that of a module that is gone",
                "Import tensorflow.keras.mixed_precision, and write the new names.",
            )
        if isinstance(node, cst.Call) and _last_word(node) in _RUNS:
            return Review(
                "the text that is run here is put together when the program runs, and a string of "
                "this file has a part of an old name",
                "Look at the text that comes here, and write the new names into it.",
            )
        if occurrence.role is Role.DOUBTFUL:
            return Review(
                "which name is looked up here is known only when the program runs, and old names "
                "of this module are gone",
                "Look at the names that come here, and write the new ones.",
            )
        return Review(
            "an old name is looked up in the dictionary of its module, which does not have it",
            "Write the new name.",
        )


def _role_of_call(call: cst.Call, program: Program, *, has_old_part: bool) -> Role | None:
    """Returns how sure it is that a call comes to an old name; nothing if it does not.

    Args:
        call: The call.
        program: The file.
        has_old_part: Whether a string of the file has a part of an old name.
    """
    if _imports_old_name(call, program) or (has_old_part and _runs_text(call, program)):
        return Role.FOUND
    return Role.DOUBTFUL if _lists_members(call, program) else None


def _imports_old_name(call: cst.Call, program: Program) -> bool:
    """Whether a call imports what a name stands for that the program puts together."""
    if _last_word(call) not in _IMPORTS or not call.args:
        return False
    given = call.args[0].value
    if isinstance(given, cst.SimpleString):
        return False  # The rule for strings reports it.
    if not any(word in program.tree.code for word in _WORDS):
        return False
    return any(map(_OLD_PART.search, _texts(given, program)))


def _texts(node: cst.CSTNode, program: Program) -> Iterator[str]:
    """Yields the strings in an expression."""
    for one in program.tree.walk(node):
        if isinstance(one, cst.SimpleString) and isinstance(one.evaluated_value, str):
            yield one.evaluated_value
        elif isinstance(one, cst.FormattedStringText):
            yield one.value


def _looked_up(
    node: cst.Call | cst.Subscript,
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Returns the module in whose dictionary something is looked up, and its name."""
    if isinstance(node, cst.Subscript):
        index = node.slice[0].slice if len(node.slice) == 1 else None
        name = index.value if isinstance(index, cst.Index) else None
        dictionary: cst.BaseExpression = node.value
    else:
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _GETS:
            return None
        name = node.args[0].value if node.args else None
        dictionary = node.func.value
    if name is None:
        return None
    match dictionary:
        case cst.Attribute(value=module, attr=cst.Name(value="__dict__")):
            return module, name
        case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=module, star="")]):
            return module, name
    return None


def _role(module: cst.BaseExpression, name: cst.BaseExpression, program: Program) -> Role | None:
    """Returns how sure it is that an old name is looked up; nothing if it is none."""
    paths = _still_there(program.resolver.paths(module))
    if isinstance(name, cst.SimpleString):
        text = str(name.evaluated_value)
        old = any(names.lookup(f"{path}.{text}") is not None for path in paths)
        return Role.FOUND if old else None
    return Role.DOUBTFUL if any(map(names.has_old_members, paths)) else None


def _still_there(paths: Iterable[str | None]) -> list[str]:
    return [path for path in paths if path is not None and names.lookup(path) is None]


def _last_word(call: cst.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]


def _has_old_part(program: Program) -> bool:
    """Whether a string of a file, other than a docstring, has a part of code with an old name."""
    if program.decided_strings:
        return False
    return any(
        isinstance(node, cst.SimpleString | cst.FormattedStringText)
        and _OLD_CODE.search(node.value) is not None
        # The rule for strings says of whole names whether they can be run.
        and not any(mentions.mentions_of_old_names(node.value))
        and not isinstance(program.tree.parent(node), cst.Expr)
        for node in program.tree.parents
    )


def _runs_text(call: cst.Call, program: Program) -> bool:
    """Whether a call runs a text that is no literal."""
    if _last_word(call) not in _RUNS or not call.args:
        return False
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS:
        return False
    if program.resolver.bindings(call.func) and not program.resolver.path(call.func):
        return False
    return not isinstance(call.args[0].value, cst.SimpleString)


def _lists_members(call: cst.Call, program: Program) -> bool:
    """Whether a call is `inspect.getmembers(module)`, of a module that had old names."""
    if _last_word(call) != "getmembers" or not call.args:
        return False
    paths = _still_there(program.resolver.paths(call.args[0].value))
    return any(map(names.has_old_members, paths))


def _looks_up_own_name(node: cst.Subscript, program: Program) -> bool:
    """Whether `globals()["Loss" + kind]` can be an old name that the file imports."""
    match node:
        case cst.Subscript(
            value=cst.Call(func=cst.Name(value=table), args=[]),
            slice=[cst.SubscriptElement(slice=cst.Index(value=index))],
        ) if table in _TABLES and not isinstance(index, cst.SimpleString):
            parts = [text for text in _texts(index, program) if len(text) >= _SHORTEST_PART]
            imported = [
                binding.name
                for occurrence in program.imports
                for binding in program.scopes.binding_at.get(occurrence.node, ())
            ]
            return any(part in name for part in parts for name in imported)
    return False
