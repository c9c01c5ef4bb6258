# SPDX-License-Identifier: Apache-2.0
"""What the rows of the table for Keras 3 ask of a place, and the edits that settle one.

A condition is asked of an attribute, a call, a subscript, a definition or a `return`, as the names
of its row say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from lossscale_codemods.domain import (
    BindingKind,
    Certainty,
    ObjectType,
    Program,
    ProjectClass,
    attribute_owner,
    keras_optimizer,
    looks_like_settings,
    lookup_of,
    loss_scale_optimizer,
    makes_optimizers,
    model_compiles,
    optimizer_kinds,
    others_name,
    words_in,
)
from lossscale_codemods.source.edits import append_arguments
from lossscale_codemods.source.syntax_tree import (
    argument_of,
    dotted,
    keywords_of,
    last_name,
    literal_text,
)
from lossscale_codemods.tables import frameworks, keras_3
from lossscale_codemods.tables.keras_3 import below_keras
from lossscale_codemods.tables.names import Meaning, canonical
from lossscale_codemods.tables.records import Edit

Condition = Callable[[Any, Program], bool]
Owner = Callable[[Any, Program], Certainty]
Fix = Callable[[Any, Program], list[Edit]]

_METRIC = re.compile(r"^(?:tensorflow(?:\.compat\.v1)?\.)?(?:tf_)?keras\.metrics\.[A-Z]\w*$")
_LIKELY_OF_OPTIMIZERS = frozenset({"get_config", "iterations", "lr", "minimize"})
"""Members of what is called `optimizer` that say that it is one of Keras."""

# The places around a node.


def owner_of(node: cst.CSTNode) -> cst.BaseExpression:
    """Returns what an attribute, or a method that is called, is a member of."""
    func = node.func if isinstance(node, cst.Call) else node
    assert isinstance(func, cst.Attribute)
    return func.value


def names_one_of(words: frozenset[str], program: Program) -> bool:
    """Whether the program has one of some names in it, in this file or in another."""
    named = words_in(program.source)
    is_named = named is None or not words.isdisjoint(named)
    return is_named or others_name(program.types.project.modules, words)


def below(node: cst.BaseExpression, program: Program) -> str:
    """Returns what an expression is below `tf.keras`; an empty text if it is something else."""
    return below_keras(program.resolver.path(node) or "")


# Of what a name is a member.


def is_metric(path: str) -> bool:
    """Whether a path is that of a metric of Keras."""
    return bool(_METRIC.match(canonical(path)))


def _is_unknown(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is no module or class, and of no known type."""
    is_path = any(path is not None for path in program.resolver.paths(node))
    return ObjectType.UNKNOWN in program.types.of(node) and not is_path


def _sure(is_proven: bool) -> Certainty:
    return Certainty.PROVEN if is_proven else Certainty.NO


def of_optimizer(node: cst.Attribute, program: Program) -> Certainty:
    """How sure it is that a name is a member of an optimizer."""
    name, owner = node.attr.value, node.value
    answer = keras_optimizer(owner, program)
    if answer.is_sure or not _is_unknown(owner, program):
        return answer.certainty
    call = program.tree.call_of(node)
    is_called = call is not None and name in {*keras_3.MEMBERS_GONE, "learning_rate"}
    is_like_optimizer = answer.can_be and (is_called or name in _LIKELY_OF_OPTIMIZERS)
    is_theirs = {name, *keywords_of(call)} & {*keras_3.ONLY_OF_OPTIMIZERS, *keras_3.AGGREGATION}
    given = owner.args if isinstance(owner, cst.Call) and name in _LIKELY_OF_OPTIMIZERS else ()
    is_like_optimizer |= any(keras_optimizer(one.value, program).can_be for one in given)
    is_like_optimizer |= name == "lr" and _is_element(owner, program) and makes_optimizers(program)
    is_likely = is_like_optimizer or (is_theirs and program.resolver.class_of(owner) is None)
    return Certainty.LIKELY if is_likely else Certainty.NO


def _is_element(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is one of several: an item, or what a loop goes through."""
    if isinstance(node, cst.Subscript):
        made = program.resolver.values(node.value)
        is_collection = any(isinstance(one, cst.BaseDict | cst.BaseList) for one in made)
        return is_collection or not looks_like_settings(node.value)
    bindings = program.resolver.bindings(node)
    return bool(bindings) and all(one.kind is BindingKind.OTHER for one in bindings)


def of_loss_scale(node: cst.Attribute | cst.Call, program: Program) -> Certainty:
    """How sure it is that the loss scale of an optimizer is read."""
    owner = attribute_owner(node, program.resolver)
    if owner is None or program.types.is_wrapper(owner):
        return Certainty.NO if owner is None else Certainty.PROVEN
    can_be = makes_optimizers(program) and loss_scale_optimizer(owner, program).can_be
    return keras_optimizer(owner, program).certainty if can_be else Certainty.NO


def of_metric(node: cst.Attribute, program: Program) -> Certainty:
    """How sure it is that a name is a member of a metric."""
    owner, values = node.value, program.types.values(node.value)
    classes = [one.instance_of for one in values if one.instance_of is not None]
    if classes and len(classes) == len(values):
        members = program.types.project.members
        line = [above.scope.bindings for one in classes for above in members.line(one)]
        bases = [any(map(is_metric, program.types.bases(one))) for one in classes]
        return _sure(all(bases) and not any("reset_states" in one for one in line))
    calls = [(v.made_by, v.resolver) for v in values]
    if values and all(call is not None and resolver is not None for call, resolver in calls):
        paths = [p for call, r in calls if call and r for p in r.paths(call.func)]
        return _sure(all(path is not None and is_metric(path) for path in paths))
    is_super = isinstance(owner, cst.Call) and dotted(owner.func) == "super"
    if is_super or program.resolver.class_of(owner) or not _is_unknown(owner, program):
        return Certainty.NO
    own, project = "def reset_states", program.resolver.project
    is_own = own.encode() in program.source or (project is not None and project.mentioning(own))
    return Certainty.NO if is_own and "metric" not in (dotted(owner) or "") else Certainty.LIKELY


def of_wrapper(node: cst.CSTNode, program: Program) -> Certainty:
    """How sure it is that a name is a member of a loss-scale optimizer."""
    return _sure(ObjectType.WRAPPER in optimizer_kinds(owner_of(node), program))


def of_step_of_stock(node: cst.Attribute, program: Program) -> Certainty:
    """How sure it is that a step is one of a loss-scale optimizer."""
    name, members = node.attr.value, program.types.project.members
    owners = [value.instance_of for value in program.types.values(node.value)]
    is_own = owners and all(one is not None and members.method(one, name) for one in owners)
    if is_own or ((own := program.resolver.class_of(node.value)) and name in own.bindings):
        return Certainty.NO  # The program's own method, which is looked at where it is defined.
    is_named = name != "apply_gradients" and ObjectType.UNKNOWN in program.types.of(node.value)
    is_step = is_named or of_wrapper(node, program) is Certainty.PROVEN
    return _sure(is_step and program.tree.call_of(node) is not None)


def of_model(node: cst.CSTNode, program: Program) -> Certainty:
    """How sure it is that a name is a member of a model or a layer: likely, if it is called one."""
    owner = owner_of(node)
    if ObjectType.MODEL in program.types.of(owner):
        return Certainty.PROVEN
    is_named = last_name(owner).endswith("model") and _is_unknown(owner, program)
    return Certainty.LIKELY if is_named else of_own_layer(node, program)


def of_own_layer(node: cst.CSTNode, program: Program) -> Certainty:
    """How sure it is that a name is a member of `self` in a layer, a model or a metric."""
    scope = program.resolver.class_of(owner_of(node))
    kinds = (frameworks.is_layer, is_metric)
    return _sure(scope is not None and any(program.inherits(scope.node, of) for of in kinds))


is_layer = frameworks.is_layer
"""Whether a path is that of the class that a row is inside of."""


def _is_layer(node: cst.CSTNode, program: Program) -> bool:
    return program.inherits(node, is_layer)


# Members of optimizers.


def is_called_or_tested(node: cst.Attribute, program: Program) -> bool:
    """Whether a learning rate is taken for a schedule."""
    taker = program.tree.taker_of(node)
    is_tested = taker is not None and dotted(taker.func) in {"type", "isinstance"}
    return is_tested or program.tree.call_of(node) is not None


def reads_member_of_variable(node: cst.Attribute, program: Program) -> bool:
    """Whether a member is read that variables of TensorFlow have, and those of Keras lack.

    It can be read of a name that an assignment gives the variable: `lr = optimizer.lr`.
    """
    named = [use for one in program.bound_to.get(node, ()) for use in one.uses]
    above = [program.tree.parent(read) for read in (node, *named)]
    return any(
        one.attr.value in keras_3.NAMES["not_of_variables"]
        or (one.attr.value == "value" and program.tree.call_of(one) is not None)
        for one in above
        if isinstance(one, cst.Attribute)
    )


def is_set(node: cst.Attribute, program: Program) -> bool:
    """Whether an attribute is assigned."""
    return isinstance(program.tree.parent(node), cst.AssignTarget)


def is_not_made_again(node: cst.Attribute, program: Program) -> bool:
    """Whether a config is used for more than to make an optimizer of it."""
    call = program.tree.call_of(node)
    taker = program.tree.taker_of(call) if call is not None else None
    return call is not None and (taker is None or last_name(taker.func) != "from_config")


def result_is_used(node: cst.Attribute, program: Program) -> bool:
    """Whether what a step returns is kept."""
    call = program.tree.call_of(node)
    kept = cst.Expr | cst.Return | cst.Lambda
    return call is not None and not isinstance(program.tree.parent(call), kept)


def has_other_variables(node: cst.Attribute, program: Program) -> bool:
    """Whether an earlier step of the same optimizer is for other variables, as they are spelled."""
    bindings, mine = program.resolver.bindings(node.value), _variables(node, program)
    here, made = program.tree.span(node), [program.tree.span(one.node) for one in bindings]
    return any(
        program.resolver.bindings(other.value) == bindings
        and max((at for at in made if at < here), default=()) < program.tree.span(other) < here
        and not mine <= (_variables(other, program) or mine)
        for other in program.reads_by_attribute.get("apply_gradients", ())
        if bindings and mine
    ) or any(_is_given_several(name, node, program) for name in mine)


def _is_given_several(name: str, node: cst.CSTNode, program: Program) -> bool:
    """Whether a name is a parameter of the function around, which is called with new variables."""
    function = program.tree.around(node, cst.FunctionDef)
    names = [one.name.value for one in function.params.params] if function is not None else []
    if name not in names:
        return False
    made: set[cst.BaseExpression] = set()
    for call in program.tree.nodes(cst.Call):
        if function is not None and last_name(call.func) == function.name.value:
            given = argument_of(call.args, names.index(name), name)
            made |= {*_values(given.value, program)} if given is not None else set()
    paths = [program.resolver.path(one.func) for one in made if isinstance(one, cst.Call)]
    return [canonical(path or "") for path in paths].count("tensorflow.Variable") > 1


def _variables(step: cst.Attribute, program: Program) -> set[str]:
    """Returns how the variables of a step are spelled; nothing if that cannot be seen."""
    source = program.tree.source
    match program.tree.call_of(step):
        case cst.Call(args=[cst.Arg(value=cst.Call(func=cst.Name("zip"), args=[_, variables]))]):
            value = variables.value
            if isinstance(value, cst.List | cst.Tuple):
                return {source(one.value) for one in value.elements}
            return {source(value)}
        case cst.Call(args=[cst.Arg(value=cst.List(elements=pairs))]):
            tuples = [one.value for one in pairs if isinstance(one.value, cst.Tuple)]
            return {source(one.elements[-1].value) for one in tuples}
    return set()


def does_not_sum(node: cst.Attribute, program: Program) -> bool:
    """Whether a step says that gradients of replicas are not summed."""
    given = keywords_of(program.tree.call_of(node))
    return any(
        program.tree.source(given[name].value) != str(name == keras_3.AGGREGATION[0])
        for name in keras_3.AGGREGATION
        if name in given
    )


def names_arguments_of_old_steps(node: cst.Attribute, program: Program) -> bool:
    """Whether a step of another optimizer than ours names arguments that Keras 3 does not take."""
    named = keywords_of(program.tree.call_of(node)).keys() - {"grads_and_vars"}
    return bool(named) and optimizer_kinds(owner_of(node), program) != {ObjectType.WRAPPER}


def takes_no_global_step(node: cst.Attribute, program: Program) -> bool:
    """Whether a method gets no `global_step`, with which it is one of TensorFlow 1."""
    return "global_step" not in keywords_of(program.tree.call_of(node))


def looks_up_what_is_gone(node: cst.Call, program: Program) -> bool:
    """Whether a member of an optimizer is looked up by a name: `hasattr(opt, "get_slot")`."""
    found = lookup_of(node, program.scopes)
    kinds = optimizer_kinds(found.owner, program) if found is not None else frozenset()
    if found is None or not kinds or found.name is None:
        return bool(kinds)
    is_gone = found.name in keras_3.MEMBERS_GONE or found.name in {"lr", "minimize"}
    return is_gone or (
        found.name in keras_3.NAMES["hyperparameters"] and ObjectType.WRAPPER in kinds
    )


def is_step_behind_fit(node: cst.Attribute, program: Program) -> bool:
    """Whether a file trains with `fit` as well, and never unscales gradients."""
    reads = program.reads_by_attribute.keys()
    function = program.tree.around(node, cst.FunctionDef)
    is_own = function is not None and function.name.value == "train_step"
    if is_own and "train_step" not in reads:
        return False  # `fit` calls this in the place of Keras' own step, which scales.
    is_fit = bool(reads & {"fit", "fit_generator", "train_on_batch"})
    is_called = program.tree.call_of(node) is not None
    return is_called and is_fit and "get_unscaled_gradients" not in reads


def is_compiled_elsewhere(node: cst.Attribute, program: Program) -> bool:
    """Whether this is of the optimizer of a model that no file of the program compiles."""
    if not isinstance(node.value, cst.Attribute) or node.value.attr.value != "optimizer":
        return False
    own = program.resolver.class_of(node.value.value)
    if own is not None and ("optimizer" in own.attributes or not _is_layer(own.node, program)):
        return False
    if "compile" in program.reads_by_attribute:
        return False
    project = program.resolver.project
    return project is None or not project.mentioning(".compile(")


# Values.


def resets_a_policy(node: cst.Call, program: Program) -> bool:
    """Whether a file sets a policy, and not behind this in the same function."""
    tree, here = program.tree, program.tree.around(node, cst.FunctionDef)
    policies = [one.node for one in program.references if one.meaning is Meaning.SET_POLICY]
    later = [one for one in policies if tree.span(one) > tree.span(node)]
    return bool(policies) and not any(tree.around(one, cst.FunctionDef) is here for one in later)


def is_of_a_dtype_of_keras(node: cst.Attribute, program: Program) -> bool:
    """Whether this is a member of the dtype of a weight, or of an input of a model."""
    of = node.value
    is_dtype = isinstance(of, cst.Attribute) and of.attr.value == "dtype"
    return is_dtype and _is_weight_or_input(owner_of(of), program)


def _is_weight_or_input(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is a weight of a layer, or an input of a model."""
    match node:
        case cst.Attribute(attr=name) if name.value in keras_3.NAMES["of_weights"]:
            return True
        case cst.Subscript(value=cst.Attribute(attr=name)):
            return name.value in keras_3.NAMES["lists_of_variables"]
        case cst.Call(func=cst.Attribute(attr=cst.Name("add_variable" | "add_weight"))):
            return True
    made = [one for one in program.resolver.values(node) if isinstance(one, cst.Call)]
    return _is_symbolic(node, program) or any(_is_weight_or_input(one, program) for one in made)


def computes_without_fit(_: cst.Call, program: Program) -> bool:
    """Whether the file gives TensorFlow arrays by itself: in a training step, or in a dataset."""
    return bool({"GradientTape", "map"} & program.reads_by_attribute.keys())


def reads_rate_of_logs(node: cst.Subscript | cst.Call, _: Program) -> bool:
    """Whether the learning rate is read of what training logs: `logs["lr"]`, `logs.pop("lr")`."""
    match node:
        case cst.Subscript(value=logs):
            return last_name(logs) in keras_3.LOGS
        case cst.Call(func=cst.Attribute(value=logs), args=[cst.Arg(value=key), *_]):
            return last_name(logs) in keras_3.LOGS and literal_text(key) == "lr"
    return False


def reads_all_logs(node: cst.Attribute, program: Program) -> bool:
    """Whether logs are read as a whole, where a callback writes the learning rate there."""
    above = program.tree.parent(node)
    is_item = isinstance(above, cst.Subscript) and above.value is node
    is_other = isinstance(above, cst.Attribute) and above.attr.value not in {"items", "keys"}
    return not (is_item or is_other or keras_3.LOG_THE_RATE.isdisjoint(program.reads_by_attribute))


def reads_config_of_a_layer(node: cst.Subscript, program: Program) -> bool:
    """Whether this is `get_config()["dtype"]` of anything but an optimizer."""
    match node.value:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name("get_config"))):
            return not optimizer_kinds(owner, program)
    return False


def has_hard_sigmoid(node: cst.Call, program: Program) -> bool:
    """Whether a layer has this activation, by its name or by default."""
    is_recurrent = below(node.func, program).startswith("layers.ConvLSTM")
    texts = [one.value for one in node.args if isinstance(one.value, cst.SimpleString)]
    return any(one.evaluated_value == "hard_sigmoid" for one in texts) or (
        is_recurrent and "recurrent_activation" not in keywords_of(node)
    )


# Models, layers, metrics and names of Keras.


def is_of_no_rate(node: cst.Call, _: Program) -> bool:
    """Whether a call is none that is rewritten: `set_value(opt.lr, x)`."""
    first = node.args[0].value if node.args else None
    rewritten = {"iterations", "learning_rate", "lr"}
    return not (isinstance(first, cst.Attribute) and first.attr.value in rewritten)


def chooses_tf_keras(node: cst.Subscript, program: Program) -> bool:
    """Whether a variable of the environment is set to 1."""
    above = [one for one in program.tree.ancestors(node) if isinstance(one, cst.Assign)]
    return any(
        "1" in program.tree.source(one.value) and node in [to.target for to in one.targets]
        for one in above
    )


def has_arguments_by_position(node: cst.Call, _: Program) -> bool:
    """Whether a call gives an argument without its name."""
    return any(one.keyword is None for one in node.args)


def hides_layers(node: cst.ClassDef, program: Program) -> bool:
    """Whether a class is a `tf.Module`, and what it defines itself names layers or models."""
    scope = program.scopes.of_node.get(node)
    if scope is None or program.inherits(node, frameworks.is_layer):
        return False
    line = program.types.project.members.line(ProjectClass(program.resolver, scope))
    bases = [path for one in line for b in one.node.bases for path in one.resolver.paths(b.value)]
    return "tensorflow.Module" in {canonical(path) for path in bases if path is not None} and any(
        _is_of_keras(inner, program)
        for inner in program.tree.walk(node)
        if isinstance(inner, cst.Name | cst.Attribute)
    )


def is_kept_in_a_layer(node: cst.Call, program: Program) -> bool:
    """Whether a layer or a model keeps what a call makes: `self.name`, by itself or in a list."""
    kept = cst.List | cst.ListComp | cst.Tuple | cst.BaseElement
    above = next(one for one in program.tree.ancestors(node) if not isinstance(one, kept))
    targets = [one.target for one in above.targets] if isinstance(above, cst.Assign) else []
    scopes = [
        program.resolver.class_of(owner_of(t)) for t in targets if isinstance(t, cst.Attribute)
    ]
    return any(one is not None and _is_layer(one.node, program) for one in scopes)


def _is_of_keras(node: cst.Name | cst.Attribute, program: Program) -> bool:
    """Whether a name is that of a layer or model, or of a class of the file that is one."""
    if program.resolver.can_be(node, frameworks.is_layer):
        return True
    classes = (binding.node for binding in program.resolver.bindings(node))
    return any(program.inherits(one, frameworks.is_layer) for one in classes)


def in_a_program_of_keras(_: cst.Call, program: Program) -> bool:
    """Whether the file makes Keras optimizers, or models, or compiles one."""
    kinds = {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.MODEL}
    makes = any(program.types.of(call) & kinds for call in program.tree.nodes(cst.Call))
    return makes or any(True for _ in model_compiles(program))


def returns_a_loss_of_a_step(node: cst.Return, program: Program) -> bool:
    """Whether a step of a model without own `metrics` returns `loss`, or all that it has."""
    function = program.tree.around(node, cst.FunctionDef)
    owner = program.tree.around(node, cst.ClassDef)
    is_step = function is not None and function.name.value in {"train_step", "test_step"}
    if owner is None or not is_step or not _gives_a_loss(node.value):
        return False
    own = ProjectClass(program.resolver, program.scopes.of_node[owner])
    line = program.types.project.members.line(own)
    return not any("metrics" in one.scope.bindings for one in line)


def _gives_a_loss(value: cst.BaseExpression | None) -> bool:
    """Whether a dict has the key `loss`, or `{m.name: m.result() for m in self.metrics}` is it."""
    match value:
        case cst.DictComp(for_in=cst.CompFor(iter=values)):
            return dotted(values) == "self.metrics"
        case cst.Dict(elements=elements):
            keys = [one.key for one in elements if isinstance(one, cst.DictElement)]
            return "loss" in {k.evaluated_value for k in keys if isinstance(k, cst.SimpleString)}
    return False


_OF_A_WEIGHT = re.compile(r"\W(?:beta|bias|embeddings|gamma|kernel|moving_)")


def looks_for_a_layer(node: cst.Attribute, program: Program) -> bool:
    """Whether a variable's name is searched for more than that of a weight: `"norm" in v.name`."""
    tree, above, taker = program.tree, program.tree.parent(node), program.tree.taker_of(node)
    is_sought = taker is not None and last_name(taker.func) in {"match", "search"}
    if isinstance(above, cst.ComparisonTarget):
        is_sought = not _OF_A_WEIGHT.match(tree.source(tree.parent(above) or node))
    loops = [getattr(one, "for_in", one) for one in tree.ancestors(node)] if is_sought else []
    return any(
        isinstance(one, cst.For | cst.CompFor)
        and last_name(one.iter) in keras_3.NAMES["lists_of_variables"]
        and dotted(one.target) == dotted(node.value)
        for one in loops
    )


# Files.

_SAVERS = frozenset({"BackupAndRestore", "ModelCheckpoint", "save_weights"})


def calls_its_parts_alone(node: cst.FunctionDef, program: Program) -> bool:
    """Whether a step of a model that is saved calls other models, and not the model itself."""
    owner = program.tree.around(node, cst.ClassDef)
    called = [one.func for one in program.tree.walk(owner) if isinstance(one, cst.Call)]
    names = {name for one in called for name in (dotted(one), last_name(one))}
    calls_itself = bool(names & {"self", "self.call", node.name.value})
    is_built = names_one_of(frozenset({"build"}), program)
    return not calls_itself and not is_built and names_one_of(_SAVERS, program)


def gets_an_optimizer(node: cst.Call, program: Program) -> bool:
    """Whether an argument is an optimizer, or a model, or its name says so."""
    return any(
        optimizer_kinds(one.value, program)
        or ObjectType.MODEL in program.types.of(one.value)
        or (one.keyword is not None and "opt" in one.keyword.value)
        for one in node.args
    )


def is_named_otherwise(*endings: str, weights: bool | None = None) -> Condition:
    """Returns the condition that a file, of weights or not, may have a name with another ending."""

    def is_met(node: cst.Call, program: Program) -> bool:
        only = keywords_of(node).get("save_weights_only")
        is_of_weights = only is not None and dotted(only.value) == "True"
        is_one = weights is None or weights is is_of_weights
        return is_one and not any(_ends(node, ending, program) for ending in endings)

    return is_met


is_no_keras_file = is_named_otherwise(".keras")
is_no_hdf5_file = is_named_otherwise(".h5", ".hdf5")
is_no_weights_file = is_named_otherwise(".weights.h5")
keeps_models_in_no_keras_file = is_named_otherwise(".keras", weights=False)
keeps_weights_in_no_weights_file = is_named_otherwise(".weights.h5", weights=True)


def _ends(call: cst.Call, suffix: str, program: Program) -> bool:
    """Whether a call is given a text with this ending, or something that is made with one."""
    texts = [program.tree.source(value) for value in _given(call, 0, "filepath", program)]
    has_it = all(f'{suffix}"' in text or f"{suffix}'" in text for text in texts)
    return bool(texts) and has_it and "save_format" not in keywords_of(call)


# What stops.


def _is_no_int(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is a number of NumPy or TensorFlow, or a quotient."""
    if isinstance(node, cst.Name):
        return any(_is_no_int(one, program) for one in _values(node, program))
    if isinstance(node, cst.Subscript):
        node = node.value
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Divide)
    path = program.resolver.path(node.func) if isinstance(node, cst.Call) else None
    return path is not None and canonical(path).startswith(("numpy.", "tensorflow."))


def is_no_member_of_self(node: cst.Call, program: Program) -> bool:
    """Whether a method is called of anything but the object whose class this is in."""
    return program.resolver.class_of(owner_of(node)) is None


def takes_no_further_argument(node: cst.FunctionDef, _: Program) -> bool:
    """Whether a method of attention has the six parameters that Keras 2 gave it."""
    return len(node.params.params) == 6


def gets_more_than_the_batch_size(node: cst.Call, _: Program) -> bool:
    """Whether the state of a cell is asked for by its inputs, or its dtype."""
    return len(node.args) > 1 or bool({"dtype", "inputs"} & {*keywords_of(node)})


def sets_a_weight_of_keras(node: cst.Attribute, program: Program) -> bool:
    """Whether a weight is set of what is called a layer, or in a class derived from one."""
    around, owner = program.tree.around(node, cst.ClassDef), program.tree.source(node.value)
    own = program.inherits(
        around, lambda path: below_keras(path).startswith((*keras_3.NAMES["kernels"],))
    )
    is_set = isinstance(program.tree.parent(node), cst.AssignTarget)
    return is_set and (own if owner == "self" else "layer" in owner)


def gets_a_schedule(node: cst.Call, program: Program) -> bool:
    """Whether the first argument is a schedule of an optimizer, or a `tf.function`."""
    values = _given(node, 0, "schedule", program)
    paths = [program.resolver.path(v.func) for v in values if isinstance(v, cst.Call)]
    given = argument_of(node.args, 0, "schedule")
    made = program.resolver.bindings(given.value) if given is not None else ()
    is_graph = any(_is_tf_function(one.node, program) for one in made)
    return is_graph or any(path is not None and ".schedules." in path for path in paths)


def gets_an_input(node: cst.Call, program: Program) -> bool:
    """Whether an argument, or an element of a list in one, is an input of a model."""
    given = [argument.value for argument in node.args]
    lists = [one for one in given if isinstance(one, cst.List | cst.Tuple)]
    given += [element.value for one in lists for element in one.elements]
    return any(_is_symbolic(one, program) for one in given)


def gives_training_by_position(node: cst.Call, program: Program) -> bool:
    """Whether a model or layer, or what a layer keeps, gets `training` without its name."""
    given = {dotted(one.value) for one in node.args[1:] if one.keyword is None}
    if not given & {"True", "False", "training"}:
        return False
    layer = node.func.value if isinstance(node.func, cst.Subscript) else node.func
    if isinstance(layer, cst.Attribute):
        scope, name = program.resolver.class_of(layer.value), layer.attr.value
        if scope is not None and _is_layer(scope.node, program):
            return name not in scope.bindings and "loss" not in name
    if isinstance(layer, cst.Name) and _runs_over_layers(layer, program):
        return True
    made = [one.func for one in _values(node.func, program) if isinstance(one, cst.Call)]
    return ObjectType.MODEL in program.types.of(node.func) or any(
        isinstance(one, cst.Name | cst.Attribute) and _is_of_keras(one, program) for one in made
    )


def _runs_over_layers(name: cst.Name, program: Program) -> bool:
    """Whether a loop takes a name from what a layer keeps: `for block in self.blocks`."""
    tree = program.tree
    for loop in (one for one in tree.ancestors(name) if isinstance(one, cst.For)):
        if any(
            isinstance(one, cst.Name) and one.value == name.value for one in tree.walk(loop.target)
        ):
            kept = [one for one in tree.walk(loop.iter) if isinstance(one, cst.Attribute)]
            owners = [program.resolver.class_of(one.value) for one in kept]
            return any(one is not None and _is_layer(one.node, program) for one in owners)
    return False


def gives_variables_to_a_function(node: cst.Call, program: Program) -> bool:
    """Whether a `tf.function` of this file is called with `model.variables`, or the like."""
    if not {last_name(one.value) for one in node.args} & keras_3.NAMES["lists_of_variables"]:
        return False
    return any(_is_tf_function(one.node, program) for one in program.resolver.bindings(node.func))


def _is_tf_function(node: cst.CSTNode | None, program: Program) -> bool:
    """Whether a definition is that of a function with the decorator `tf.function`."""
    marks = [one.decorator for one in node.decorators] if isinstance(node, cst.FunctionDef) else []
    paths = [program.resolver.path(m.func if isinstance(m, cst.Call) else m) for m in marks]
    return any(path is not None and canonical(path) == "tensorflow.function" for path in paths)


def takes_one_mask_of_several(node: cst.FunctionDef, program: Program) -> bool:
    """Whether a `call` takes its inputs apart, and computes with the mask of them as it is."""
    names = [one.name.value for one in node.params.params]
    inputs, body = "".join(names[1:2]), program.tree.source(node.body)
    is_apart = re.search(rf"(?m), \w+ = {inputs}$|\b{inputs}\[\d\]", body)
    is_whole = re.search(r"[( ]mask[,)]", body) and not re.search(r"(?m)\bmask\[|= mask$", body)
    return "mask" in names and bool(is_apart and is_whole)


def tests_a_tensor(node: cst.If | cst.While, program: Program) -> bool:
    """Whether a method branches by what TensorFlow computes, and is made no graph of."""
    method = program.tree.around(node, cst.FunctionDef)
    calls = [one.func for one in program.tree.walk(node.test) if isinstance(one, cst.Call)]
    paths = [canonical(program.resolver.path(one) or "") for one in calls]
    tensors = tuple(f"tensorflow.{name}" for name in keras_3.NAMES["tensors"])
    if not any(path.startswith(tensors) for path in paths) or method is None:
        return False
    return "numpy" not in map(last_name, calls) and not _is_tf_function(method, program)


def computes_with_whole_steps(node: cst.FunctionDef, program: Program) -> bool:
    """Whether a schedule gives its step to TensorFlow as it is, and not as a float."""
    step = _step_of_schedule(node)
    inside = list(program.tree.walk(node))
    calls = [one for one in inside if isinstance(one, cst.Call)]
    takers = [one for one in calls if step in {dotted(given.value) for given in one.args}]
    paths = [program.resolver.path(one.func) or "" for one in takers]
    assigned = {dotted(one.target) for one in inside if isinstance(one, cst.AssignTarget)}
    return step not in assigned and any(
        canonical(path).startswith("tensorflow.") and not path.endswith(".cast") for path in paths
    )


def _step_of_schedule(node: cst.FunctionDef) -> str:
    """Returns the name of the argument of a schedule's `__call__`."""
    return "".join(one.name.value for one in node.params.params[1:2])


def _is_symbolic(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is an input of a model, or what layers and TensorFlow make of one."""
    met: set[cst.BaseExpression] = set()
    ways = [node]
    while ways:
        way = ways.pop()
        if way in met:
            continue  # In a loop, a layer gets what it made.
        met.add(way)
        if isinstance(way, cst.Name):
            values = _assigned(way, program)
            if not values:
                return False
            ways += values
        elif not isinstance(way, cst.Call):
            return False
        elif given := returned(way.func, program):
            ways += given
        elif (name := below(way.func, program)) not in {"Input", "layers.Input"}:
            path = program.resolver.path(way.func) or ""
            is_of_tensorflow = not name and path.startswith("tensorflow.")
            if not way.args or not (is_of_tensorflow or _is_layer_of_keras(way.func, program)):
                return False
            if not _is_new_layer_with_weights(way.func, program):
                ways.append(way.args[0].value)
    return True


def returned(node: cst.BaseExpression, program: Program) -> list[cst.BaseExpression]:
    """Returns what a function of this file returns."""
    bound = [one.node for one in program.resolver.bindings(node)]
    inside = [one for f in bound if isinstance(f, cst.FunctionDef) for one in program.tree.walk(f)]
    return [one.value for one in inside if isinstance(one, cst.Return) and one.value is not None]


def _is_layer_of_keras(node: cst.BaseExpression, program: Program) -> bool:
    made = _values(node, program)
    return bool(made) and all(
        isinstance(one, cst.Call) and below(one.func, program).startswith("layers.") for one in made
    )


def _is_new_layer_with_weights(node: cst.BaseExpression, program: Program) -> bool:
    """Whether a layer is made where it is called, with weights: what does so builds a model."""
    name = below(node.func, program) if isinstance(node, cst.Call) else ""
    return name.removeprefix("layers.").startswith(tuple(keras_3.NAMES["with_weights"]))


def _values(node: cst.BaseExpression, program: Program) -> list[cst.BaseExpression]:
    """Returns what an expression is: itself, or all values of a name; nothing if one is unknown."""
    if not isinstance(node, cst.Name):
        return [node]
    values = _assigned(node, program)
    return [] if any(isinstance(one, cst.Name) for one in values) else values


def _given(call: cst.Call, place: int, name: str, program: Program) -> list[cst.BaseExpression]:
    """Returns what an argument is, or all that its name is assigned."""
    given = argument_of(call.args, place, name)
    return _values(given.value, program) if given is not None else []


def _assigned(name: cst.Name, program: Program) -> list[cst.BaseExpression]:
    """Returns all that a name is assigned; nothing if one of these is unknown."""
    values = program.resolver.values(name)
    known = [one for one in values if one is not None]
    return known if len(known) == len(values) else []


def has_one_list_of_metrics(node: cst.Call, program: Program) -> bool:
    """Whether a model with several losses gets one list of metrics for all of them."""
    several = cst.List | cst.Tuple | cst.Dict
    losses = [one for one in _given(node, 1, "loss", program) if isinstance(one, several)]
    metrics = [one for one in _given(node, 2, "metrics", program) if isinstance(one, cst.List)]
    elements = [element.value for one in metrics for element in one.elements]
    is_flat = bool(elements) and not any(isinstance(one, several) for one in elements)
    return is_flat and any(len(one.elements) > 1 for one in losses)


def gets_labels(node: cst.Call, program: Program) -> bool:
    """Whether indices are the first parameter of a function that a model is compiled with."""
    place = keras_3.INDEXED[canonical(program.resolver.path(node.func) or "")]
    label = node.args[place].value if place < len(node.args) else None
    function = program.tree.around(node, cst.FunctionDef)
    if function is None or not isinstance(label, cst.Name):
        return False
    parameters = [one.name.value for one in function.params.params]
    is_first = len(parameters) == 2 and parameters[0] == label.value
    return is_first and any(
        dotted(argument.value) == function.name.value
        for compiled in model_compiles(program)
        for argument in compiled.arguments
    )


def compiles_with_the_optimizer_of_another(node: cst.Call, program: Program) -> bool:
    """Whether another model is compiled with the same optimizer: before, or in a loop."""
    bindings, tree = program.resolver.bindings, program.tree
    made = {
        one.call: bindings(one.optimizer.value)
        for one in model_compiles(program)
        if one.optimizer is not None
    }
    if not made.get(node):
        return False
    model, loop = owner_of(node), tree.around(node, cst.For)
    is_made_in_loop = [
        any(tree.around(one.node, cst.For) is loop for one in bound)
        for bound in (bindings(model), made[node])
    ]
    return (loop is not None and is_made_in_loop == [True, False]) or any(
        tree.span(other)[0] < tree.span(node)[0]
        and dotted(owner_of(other)) != dotted(model)
        and made[other] == made[node]
        for other in made
    )


# What settles a place.


def renamed(name: str) -> Fix:
    """Returns the fix that writes another name for an attribute."""
    return lambda node, program: [Edit(*program.tree.span(node.attr), name)]


as_learning_rate = renamed("learning_rate")
as_path = renamed("path")
as_reset_state = renamed("reset_state")


def as_sum_over_batch_size(node: cst.Attribute, program: Program) -> list[Edit]:
    """Writes what `losses.Reduction.AUTO` was outside of strategies."""
    is_auto = below(node, program) == "losses.Reduction.AUTO"
    return [Edit(*program.tree.span(node), "'sum_over_batch_size'")] if is_auto else []


def as_dtype(node: cst.Attribute, program: Program) -> list[Edit]:
    """Gives a dtype to `tf.as_dtype`, where the file has a name for TensorFlow."""
    names = _names_of_tensorflow(program)
    return _between(f"{names[0]}.as_dtype(", [node.value], ")", program) if names else []


def as_tensor_shape(node: cst.Attribute, program: Program) -> list[Edit]:
    """Gives a shape to `tf.TensorShape`, where the file has a name for TensorFlow."""
    of, call, names = node.value, program.tree.call_of(node), _names_of_tensorflow(program)
    old: cst.CSTNode = of
    if node.attr.value == "get_shape" and call is not None:
        old = call
    elif isinstance(of, cst.Attribute) and of.attr.value == "shape":
        of = of.value
    else:
        return []
    if not names or not _is_weight_or_input(of, program):
        return []
    made = f"{names[0]}.TensorShape({program.tree.source(of)}.shape)"
    return [Edit(*program.tree.span(old), made)]


def _names_of_tensorflow(program: Program) -> list[str]:
    bindings = program.scopes.module.bindings
    return [name for name, own in bindings.items() if any(b.path == "tensorflow" for b in own)]


def without_slashes(node: cst.Call, program: Program) -> list[Edit]:
    """Writes `_` for each slash in the name of a layer or a model: in a text or in parts of one."""
    name = keywords_of(node).get("name")
    if name is None or not isinstance(node.func, cst.Name | cst.Attribute):
        return []
    texts = [
        one
        for value in _values(name.value, program)
        for one in program.tree.walk(value)
        if isinstance(one, cst.SimpleString | cst.FormattedStringText) and "/" in one.value
    ]
    if not texts or not _is_of_keras(node.func, program):
        return []
    return [Edit(*program.tree.span(one), one.value.replace("/", "_")) for one in texts]


def as_float32(node: cst.Call, program: Program) -> list[Edit]:
    """Casts an array of NumPy, of which no member is read."""
    end = program.tree.span(node)[1]
    is_cast = isinstance(program.tree.parent(node), cst.Attribute)
    return [] if is_cast else [Edit(end, end, '.astype("float32")')]


def cast_step(node: cst.FunctionDef, program: Program) -> list[Edit]:
    """Casts the step of a schedule first, where the file has a name for TensorFlow."""
    body = node.body.body
    first = body[1] if node.get_docstring() is not None and len(body) > 1 else body[0]
    start, step, tree = program.tree.span(first)[0], _step_of_schedule(node), program.tree
    is_block = isinstance(node.body, cst.IndentedBlock)
    glue = tree.newline + tree.indentation(start) if is_block else "; "
    names = _names_of_tensorflow(program)[:1]
    return [Edit(start, start, f"{step} = {tf}.cast({step}, {tf}.float32){glue}") for tf in names]


def assign(node: cst.Attribute, program: Program) -> list[Edit]:
    """Writes `opt.learning_rate.assign(x)` for `K.set_value(opt.lr, x)`, and for nothing else."""
    call = program.tree.taker_of(node)
    if call is None or len(call.args) != 2 or call.args[0].value is not node:
        return []
    if below(call.func, program) != "backend.set_value":
        return []
    name = "learning_rate" if node.attr.value == "lr" else node.attr.value
    owner = program.tree.source(node.value)
    (start, end), value = program.tree.span(call), program.tree.full_span(call.args[1].value)
    return [Edit(start, value[0], f"{owner}.{name}.assign("), Edit(value[1], end, ")")]


def with_losses_of_keras_3(node: cst.Call, program: Program) -> list[Edit]:
    """Writes the losses that Keras 3 knows by other names."""
    given = argument_of(node.args, 1, "loss")
    inside = {*program.tree.walk(given)} if given is not None else set()
    keys = {one.key for one in inside if isinstance(one, cst.DictElement)}
    texts = [one for one in inside - keys if isinstance(one, cst.SimpleString)]
    news = [(one, keras_3.LOSSES.get(one.raw_value)) for one in texts]
    span = program.tree.span
    return [Edit(*span(one), one.value.replace(one.raw_value, new)) for one, new in news if new]


def with_shape_as_tuple(node: cst.Call, program: Program) -> list[Edit]:
    """Makes a tuple of a shape that is one size: an int, or that of an axis."""
    given = argument_of(node.args, 0, "shape")
    values = _values(given.value, program) if given is not None else []
    if given is None or not values or not all(_is_size(one, node) for one in values):
        return []
    (start, end), inner = program.tree.full_span(given.value), program.tree.span(given.value)
    return [Edit(start, inner[0], "("), Edit(inner[1], end, ",)")]


def _is_size(node: cst.BaseExpression, call: cst.Call) -> bool:
    """Whether it is an integer, a call of `int`, `x.shape[n]`, or so of what `build` gets."""
    of_input = {"input_shape"} if last_name(call.func) == "add_weight" else set()
    match node:
        case cst.Call(func=cst.Name("int")):
            return True
        case cst.Subscript(value=cst.Attribute(attr=name) | (cst.Name() as name), slice=[axis]):
            is_shape = name.value in (of_input if node.value is name else {"shape"})
            return is_shape and isinstance(axis.slice, cst.Index)
    return isinstance(node, cst.Integer)


def with_default_training(node: cst.FunctionDef, program: Program) -> list[Edit]:
    """Gives `training` of a layer's `call` the default None, if it has none and can have one."""
    if not node.params.params:
        return []
    *_, last = [one for one in node.params.params if one.default is None] or [node.params.params[0]]
    if last.name.value != "training":
        return []
    is_annotated = last.annotation is not None
    end = program.tree.span(last.annotation or last.name)[1]
    return [Edit(end, end, " = None" if is_annotated else "=None")]


def as_named_weight(node: cst.Call, program: Program) -> list[Edit]:
    """Names the arguments of `add_weight`, which `add_variable` was, as Keras 3 does."""
    owner = program.tree.around(node, cst.ClassDef)
    # A metric has an order of its own, from the third argument on.
    of_layer = owner is not None and _is_layer(owner, program)
    names = keras_3.WEIGHT[: None if of_layer else 2]
    placed = [one for one in node.args if one.keyword is None]
    if len(placed) > len(names) or any(one.star for one in node.args):
        return []
    starts = [program.tree.full_span(one)[0] for one in placed]
    edits = [Edit(at, at, f"{name}=") for at, name in zip(starts, names, strict=False)]
    renamed = keywords_of(node).get("experimental_autocast")
    if renamed is not None and renamed.keyword is not None:
        edits.append(Edit(*program.tree.span(renamed.keyword), "autocast"))
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "add_variable":
        edits.append(Edit(*program.tree.span(node.func.attr), "add_weight"))
    return edits


def with_pool_size(node: cst.Call, program: Program) -> list[Edit]:
    """Gives a pooling layer the size that was the default, if it gets none."""
    has_one = any(one.keyword is None or one.keyword.value == "pool_size" for one in node.args)
    return [] if has_one else append_arguments(program.tree, node, ["pool_size=2"])


def with_int_sizes(node: cst.Call, program: Program) -> list[Edit]:
    """Makes ints of the sizes of a layer that Keras 3 refuses."""
    names = keras_3.SIZES[below(node.func, program).removeprefix("layers.")]
    named = [one for name, one in keywords_of(node).items() if name in names]
    placed = [one for one in node.args[: len(names)] if one.keyword is None and not one.star]
    sizes = [one.value for one in (*placed, *named) if _is_no_int(one.value, program)]
    return _between("int(", sizes, ")", program)


def with_metrics_in_a_list(node: cst.Call, program: Program) -> list[Edit]:
    """Makes a list of a metric that is given by itself: by its name, or as an object."""
    given = [one.value for name, one in keywords_of(node).items() if name.endswith("metrics")]
    one_metric = [
        one
        for one in given
        if isinstance(one, cst.SimpleString)
        or (isinstance(one, cst.Call) and is_metric(program.resolver.path(one.func) or ""))
    ]
    return _between("[", one_metric, "]", program)


def _between(
    left: str, nodes: Sequence[cst.BaseExpression], right: str, program: Program
) -> list[Edit]:
    """Writes something before and behind expressions, outside of their parentheses."""
    spans = [program.tree.full_span(one) for one in nodes]
    return [e for start, end in spans for e in (Edit(start, start, left), Edit(end, end, right))]
