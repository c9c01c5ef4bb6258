# SPDX-License-Identifier: Apache-2.0
"""What becomes of Keras' optimizers in Keras 3: of classes, by name, and where `compile` wraps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    Compile,
    LossScaleType,
    LossScaleTypes,
    NameRenderer,
    ObjectType,
    Occurrence,
    Program,
    Role,
    Usage,
    constant_or_none,
    is_handed_on,
    kept_compiles,
    may_be_text,
    model_compiles,
    others_name,
)
from lossscale_codemods.rules.base import Review, Rewrite, rewrite
from lossscale_codemods.rules.keras_3_conditions import names_one_of, returned
from lossscale_codemods.rules.loss_scale_arguments import loss_scale_argument
from lossscale_codemods.rules.policies import OF_POLICIES, SCALED, policy_calls
from lossscale_codemods.source.edits import append_arguments
from lossscale_codemods.source.syntax_tree import dotted, is_none, keywords_of, last_name
from lossscale_codemods.tables import keras_3, names, optimizer_families
from lossscale_codemods.tables.keras_3 import CLASSES, CLIPS, REFUSED, class_at
from lossscale_codemods.tables.names import Target, canonical, loss_scale_optimizers
from lossscale_codemods.tables.records import Edit

_NO_FLOATS = frozenset(
    {"Variable", "array", "asarray", "cast", "constant", "convert_to_tensor", "float16", "float32"}
)
"""Functions that give what is no Python float."""
_KNOWN = {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}
_HOMES = ("tensorflow.keras.optimizers", "tensorflow.optimizers", "keras.optimizers")
_OLD_KEYWORDS = ("use_legacy_optimizer", "use_legacy_format")
_KEPT = cst.Assign | cst.AnnAssign | cst.Attribute | cst.ImportAlias
"""Where the file itself goes on with what is read."""
_FINDINGS = {name: Review(**stored) for name, stored in keras_3.DATA["findings"].items()}
HELPER = "_loss_scaled"
_SOURCE = '''
def {helper}(model, optimizer):
    """Returns an optimizer as `compile` wraps it: with loss scaling under mixed_float16."""
    if model.dtype_policy.name != "mixed_float16" or isinstance(
        optimizer, {wrapper}
    ):
        return optimizer
    optimizer = {get}(optimizer)
    return {wrapper}(optimizer, count_skipped_steps=True)
'''
_LISTS = cst.List | cst.Tuple
_ROOTS = ("tensorflow.keras", "keras", "tensorflow.compat.v1.keras")
_WRAPPED = {ObjectType.WRAPPER, ObjectType.NOTHING}
_V1 = {ObjectType.V1, ObjectType.V1_WRAPPER}
_STOCK = (
    "Keras 3 wraps the optimizer here under mixed_float16, with a loss scale that has no floor and "
    "no cap, and `iterations` does not count steps that are skipped"
)
_WRAP = "Give it an optimizer that is wrapped in compat_lossscale.keras3's."


def of_class(
    node: cst.BaseExpression, paths: Sequence[str], program: Program
) -> Rewrite | Review | None:
    """Says what becomes of a use of a class; nothing if it is right as it is."""
    names = {name for path in paths if (name := class_at(path)) is not None}
    above = program.tree.parent(node)
    if not names:
        return None if isinstance(above, _KEPT) else _FINDINGS["module"]
    usage = program.usage(Occurrence(node, program.tree.span(node), Role.LATER))
    if usage is Usage.BASE_CLASS:
        return _FINDINGS["subclass"]
    classes = [name for name in sorted(names) if name in CLASSES]
    if not classes:
        return None
    if usage is Usage.CALLED and isinstance(above, cst.Call):
        return _of_call(above, classes, program)
    if usage is Usage.MEMBER:
        if not isinstance(above, cst.Attribute) or above.attr.value != "from_config":
            return None
        made = program.tree.call_of(above)
        given = made.args[0].value if made is not None and made.args else None
        is_of_today = isinstance(given, cst.Call) and last_name(given.func) == "get_config"
        return None if is_of_today else _FINDINGS["config"]
    if usage not in (Usage.VALUE, Usage.CUSTOM_OBJECT):
        return None
    if optimizer_families.ONLY_LEGACY & keywords_of(program.tree.taker_of(node)).keys():
        return _FINDINGS["unpacked"]  # As to functools.partial.
    return _computed_otherwise(classes, None, program)


def _of_call(call: cst.Call, classes: Sequence[str], program: Program) -> Rewrite | Review | None:
    """Says what Keras 3 refuses of the arguments of a constructor, or computes otherwise."""
    if any(argument.star for argument in call.args):
        return _FINDINGS["unpacked"]
    arguments = _named(call.args, classes)
    if arguments is None:
        return _FINDINGS["unnamed"]
    lr = arguments.get("lr")
    renamed = []
    if lr is not None and lr.keyword is not None:
        renamed = [Edit(*program.tree.span(lr.keyword), "learning_rate")]
    review = _refused(arguments, classes, program)
    review = review or _computed_otherwise(classes, arguments, program)
    if review is None:
        return rewrite("`lr` is `learning_rate`", renamed) if renamed else None
    if renamed:
        advice = f"Write `learning_rate` for `lr`, which Keras 3 refuses. {review.advice}"
        review = dataclasses.replace(review, advice=advice, stops=True)
    return review


def _named(given: Sequence[cst.Arg], classes: Sequence[str]) -> dict[str, cst.Arg] | None:
    """Returns the arguments of a constructor by their names, if these are the same for all."""
    parameters = [CLASSES[one].positional for one in classes]
    by_name = {}
    for index, argument in enumerate(given):
        if argument.keyword is not None:
            by_name[argument.keyword.value] = argument
            continue
        name, *others = {one[index] if index < len(one) else None for one in parameters}
        if name is None or others:
            return None
        by_name[name] = argument
    return by_name


def _refused(
    arguments: dict[str, cst.Arg], classes: Sequence[str], program: Program
) -> Review | None:
    """Says which argument Keras 3 refuses, or takes no notice of."""
    given = {name: one.value for name, one in arguments.items()}
    refused = sorted(REFUSED & given.keys())
    if refused:
        return Review(f"Keras 3 does not take {refused[0]}", "Do without it.", stops=True)
    if sum(not is_none(given[one]) for one in CLIPS & given.keys()) > 1:
        return _FINDINGS["clips"]
    if "epsilon" in given and _is_nothing(given["epsilon"], program):
        return _FINDINGS["epsilon"]
    rate = given.get("learning_rate", given.get("lr"))
    if rate is not None and _is_no_float(rate, program):
        return _FINDINGS["learning_rate"]
    if "momentum" in given and "SGD" in classes and _is_no_float(given["momentum"], program):
        return _FINDINGS["momentum"]
    if "decay" in given and not _is_nothing(given["decay"], program):
        return _FINDINGS["decay"]
    return None


def _is_no_float(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is None, a whole number, a tensor or a variable."""
    made = [value for value in program.resolver.values(node) if value is not None] or [node]
    calls = [value for value in made if isinstance(value, cst.Call)]
    for value in [*made, *(one for call in calls for one in returned(call.func, program))]:
        path = program.resolver.path(value.func) if isinstance(value, cst.Call) else None
        module, _, last = (path or "").rpartition(".")
        is_no_float = last in _NO_FLOATS and not module.startswith("keras")
        if is_no_float or isinstance(value, cst.Integer) or is_none(value):
            return True
    return False


def _is_nothing(node: cst.BaseExpression, program: Program) -> bool:
    value = constant_or_none(program.tree.source(node))
    return is_none(node) or (isinstance(value, int | float) and value == 0)


def _computed_otherwise(
    classes: Sequence[str], arguments: dict[str, cst.Arg] | None, program: Program
) -> Review | None:
    """Says what Keras 3's classes compute otherwise, with arguments as far as these are known."""
    given = (arguments or {}).get("momentum")
    momentum = constant_or_none(program.tree.source(given.value)) if given is not None else 0
    has_momentum = isinstance(momentum, int | float) and momentum > 0
    for name in classes:
        if CLASSES[name].computes and not (name == "RMSprop" and has_momentum):
            return Review(
                CLASSES[name].computes,
                "Train with another optimizer, or see whether the model trains as well. RMSprop "
                "with the square of its epsilon does the same for gradients far below epsilon and "
                "far above it.",
            )
    is_plain = list(classes) == ["SGD"] and arguments is not None and momentum == 0
    if is_plain or not names_one_of(keras_3.NAMES["sparse"], program):
        return None
    if not keras_3.MOVES_ALL_ROWS.issuperset(classes):
        return _FINDINGS["sparse"]
    is_scaled = program.target is Target.KERAS3 and _is_always_scaled(program)
    return None if is_scaled else _FINDINGS["row_by_row"]


def _is_always_scaled(program: Program) -> bool:
    """Whether no condition decides on loss scaling, but those of versions and `main`."""
    strings, calls = program.tree.nodes(cst.SimpleString), program.tree.nodes(cst.Call)
    scales: list[cst.CSTNode] = [one for one in strings if one.evaluated_value == SCALED]
    scales += [one for one in calls if "LossScaleOptimizer" in str(program.resolver.path(one.func))]
    above = map(program.tree.ancestors, scales)
    tests = [[one.test for one in all_ if isinstance(one, cst.If | cst.IfExp)] for all_ in above]
    return any(all("__" in program.tree.source(test) for test in one) for one in tests)


def _of_compiled_name(compiled: Compile, program: Program) -> Review | None:
    """Says what is otherwise of the optimizer that a model is compiled with by name."""
    argument = compiled.optimizer
    if argument is None:
        if compiled.is_unpacked or not compiled.is_proven:
            return None
        default = _computed_otherwise([optimizer_families.DEFAULT], {}, program)
        return default and Review(
            f"`compile` takes RMSprop by itself: {default.message}",
            default.advice,
            cause=compiled.call,
        )
    if isinstance(argument.value, cst.SimpleString):
        return _of_text(argument.value, program)
    kinds = program.types.of(argument.value)
    if kinds <= _KNOWN or not compiled.is_proven or isinstance(argument.value, _LISTS):
        return None
    is_unknown = ObjectType.OTHER in kinds or may_be_text(argument.value, program)
    return _FINDINGS["unknown"] if is_unknown else None


def _of_text(text: cst.SimpleString, program: Program) -> Review | None:
    name = optimizer_families.class_of(str(text.evaluated_value))
    return _computed_otherwise([name], {}, program) if name is not None else None


def by_names(program: Program) -> Iterator[tuple[cst.BaseExpression, Review]]:
    """Yields what makes optimizers by name, and is not surely right."""
    for compiled in _compiles_for_training(program):
        if (review := _of_compiled_name(compiled, program)) is not None:
            yield compiled.call.func, review
    for node in program.scopes.scope_of_read:
        if isinstance(node, cst.Name | cst.Attribute):
            review = _by_name(node, program)
            if review is not None:
                yield node, review


def _compiles_for_training(program: Program) -> Iterator[Compile]:
    """Yields the calls of `compile`, but where a model has steps of its own and optimizers too."""
    for compiled in model_compiles(program):
        owner = program.tree.around(compiled.call, cst.ClassDef)
        is_default = compiled.optimizer is None and not compiled.is_unpacked
        if owner is None or not is_default or not _has_own_optimizers(owner, program):
            yield compiled


def _has_own_optimizers(model: cst.ClassDef, program: Program) -> bool:
    """Whether a model has a `train_step` and never reads the optimizer that it is compiled with."""
    inside = [dotted(one) for one in program.tree.walk(model) if isinstance(one, cst.Attribute)]
    return "train_step" in program.scopes.of_node[model].bindings and "self.optimizer" not in inside


def _by_name(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    """Says what to do about a function that makes optimizers, or the module as a whole."""
    for path in program.resolver.paths(node):
        module, _, name = canonical(path or "").rpartition(".")
        if f"{module}.{name}" in _HOMES:
            return _FINDINGS["unknown"] if is_handed_on(node, program) else None
        if module in _HOMES and name in optimizer_families.KEYWORDS:
            return _of_function(node, name, program)
    return None


def _of_function(node: cst.Name | cst.Attribute, name: str, program: Program) -> Review | None:
    call, around = program.tree.call_of(node), program.tree.around(node, cst.FunctionDef)
    if around is not None and around.name.value == HELPER:
        return None  # An earlier run made it.
    if call is None:
        return None if isinstance(program.tree.parent(node), _KEPT) else _FINDINGS["unknown"]
    old = [keyword for keyword in keywords_of(call) if keyword in _OLD_KEYWORDS]
    if old:
        return Review(f"Keras 3 does not take {old[0]}", "Do without it.", stops=True)
    if name == "serialize":
        return _FINDINGS["form"]
    if not call.args or any(argument.star for argument in call.args):
        return _FINDINGS["unknown"]
    first = call.args[0].value
    if isinstance(first, cst.SimpleString):
        return _of_text(first, program)
    return None if program.types.of(first) <= _KNOWN else _FINDINGS["unknown"]


def wrapped_by_compile(program: Program) -> Iterator[tuple[cst.BaseExpression, Rewrite | Review]]:
    """Yields the calls of `compile` whose optimizer Keras 3 wraps, or may wrap."""
    policies = list(policy_calls(program))
    may_be_float16 = _may_be_float16(policies, program)
    # Where a policy has a loss scale of its own, the finding there, or its rewrite, comes first.
    is_wrapping = may_be_float16 and not _has_own_scale(policies, program)
    for compiled in _compiles_for_training(program):
        verdict = _of_compile(compiled, program, is_wrapping=is_wrapping)
        if verdict is not None:
            yield compiled.call.func, verdict
    for kept in kept_compiles(program) if may_be_float16 else ():
        yield kept, Review(f"`compile` is kept and called later. {_STOCK}", _WRAP)


def _of_compile(
    compiled: Compile, program: Program, *, is_wrapping: bool
) -> Rewrite | Review | None:
    """Says what becomes of the optimizer that `compile` gets, or does not get."""
    value = compiled.optimizer.value if compiled.optimizer is not None else None
    kinds = program.types.of(value) if value is not None else frozenset()
    if kinds & _V1:
        return _FINDINGS["of_tensorflow_1"]
    if isinstance(value, _LISTS) and (compiled.is_proven or compiled.is_likely):
        return _FINDINGS["several"]
    is_wrapped = value is not None and kinds <= _WRAPPED
    if not (is_wrapping and compiled.is_likely) or is_wrapped:
        return None
    if isinstance(value, cst.Call) and dotted(value.func) == HELPER:
        return None  # An earlier run made it.
    wrapped = _wrapped(compiled, value, program)
    if not compiled.is_proven:
        unwrapped = " with an optimizer that is not wrapped" if ObjectType.WRAPPER in kinds else ""
        return Review(
            f"{_STOCK}, if this compiles a model{unwrapped}; it is not proven to be a Keras model",
            "If it is one, wrap the optimizer in compat_lossscale.keras3's.",
            unsafe_fix=wrapped,
        )
    if program.target is Target.KERAS3_ALONE:
        return Review(
            _STOCK, "Leave it, if the model trains as well; or do without --no-dependency."
        )
    # That it gets no optimizer is the cause of two findings, of which the other one comes first.
    cause = compiled.call if value is None else None
    return wrapped or Review(_STOCK, _WRAP, cause=cause)


def _wrapped(
    compiled: Compile, value: cst.BaseExpression | None, program: Program
) -> Rewrite | None:
    """Has a function wrap the optimizer, if the model's policy asks for that."""
    call = compiled.call
    model = call.func.value if isinstance(call.func, cst.Attribute) else None
    if compiled.arguments is not call.args:
        model = call.args[0].value  # Model.compile(model, ...)
    if program.target is Target.KERAS3_ALONE or model is None or dotted(model) is None:
        return None
    if compiled.is_unpacked:
        return None
    # The function stands at the top, and sees what is imported there alone.
    *_, outermost, _ = program.tree.ancestors(call)
    occurrence = Occurrence(outermost, program.tree.span(call.func), Role.LATER)
    before = f"({program.tree.source(model)}, "

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        source = _SOURCE.format(
            helper=HELPER,
            wrapper=renderer.render_path(occurrence, *loss_scale_optimizers(program.target)),
            get=renderer.render_path(occurrence, *(f"{root}.optimizers.get" for root in _ROOTS)),
        )
        name = renderer.helper(HELPER, source, occurrence)
        if value is None:
            default = optimizer_families.DEFAULT.lower()
            return append_arguments(program.tree, call, [f'optimizer={name}{before}"{default}")'])
        start, end = program.tree.full_span(value)
        return [Edit(start, start, f"{name}{before}"), Edit(end, end, ")")]

    return Rewrite("wrapped as `compile` wrapped it, if the model is of mixed_float16", edits)


def _may_be_float16(policies: Sequence[cst.Call], program: Program) -> bool:
    """Whether a model of this file can be one of `mixed_float16`."""
    for call in policies:
        first = call.args[0].value if call.args and not call.args[0].star else None
        if not isinstance(first, cst.SimpleString) and first not in policies:
            return True  # The name of a policy cannot be seen here.
    is_named = any(one.evaluated_value == SCALED for one in program.tree.nodes(cst.SimpleString))
    return is_named or others_name(program.types.project.modules, OF_POLICIES)


def _has_own_scale(policies: Sequence[cst.Call], program: Program) -> bool:
    """Whether a policy was made with a loss scale of its own, other than a dynamic one."""
    old = [call for call in policies if program.resolver.can_be(call.func, names.lookup)]
    scales = [scale.value for call in old if (scale := loss_scale_argument(call)) is not None]
    kinds = map(LossScaleTypes(program).types, scales)
    return any(not one <= {LossScaleType.DYNAMIC} for one in kinds)
