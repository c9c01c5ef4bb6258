# SPDX-License-Identifier: Apache-2.0
"""Policies: their functions, their constructor, and what is read of their loss scale."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.domain import (
    Binding,
    LossScaleType,
    LossScaleTypes,
    ObjectType,
    Occurrence,
    Program,
    Usage,
    kept_compiles,
    lookup_of,
    model_compile,
    model_compiles,
    others_name,
    words_in,
)
from lossscale_codemods.rules.base import (
    OLD_NAMES,
    Found,
    Marker,
    ObservedFix,
    Review,
    Rewrite,
    Rule,
    Verdict,
    rename,
)
from lossscale_codemods.rules.loss_scale_arguments import NOT_FIXED, loss_scale_argument
from lossscale_codemods.source.edits import remove_item
from lossscale_codemods.source.syntax_tree import argument_of, dotted, is_none
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import WITH_KERAS_3, Meaning, Target, canonical, lookup
from lossscale_codemods.tables.records import Edit

SCALED = "mixed_float16"
"""The policy that has a loss scale if none is given."""
_DEAD = ("infer", "_with_float32_vars", "infer_float32_vars", "infer_with_float32_vars")
_SETTING = (Meaning.SET_POLICY, Meaning.POLICY_SCOPE)
_MADE = (Meaning.POLICY, Meaning.GLOBAL_POLICY)
_TRAINING = ("GradientTape", "apply_gradients", "minimize", "compile")
_FITTING = ("fit", "fit_generator", "train_on_batch")
_ASKING = frozenset({"load_model", "clone_and_build_model", "to_json", "to_yaml"})
"""What takes the loss scale of a policy, or shows it."""
_OWN_SCALES = (
    f"policy {SCALED}: dynamic 32768 2000",
    *(f"policy {name}: None" for name in ("float32", "float16", "bfloat16", "mixed_bfloat16")),
)
"""Policies in a recorded run with the loss scale that they have anyway."""
_READ = ("loss_scale", "should_cast_variables")
_TEXT = {"print", "str", "repr", "format", "debug", "info", "warning", "warn", "error", "log"}
"""Functions and methods that write what they are given as text."""
_SAME = "the loss scale is the one that this policy has anyway"

_WRAPPED_ALREADY = Review(
    "under mixed_float16, an earlier `compile` has wrapped it already, and tf-keras does not wrap "
    "an optimizer twice",
    "Give this one the model's `optimizer`, or wrap the optimizer before the first `compile`.",
)


class Policies(Rule):
    """`set_policy` becomes `set_global_policy`; other names lose `experimental`."""

    id = "LS501"
    title = "Global policy"
    meanings = frozenset({*_SETTING, Meaning.GLOBAL_POLICY, Meaning.LAYER_POLICY})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells calls and other uses; the signatures did not change."""
        if occurrence.meaning is Meaning.POLICY_SCOPE:
            return Review(
                "policy_scope is private and gone",
                "Call set_global_policy before and after, or give layers their dtype.",
            )
        if occurrence.meaning is Meaning.LAYER_POLICY:
            return _of_layer(occurrence, program)
        if program.usage(occurrence) in (Usage.MEMBER, Usage.BASE_CLASS):
            return None
        call = program.call(occurrence)
        dead = _dead_name(call)
        if dead is not None:
            return dead
        if program.target in WITH_KERAS_3 and call and any(is_none(a.value) for a in call.args):
            return Review(
                "Keras 3 takes no None for the policy",
                "Give the name of the default policy, which is 'float32' unless set_floatx() "
                "changed it.",
            )
        return rename("the current name", occurrence)


class OptimizersCompiledAgain(Rule):
    """Reports a second `compile` of an optimizer that the first one wraps (`--target tf-keras`)."""

    id = "LS512"
    title = "Optimizers that are compiled twice"
    targets = frozenset({Target.TF_KERAS})

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the optimizers, if the program sets a policy by an old name."""
        if not any(_is_old_and_may_scale(call, program) for call in policy_calls(program)):
            return
        wrapped: list[tuple[cst.CSTNode, frozenset[Binding]]] = []
        for compiled in sorted(model_compiles(program), key=lambda c: program.tree.span(c.call)):
            given: list[cst.BaseExpression] = []
            match compiled.optimizer:
                case cst.Arg(value=cst.List(elements=elements) | cst.Tuple(elements=elements)):
                    given = [element.value for element in elements]
                case cst.Arg(value=value):
                    given = [value]
            for node in given:
                bindings = program.resolver.bindings(node)
                if any(bindings & b and _can_follow(call, node, program) for call, b in wrapped):
                    yield self.found(node, program, _WRAPPED_ALREADY)
                wrapped.append((compiled.call, bindings))


class PolicyObjects(Rule):
    """`Policy(name, loss_scale=...)` becomes `Policy(name)`, if that means the same."""

    id = "LS502"
    title = "Policies with a loss scale"
    meanings = frozenset({Meaning.POLICY})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Drops a loss scale that the policy has anyway, or that nothing takes."""
        call = program.call(occurrence)
        if call is None:
            return None
        if any(a.star for a in call.args):
            return Review(
                "its arguments are unpacked, so they cannot be seen here",
                "Take loss_scale out of them: the new Policy does not have it.",
            )
        dead = _dead_name(call)
        if dead is not None:
            return dead
        scale = loss_scale_argument(call)
        if scale is None:
            return rename("the current class", occurrence)
        removed = remove_item(program.tree, call.args, [scale])
        same = rename(_SAME, occurrence, removed)
        owners = [one.value for one in program.reads_by_attribute.get("get_config", ())]
        is_shown = any(not isinstance(x, cst.Call) or dotted(x.func) != "super" for x in owners)
        refusal = _refusal(call, scale, program)
        if refusal is None and is_shown:
            refusal = Review(
                "get_config() is read from it, and has a loss scale only where one was given",
                "Read nothing of the loss scale from the config, then drop loss_scale.",
            )
        if refusal is None:
            return same
        if not is_shown and _decides_nothing(call, scale.value, program):
            gone = set(program.tree.walk(scale.value))
            return dataclasses.replace(
                same,
                message="the loss scale of a policy is for optimizers that `compile` wraps, and it "
                "wraps none here",
                claims=[other for other in program.references if other.node in gone],
            )
        likely = None if is_shown else _why_likely(call, scale, program)
        if likely is not None:
            refusal.unsafe_fix = dataclasses.replace(same, message=likely)
        if not is_shown:
            refusal.observed_fixes = [ObservedFix("policy", (seen,), same) for seen in _OWN_SCALES]
        return refusal


class PolicyReads(Rule):
    """What is read of a policy's loss scale is reported: policies have none any more."""

    id = "LS504"
    title = "The loss scale of a policy"
    markers = (*OLD_NAMES, Marker(b"should_cast_variables"))

    def find(self, program: Program) -> Iterator[Found]:
        """Yields reads of what proven policies no longer have, and their text."""
        for name in _READ:
            for node in program.reads_by_attribute.get(name, ()):
                if _is_policy_read(node, program) and not _is_taken(node, program):
                    yield self.found(node, program, _GONE if name == "loss_scale" else _NO_CAST)
        for call in program.tree.nodes(cst.Call):
            found = lookup_of(call, program.scopes)
            if found is None or found.way not in ("getattr", "hasattr"):
                continue
            if found.name in _READ and program.types.is_policy(found.owner):
                yield self.found(call, program, _GONE)
        made = {program.call(one) for one in program.references if one.meaning in _MADE} - {None}
        for text in _as_text(program) if made else ():
            if text in made or any(v.made_by in made for v in program.types.values(text)):
                yield self.found(text, program, _PRINTED)


_GONE = Review(
    "policies have no loss scale any more",
    "Ask for the policy's `name`, which is 'mixed_float16' where losses are scaled, or read "
    "`loss_scale` of the optimizer. Where an optimizer is made with it, write the loss scale.",
)
_NO_CAST = Review(
    "should_cast_variables is gone", "Compare `policy.compute_dtype` with `policy.variable_dtype`."
)
_PRINTED = Review(
    "the text of a policy has no loss scale any more",
    "Write its `name` instead, or leave it if only people read the text. Later runs do not report "
    "it, because the text is right in new code.",
)

SETTERS = ("set_policy", "set_global_policy", "set_dtype_policy", "policy_scope")
"""What sets policies, old and new."""
OF_POLICIES = (*SETTERS, "Policy", "DTypePolicy")
"""What sets policies, or makes them."""


def policy_calls(program: Program) -> Iterator[cst.Call]:
    """Yields the calls that set policies, or make them."""
    for node in program.tree.nodes(cst.Call):
        if program.resolver.can_be(node.func, _is_of_policies):
            yield node


def _is_of_policies(path: str) -> bool:
    old = lookup(path)
    if old is not None:
        return old.meaning in (*_SETTING, Meaning.POLICY)
    is_home = ".mixed_precision." in canonical(path) or path.startswith("keras.")
    return is_home and path.endswith(OF_POLICIES)


def _is_old_and_may_scale(policy: cst.Call, program: Program) -> bool:
    """Whether a call sets or makes a policy by an old name, which may be `mixed_float16`."""
    is_old = program.resolver.can_be(policy.func, lookup)
    return is_old and name_of(policy, program) in (SCALED, None)


def _can_follow(call: cst.CSTNode, node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is not in the other branch of an `if` than a call before it."""
    around, below = set(program.tree.ancestors(call)), node
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.If) and above in around:
            return (below is above.orelse) is (above.orelse in around)
        below = above
    return True


def name_of(policy: cst.Call, program: Program) -> str | None:
    """Returns the name of a policy, if it can be seen."""
    argument = argument_of(policy.args, 0, "name")
    node = argument.value if argument is not None else None
    if isinstance(node, cst.Name):
        values = program.resolver.values(node)
        node = values[0] if len(values) == 1 else None
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def compiles_wrapped(node: cst.CSTNode | None, program: Program) -> bool:
    """Whether a call compiles a model with an optimizer that `compile` does not wrap again."""
    compiled = model_compile(node, program)
    given = compiled.optimizer if compiled is not None else None
    return given is not None and program.types.of(given.value) == {ObjectType.WRAPPER}


def _of_layer(occurrence: Occurrence, program: Program) -> Verdict:
    """Says what becomes of `get_layer_policy`."""
    call = program.call(occurrence)
    if call is None or len(call.args) != 1 or call.args[0].star:
        return Review(
            "the policy of a layer is an attribute now, and this is not a plain call",
            "Write `layer.dtype_policy`.",
        )
    above = program.tree.parent(call)
    if isinstance(above, cst.Attribute) and above.attr.value in _READ:
        return _GONE
    layer = program.tree.source(call.args[0].value)
    if not isinstance(call.args[0].value, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        layer = f"({layer})"
    edit = Edit(*program.tree.span(call), f"{layer}.dtype_policy")
    return Rewrite("the layer's own attribute", lambda _: [edit], keeps_name=False)


def _dead_name(call: cst.Call | None) -> Review | None:
    """Returns the finding on the name of a policy that no version of today knows."""
    if call is None or not call.args or not isinstance(call.args[0].value, cst.SimpleString):
        return None
    name = str(call.args[0].value.evaluated_value)
    if name != "infer" and not name.endswith(_DEAD[1:]) and "float32_vars" not in name:
        return None
    return Review(
        f"there is no policy of this name any more: {name!r}",
        "Say the dtype that is meant: 'mixed_float16', 'mixed_bfloat16' or 'float32'.",
    )


def _refusal(call: cst.Call, scale: cst.Arg, program: Program) -> Review | None:
    """Says why a policy needs its loss scale; nothing if it has that anyway."""
    name = name_of(call, program)
    kinds = LossScaleTypes(program).types(scale.value)
    source = program.tree.source(scale.value)
    if name is None:
        return Review(
            "which policy it is cannot be seen here, and with it what loss scale it has anyway",
            "Drop loss_scale for ('mixed_float16', 'dynamic') and (any other, None); "
            "otherwise wrap the optimizer yourself.",
        )
    if kinds == {LossScaleType.DYNAMIC if name == SCALED else LossScaleType.NOTHING}:
        return None
    if kinds == {LossScaleType.NOTHING}:
        return Review(
            "under mixed_float16, Model.compile always wraps the optimizer with a dynamic loss "
            "scale, and loss_scale=None asked for none",
            "Drop loss_scale=None if that is fine; otherwise write the training loop yourself, or "
            "keep the policy with `--target compat`.",
        )
    if program.target is Target.KERAS3_ALONE and kinds == {LossScaleType.NUMBER}:
        return dataclasses.replace(NOT_FIXED)
    if LossScaleType.UNKNOWN in kinds or len(kinds) > 1:
        return Review(
            f"the new Policy has no loss scale, and whether {source} is the one that {name!r} has "
            "is known only when the program runs",
            "Drop it if it is; otherwise wrap the optimizer in LossScaleOptimizer before compile.",
        )
    home = "compat_lossscale.keras3." if program.target is Target.KERAS3 else ""
    return Review(
        f"the new Policy has no loss scale, and {source} is not the one that {name!r} has",
        "Drop it, and wrap the optimizer before Model.compile, unless it is wrapped already: "
        f"{home}LossScaleOptimizer(optimizer, dynamic=False, initial_scale=...) for a fixed one.",
    )


def _why_likely(call: cst.Call, scale: cst.Arg, program: Program) -> str | None:
    """Says why a policy probably does the same without its loss scale, if it does."""
    if program.reads_by_attribute.get("loss_scale"):
        return None
    known = LossScaleTypes(program).types(scale.value)
    if name_of(call, program) is None and known <= {LossScaleType.DYNAMIC, LossScaleType.NOTHING}:
        return "it is probably the loss scale that this policy has anyway"
    if program.reads_by_attribute.get("compile"):
        return None
    # What is compiled elsewhere may be no model: then nothing is trained as one is.
    modules = program.types.project.modules
    if others_name(modules, ["compile"]) and others_name(modules, _FITTING):
        return None
    return "the loss scale of a policy is for `compile`, which is not called here"


def _decides_nothing(policy: cst.Call, scale: cst.BaseExpression, program: Program) -> bool:
    """Whether the loss scale of a policy is for nothing in its program.

    Only `compile` took it: by itself, or where it loaded a compiled model, and not for an optimizer
    that was wrapped already.
    """
    kinds = LossScaleTypes(program).types(scale)
    modules, reads = program.types.project.modules, program.reads_by_attribute
    words = words_in(program.source) or _ASKING
    return (
        not kinds & {LossScaleType.UNKNOWN, LossScaleType.INVALID}
        and not any(_reads_scale(read, policy, program) for read in reads.get("loss_scale", ()))
        and _ASKING.isdisjoint(words)
        and (not words.isdisjoint(_TRAINING) or others_name(modules, _TRAINING))
        and ("compile" not in words or bool(reads.get("compile")))
        and not any(kept_compiles(program))
        and all(
            compiles_wrapped(program.tree.parent(read), program) or _is_other(read, program)
            for read in reads.get("compile", ())
        )
        and not others_name(modules, [*_ASKING, "compile", "get_config"])
    )


def _reads_scale(read: cst.Attribute, policy: cst.Call, program: Program) -> bool:
    """Whether the loss scale is read of a policy, or of one that may be it, for its value."""
    is_of_it = any(value.made_by is policy for value in program.types.values(read.value))
    return is_of_it or (_is_policy_read(read, program) and not _is_taken(read, program))


def _is_other(read: cst.Attribute, program: Program) -> bool:
    """Whether `x.compile` is a function of another package, as `re.compile` is."""
    paths = program.resolver.paths(read)
    return bool(paths) and all(p is not None and not frameworks.is_framework(p) for p in paths)


def _is_policy_read(node: cst.Attribute, program: Program) -> bool:
    """Whether something is read of a policy, other than what `get_layer_policy` gives."""
    owner = node.value
    if isinstance(owner, cst.Call) and any(
        one.meaning is Meaning.LAYER_POLICY and one.node is owner.func for one in program.references
    ):
        return False
    if program.types.is_policy(owner):
        return True
    word = (dotted(owner) or "").rpartition(".")[2].lower()
    return word.endswith("policy") and any(one.meaning in _MADE for one in program.references)


def _is_taken(read: cst.Attribute, program: Program) -> bool:
    """Whether a loss scale is read for an old constructor, whose rule says what becomes of it."""
    call = program.tree.taker_of(read)
    return (
        call is not None
        and loss_scale_argument(call) is program.tree.parent(read)
        and any(o.node is call.func and o.meaning is Meaning.OPTIMIZER for o in program.references)
    )


def _as_text(program: Program) -> Iterator[cst.BaseExpression]:
    """Yields what is written as text."""
    for node in program.tree.parents:
        match node:
            case cst.FormattedStringExpression():
                yield node.expression
            case cst.BinaryOperation(operator=cst.Modulo(), right=cst.Tuple(elements=elements)):
                yield from (element.value for element in elements)
            case cst.BinaryOperation(operator=cst.Modulo(), right=right):
                yield right
            case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))) if (
                name in _TEXT
            ):
                yield from (a.value for a in node.args if not a.star and a.keyword is None)
