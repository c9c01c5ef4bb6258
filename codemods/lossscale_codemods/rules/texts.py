# SPDX-License-Identifier: Apache-2.0
"""Old names in text: in comments, in strings, and in what is put together when the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import libcst as cst

from lossscale_codemods.domain import Program, Role, lookup_of, others_name
from lossscale_codemods.rules.base import Found, Review, Rule
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.source.syntax_tree import key_of, last_name, literal_text
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import HELPER, Target
from lossscale_codemods.tables.options import IS_OURS, Options, comments
from lossscale_codemods.tables.records import Outcome, Record, Result, Status

_COMMENT, _DOCSTRING, _STRING = "a comment", "a docstring", "a string"
_VALUE_WITH_PATH = re.compile(r"[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+")


class Mentions(Rule):
    """Old names in comments, docstrings and strings are listed, and never edited."""

    id = "LS801"
    title = "Comments and strings"
    targets = frozenset(Target)

    def mentions(self, program: Program) -> Iterator[Record]:
        """Yields a record for each old name in a comment or a string that no rule decides."""
        tree, text = program.tree, text_of(program.source)
        for comment in comments(text) if names.may_mention_old_name(text) else ():
            if IS_OURS not in comment.string:
                line, column = comment.start
                for match in names.mentions_of_old_names(comment.string):
                    yield self._record(line, column + match.start() + 1, match.group(), _COMMENT)
        for node in tree.nodes(cst.SimpleString, cst.FormattedStringText):
            if node in program.decided_strings:
                continue
            mentioned = list(names.mentions_of_old_names(node.value))
            around = tree.around(node, cst.FunctionDef)
            if around is not None and around.name.value == HELPER:
                continue  # An earlier run added the function.
            kind = _DOCSTRING if isinstance(tree.parent(node), cst.Expr) else _STRING
            for match in mentioned:
                before = len(node.value[: match.start()].encode())
                place = tree.position(tree.span(node)[0] + before)
                yield self._record(*place, match.group(), kind)

    def _record(self, line: int, column: int, name: str, kind: str) -> Record:
        message, end = f"is in {kind}, which is never edited", column + len(name)
        return Record(self.id, Outcome.MENTIONED, line, column, name, message, "", line, end)


class Strings(Rule):
    """A string that the program uses is reported if it contains an old name."""

    id = "LS802"
    title = "Strings that are old names"
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the strings, and what looks up names."""
        for node in program.tree.nodes(cst.SimpleString, cst.FormattedString):
            review = self._review(program, node)
            if review is not None:
                # The names of classes are in new programs too.
                old = _string_text(node) not in names.OLD_CLASS_NAMES
                yield self.found(node, program, review, Role.STRING, is_old_use=old)
        nodes = program.tree.nodes
        for place in (*nodes(cst.Call, cst.Subscript), *nodes(cst.Attribute, cst.Comparison)):
            review = _of_lookup(place, program)
            if review is not None:
                is_old = review is not _LOOKED_UP
                role = Role.STRING if is_old else Role.DOUBTFUL
                spot: cst.BaseExpression = place
                match place:  # What asks for a name is met at the name.
                    case cst.Call(args=[_, name, *_]) if role is Role.STRING:
                        spot = name.value
                    case cst.Comparison(left=name):
                        spot = name
                yield self.found(spot, program, review, role, is_old_use=is_old)

    def _review(
        self, program: Program, node: cst.SimpleString | cst.FormattedString
    ) -> Review | None:
        text = _string_text(node)
        if text is None:
            return None
        above = program.tree.parent(node)
        if isinstance(node, cst.SimpleString) and names.is_old_path(text):
            return Review(
                "this string is the path of an old name, and strings are never edited",
                "Write the path of the new name into it, if code imports or patches by it.",
            )
        if isinstance(above, cst.Comparison | cst.ComparisonTarget) and _is_renamed(text, program):
            return _RENAMED
        if _OLD_CODE.search(text) is None and not any(names.mentions_of_old_names(text)):
            return None
        reads = program.references and program.target is not Target.COMPAT
        doctests = "".join(_DOCTEST.findall(text))
        if names.may_mention_old_name(doctests) or (reads and ".loss_scale()" in doctests):
            return Review(
                "this text is a doctest, which is run as code, and strings are never edited",
                "Write the new names into it.",
            )
        if _can_be_run(program, node, text):
            return Review(
                "this program runs text as code, or imports by it, and this string has an old "
                "name, or a part of one",
                "If it is run, write the new names into it.",
            )
        return None


_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.) .*$", re.MULTILINE)
_RENAMED = Review(
    "no class has this name any more: around new optimizers, it is LossScaleOptimizerV3",
    "Test with isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer) instead.",
)
_ASKS = frozenset({"getattr", "hasattr", "in", "vars"})


def _is_renamed(text: str, program: Program) -> bool:
    """Whether a string was the name of a class that has another name in the migrated program."""
    is_of_new = program.target is Target.TF_KERAS and not program.legacy_optimizers
    return text == "LossScaleOptimizerV1" or (text == "LossScaleOptimizer" and is_of_new)


_BUILT_IN: Final = frozenset({"compile", "eval", "exec"})
"""Functions of Python that run a text."""
_TIMING: Final = frozenset({"timeit.Timer", "timeit.repeat", "timeit.timeit"})
"""Functions that do so as well."""
_RUNS_A_LINE: Final = frozenset({"run_cell_magic", "run_line_magic", "system"})
_FIELD: Final = "\0"


def _string_text(node: cst.SimpleString | cst.FormattedString) -> str | None:
    """Returns the text of a string that is valid; there is nothing in the place of fields."""
    if isinstance(node, cst.FormattedString):
        parts = (p.value if isinstance(p, cst.FormattedStringText) else _FIELD for p in node.parts)
        return "".join(parts)
    try:
        return literal_text(node)
    except (ValueError, SyntaxError):
        return None


def _can_be_run(program: Program, node: cst.CSTNode, text: str) -> bool:
    """Whether a string is given to what runs it, or can come to that in this program."""
    above = [one for one in program.tree.ancestors(node) if isinstance(one, cst.Call)]
    takers = {last_name(call.func) for call in above}
    is_old_part = "experimental" in text and b"mixed_precision" in program.source
    if takers & _RUNS_A_LINE or (is_old_part and takers & _IMPORTS_BY_NAME):
        return True
    is_docstring = isinstance(program.tree.parent(node), cst.Expr)
    return not is_docstring and program.remembered("runs text", lambda: _runs_text(program))


def _runs_text(program: Program) -> bool:
    """Whether a file runs text as code, or another file of its program does."""
    is_read = any(
        isinstance(one, cst.Name) and one.value in _BUILT_IN and not program.resolver.bindings(one)
        for one in program.scopes.scope_of_read
    )
    timing = map(program.resolver.path, (call.func for call in program.tree.nodes(cst.Call)))
    # `eval` is a method of many things, and `timeit` has a clock.
    elsewhere = others_name(program.types.project.modules, ("exec",), if_unknown=False)
    return is_read or elsewhere or not _TIMING.isdisjoint(timing)


_IMPORTS_BY_NAME: Final = frozenset(
    {"__import__", "find_spec", "import_module", "import_string", "locate", "resolve_name"}
)
_OLD_CODE: Final = re.compile(
    r"\.mixed_precision(?!\w)|(?<!\w)mixed_precision\.|LossScale"
    r"|(?:^\.?|[\0}]\.|precision\.)experimental(?![\w-])"
    r"|\.loss_(?:scale|[\0{]|\Z)|(?<![\w-])loss_scale\("
)
"""What a string has in it that can be a part of code with an old name."""
_LOOKED_UP = Review(
    "which name is looked up here is known only when the program runs, and old names of this "
    "module are gone",
    "Look at the names that come here, and write the new ones.",
)


def _of_lookup(node: cst.CSTNode, program: Program) -> Review | None:
    """Says what is looked up in a module by its name, if that can be an old name."""
    match node:
        case cst.Subscript(value=cst.Call(func=cst.Name("globals" | "locals" | "vars"), args=[])):
            # A file's own names are looked up: by a literal, the rule for imports follows them.
            parents = (program.tree.parent(one.node) for one in program.references)
            is_named = program.imports or any(isinstance(one, cst.Assign) for one in parents)
            return _LOOKED_UP if key_of(node) is None and is_named else None
    found = lookup_of(node, program.scopes)
    if found is None:
        return None
    owners = program.resolver.paths(found.owner)
    paths = [path for path in owners if path is not None and names.lookup(path) is None]
    if isinstance(program.tree.parent(node), cst.ComparisonTarget):
        return None  # `"experimental" in vars(x)` only asks.
    if found.name is None:
        return _LOOKED_UP if any(map(names.has_old_members, paths)) else None
    if not any(names.lookup(f"{path}.{found.name}") is not None for path in paths):
        return None
    return _asked(node, program) if found.way in _ASKS else None


def _asked(node: cst.CSTNode, program: Program) -> Review | None:
    """Says what to do about `getattr(module, "name")`, `"name" in dir(module)` and the like."""
    is_told = _is_in_guard(node, program)
    if is_told and program.target is Target.COMPAT:
        return None  # The branch for old versions is reported.
    return Review(
        "this looks for an old name by its name",
        "Take out the branch for old versions, if TensorFlow 2.4 is the oldest you support; "
        "otherwise write the new name.",
        follows=is_told,
    )


def _is_in_guard(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is in the condition of a guard around old names, which is reported."""
    guard_of, ancestors = program.reachability.guard_of, program.tree.ancestors
    for above in ancestors(node):
        if isinstance(above, cst.If | cst.IfExp):
            sides = [side for side in (above.body, above.orelse) if side is not None]
            is_guard = any(guard_of(side) is above for side in sides)
            return is_guard and any(above in ancestors(one.node) for one in program.references)
    return False


def migrate_config(source: bytes, options: Options) -> Result:
    """Returns the findings of a YAML, JSON or TOML file, which stays as it is.

    Whatever reads the file imports by a path such as that of `_target_`, and fails.
    """
    found = []
    applies = options.selection.applies(Strings.id)
    lines = source.decode("utf-8", "replace").splitlines() if applies else ()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        for match in _VALUE_WITH_PATH.finditer(line):
            path = re.sub(r"^tf\.", "tensorflow.", match.group())  # `eval` takes what begins so.
            if names.is_old_path(path):
                found.append(_value_record(number, match, path, options))
    return Result(source, source, Status.UNCHANGED, tuple(found))


def _value_record(line: int, match: re.Match[str], path: str, options: Options) -> Record:
    old = names.lookup(path.replace(":", ".", 1))
    new = old.new_path(options.target) if old is not None else None
    advice = "Write the path of the new name, and the arguments that it takes."
    if new is not None:
        advice = f"Write {new}, and the arguments that it takes."
    message = "this value is the path of an old name, and configuration files are never edited"
    name, review, (start, end) = match.group(), Outcome.NEEDS_REVIEW, match.span()
    return Record(Strings.id, review, line, start + 1, name, message, advice, line, end + 1)
