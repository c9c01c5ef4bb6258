# SPDX-License-Identifier: Apache-2.0
"""Names, methods and signatures next to the loss-scale API that are gone or other today.

Which names these are, until when there were, and what new code has in their place, is in
`compat_lossscale.neighbour_names` alone.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

import libcst as cst

from compat_lossscale.neighbour_names import (
    MEMBERS,
    METHODS,
    PUBLIC_NAMES,
    SIGNATURES,
    TABLE,
    is_public_elsewhere,
    is_public_module,
    keras_names,
    neighbour_at,
    successor_of,
)
from compat_lossscale.neighbour_names.neighbour import Changed, Neighbour
from lossscale_codemods.domain import (
    Binding,
    BindingKind,
    CannotRenderError,
    NameRenderer,
    Occurrence,
    Program,
    Role,
    all_bindings,
    catches_error,
    imported,
    is_part_of_old,
    leaves_block,
    lookup_of,
)
from lossscale_codemods.rules.base import (
    FirstChange,
    Found,
    ImportState,
    Marker,
    Review,
    Rewrite,
    Rule,
    Verdict,
    moved_import,
    rename,
    rewrite,
)
from lossscale_codemods.rules.optimizer_family import OptimizerNames
from lossscale_codemods.source.syntax_tree import dotted, is_none, keywords_of
from lossscale_codemods.tables import frameworks, names, optimizer_families
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, OldName, Target, canonical
from lossscale_codemods.tables.records import Edit

_PACKAGES = frozenset(one.name.partition(".")[0] for one in TABLE)
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
"""A name with dots."""
_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError")
_ANYTHING = ("Exception", "BaseException")


def is_looked_at(program: Program, rule: str) -> bool:
    """Whether a file's neighbours are a rule's business: it is of an old program, or asked for."""
    return is_part_of_old(program) or program.selection.asks_for(rule)


def successor(path: str, program: Program) -> str:
    """Returns what new code has in the place of a name, as `Neighbour.exactly` writes it.

    For Keras 3, names that tf-keras alone has are none.
    """
    path = canonical(path)
    if optimizer_families.is_private_module(path):
        return optimizer_families.public_class(path) or ""
    is_gone = program.target in names.WITH_KERAS_3 and is_public_elsewhere(path)
    return "" if is_gone else successor_of(path)


def markers(roots: frozenset[str]) -> tuple[Marker, ...]:
    """Returns the words without which a file has no neighbour in some packages."""
    members: dict[str, list[list[str]]] = {}
    for one in TABLE:
        root, *below = one.module_or_name.split(".")
        if root in roots and one not in MEMBERS:
            members.setdefault(root, []).append(below)
    return tuple(
        Marker(root.encode(), pattern=re.compile(_pattern(root, paths).encode()))
        for root, paths in sorted(members.items())
    )


def _pattern(root: str, paths: list[list[str]]) -> str:
    """Returns how a package and what is gone of it are spelled."""
    if [] in paths:
        return rf"(?<!\w){root}(?!\w)"
    # `python` is enough of what is below `tensorflow.python`.
    words = {below[0] if below[0] == "python" else below[-1] for below in paths}
    word = rf"(?:{'|'.join(sorted(words))})(?!\w)"
    if root == "tensorflow":
        return rf"(?<!\w){word}"
    return (
        rf"\.(?:[\s\\]|#[^\n]*\n)*{word}|from\s+{root}[\w.]*\s+import\s+(?:\([^)]*|[^\n]*)\b{word}"
    )


class NeighbourUses:
    """The uses of some neighbours in one file, for the rule that decides them."""

    def __init__(self, program: Program, rule: NeighbourRule) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver.where(self._counts)
        self.rule = rule
        self.guards = NeighbourGuards(program, rule.id)

    def _counts(self, binding: Binding) -> bool:
        """Whether a name can get its value from a binding, and fails if that is not there."""
        if not self.program.reachability.is_reached_today(binding.node):
            return False
        is_neighbour = binding.kind is BindingKind.IMPORT and self.neighbour(binding.path)
        return not (is_neighbour and self._is_left(binding.node, binding.path or ""))

    def _is_left(self, node: cst.CSTNode, path: str, new: str = "") -> bool:
        """Whether a use of a name is right as it is, for the program handles that it is gone."""
        is_there = self._is_kept_private(path)
        return self.guards.leaves(node, _last(path), _last(new), is_there=is_there)

    def occurrences(self) -> Iterator[Occurrence]:
        """Yields reads of attributes, and imports that have to stay."""
        yield from self._reads()
        for binding in self._imported():
            if not self._becomes(binding) and not self._is_told_by_reads(binding):
                yield self._occurrence(binding.node, binding.path or "", Role.NEIGHBOUR)
        yield from self._whole_modules()
        yield from self._names_of_stars()

    def moved_imports(self) -> Iterator[Occurrence]:
        """Yields imports that become others."""
        for binding in self._imported():
            if new := self._becomes(binding):
                yield self._occurrence(binding.node, binding.path or "", Role.IMPORT, new)

    def _occurrence(self, node: cst.CSTNode, path: str, role: Role, new: str = "") -> Occurrence:
        is_optimizer = optimizer_families.is_private(path)
        meaning = Meaning.KERAS_OPTIMIZER if is_optimizer else Meaning.NEIGHBOUR
        old = OldName(path, meaning, (new,) if new else ())
        others = self.resolver.paths(node) if isinstance(node, cst.Attribute | cst.Call) else ()
        ambiguous = any(
            self.neighbour(other) is None and (other is None or canonical(other) != new)
            for other in others
        )
        span = self.tree.span(node)
        return Occurrence(node, span, role, (old,), ambiguous=ambiguous, rule=self.rule.id)

    def neighbour(self, path: str | None) -> Neighbour | None:
        """Returns the neighbour at or above a path, if this rule decides on it."""
        if path is None:
            return None
        path = canonical(path)
        project, root = self.program.resolver.project, path.partition(".")[0]
        if root != "tensorflow" and project is not None and project.module(root) is not None:
            return None  # a package of the project's own; a folder of data, as of wandb, is none
        nearest = neighbour_at(path) if self.rule.is_mine(path) else None
        return None if nearest is None or names.lookup(path) is not None else nearest

    def _reads(self) -> Iterator[Occurrence]:
        reads = self.program.scopes.scope_of_read
        for node in (one for one in reads if isinstance(one, cst.Attribute)):
            above = self.tree.parent(node)
            is_part = isinstance(above, cst.Attribute) and above.value is node
            if is_part and (above in reads or self.patched(above)):
                continue
            occurrence = self._read(node)
            if occurrence is not None:
                yield occurrence
        for call in self.tree.parents:
            if isinstance(call, cst.Call) and len(call.args) == 2 and self._path(call):
                occurrence = self._unless_guarded(call, self._path(call))
                if occurrence is not None:
                    yield occurrence

    def patched(self, target: cst.CSTNode | None) -> bool:
        """Whether this replaces what a private module had, and is read of another one today."""
        if not isinstance(target, cst.Attribute) or target not in self.program.scopes.binding_at:
            return False
        owner = canonical(self.resolver.path(target.value) or "")
        is_module = self.neighbour(owner) is None or is_public_module(owner)
        gone = self.neighbour(f"{owner}.{target.attr.value}")
        return owner.startswith("tensorflow.python.") and is_module and gone is not None

    def _read(self, node: cst.Attribute) -> Occurrence | None:
        """Returns the use in a dotted expression, if there is one."""
        chain = self._chain(node)
        import_of_base = self._import_of(chain[-1][0])
        if import_of_base is not None and not self._is_told_by_reads(import_of_base):
            return None
        if names.lookup(self.resolver.path(node) or "") is not None:
            return None
        parts = [
            (part, path)  # What the program gave an attribute of its own says more.
            for part, path in chain[:-1]
            if BindingKind.ASSIGN not in {one.kind for one in self.resolver.bindings(part)}
        ]
        for part, path in parts:
            new = successor(path, self.program)
            if new and not is_public_module(canonical(path)):
                return self._unless_guarded(part, path, new)
        for part, path in reversed(parts):
            if part is node or not self._is_kept_private(path):
                return self._unless_guarded(part, path)
        return None

    def _unless_guarded(
        self, part: cst.BaseExpression, path: str, new: str = ""
    ) -> Occurrence | None:
        if self._is_left(part, path, new) or (not new and self._has_other(part, path)):
            return None
        is_path = DOTTED.fullmatch(new) and not hasattr(builtins, new)
        return self._occurrence(part, path, Role.NEIGHBOUR, new if is_path else "")

    def _has_other(self, part: cst.BaseExpression, path: str) -> bool:
        """Whether a name can be what serves it now as well, which the program takes by itself."""
        neighbour = self.neighbour(path)
        served = neighbour.served_by.replace(":", ".") if neighbour is not None else ""
        return served in {canonical(other) for other in self.resolver.paths(part) if other}

    @staticmethod
    def _is_kept_private(path: str) -> bool:
        """Whether a path is in the copy of Keras that TensorFlow keeps for itself.

        Its members have successors of their own, and to import it does not fail.
        """
        return canonical(path).startswith(keras_names.PRIVATE)

    def _chain(self, node: cst.Attribute) -> list[tuple[cst.BaseExpression, str]]:
        """Returns a dotted expression and its beginnings, those with a path of a neighbour's."""
        chain: list[tuple[cst.BaseExpression, str]] = []
        part: cst.BaseExpression = node
        while isinstance(part, cst.Attribute):
            path = self._path(part)
            if path:
                chain.append((part, path))
            part = part.value
        return [*chain, (part, self.resolver.path(part) or "")]

    def _path(self, part: cst.BaseExpression) -> str:
        """Returns the path of the neighbour that an expression can be; empty if it is none."""
        paths = sorted(p for p in self.resolver.paths(part) if p and self.neighbour(p) is not None)
        return paths[0] if len({successor(path, self.program) for path in paths}) == 1 else ""

    def _import_of(self, base: cst.BaseExpression) -> Binding | None:
        """Returns the import of a neighbour that a name stands for.

        Another import may give it what takes the neighbour's place.
        """
        bindings = self.resolver.bindings(base)
        imports = [
            one
            for one in bindings
            if one.kind is BindingKind.IMPORT and self.neighbour(one.path) is not None
        ]
        if len(imports) != 1:
            return None
        new = successor(imports[0].path or "", self.program)
        others = (one for one in bindings if one is not imports[0])
        same = all(canonical(one.path or "") == new for one in others)
        return imports[0] if same else None

    def _imported(self) -> list[Binding]:
        """The names that import statements bind to neighbours, but for those behind guards."""
        return [
            binding
            for binding in all_bindings(self.resolver)
            if binding.kind is BindingKind.IMPORT
            and self.neighbour(binding.path) is not None
            and not self._is_left(binding.node, binding.path or "")
            and not _binds_first(binding.node)
        ]

    def _becomes(self, binding: Binding) -> str:
        """Returns the path of what takes the place of what is imported; empty if nothing does."""
        path = canonical(binding.path or "")
        new = successor(path, self.program)
        if is_public_module(path) and not all(
            self._is_public_use(use, path, new) for use in binding.uses
        ):
            return ""
        return new if "." in new and DOTTED.fullmatch(new) else ""

    def _is_public_use(self, use: cst.CSTNode, base: str, home: str) -> bool:
        """Whether what is read of `base` is public, and of the module in its place, `home`."""
        top = use
        above = self.tree.parent(top)
        while isinstance(above, cst.Attribute) and above.value is top:
            top, above = above, self.tree.parent(above)
        if not isinstance(top, cst.Attribute):
            return isinstance(above, cst.Del)
        for part, path in self._chain(top)[:-1]:
            new = successor(path, self.program)
            if new and not is_public_module(canonical(path)):
                return part is not use and new == home + canonical(path).removeprefix(base)
        return False

    def _is_told_by_reads(self, binding: Binding) -> bool:
        """Whether reads of an imported module's members say all there is to say of it."""
        path = canonical(binding.path or "")
        if not self._is_kept_private(path) or self._becomes(binding):
            return False
        reads = [self.tree.parent(use) for use in binding.uses]
        return bool(reads) and all(isinstance(one, cst.Attribute) for one in reads)

    def _whole_modules(self) -> Iterator[Occurrence]:
        """Yields star imports, and `import a.b.c`, which binds `a` alone, of what is not there."""
        for statement in self.tree.nodes(cst.Import, cst.ImportFrom):
            for node, path in imported(statement):
                is_dotted = _binds_first(node) and not self._is_kept_private(path)
                is_whole = node is statement or is_dotted
                if is_whole and self.neighbour(path) is not None and not self._is_left(node, path):
                    yield self._occurrence(node, path, Role.NEIGHBOUR)

    def _names_of_stars(self) -> Iterator[Occurrence]:
        """Yields names that can come of nothing but `from numpy import *`."""
        stars = {star.path or "" for star in self.program.scopes.module.stars}
        if not all(star.partition(".")[0] in _PACKAGES for star in stars):
            return
        for node, bindings in self.program.scopes.reaching.items() if stars else ():
            if isinstance(node, cst.Name) and not bindings and not hasattr(builtins, node.value):
                for path in sorted(f"{star}.{node.value}" for star in stars):
                    neighbour = self.neighbour(path)
                    if neighbour is not None and neighbour.module_or_name == canonical(path):
                        yield self._occurrence(node, path, Role.NEIGHBOUR)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _binds_first(node: cst.CSTNode) -> bool:
    """Whether an import is `import a.b.c`, which binds `a`."""
    return (
        isinstance(node, cst.ImportAlias)
        and node.asname is None
        and isinstance(node.name, cst.Attribute)
    )


_STAYS = "Change that use first, then run again."


def _respelled(occurrence: Occurrence, new: str, program: Program) -> Rewrite:
    """Puts a built-in name or a number in the place of a name."""
    sign, word = ("-", new[1:]) if new.startswith("-") else ("", new)

    def edits(renderer: NameRenderer) -> list[Edit]:
        text = sign + _spelled(word, occurrence, renderer, program)
        alone = cst.AnnAssign | cst.Arg | cst.Assign | cst.Element | cst.Return
        if sign and not isinstance(program.tree.parent(occurrence.node), alone):
            text = f"({text})"
        return [Edit(*occurrence.span, text)]

    return Rewrite(_message(new), edits, keeps_name=False, is_rename=True)


def _spelled(word: str, occurrence: Occurrence, renderer: NameRenderer, program: Program) -> str:
    if not hasattr(builtins, word):
        return renderer.render_path(occurrence, word) if DOTTED.fullmatch(word) else word
    scope = program.scope(occurrence)
    if program.scopes.lookup(word, scope):
        raise CannotRenderError(f"the file has a {word} of its own")
    return word


def review(neighbour: Neighbour, path: str = "", target: Target = Target.TF_KERAS) -> Review:
    """Returns the finding on a name that no other does the same as in every case."""
    if optimizer_families.is_private(path):
        keras, advice = "tf-keras", "tf.keras.optimizers.legacy, which it was"
        if target in names.WITH_KERAS_3:
            keras, advice = "Keras 3", "tf.keras.optimizers, which is otherwise there"
        return Review(
            f"it is of TensorFlow's private copy of Keras now, and {keras} takes none of its "
            "optimizers",
            f"Take what you need from {advice}.",
        )
    gone = f"it ended with {neighbour.until}"
    if neighbour.name.startswith(keras_names.PRIVATE):
        gone = "it is of TensorFlow's private copy of Keras now, and nothing public is the same"
    if not neighbour.is_served:
        return Review(f"{gone}: {neighbour.faithful}", f"{neighbour.instead}.")
    instead = (
        "Nothing takes its place: take it out."
        if neighbour.instead == "nothing"
        else f"In new code: {neighbour.instead}."
    )
    return Review(gone, f"{instead} `compat-lossscale run` restores the old name.")


def _message(new: str) -> str:
    return f"it was {new.replace('numpy.', 'np.')}"


_PATCHED = Review(
    "it is replaced here, and what calls it today has it from another module",
    "Replace it there, or do without it.",
)


class NeighbourRule(Rule):
    """What the rules for names next to the loss-scale API have in common."""

    order: ClassVar[int] = 2
    """What other rules find tells whether this is a program with old names."""
    targets = frozenset(Target)

    def is_mine(self, path: str) -> bool:
        """Whether this rule decides on what is at a path, if it is a neighbour."""
        raise NotImplementedError

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the reads of such names, and imports that stay."""
        if is_looked_at(program, self.id):
            uses = NeighbourUses(program, self)
            for occurrence in uses.occurrences():
                yield occurrence, self._verdict(occurrence, program)
            for target in filter(uses.patched, program.scopes.binding_at):
                yield self.found(target, program, _PATCHED, Role.NEIGHBOUR)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields the imports that become others."""
        if is_looked_at(program, self.id):
            yield from NeighbourUses(program, self).moved_imports()

    def _verdict(self, occurrence: Occurrence, program: Program) -> Verdict:
        """Puts what new code has in the place of a name, or says what to do."""
        path = canonical(occurrence.names[0].path)
        new = successor(path, program)
        if occurrence.names[0].new:
            return rename(_message(new), occurrence)
        neighbour = neighbour_at(path)
        assert neighbour is not None
        if isinstance(occurrence.node, cst.Attribute) and new:
            return _respelled(occurrence, new, program)
        return review(neighbour, path, program.target)

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict:
        """Says what became of an import."""
        return moved_import(state, _message(occurrence.names[0].new[0]), _STAYS)


class NeighbourGuards:
    """Finds the code that a file has for versions with and without a name."""

    def __init__(self, program: Program, rule: str) -> None:
        self.program = program
        self.tree = program.tree
        self._old_versions = OptimizerNames(program, rule)

    def leaves(self, node: cst.CSTNode, *names: str, is_there: bool = False) -> bool:
        """Whether a use of a name is right as it is: nothing fails if the name is not there.

        The names are the one that is used, without its module, and what takes its place. If
        something else `is_there` under the name, nothing fails anyway.
        """
        below = node
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.Try):
                if below is above.body and not is_there and self._is_caught(above):
                    return True
            elif isinstance(above, cst.ExceptHandler):
                if self._is_stood_in_for(above, node):
                    return True
            elif (
                isinstance(above, cst.If | cst.IfExp)
                and below is not above.test
                and self._asks_for(above.test, names)
            ):
                return True
            below = above
        return self._old_versions.is_left(node)

    def _is_caught(self, node: cst.Try) -> bool:
        """Whether a `try` statement handles that a name in it is missing."""
        few = len(node.body.body) == 1
        return any(
            catches_error(self.tree, handler, (*_MISSING, *(_ANYTHING if few else ())))
            and (handler.type is not None or few)
            and not leaves_block(handler.body)
            for handler in node.handlers
        )

    def _is_stood_in_for(self, handler: cst.ExceptHandler, node: cst.CSTNode) -> bool:
        """Whether what a handler imports has been imported from somewhere else by then."""
        tried = self.tree.parent(handler)
        if not isinstance(tried, cst.Try) or not isinstance(node, cst.ImportAlias):
            return False
        for binding in self.program.scopes.binding_at.get(node, []):
            for other in binding.scope.bindings.get(binding.name, []):
                if (
                    other.kind is BindingKind.IMPORT
                    and tried.body in self.tree.ancestors(other.node)
                    and neighbour_at(canonical(other.path or "")) is None
                ):
                    return True
        return False

    def _asks_for(self, test: cst.BaseExpression, names: Sequence[str]) -> bool:
        """Whether a condition asks for one of some names: `hasattr(np, "float")`."""
        asked = (lookup_of(node, self.program.scopes) for node in self.tree.walk(test))
        return any(one is not None and one.name in names for one in asked)


_ROOTS = frozenset(one.name.partition(".")[0] for one in TABLE) - {"tensorflow"}


class PythonAndNumpy(NeighbourRule):
    """Removed names of NumPy and Python become the current names for the same objects."""

    id = "LS901"
    title = "Removed names of NumPy and Python"
    group_markers = markers(_ROOTS)

    def is_mine(self, path: str) -> bool:
        """Whether it is of numpy, of Python's own modules, or of setuptools."""
        return path.partition(".")[0] in _ROOTS


_TENSORFLOW = frozenset({"tensorflow"})
_METHODS = tuple(one.name for one in MEMBERS)
_LOSS_SCALES = re.compile(r"^tensorflow\.python\.keras\.mixed_precision\.experimental(?:\.|$)")
_WORKING = re.compile(
    r"^tensorflow\.python\.keras\.utils\.(?:"
    r"conv_utils\.(?:conv_input_length|conv_output_length|conv_output_shape|convert_data_format"
    r"|deconv_output_length|normalize_data_format|normalize_padding|normalize_tuple"
    r"|squeeze_batch_dims)"
    r"|generic_utils\.(?:check_for_unexpected_keys|has_arg|is_all_none|slice_arrays|to_list"
    r"|to_snake_case)"
    r"|io_utils\.path_to_string"
    r"|tf_utils\.(?:convert_shapes|is_tensor_or_tensor_list|shape_type_conversion))$"
)
"""Functions of the private copy that work as they did, and have nothing to do with its classes."""


_OF_TENSORFLOW_1 = Review(
    "TensorFlow 2 has it in tf.compat.v1 alone, and may have other names of this program there too",
    "Write `import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()`, or change the "
    "program with TensorFlow's own tf_upgrade_v2. `compat-lossscale run --tf1` runs it as it is.",
)


class TensorFlow(NeighbourRule):
    """Removed names of TensorFlow become the current names for the same objects."""

    id = "LS902"
    title = "Removed names of TensorFlow"
    group_markers = markers(_TENSORFLOW)

    def is_mine(self, path: str) -> bool:
        """Whether it is of TensorFlow, and no other rule says more of it."""
        if not path.startswith("tensorflow.") or path.startswith(_METHODS):
            return False
        return _LOSS_SCALES.match(path) is None and _WORKING.match(path) is None

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the uses of such names, and the first of a name that TensorFlow 1 alone had."""
        yield from super().find(program)
        asked = frameworks.ONLY_IN_TF1 if program.references and is_part_of_old(program) else ()
        reads = [
            node
            for name in asked
            for node in program.reads_by_attribute.get(name, ())
            if program.resolver.is_only(node, f"tensorflow.{name}".__eq__)
            and not NeighbourGuards(program, self.id).leaves(node, name)
        ]
        if reads:
            first = min(reads, key=program.tree.span)
            yield self.found(first, program, _OF_TENSORFLOW_1, Role.NEIGHBOUR)


_COMPUTE_LOSS = next(one for one in MEMBERS if one.short_name == "compute_loss")
"""A method that Keras has itself today, and had not."""
_IS_SHADOWED = Review(
    "Keras' own compute_loss is found before that of this base class, as Keras has one after "
    f"{_COMPUTE_LOSS.until}",
    f"In new code: {_COMPUTE_LOSS.instead}. `compat-lossscale run` finds this one.",
)


class Methods(Rule):
    """`strategy.experimental_run_v2` becomes `strategy.run`. Other removed methods are reported."""

    id = "LS903"
    title = "Removed methods and changed signatures of TensorFlow"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = frozenset(Target)
    group_markers = (
        *(Marker(name.encode()) for name in (*METHODS, "compute_loss")),
        *(
            Marker(name.encode(), pattern=re.compile(rf"(?<!\w){name}(?:\s*\(|\s+as\b)".encode()))
            for name in sorted({one.name for one in SIGNATURES})
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields attributes of these names, shadowed base classes, and calls in an old form."""
        if not is_looked_at(program, self.id):
            return
        guards, can_be = NeighbourGuards(program, self.id), program.resolver.can_be
        for node in program.tree.nodes(cst.Attribute):
            name = node.attr.value
            if name in METHODS and not guards.leaves(node, name, _new(node)):
                yield self.found(node, program, _of_method(node, program), Role.NEIGHBOUR)
        for definition in program.tree.nodes(cst.ClassDef):
            bases = [base.value for base in definition.bases]
            models = [
                n for n, one in enumerate(bases) if can_be(one, frameworks.is_new_keras_model)
            ]
            for base in bases[models[0] :] if models else ():
                if _defines(base, "compute_loss", program):
                    yield self.found(base, program, _IS_SHADOWED, Role.NEIGHBOUR)
        for call in program.tree.nodes(cst.Call):
            changed = _of_signature(call, program)
            if changed is not None and not guards.leaves(call):
                yield self.found(call, program, changed, Role.NEIGHBOUR)


def _of_method(node: cst.Attribute, program: Program) -> Verdict:
    """Respells a method, or says what to do about it."""
    new, gone = _new(node), review(METHODS[node.attr.value])
    if any(one.name.value == node.attr.value for one in program.tree.nodes(cst.FunctionDef)):
        advice = (
            f"If it is a strategy's, call {new}."
            if new
            else f"If not, {gone.message}. {gone.advice}"
        )
        return Review(f"the file has a {node.attr.value} of its own, which this may be", advice)
    if not new:
        return gone
    edit = Edit(*program.tree.span(node.attr), new)
    return Rewrite("the current name", lambda _: [edit], is_rename=True)


def _new(node: cst.Attribute) -> str:
    """Returns the name that takes the place of a method's; empty if none does."""
    return METHODS[node.attr.value].successor.rpartition(".")[2]


def _defines(base: cst.BaseExpression, method: str, program: Program) -> bool:
    """Whether a base class of the same file defines a method."""
    return any(
        isinstance(statement, cst.FunctionDef) and statement.name.value == method
        for binding in program.resolver.bindings(base)
        if isinstance(binding.node, cst.ClassDef)
        for statement in binding.node.body.body
    )


_FUNCTIONS = {one.path: one for one in SIGNATURES if not one.is_method}
_METHODS_BY_NAME = {one.name: one for one in SIGNATURES if one.is_method}
_ALIASES = re.compile(r"^tensorflow\.(?=(?:losses|metrics)\.)")
_TYPES: Mapping[str, type] = {
    "True": bool, "False": bool, "SimpleString": str, "FormattedString": str,
    "ConcatenatedString": str, "Integer": int, "List": list, "Tuple": tuple, "Dict": dict,
}  # fmt: skip


def _of_signature(call: cst.Call, program: Program) -> Review | None:
    """Says what to do about a call whose arguments are in an old form."""
    changed = _changed(call, program)
    if changed is None or any(argument.star for argument in call.args):
        return None
    given = keywords_of(call)
    if changed.needs and (changed.needs in given or b"mixed_float16" not in program.source):
        return None
    for name, instead in changed.refused.items():
        if name in given and not is_none(given[name].value):
            return Review(f"{changed.name}() has no {name} any more", f"{instead}.")
    placed = [argument.value for argument in call.args if argument.keyword is None]
    is_old = changed.is_old([_type(value) for value in placed])
    if changed.instead and (is_old or not changed.told_by):
        return Review(f"{changed.name}() does not do the same today", f"{changed.instead}.")
    advice = [f"write `{new}` for `{old}`" for old, new in changed.renamed.items() if old in given]
    advice += [f"leave out `{name}`" for name in changed.dropped & given.keys()]
    if changed.then and is_old:
        gone, kept = (
            [name for name in changed.then if (name in changed.dropped) is is_gone]
            for is_gone in (True, False)
        )
        advice += [f"leave out `{name}`, which is argument {changed.same + 1}" for name in gone]
        advice += [f"name the arguments after {changed.same}: {', '.join(kept)}"] if kept else []
    if _is_hdf5(placed, changed) and changed.then and given.keys() & {*changed.then}:
        advice += [] if "save_format" in given else ["give it save_format='h5'"]
    owner = changed.path.rpartition(".")[0].replace("tensorflow.", "tf.")
    message = f"{changed.name}() of {owner} has other parameters today"
    return Review(message, f"If this is it, {', and '.join(advice)}.") if advice else None


def _changed(call: cst.Call, program: Program) -> Changed | None:
    """Returns the entry of what is called, if it is in the table."""
    has_keras_2 = program.target in WITH_KERAS_2
    for path in program.resolver.paths(call.func):
        public = _ALIASES.sub("tensorflow.keras.", canonical(path or ""))
        if public in _FUNCTIONS and (has_keras_2 or public.startswith("numpy.")):
            return _FUNCTIONS[public]
    if has_keras_2 and isinstance(call.func, cst.Attribute):
        return _METHODS_BY_NAME.get(call.func.attr.value)
    return None


def _is_hdf5(placed: list[cst.BaseExpression], changed: Changed) -> bool:
    """Whether a model is saved as `.keras`, which was HDF5, and has no such arguments today."""
    return changed.path.endswith((".Model.save", ".save_model")) and any(
        isinstance(path, cst.SimpleString) and str(path.evaluated_value).endswith(".keras")
        for path in placed
    )


def _type(value: cst.BaseExpression) -> type | None:
    """Returns the type of a literal; `None` for anything else."""
    if isinstance(value, cst.Call) and dotted(value.func) == "zip":
        return zip
    name = value.value if isinstance(value, cst.Name) else type(value).__name__
    if isinstance(value, cst.Attribute) and ".Reduction." in (dotted(value) or ""):
        return str
    return _TYPES.get(name)


_HOME = "tensorflow.keras"
_MESSAGE = "it was tf.keras"
_REVIEW = Review(
    "`keras` is Keras 3 now, and nothing of it goes into a model of tf-keras",
    f"Import what is needed of it from {_HOME}, or from tf_keras.",
    stops=True,
)
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from|import)[ \t]+keras(?![\w])")


class KerasPackage(Rule):
    """`import keras` becomes an import of `tensorflow.keras`."""

    id = "LS905"
    title = "Imports of the package keras"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    markers = (Marker(b"get_scaled_loss", pattern=_IMPORT),)
    """Of the names of TensorFlow 2.4, tf-keras has this, and no other rule reads a file for it."""
    group_markers: ClassVar[tuple[Marker, ...]] = (Marker(b"keras", pattern=_IMPORT),)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the imports."""
        if _IMPORT.search(program.source) is None:
            return
        project = program.resolver.project
        has_own = project is not None and project.homes("keras")
        is_scaled = "get_scaled_loss" in program.reads_by_attribute
        if has_own or not (is_scaled or is_looked_at(program, self.id)):
            return
        guards = NeighbourGuards(program, self.id)
        for node in program.tree.parents:
            if isinstance(node, cst.Import | cst.ImportFrom):
                edits = _edits(node, program)
                # The import of an `except ImportError` is for where tf.keras is not there.
                stands_in = program.tree.around(node, cst.ExceptHandler) is not None
                if edits is not None and not stands_in and not guards.leaves(node, is_there=True):
                    verdict = rewrite(_MESSAGE, edits) if edits else _REVIEW
                    yield self.found(node, program, verdict, Role.NEIGHBOUR)

    def first_changes(
        self, program: Program, occurrences: Callable[[], Sequence[Occurrence]]
    ) -> Iterator[FirstChange]:
        """Yields the change of all imports that become others: it makes names old ones."""
        del occurrences
        found = [one for one, verdict in self.find(program) if isinstance(verdict, Rewrite)]
        if found:
            edits = [edit for one in found for edit in _edits(one.node, program) or ()]
            yield FirstChange(edits, _MESSAGE, found)


def _edits(node: cst.CSTNode, program: Program) -> list[Edit] | None:
    """Returns the edits of an import statement, if all of it has a place in `tf.keras`."""
    modules: list[tuple[cst.BaseExpression, bool]] = []
    imported: list[str] = []
    if isinstance(node, cst.Import):
        modules = [(alias.name, alias.asname is None) for alias in node.names]
    elif isinstance(node, cst.ImportFrom) and node.module is not None and not node.relative:
        modules = [(node.module, False)]
        aliases = () if isinstance(node.names, cst.ImportStar) else node.names
        imported = [dotted(alias.name) or "" for alias in aliases]
    edits = []
    is_of_keras = False
    for module, binds_keras in modules:
        root, _, below = (dotted(module) or "").partition(".")
        if root != "keras":
            continue
        is_of_keras = True
        start, _ = program.tree.span(module)
        if binds_keras and not below and len(modules) == 1:
            edits.append(Edit(*program.tree.span(node), "from tensorflow import keras"))
        elif binds_keras or not all(_is_there(below, name) for name in imported or [""]):
            return []
        else:
            edits.append(Edit(start, start + len(root), _HOME))
    return edits if is_of_keras else None


def _is_there(module: str, name: str) -> bool:
    """Whether a module of `tf.keras`, and what is imported of it, is there, or is an old name."""
    path = f"{module}.{name}".strip(".")
    return (
        path in (*PUBLIC_NAMES, "optimizers")
        or name in PUBLIC_NAMES.get(module, "").split()
        or module == "optimizers"
        or names.lookup(f"{_HOME}.{path}") is not None
    )
