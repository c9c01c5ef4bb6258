# SPDX-License-Identifier: Apache-2.0
"""The rules for Keras 3, which meet the rows of `tables/keras_3.toml`: what is otherwise there.

Where a row has a fix, the place is rewritten. Where it has none, or what it is met on is not
proven, it is reported.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import libcst as cst

from compat_lossscale.neighbour_names import neighbour_at
from compat_lossscale.neighbour_names.keras_names import MODEL_MEMBERS, instead_of
from lossscale_codemods.domain import (
    Certainty,
    NameRenderer,
    Occurrence,
    Program,
    Role,
    Usage,
    all_bindings,
    is_for_old_versions,
    is_part_of_old,
)
from lossscale_codemods.rules import keras_3_conditions as met
from lossscale_codemods.rules import keras_3_optimizers as optimizers
from lossscale_codemods.rules.base import (
    OLD_NAMES,
    OPTIMIZER,
    Found,
    Ignore,
    Marker,
    ObservedFix,
    Review,
    Rewrite,
    Rule,
    Verdict,
    rename,
    rewrite,
)
from lossscale_codemods.rules.loss_scale_arguments import (
    COUNT_SKIPPED_STEPS,
    NOT_FIXED,
    WITHOUT_FLOOR,
    is_moved,
    old_name,
    takes_old_arguments,
)
from lossscale_codemods.source.edits import append_arguments
from lossscale_codemods.source.syntax_tree import argument_of, dotted, key_of, keywords_of
from lossscale_codemods.tables import keras_3
from lossscale_codemods.tables.keras_3 import below_keras, gone_at, gone_from_keras
from lossscale_codemods.tables.names import WITH_KERAS_3, Meaning, OldName, Target, canonical
from lossscale_codemods.tables.records import Edit


@dataclasses.dataclass(frozen=True)
class Keras3Row:
    """One difference of Keras 3, as `tables/keras_3.toml` has it.

    Attributes:
        names: The attributes, methods (`.name`), called paths, keys (`[name]`) or definitions;
            `keras.layers.*` is anything of a module that is called, `tensorflow.*` any function of
            TensorFlow, and `()` any call.
        message: What is otherwise; `{name}` is the name that is met, `{argument}` the argument.
        advice: What to do about it.
        arguments: Arguments that a call has to name one of.
        fix: Makes the edits that settle it; where it makes none, the row does not fit.
        of: How sure it is that the name is a member of what it has to be.
        inside: What a base of the class around it has to be, by its path: how that ends, or more.
        code: What the source of the node has to match from its beginning on.
        file: The same of the whole file.
        when: A further condition.
        stops: Whether the program does not run there, rather than train otherwise.
        unsafe: Whether the fix is an unsafe one.
        target: What the program is migrated to, if the row is for one target alone.
    """

    names: Collection[str]
    message: str
    advice: str = ""
    _: dataclasses.KW_ONLY
    arguments: Collection[str] = ()
    fix: met.Fix | None = None
    of: met.Owner | None = None
    inside: Callable[[str], bool] | None = None
    code: str = ""
    file: str = ""
    when: met.Condition | None = None
    stops: bool = False
    unsafe: bool = False
    target: Target | None = None

    @property
    def said(self) -> str:
        """What the row says, and what to do, of all its names."""
        names, arguments = (", ".join(sorted(one)) for one in (self.names, self.arguments))
        message = self.message.replace("{name}", names).replace("{argument}", arguments)
        return f"{message}. {self.advice}".rstrip()

    def verdict(self, node: cst.CSTNode, name: str, program: Program) -> Verdict | None:
        """Says what becomes of a node; nothing if the row does not fit it."""
        owner = program.tree.around(node, cst.ClassDef) if self.inside is not None else None
        if self.inside is not None and not program.inherits(owner, self.inside):
            return None
        if self.code and not re.match(self.code, program.tree.source(node)):
            return None
        if self.file and not re.match(self.file.encode(), program.source):
            return None
        named = keywords_of(node) if isinstance(node, cst.Call) else {}
        given = [one for one in self.arguments if one in named]
        if (self.arguments and not given) or (self.when and not self.when(node, program)):
            return None
        certainty = Certainty.PROVEN if self.of is None else self.of(node, program)
        if certainty is Certainty.NO:
            return None
        message = self.message.replace("{name}", name).replace("{argument}", "".join(given[:1]))
        edits = self.fix(node, program) if self.fix is not None else []
        if self.fix is not None and not edits:
            return None
        made = rewrite(message, edits) if edits else None
        if certainty is Certainty.PROVEN:
            review = Review(message, self.advice, stops=self.stops)
            return dataclasses.replace(review, unsafe_fix=made) if self.unsafe else made or review
        return Review(
            f"{message}; that this is one is not proven in this file",
            f"If it is one, {self.advice[0].lower()}{self.advice[1:]}",
            unsafe_fix=made,
            observed_fixes=[ObservedFix(name, (), made)],
            stops=self.stops,
        )


def fitting(
    table: Mapping[str, Sequence[Keras3Row]], program: Program
) -> Iterator[tuple[str, cst.CSTNode, Verdict]]:
    """Yields where a row fits: the id of its rule, the place, and what becomes of it."""
    by_name: dict[str, list[tuple[str, Keras3Row]]] = {}
    for rule, rows in table.items():
        for row in rows:
            for name in row.names if row.target in (None, program.target) else ():
                by_name.setdefault(name, []).append((rule, row))
    for node in program.tree.parents:
        decided = set()
        for name in _names(node, program):
            for rule, row in by_name.get(name, ()):
                verdict = row.verdict(node, name, program) if rule not in decided else None
                if verdict is not None:
                    decided.add(rule)
                    yield rule, _place(node), verdict


def _names(node: cst.CSTNode, program: Program) -> Iterator[str]:
    """Yields the names by which a row can be met on a node."""
    match node:
        case cst.Attribute():
            yield node.attr.value
        case cst.Call():
            yield from _names_of_call(node, program)
        case cst.Subscript():
            yield f"[{key_of(node)}]"
        case cst.FunctionDef():
            yield f"def {node.name.value}"
        case cst.ClassDef():
            yield "class"
        case cst.Return():
            yield "return"
        case cst.If() | cst.While():
            yield "if"


def _names_of_call(node: cst.Call, program: Program) -> Iterator[str]:
    yield "()"
    match node.func:
        case cst.Name(value=name):
            yield f"{name}()"
        case cst.Attribute(attr=cst.Name(value=name)):
            yield f".{name}"
    path = program.resolver.path(node.func)
    below = below_keras(path) if path is not None else ""
    if path is not None:
        name = f"keras.{below}" if below else canonical(path)
        yield name
        yield f"{name.rpartition('.')[0]}.*"
        if not below and canonical(path).startswith("tensorflow."):
            yield "tensorflow.*"


def _place(node: cst.CSTNode) -> cst.CSTNode:
    """Returns what of a node is reported."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return node.name
    if isinstance(node, cst.If | cst.While):
        return node.test
    return node.func if isinstance(node, cst.Call) else node


def gone(path: str) -> Review | None:
    """Says what there is to say of a name that Keras 3 lacks, or has in `tf.keras` alone."""
    below = gone_at(path)
    if below is not None:
        home = "tf.keras of " if below in keras_3.ONLY_IN_KERAS else ""
        return Review(f"{home}Keras 3 has no {below}", f"Use {instead_of(below)}.", stops=True)
    if keras_3.OLD_MODULE.fullmatch(path):
        return Review(f"Keras 3 has no {path}", "Import what it has from `keras`.", stops=True)
    below = gone_from_keras(path)
    if below is None:
        return None
    return Review(
        f"Keras 3 has {below} in tf.keras alone, and not in keras",
        "Use tf.keras for it, which needs TensorFlow as the backend.",
        stops=True,
    )


def _row(stored: Mapping[str, Any]) -> Keras3Row:
    """Returns a row as the file has it: `keras_3_conditions` has what it asks by a name."""
    row = dict(stored)
    for key in {"fix", "inside", "of", "when"} & row.keys():
        asked = row[key]
        is_end = asked.startswith(".")
        row[key] = operator.methodcaller("endswith", asked) if is_end else getattr(met, asked)
    if isinstance(row["names"], str):
        row["names"] = keras_3.NAMES[row["names"]]
    if "target" in row:
        row["target"] = Target(row["target"])
    return Keras3Row(**row)


_OF_MODELS = {
    "message": "models and layers of Keras 3 have no {name}", "of": "of_model", "stops": True
}  # fmt: skip
_RULES = ("LS321", "LS323", "LS911", "LS912")
TABLE = {rule: tuple(map(_row, keras_3.DATA[rule])) for rule in _RULES}
"""The rows of each rule, by its id."""
TABLE["LS321"] += tuple(
    _row({**one, "of": "of_optimizer", "stops": True}) for one in keras_3.DATA["members_gone"]
)
TABLE["LS911"] += tuple(
    _row({**_OF_MODELS, "names": [name], "advice": f"Use {instead}."})
    for name, instead in MODEL_MEMBERS.items()
)

_FAMILY = "Keras 3 has one family of optimizers"


class _Keras3Rule(Rule):
    """A rule that finds its places together with what it says of them."""

    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3

    def __init__(self) -> None:
        self.says = list(dict.fromkeys(row.said for row in TABLE.get(self.id, ())))

    def applies(self, program: Program) -> bool:
        """Whether a file is one of a program that this rule is about."""
        return is_part_of_old(program)

    def verdicts(self, program: Program) -> Iterator[Found]:
        """Yields the places that a row of this rule fits, with what becomes of each."""
        found = program.remembered("rows for Keras 3", lambda: list(fitting(TABLE, program)))
        for rule, node, verdict in found:
            if rule == self.id:
                yield self.found(node, program, verdict, Role.LATER)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the places that today's TensorFlow comes to."""
        for occurrence, verdict in self.verdicts(program) if self.applies(program) else ():
            if not is_for_old_versions(occurrence.node, program):
                yield occurrence, verdict

    def old_import(self, path: str, program: Program) -> OldName | None:
        """Returns what an import brings in, as an old name, if the rule decides it."""
        del path, program
        return None

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields the imports that the rule decides."""
        for binding in all_bindings(program.resolver) if self.applies(program) else ():
            old = self.old_import(binding.path or "", program)
            if old is not None and not is_for_old_versions(binding.node, program):
                yield self.occurrence(binding.node, program, Role.IMPORT, (old,))


class Keras3Optimizers(_Keras3Rule):
    """Keras optimizers become those of Keras 3, with their arguments (`--target keras3`)."""

    id = "LS221"
    title = "Optimizers of Keras 3"

    moved = _FAMILY
    import_advice = (
        "Import the class from tensorflow.keras.optimizers: Keras 3 has no other family."
    )

    def verdicts(self, program: Program) -> Iterator[Found]:
        """Yields the classes that do not stay as they are, and what makes optimizers by name."""
        for place, review in optimizers.by_names(program):
            yield self.found(place, program, review, Role.LATER)
        for node in (*program.scopes.scope_of_read, *program.tree.nodes(cst.Call)):
            if not isinstance(node, cst.Name | cst.Attribute | cst.Call):
                continue
            paths = program.resolver.paths(node)
            known = [path for path in paths if path is not None and _is_optimizer(path)]
            if not known or _is_front(node, program):
                continue
            old = tuple(one for path in known if (one := _family_name(path)) is not None)
            occurrence = self.occurrence(node, program, Role.LATER, old)
            occurrence.ambiguous = len(known) < len(paths)
            verdict = optimizers.of_class(node, known, program)
            if old and isinstance(node, cst.Attribute):
                yield occurrence, _without_family(occurrence, verdict)
            elif verdict is not None:
                yield occurrence, verdict

    def old_import(self, path: str, program: Program) -> OldName | None:
        """Returns a class, or a module, of one family alone as an old name."""
        del program
        return _family_name(path)


def _is_optimizer(path: str) -> bool:
    return keras_3.class_at(path) is not None or keras_3.without_family(path) is not None


def _family_name(path: str) -> OldName | None:
    """Returns a class, or a module, of one family alone as the old name that it is."""
    new = keras_3.without_family(path)
    return None if new is None else OldName(path, Meaning.KERAS_OPTIMIZER, (new,))


def _is_front(node: cst.CSTNode, program: Program) -> bool:
    """Whether an expression is the module in front of a class that is looked at itself."""
    above = program.tree.parent(node)
    return isinstance(above, cst.Attribute) and program.resolver.can_be(above, _is_optimizer)


def _without_family(occurrence: Occurrence, verdict: Rewrite | Review | None) -> Rewrite | Review:
    """Takes the family out of a name as well, or says that it has to be taken out."""
    if verdict is None:
        return rename(_FAMILY, occurrence)
    if isinstance(verdict, Rewrite):
        return Rewrite(verdict.message, lambda r: [*r.name_edit(occurrence), *verdict.edits(r)])
    advice = f"Take it from tf.keras.optimizers: {_FAMILY}. {verdict.advice}"
    return dataclasses.replace(verdict, advice=advice, stops=True)


_OURS = "keras3.LossScaleOptimizer"
_WITH_OLD_ARGUMENTS = "the class with the arguments and the loss scale of TensorFlow 2.4"


class NewLossScaleOptimizers(_Keras3Rule):
    """TensorFlow 2.4's LossScaleOptimizer becomes compat_lossscale.keras3's (`--target keras3`)."""

    id = "LS223"
    title = "LossScaleOptimizer of TensorFlow 2.4"
    order = -1
    """What this finds makes a program an old one."""
    markers = (OPTIMIZER,)
    moved = _WITH_OLD_ARGUMENTS
    import_advice = "Import the class from compat_lossscale.keras3."

    def applies(self, program: Program) -> bool:
        """Whether a file is not written for Keras 3."""
        return not program.is_written_for_keras_3

    def verdicts(self, program: Program) -> Iterator[Found]:
        """Yields the expressions that can be the class."""
        for node in program.scopes.scope_of_read:
            if not isinstance(node, cst.Name | cst.Attribute):
                continue
            paths = program.resolver.paths(node)
            known = [p for p in paths if p is not None and is_moved(p)]
            call = program.tree.call_of(node)
            if not known or (call is not None and takes_old_arguments(call)):
                continue
            stays = program.target is Target.KERAS3_ALONE
            names = () if stays else tuple(old_name(path, program.target) for path in known)
            occurrence = self.occurrence(node, program, Role.LATER, names, is_old_use=True)
            occurrence.ambiguous = len(known) < len(paths)
            yield occurrence, self._verdict(occurrence, program)

    def old_import(self, path: str, program: Program) -> OldName | None:
        """Returns the class as the old name that it is for Keras 3."""
        is_left = program.target is Target.KERAS3_ALONE or not is_moved(path)
        return None if is_left else old_name(path, program.target)

    def _verdict(self, occurrence: Occurrence, program: Program) -> Verdict:
        """Respells it, and has `iterations` count as it did."""
        usage = program.usage(occurrence)
        is_left = program.target is Target.KERAS3_ALONE and usage is not Usage.BASE_CLASS
        if is_left or usage is Usage.TYPE_TEST:  # It is the base class of the one of this package.
            return _of_stock(program.call(occurrence))
        if usage is Usage.BASE_CLASS:
            return Review(
                "Keras 3 calls other methods of a subclass: `fit` calls `scale_loss` and `apply`",
                "Inherit from compat_lossscale.keras3.LossScaleOptimizer, and override these.",
            )
        if usage is Usage.VALUE:
            return Review(
                "it is passed on, so how it will be called cannot be seen here",
                f"Pass on compat_lossscale.{_OURS}, and call it with {COUNT_SKIPPED_STEPS}.",
            )
        call = program.call(occurrence)
        if call is None or _is_complete(call):
            return rename(_WITH_OLD_ARGUMENTS, occurrence)
        added = append_arguments(program.tree, call, [COUNT_SKIPPED_STEPS])

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            return [*renderer.name_edit(occurrence), *added]

        return Rewrite(_WITH_OLD_ARGUMENTS, edits)


def _of_stock(call: cst.Call | None) -> Review | Ignore:
    """Says what Keras 3's own class, which the program gets, does otherwise."""
    if call is None:
        return Ignore()
    dynamic = argument_of(call.args, 1, "dynamic")
    value = dotted(dynamic.value) if dynamic is not None else None
    if dynamic is not None and value != "True" and (dynamic.keyword or value == "False"):
        return NOT_FIXED
    left = "Leave out `dynamic`" if value == "True" else "Leave it"
    advice = f"{left}, if the model trains as well; or do without --no-dependency."
    return dataclasses.replace(WITHOUT_FLOOR, advice=advice)


def _is_complete(call: cst.Call) -> bool:
    """Whether a call needs no further argument: its loss scale is fixed, or it has that."""
    dynamic = argument_of(call.args, 1, "dynamic")
    is_fixed = dynamic is not None and dotted(dynamic.value) == "False"
    return is_fixed or "count_skipped_steps" in keywords_of(call)


class Keras3Members(_Keras3Rule):
    """Members of optimizers that Keras 3 lacks are rewritten or reported (`--target keras3`)."""

    id = "LS321"
    title = "Members of optimizers in Keras 3"


class ScaledStepMethods(_Keras3Rule):
    """Training steps with a scaled loss stay, or are reported (`--target keras3`)."""

    id = "LS323"
    title = "Training steps with a scaled loss"
    markers = (
        *OLD_NAMES,
        Marker(b"get_scaled_loss"),
        Marker(b"get_unscaled_gradients"),
        Marker(b"loss_scale"),
    )

    def applies(self, program: Program) -> bool:
        """Whether a file is old, or may read the loss scale of Keras 3's own class."""
        is_alone = program.target is Target.KERAS3_ALONE and not program.is_written_for_keras_3
        return is_alone or super().applies(program)


class Keras3Compiles(_Keras3Rule):
    """Optimizers that `compile` wraps under `mixed_float16` get our wrapper (`--target keras3`)."""

    id = "LS511"
    title = "Optimizers that `compile` wraps"

    def verdicts(self, program: Program) -> Iterator[Found]:
        """Yields the calls of `compile` whose optimizer Keras 3 wraps, or may wrap."""
        for node, verdict in optimizers.wrapped_by_compile(program):
            yield self.found(node, program, verdict, Role.LATER)


class Keras3Api(_Keras3Rule):
    """What Keras 3 lacks, refuses or has otherwise is reported, next to loss scaling."""

    id = "LS911"
    title = "What Keras 3 has otherwise"
    group_markers = (Marker(b"keras"),)

    moved = "the name that Keras 3 has for it"
    import_advice = "Import it by the name that Keras 3 has for it."

    def verdicts(self, program: Program) -> Iterator[Found]:
        """Yields the names that are gone or elsewhere, and the places that a row fits."""
        for node in program.tree.nodes(cst.Attribute):
            paths = program.resolver.paths(node)
            known = [path for path in paths if path and path.endswith(f".{node.attr.value}")]
            if not known or self._is_said_elsewhere(node, program):
                continue
            old = tuple(one for path in known if (one := self.old_import(path, program)))
            occurrence = self.occurrence(node, program, Role.LATER, old)
            occurrence.ambiguous = len(old) < len(paths)
            root = program.resolver.path(occurrence.base) or ""
            if old and self.old_import(root, program) is None:
                yield occurrence, rename(self.moved, occurrence)
            review = None if old else next(filter(None, map(gone, known)), None)
            if review is not None:
                yield self.found(node, program, review, Role.LATER)
        for binding in all_bindings(program.resolver):
            path = binding.path or ""
            above = itertools.accumulate(path.split("."), "{}.{}".format)
            review = next(filter(None, map(gone, above)), None)
            uses = [program.tree.parent(one) for one in binding.uses]
            read = [program.resolver.path(one) for one in uses if isinstance(one, cst.Attribute)]
            places = [path] if len(read) < len(uses) or not uses else [one or "" for one in read]
            is_kept = None in [self.old_import(one, program) for one in places]
            if review and is_kept and program.tree.around(binding.node, cst.ExceptHandler) is None:
                yield self.found(binding.node, program, review, Role.LATER)
        yield from super().verdicts(program)

    def _is_said_elsewhere(self, node: cst.Attribute, program: Program) -> bool:
        """Whether a row says more of a name that is gone, or a rule of what is below it."""
        call = program.tree.call_of(node) if node.attr.value == "set_value" else None
        if call is not None and not met.is_of_no_rate(call, program):
            return True
        ancestors = program.tree.ancestors(node)
        above = itertools.takewhile(lambda one: isinstance(one, cst.Attribute), ancestors)
        below = [canonical(p) for one in above for p in program.resolver.paths(one) if p]
        is_auto = any(one.endswith(".losses.Reduction.AUTO") for one in below)
        return is_auto or any(neighbour_at(one) or self.old_import(one, program) for one in below)

    def old_import(self, path: str, program: Program) -> OldName | None:
        """Returns a name that Keras 3 has elsewhere as an old name."""
        old = keras_3.moved_name(path)
        if path == "keras.backend":
            reads = map(program.resolver.path, program.tree.nodes(cst.Attribute))
            members = [one for one in reads if one and one.startswith(path)]
            return old if any(map(keras_3.gone_from_keras, members)) else None
        is_whole = old is not None and path.endswith(keras_3.PREPROCESSING)
        others = program.reads_by_attribute.keys() & keras_3.NOT_IN_LAYERS
        return None if is_whole and others else old


class Keras3Files(_Keras3Rule):
    """Files that Keras 3 writes and reads differently are reported (`--target keras3`)."""

    id = "LS912"
    title = "Files of Keras 3"
