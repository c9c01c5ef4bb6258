# SPDX-License-Identifier: Apache-2.0
"""Old names themselves: renamed where they stand, passed on, or with an unknown root."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.domain import (
    Occurrence,
    Program,
    Role,
    Usage,
    is_part_of_old,
    keras_optimizer,
    loss_scale_optimizer,
)
from lossscale_codemods.rules.base import (
    Found,
    Ignore,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.rules.constructors import contrib_member
from lossscale_codemods.rules.loss_scale_arguments import old_name, takes_old_arguments
from lossscale_codemods.source.syntax_tree import dotted, instance_of, is_none
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.frameworks import is_new_optimizer
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, Target

_COMPARED = {
    Usage.TYPE_TEST: "isinstance with the current class",
    Usage.ANNOTATION: "annotated with the current class",
    Usage.CUSTOM_OBJECT: "the current class under its name",
}

_NEVER_TRUE = Review(
    "what the current class makes is of other classes from TensorFlow 2.11 on, so that this is "
    "never true",
    "Ask isinstance(...), which also accepts these classes.",
)


class CompatNames(Rule):
    """With `--target compat`, names of the old API become the same names in compat_lossscale."""

    id = "LS001"
    title = "Old names with `--target compat`"
    targets = frozenset([Target.COMPAT])

    def find(self, program: Program) -> Iterator[Found]:
        """Yields comparisons of types with the class, whose objects are of several classes."""
        for occurrence in program.references:
            compares = program.usage(occurrence) is Usage.TYPE_COMPARISON
            comparison = program.tree.around(occurrence.node, cst.Comparison)
            if compares and occurrence.meaning is Meaning.OPTIMIZER and comparison is not None:
                yield self.found(comparison, program, _NEVER_TRUE)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what compat_lossscale has."""
        if occurrence.role is Role.UNRESOLVED or not occurrence.names:
            return None
        if not all(old.new_paths(program.target) for old in occurrence.names):
            return Review(
                "compat_lossscale does not have this name",
                "Move to tf.compat.v1.mixed_precision, or to the non-experimental Keras API.",
            )
        if occurrence.meaning is Meaning.MODULE and program.usage(occurrence) is Usage.MEMBER:
            return Review(
                "compat_lossscale does not have what is taken from this module",
                "Take it from where it is public, or do without it.",
            )
        return rename("the same name in compat_lossscale", occurrence)


class TypeTests(Rule):
    """Type tests and annotations with an old class get the new class."""

    id = "LS401"
    title = "isinstance, annotations, custom objects"

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class."""
        if occurrence.meaning in (Meaning.MODULE, Meaning.CONTRIB, None):
            return None
        usage = program.usage(occurrence)
        if occurrence.role is not Role.REFERENCE:
            return None
        is_of_either = occurrence.meaning in (Meaning.OPTIMIZER, Meaning.POLICY)
        if usage is Usage.TYPE_COMPARISON and is_of_either:
            return _NEVER_TRUE
        is_optimizer = occurrence.meaning is Meaning.OPTIMIZER
        if usage is Usage.CUSTOM_OBJECT and is_optimizer and program.target is Target.TF_KERAS:
            return Review(
                "tf-keras cannot load the current class as a custom object, because it has no "
                "from_config()",
                "Remove it from custom objects: TensorFlow knows its class itself.",
            )
        is_tested = usage is Usage.TYPE_TEST and isinstance(occurrence.node, cst.Attribute)
        if is_tested and is_optimizer and program.target is Target.KERAS3:
            stock = tuple(old_name(one.path, Target.KERAS3_ALONE) for one in occurrence.names)
            occurrence = dataclasses.replace(occurrence, names=stock)  # The base class of ours.
        return rename(_COMPARED[usage], occurrence) if usage in _COMPARED else None


class V1Names(Rule):
    """The v1 wrapper gets its current name, `tf.compat.v1.mixed_precision.*`."""

    id = "LS601"
    title = "Names of the v1 API"
    meanings = frozenset({Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if program.usage(occurrence) in (Usage.BASE_CLASS, Usage.MEMBER):
            return None
        return rename("the name that is still there under compat.v1", occurrence)


class Imports(Rule):
    """Imports of old names import the new ones, under the name that the file already uses."""

    id = "LS101"
    title = "Imports and aliases"
    targets = frozenset(Target)
    decides_imports = True

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Renames what an alias stands for; whether the alias can move is decided with its uses."""
        if occurrence.role is Role.REFERENCE and program.usage(occurrence) is Usage.ALIAS:
            return rename("the alias stands for the new name", occurrence)
        return None

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict:
        """Says which name is imported now, or why the old one still is."""
        # The edits are made where imports are put together.
        if state.moved:
            return Rewrite("imports the name that means the same today", lambda _: [])
        if state.dropped:
            return Rewrite("is no longer imported, because nothing uses it", lambda _: [])
        if state.only_suppressed:
            return Suppressed()
        reason, advice = state.reason, "Change those uses first, then run again."
        if state.star:
            reason = reason or "which names it brings in cannot be seen here"
            advice = "Import the names that are still needed from where they are today."
        elif not occurrence.names[0].new:
            reason = reason or f"{occurrence.names[0].path} has no equivalent"
        reason = reason or "the names under it are still used"
        return Review(f"the import stays as it is: {reason}", advice, follows=state.follows)


_WITH_SAME_MEMBERS = frozenset({Meaning.MODULE, Meaning.FIXED, Meaning.DYNAMIC, Meaning.LOSS_SCALE})
"""What has under its new name, or as a class that only moved, the members that it had."""
_CLASS_CALLED = Review(
    "the class of a loss-scale optimizer is called here, and the current one takes no loss_scale",
    "Pass dynamic=, initial_scale= and dynamic_growth_steps= instead of loss_scale=.",
)


class UnknownRoot(Rule):
    """A name that looks like an old one is reported if the object at its root is unknown."""

    id = "LS104"
    title = "Old names with an unknown root, or in the package `keras`"
    order = -1
    targets = frozenset(Target)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every name of these kinds."""
        is_of_keras_3 = any(old.is_of_keras_3 for old in occurrence.names)
        if is_of_keras_3 and program.target in WITH_KERAS_2:
            return Review(
                "`keras` is Keras 3 now, whose mixed precision has another API than this name had",
                "Import keras from tensorflow, to run with TF_USE_LEGACY_KERAS=1, or import "
                "tf_keras in its place; then run again.",
            )
        if occurrence.role is not Role.UNRESOLVED:
            return None
        if contrib_member(occurrence.node, program) is not None:
            return None
        return Review(
            "it reads like an old name, but where its first part comes from cannot be seen here",
            "If it is TensorFlow, write the new name; if not, suppress this finding.",
        )


class PassedOn(Rule):
    """An old name that is passed on, returned or unpacked is reported: its calls are unknown."""

    id = "LS205"
    title = "Names that are passed on"
    explains = frozenset({Meaning.PRIVATE})
    decides_the_rest = True

    def find(self, program: Program) -> Iterator[Found]:
        """Yields calls of an optimizer's class through the optimizer, with old arguments."""
        for node in program.tree.nodes(cst.Call):
            owner = instance_of(node.func)
            if (
                owner is not None
                and takes_old_arguments(node)
                and not isinstance(node.args[0].value, cst.BaseNumber)
                and loss_scale_optimizer(owner, program).can_be
            ):
                yield self.found(node, program, _CLASS_CALLED)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes and modules that escape."""
        if occurrence.role is not Role.REFERENCE or occurrence.meaning is None:
            return None
        if occurrence.meaning is Meaning.PRIVATE:
            return _of_private(occurrence, program)
        usage = program.usage(occurrence)
        if usage is Usage.VALUE and _is_tested(occurrence, program):
            return rename("only asked whether it is there", occurrence)
        taker = program.tree.taker_of(occurrence.node)
        if occurrence.ambiguous and taker is not None and dotted(taker.func) == "hasattr":
            return Ignore()  # What is taken of either module is found by itself.
        if usage is Usage.MEMBER and occurrence.meaning not in _WITH_SAME_MEMBERS:
            above = program.tree.parent(occurrence.node)
            member = getattr(getattr(above, "attr", None), "value", "a member")
            return Review(
                f"{member} of the class is not the same in the new class",
                "Look at what it is used for, and change that with it. The optimizer of tf-keras "
                "has no from_config.",
            )
        if usage is Usage.VALUE and occurrence.meaning in (Meaning.OPTIMIZER, Meaning.POLICY):
            return Review(
                "it is passed on, so how it will be called cannot be seen here",
                "Change the places that call it, then this one.",
            )
        if occurrence.meaning is Meaning.MODULE and usage is not Usage.ALIAS:
            return _of_module(occurrence, usage, program)
        return None


def _of_module(occurrence: Occurrence, usage: Usage, program: Program) -> Review:
    """Says what there is to say of a module that is passed on, or a member that no rule knows."""
    member = program.tree.parent(occurrence.node)
    what = getattr(getattr(member, "attr", None), "value", None)
    if usage is Usage.MEMBER and what:
        return Review(
            f"{what} is replaced here, or has no public equivalent",
            "Replace the new name instead, once everything else uses it; for what has none, see "
            "the migration guide.",
        )
    return Review(
        "the module is passed on, so what will be taken from it cannot be seen here",
        "Change the places that use it, then this one.",
    )


def _of_private(occurrence: Occurrence, program: Program) -> Verdict:
    others = program.resolver.paths(occurrence.node) - {o.path for o in occurrence.names}
    if others and all(p is not None and frameworks.is_framework(p) for p in others):
        return Ignore()  # Another import has it from where it is today.
    if all(old.new for old in occurrence.names):
        return rename("where tf-keras has the module, which is private as well", occurrence)
    return Review(
        "it is a private part of TensorFlow that is not there any more",
        "Do without it, or take it from tf_keras.src.mixed_precision if that still has it.",
    )


def _is_tested(occurrence: Occurrence, program: Program) -> bool:
    """Whether the name is used in `if name:` or `name is None`."""
    node, above = occurrence.node, program.tree.parent(occurrence.node)
    if isinstance(above, cst.Comparison):
        return above.left is node and all(is_none(c.comparator) for c in above.comparisons)
    if isinstance(above, cst.UnaryOperation | cst.Expr):
        return True
    tests = cst.If | cst.IfExp | cst.While | cst.Assert
    return isinstance(above, tests) and above.test is node


_SCALES = frozenset({Meaning.LOSS_SCALE, Meaning.FIXED, Meaning.DYNAMIC})
_SUBCLASS = Review(
    "a subclass depends on the constructor and the private parts of the old class",
    "Wrap the optimizer instead of inheriting, or keep the class with `--target compat`.",
)
_AT_RUN_TIME = Review(
    "if this optimizer is a loss-scale optimizer, it has another constructor from TensorFlow 2.11 "
    "on than an `__init__` for this class expects",
    "Derive the class from the optimizer inside, and wrap what it makes with LossScaleOptimizer.",
)


class LossScales(Rule):
    """`DynamicLossScale` and the like move to `compat.v1`, outside of optimizer arguments."""

    id = "LS203"
    title = "Loss scale classes"
    meanings = frozenset({*_SCALES, Meaning.LOSS_SCALE_GET})
    order = 1  # What an optimizer took over is decided with the optimizer.

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if occurrence.meaning is Meaning.LOSS_SCALE_GET:
            return Review(
                "it is a private function of TensorFlow that has no public equivalent",
                "Pass the number, or leave the loss scale out, instead of converting it.",
            )
        if program.usage(occurrence) is Usage.BASE_CLASS:
            # Only older versions may come to the import of the old class.
            is_old = program.today.can_be(occurrence.node, names.lookup)
            return _loss_scale_of_your_own(occurrence) if is_old else Ignore()
        call = program.call(occurrence)
        taker = program.tree.taker_of(call) if call is not None else None
        if taker is not None and any(
            one.node is taker.func and one.meaning is Meaning.OPTIMIZER
            for one in program.references
        ):
            return Ignore()  # It stays with that constructor, which is reported.
        return rename("the class that is still there under compat.v1", occurrence)


def _loss_scale_of_your_own(occurrence: Occurrence) -> Review:
    is_v1 = bool(occurrence.names) and all(old.v1 for old in occurrence.names)
    renamed = rename("the class that is still there under compat.v1", occurrence)
    return Review(
        "no current Keras optimizer takes a loss scale of your own",
        "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments. If only "
        "optimizers of TensorFlow 1 get it, derive it from the class in "
        "tf.compat.v1.mixed_precision.",
        unsafe_fix=renamed if is_v1 else None,
    )


class Subclasses(Rule):
    """A subclass of an old optimizer is reported."""

    id = "LS204"
    title = "Subclasses"

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports base classes."""
        others = {*_SCALES, Meaning.CONTRIB}
        if occurrence.meaning in others or program.usage(occurrence) is not Usage.BASE_CLASS:
            return None
        if occurrence.meaning is Meaning.V1_OPTIMIZER:
            return Review(
                "a subclass depends on the private parts of the old class",
                "If it overrides public methods alone, derive it from MixedPrecisionLossScale"
                "Optimizer of tf.compat.v1.mixed_precision.",
                unsafe_fix=rename("the class that is still there under compat.v1", occurrence),
            )
        return None if _derives_from_today(occurrence, program) else _SUBCLASS


class DerivedClasses(Rule):
    """Reports a class derived from the current optimizer, in a program with old names."""

    id = "LS206"
    title = "Subclasses of the current optimizer"
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields base classes that are the class of today, as where guards were collapsed."""
        if program.target not in WITH_KERAS_2:
            return
        for node in program.tree.nodes(cst.Call):
            if program.target is Target.TF_KERAS and _is_derived_at_run_time(node, program):
                yield self.found(node, program, _AT_RUN_TIME, Role.OPTIMIZER)
        for definition in program.tree.nodes(cst.ClassDef):
            for base in definition.bases:
                if program.resolver.is_only(base.value, is_new_optimizer):
                    yield self.found(base.value, program, _of_today(""))

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes that are made of the optimizer of today."""
        if not _derives_from_today(occurrence, program):
            return None
        return _of_today("on new versions " if occurrence.ambiguous else "")


def _of_today(when: str) -> Review:
    return Review(
        f"{when}this is a subclass of the current class, of which no object can be made from "
        "TensorFlow 2.11 on",
        "Wrap the optimizer, or inherit from compat_lossscale.LossScaleOptimizer.",
    )


def _derives_from_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether an occurrence is a base class that is the optimizer of today, on some version."""
    is_base = program.usage(occurrence) is Usage.BASE_CLASS
    return is_base and program.today.can_be(occurrence.node, is_new_optimizer)


def _is_derived_at_run_time(node: cst.Call, program: Program) -> bool:
    """Whether a call makes a class from that of an optimizer: `type(x, (opt.__class__,), y)`."""
    if dotted(node.func) != "type" or len(node.args) != 3 or not is_part_of_old(program):
        return False
    bases = node.args[1].value
    return isinstance(bases, cst.Tuple) and any(
        isinstance(base.value, cst.Attribute)
        and base.value.attr.value == "__class__"
        and keras_optimizer(base.value.value, program).can_be
        and loss_scale_optimizer(base.value.value, program).can_be
        for base in bases.elements
    )
