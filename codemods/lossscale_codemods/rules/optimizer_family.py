# SPDX-License-Identifier: Apache-2.0
"""Which family Keras optimizers are of, by class and by name: the old one, or that of 2.11."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    Compile,
    NameRenderer,
    ObjectType,
    Occurrence,
    Program,
    Role,
    import_path,
    is_for_old_versions,
    is_handed_on,
    is_part_of_old,
    kept_compiles,
    lookup_of,
    may_be_text,
    member_path,
    model_compiles,
)
from lossscale_codemods.rules.base import Found, ObservedFix, Review, Rewrite, Rule, Verdict, rename
from lossscale_codemods.source.edits import append_arguments, argument_separator, insert_line_behind
from lossscale_codemods.source.syntax_tree import keywords_of, last_name
from lossscale_codemods.tables import keras_3, optimizer_families
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, OldName
from lossscale_codemods.tables.records import Edit

_MESSAGE = "the class that TensorFlow had under this name up to 2.10"


class OptimizerFamily(Rule):
    """Keras optimizers keep their class: `tf.keras.optimizers.Adam` is in `legacy` today."""

    id = "LS211"
    title = "Family of Keras optimizers"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    moved = _MESSAGE
    import_advice = (
        "Import the class from tensorflow.keras.optimizers.legacy to keep it what it was."
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the classes where they are read of their module, and star imports of that."""
        if not is_part_of_old(program):
            for call in program.unpacked() if program.legacy_optimizers else ():
                yield self.found(call.func, program, _EITHER, Role.OPTIMIZER)
        elif program.legacy_optimizers:
            names = OptimizerNames(program, self.id)
            for occurrence in (*names.classes(), *names.stars()):
                yield occurrence, _of_occurrence(occurrence, program)
        else:
            for node in program.scopes.scope_of_read:
                if isinstance(node, cst.Name | cst.Attribute) and (of := _review(node, program)):
                    yield self.found(node, program, of, Role.OPTIMIZER)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields imports of the classes."""
        if program.legacy_optimizers and is_part_of_old(program):
            yield from OptimizerNames(program, self.id).imports()


class OptimizerNames:
    """The names of Keras optimizers in one file."""

    def __init__(self, program: Program, rule: str) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.today
        self.rule = rule

    def classes(self) -> Iterator[Occurrence]:
        """Yields where classes are read from the module, by attributes or by `getattr`."""
        for node in self.program.scopes.scope_of_read:
            if isinstance(node, cst.Attribute) and node.attr.value in optimizer_families.CLASSES:
                yield from self._class(node, node.value, node.attr.value)
        for node in self.tree.nodes(cst.Call):
            found = lookup_of(node, self.resolver.scopes)
            is_read = found is not None and found.way == "getattr"
            if found is not None and is_read and found.name in optimizer_families.CLASSES:
                yield from self._class(node, found.owner, found.name)

    def _class(
        self, node: cst.CSTNode, module: cst.BaseExpression, name: str
    ) -> Iterator[Occurrence]:
        paths = self.resolver.paths(module)
        homes = {p for p in paths if p is not None and optimizer_families.is_home(p)}
        chosen = any(p is not None and optimizer_families.is_chosen_module(p) for p in paths)
        if homes and not chosen and not self.is_left(node):
            old = tuple(
                OldName(f"{home}.{name}", Meaning.KERAS_OPTIMIZER, (f"{home}.legacy.{name}",))
                for home in sorted(homes)
            )
            span = self.tree.span(node)
            yield Occurrence(
                node, span, Role.OPTIMIZER, old, ambiguous=homes != paths, rule=self.rule
            )

    def imports(self) -> Iterator[Occurrence]:
        """Yields the imports of such classes."""
        for node in self.tree.nodes(cst.ImportFrom):
            is_home = optimizer_families.is_home(import_path(node))
            if isinstance(node.names, cst.ImportStar) or not is_home:
                continue
            for alias in node.names:
                path = member_path(import_path(node), alias.evaluated_name)
                new = optimizer_families.legacy_class(path)
                is_stated = alias.evaluated_name in self._imported_of_one_family
                if new is None or is_stated or self.is_left(alias):
                    continue
                old = OldName(path, Meaning.KERAS_OPTIMIZER, (new,))
                span = self.tree.span(alias)
                yield Occurrence(alias, span, Role.IMPORT, (old,), rule=self.rule)

    @functools.cached_property
    def _imported_of_one_family(self) -> set[str]:
        """The classes that the file imports of a family that it states, beside the other one."""
        return {
            alias.evaluated_name
            for node in self.tree.nodes(cst.ImportFrom)
            if optimizer_families.is_chosen_module(import_path(node))
            and not isinstance(node.names, cst.ImportStar)
            for alias in node.names
        }

    def is_left(self, node: cst.CSTNode) -> bool:
        """Whether a node is in a branch for old versions, or beside one that says a family."""
        part = node
        for above in (node, *self.tree.ancestors(node)):
            beside = self._choosing.get(above)
            if beside is not None and part not in beside:
                return True
            part = above
        is_past = self.program.reachability.is_only_for_the_past(node)
        return is_past or is_for_old_versions(node, self.program)

    @functools.cached_property
    def _choosing(self) -> dict[cst.CSTNode, set[cst.CSTNode]]:
        """The statements that state a family, with those of their parts that state it."""
        parts_of: dict[cst.CSTNode, set[cst.CSTNode]] = {}
        for node in self.program.scopes.scope_of_read:
            if not isinstance(node, cst.Attribute) or node.attr.value != "legacy":
                continue
            if self.resolver.can_be(node, optimizer_families.is_chosen_module):
                part: cst.CSTNode = node
                for above in self.tree.ancestors(node):
                    if isinstance(above, cst.If | cst.IfExp | cst.Try) and part is not getattr(
                        above, "test", None
                    ):
                        parts_of.setdefault(above, set()).add(part)
                    part = above
        return parts_of

    def stars(self) -> Iterator[Occurrence]:
        """Yields star imports of the module of both families."""
        for scope in self.program.scopes.of_node.values():
            chosen = [s for s in scope.stars if optimizer_families.is_chosen_module(s.path or "")]
            for star in scope.stars:
                if optimizer_families.is_home(star.path or "") and not chosen:
                    span = self.tree.span(star.node)
                    yield Occurrence(star.node, span, Role.OPTIMIZER, rule=self.rule)


_EITHER = Review(
    "it unpacks arguments: the class of today ignores `lr`, which may be one, and refuses `decay`",
    "Take the class from tf.keras.optimizers.legacy, or run again with --legacy-optimizers.",
)


def _of_occurrence(occurrence: Occurrence, program: Program) -> Verdict:
    """Respells the class: it was of the legacy family, whatever is done with it."""
    node = occurrence.node
    if isinstance(node, cst.ImportFrom):
        line = program.tree.statement(node)
        text = f"from {import_path(node)}.legacy import *"
        return Rewrite(
            "the classes that TensorFlow had under these names up to 2.10 take their place",
            lambda _: insert_line_behind(program.tree, line, text),
            is_rename=True,
        )
    return rename(_MESSAGE, occurrence)


_KEEP = "leave out --new-optimizers to keep the classes that these were."


def _review(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    """Says what the new family does otherwise of what is written for the old one."""
    if program.resolver.can_be(node, optimizer_families.legacy_class):
        return _of_class(node, program)
    if isinstance(node, cst.Attribute) and node.attr.value in keras_3.OF_LEGACY:
        kinds = program.types.of(node.value)
        if kinds <= {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}:
            return Review(
                f"the new optimizers have no {node.attr.value}",
                f"Use what they have instead, such as `variables` and `build`, or {_KEEP}",
            )
    return None


def _of_class(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    named = keywords_of(program.tree.call_of(node)).keys()
    if given := sorted(optimizer_families.ONLY_LEGACY & named):
        return Review(
            f"the new optimizers refuse `{given[0]}`, or take no notice of it",
            f"Give a learning rate, or a schedule, as `learning_rate`, or {_KEEP}",
        )
    above = program.tree.parent(node)
    if isinstance(above, cst.Arg) and isinstance(program.tree.parent(above), cst.ClassDef):
        return Review(
            "the new optimizers call other methods of a subclass",
            f"Implement `build` and `update_step`, or {_KEEP}",
        )
    return None


_MODULES = (optimizer_families.HOME, "tf_keras.optimizers", "tensorflow.compat.v1.keras.optimizers")
_OPTIMIZERS = {
    ObjectType.KERAS,
    ObjectType.WRAPPER,
    ObjectType.V1,
    ObjectType.V1_WRAPPER,
    ObjectType.NOTHING,
}


class OptimizersByName(Rule):
    """Keras optimizers that come from a string or a config keep their family."""

    id = "LS212"
    title = "Keras optimizers by name"
    order = 1
    targets = WITH_KERAS_2

    def find(self, program: Program) -> Iterator[Found]:
        """Yields calls that make optimizers by name, and uses of the module as a whole."""
        if not (program.legacy_optimizers and is_part_of_old(program)):
            return
        names = OptimizerNames(program, self.id)
        for node, verdict in self._candidates(program):
            if not names.is_left(node):  # Asked last: it takes longest.
                yield self.found(node, program, verdict, Role.OPTIMIZER)

    def _candidates(self, program: Program) -> Iterator[tuple[cst.CSTNode, Verdict]]:
        candidates: list[tuple[cst.CSTNode, Verdict | None]] = [
            (one.call.func, self._of_compile(one, program)) for one in model_compiles(program)
        ]
        candidates += [(kept, _KEPT) for kept in kept_compiles(program)]
        can_be = program.resolver.can_be
        for node in (*program.scopes.scope_of_read, *program.tree.nodes(cst.Call)):
            if isinstance(node, cst.Name | cst.Attribute | cst.Call):
                if can_be(node, optimizer_families.chooses_family):
                    candidates.append((node, self._of_function(node, program)))
                elif can_be(node, optimizer_families.is_home) and is_handed_on(node, program):
                    candidates.append((node, _PASSED_ON))
        candidates += [(text, _SPELLED) for text in naming_strings(program)]
        return ((node, verdict) for node, verdict in candidates if verdict is not None)

    def _of_compile(self, compiled: Compile, program: Program) -> Rewrite | Review | None:
        """Says what to do about the optimizer that `compile` gets, or does not get."""
        argument = compiled.optimizer
        rewrite: Rewrite | None
        if argument is not None:
            rewrite = self._of_argument(argument.value, program)
        elif compiled.is_unpacked:
            return _UNPACKED if compiled.is_proven else None
        else:
            rewrite = _with_default(compiled, program)
        if rewrite is None or compiled.is_proven:
            return rewrite
        if not compiled.is_likely:
            return None
        return Review(
            "Keras makes an optimizer of the new family here if this compiles a model, and it is "
            "not proven to be a Keras model",
            "If it is one, give `compile` an optimizer of tf.keras.optimizers.legacy.",
            unsafe_fix=rewrite,
            observed_fixes=[ObservedFix("compile", (), rewrite)],
        )

    @staticmethod
    def _of_argument(value: cst.BaseExpression, program: Program) -> Rewrite | None:
        """Returns what makes the optimizer stay of its family; nothing if it does anyway."""
        start, end = program.tree.full_span(value)
        if isinstance(value, cst.SimpleString):
            name = optimizer_families.class_of(str(value.evaluated_value))
            if name is None:
                return None  # No TensorFlow made an optimizer of it.
            return Rewrite(
                "the optimizer that the string stood for",
                lambda renderer: [
                    Edit(start, end, _class_call(name, _occurrence(value, program), renderer))
                ],
                is_rename=True,
            )
        kinds = program.types.of(value)
        if kinds <= _OPTIMIZERS or isinstance(value, cst.List | cst.Tuple):
            return None
        if ObjectType.OTHER not in kinds and not may_be_text(value, program):
            return None

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            module = renderer.render_path(_occurrence(value, program), *_MODULES)
            return [
                Edit(start, start, f"{module}.get("),
                Edit(end, end, ", use_legacy_optimizer=True)"),
            ]

        return Rewrite("a name stands for the optimizer that it stood for", edits, is_rename=True)

    @staticmethod
    def _of_function(node: cst.BaseExpression, program: Program) -> Rewrite | Review | None:
        """Says what to do about `get`, `serialize` and `deserialize`."""
        above = program.tree.parent(node)
        keywords = {
            optimizer_families.chooses_family(path) if path is not None else None
            for path in program.resolver.paths(node)
        }
        if not isinstance(above, cst.Call) or above.func is not node:
            if isinstance(above, cst.Assign | cst.AnnAssign | cst.Attribute | cst.ImportAlias):
                return None
            return Review(
                "it is passed on, and makes optimizers of the new family by itself",
                "Pass on a function that says use_legacy_optimizer=True.",
            )
        [keyword, *others] = sorted(keywords, key=str)
        given = keywords_of(above)
        if others or keyword is None:
            return Review(
                "on other ways through the program this name stands for something else",
                "Give the two things two names.",
            )
        if keyword in given or not above.args:
            return None
        if any(argument.star == "**" for argument in above.args):
            return Review(
                f"its arguments are unpacked, so whether {keyword} is given cannot be seen here",
                f"Pass {keyword}=True.",
            )
        first = above.args[0].value
        if keyword == "use_legacy_optimizer" and program.types.of(first) <= _OPTIMIZERS:
            return None
        end = program.tree.span(above.args[-1])[1]
        separator = argument_separator(program.tree, above, above.args[-1])
        return Rewrite(
            "says that the family is the one of TensorFlow up to 2.10",
            lambda _: [Edit(end, end, f"{separator}{keyword}=True")],
            is_rename=True,
        )


_UNPACKED = Review(
    "the arguments of `compile` are unpacked, so whether a string is its optimizer cannot be seen "
    "here",
    "Give `compile` an optimizer of tf.keras.optimizers.legacy, not a string.",
)
_KEPT = Review(
    "`compile` is kept and called later, where Keras makes an optimizer of the new family of a "
    "string, and if it gets none",
    "Give `compile` an optimizer of tf.keras.optimizers.legacy.",
)
_SPELLED = Review(
    "this string is the path of optimizers that are of the new family now, and strings are never "
    "edited",
    "Write tf.keras.optimizers.legacy into it, if code looks them up by it.",
)
_PASSED_ON = Review(
    "the module is passed on, or a class of it is looked up by a name that is not written out, so "
    "which optimizers are made of it cannot be seen here",
    "Write tf.keras.optimizers.legacy, whose classes are what these were up to TensorFlow 2.10.",
)


def _occurrence(node: cst.CSTNode, program: Program) -> Occurrence:
    return Occurrence(node, program.tree.span(node), Role.OPTIMIZER)


def _with_default(compiled: Compile, program: Program) -> Rewrite:
    """Returns what writes out the optimizer that `compile` takes by itself."""

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        occurrence = _occurrence(compiled.call, program)
        made = _class_call(optimizer_families.DEFAULT, occurrence, renderer)
        return append_arguments(program.tree, compiled.call, [f"optimizer={made}"])

    return Rewrite("the optimizer that `compile` took by itself", edits, is_rename=True)


def _class_call(name: str, occurrence: Occurrence, renderer: NameRenderer) -> str:
    paths = [f"{module}.legacy.{name}" for module in _MODULES]
    return f"{renderer.render_path(occurrence, *paths)}()"


def naming_strings(program: Program) -> Iterator[cst.CSTNode]:
    """Yields strings, and parts of f-strings, that code may look up optimizers by."""
    for node in program.tree.nodes(cst.SimpleString, cst.FormattedStringText):
        text = node.raw_value if isinstance(node, cst.SimpleString) else node.value
        if optimizer_families.is_spelled_in(text) and not _is_no_lookup(node, program):
            yield node


def _is_no_lookup(node: cst.CSTNode, program: Program) -> bool:
    """Whether a string is an annotation, documentation or printed, or a module that is followed."""
    call = program.tree.taker_of(node)
    is_taken = call is not None and last_name(call.func) in {"import_module", "print"}
    is_alone = isinstance(program.tree.parent(node), cst.Expr)
    return is_taken or is_alone or program.tree.around(node, cst.Annotation) is not None
