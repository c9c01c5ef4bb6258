# SPDX-License-Identifier: Apache-2.0
"""From an old loss scale, in a call, to arguments of the constructor that stayed.

What is written out is written out again: a number, `"dynamic"`, a loss scale object of constants.
What only the running program knows is read by a helper function. An object that other code gets as
well is left, for the optimizer that stayed takes over its arguments and not the object.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import libcst as cst

from compat_lossscale.spec import DEFAULT_MULTIPLIER
from lossscale_codemods.domain import (
    Binding,
    BindingKind,
    Definition,
    LossScaleType,
    LossScaleTypes,
    NameRenderer,
    ObjectType,
    Occurrence,
    Program,
    Resolver,
    Usage,
    attribute_owner,
    constant_or_none,
    optimizer_argument,
)
from lossscale_codemods.rules.base import MeaningClaim, Review, Rewrite, of_known_loss_scale
from lossscale_codemods.source.edits import append_arguments, replace_argument, small_statement
from lossscale_codemods.source.syntax_tree import argument_of, keywords_of
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import (
    HELPER,
    KERAS_3_HOME,
    Meaning,
    OldName,
    Target,
    loss_scale_class,
    loss_scale_optimizers,
)
from lossscale_codemods.tables.records import Edit

COUNT_SKIPPED_STEPS = "count_skipped_steps=True"
"""Has `iterations` count steps that are skipped, as in TensorFlow from 2.3 on; Keras 3 does not."""
WITHOUT_FLOOR = Review(
    "Keras 3's own loss scale has no floor and no cap, and `iterations` does not count steps that "
    "are skipped",
    "Use it with --unsafe-fixes, if the model trains as well; or do without --no-dependency.",
)
NOT_FIXED = Review(
    "Keras 3's own LossScaleOptimizer takes no `dynamic`, and has no fixed loss scale",
    "Give the wrapped optimizer `loss_scale_factor`, and leave out the wrapper; or do without "
    "--no-dependency.",
)
_KNOWN_KEYWORDS = {"opt", "optimizer", "inner_optimizer", "loss_scale"}
_OWN_CLASS = re.compile(r"(?:^|\.)_?(?!Get|Make|Build|Create)[A-Z]\w*LossScale$")
"""How a class of loss scales reads that is not one of TensorFlow's."""
_PARAMETERS = {
    "FixedLossScale": ("loss_scale_value",),
    "DynamicLossScale": ("initial_loss_scale", "increment_period", "multiplier"),
}
_TAKEN_OVER = {"initial_loss_scale": "initial_scale", "increment_period": "dynamic_growth_steps"}
_STATE = ("_current_loss_scale", "_num_good_steps", "update")
_APART = (
    "Give each optimizer the object's arguments, and read the scale from the optimizer: "
    "`optimizer.loss_scale`. Or keep the shared state with `--target compat`."
)

HELPER_SOURCE = '''
def _loss_scale_arguments(loss_scale):
    """Returns LossScaleOptimizer's arguments for an old loss scale."""
    if loss_scale == "dynamic":
        return {}
    if isinstance(loss_scale, (int, float)):
        return {"dynamic": False, "initial_scale": loss_scale}
    if type(loss_scale).__name__ not in ("FixedLossScale", "DynamicLossScale"):
        raise ValueError(f"There is no equivalent for this loss scale: {loss_scale!r}")
    config = loss_scale.get_config()
    if "loss_scale_value" in config:
        return {"dynamic": False, "initial_scale": config["loss_scale_value"]}
    if config.get("multiplier") != 2:
        raise ValueError("The multiplier of a DynamicLossScale must be 2.")
    return {
        "initial_scale": config["initial_loss_scale"],
        "dynamic_growth_steps": config["increment_period"],
    }
'''
"""For values that only the running program knows: it takes what the old API took, and no more."""
SHORT_HELPER = "_dynamic_or_fixed"
_SHORT_SOURCE = '''
def _dynamic_or_fixed(loss_scale):
    """Returns LossScaleOptimizer's arguments for "dynamic" or a number."""
    return {} if loss_scale == "dynamic" else {"dynamic": False, "initial_scale": loss_scale}
'''
SOURCES = {HELPER: HELPER_SOURCE, SHORT_HELPER: _SHORT_SOURCE}
"""The functions by their names; the second is for values that are the one or the other."""


@dataclasses.dataclass
class Arguments:
    """What takes the place of a `loss_scale` argument.

    Attributes:
        texts: The new arguments, as source; empty if the argument just goes.
        message: What was done.
        claim: For the proof of meaning.
        claims: The old names that vanish with it.
        removes: Variables that nothing needs any more.
        helper: The name of the helper function that the texts call; empty if they call none.
        doubt: Why they are only probably right, if they are.
    """

    texts: list[str]
    message: str
    claim: MeaningClaim
    claims: Sequence[Occurrence] = ()
    removes: Sequence[Binding] = ()
    helper: str = ""
    doubt: Review | None = None


def loss_scale_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of an old constructor call that is the loss scale."""
    return argument_of(call.args, 1, "loss_scale")


def takes_old_arguments(call: cst.Call) -> bool:
    """Whether a call has an argument that is, or could be, an old loss scale."""
    argument = loss_scale_argument(call)
    if argument is None or len(call.args) > 2 or any(one.star for one in call.args):
        return False
    is_bool = isinstance(argument.value, cst.Name) and argument.value.value in {"True", "False"}
    return argument.keyword is not None or not is_bool


def rewrite_constructor(
    occurrence: Occurrence, call: cst.Call, program: Program
) -> Rewrite | Review:
    """Returns the rewrite of a constructor call with an old loss scale."""
    optimizer, loss_scale = optimizer_argument(call), loss_scale_argument(call)
    is_old = keywords_of(call).keys() <= _KNOWN_KEYWORDS and len(call.args) == 2
    if optimizer is None or loss_scale is None or not is_old:
        return Review(
            "the constructor took an optimizer and a loss_scale, so this was an error in every "
            "version",
            "Correct the call first, then run again.",
        )
    arguments = ArgumentReader(program).read(loss_scale.value, call)
    if isinstance(arguments, Review):
        return arguments
    if _is_nested(call, optimizer, program):
        return Review(
            "it wraps a loss-scale optimizer, which is an error from TensorFlow 2.4 on",
            "Wrap the optimizer once.",
        )

    def named(renderer: NameRenderer) -> Sequence[Edit]:
        return renderer.name_edit(occurrence) if occurrence.names else []

    return made_of(arguments, occurrence, call, program, named)


def made_of(
    arguments: Arguments,
    occurrence: Occurrence,
    call: cst.Call,
    program: Program,
    named: Callable[[NameRenderer], Sequence[Edit]],
    *,
    message: str | None = None,
    keeps_name: bool = True,
) -> Rewrite | Review:
    """Returns the rewrite of a call to one of the constructor that stayed.

    Args:
        arguments: What takes the place of its loss scale.
        occurrence: The old name that is called.
        call: The call.
        program: The file.
        named: Makes the edits that are not of the arguments.
        message: What is done, if that is more than the arguments say.
        keeps_name: Whether the result still refers to the name of what is called.
    """
    tree, texts = program.tree, list(arguments.texts)
    # With a fixed loss scale, no step is skipped.
    if program.target is Target.KERAS3 and "dynamic=False" not in texts:
        texts.append(COUNT_SKIPPED_STEPS)

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        changes = [*named(renderer)]
        optimizer, loss_scale = optimizer_argument(call), loss_scale_argument(call)
        keyword = optimizer.keyword if optimizer is not None else None
        if keyword is not None and keyword.value != "inner_optimizer":
            changes.append(Edit(*tree.span(keyword), "inner_optimizer"))
        if loss_scale is not None:
            changes += replace_argument(tree, call, loss_scale, texts)
        elif texts:
            changes += append_arguments(tree, call, texts)
        if arguments.helper:
            renderer.helper(arguments.helper, SOURCES[arguments.helper], occurrence)
        return changes

    made = Rewrite(
        message or arguments.message,
        edits,
        keeps_name=keeps_name,
        claims=arguments.claims,
        removes=arguments.removes,
        meaning=arguments.claim,
        constructor=tree.full_span(call),
    )
    if program.target is Target.KERAS3_ALONE:
        return arguments.doubt or stock_constructor(arguments.texts, made)
    if arguments.doubt is not None:
        fixes = of_known_loss_scale(made)
        return dataclasses.replace(arguments.doubt, unsafe_fix=made, observed_fixes=fixes)
    return made


def _is_nested(call: cst.Call, optimizer: cst.Arg, program: Program) -> bool:
    """Whether what is wrapped is surely a loss-scale optimizer already."""
    bindings = program.resolver.bindings(optimizer.value)
    if any(binding.value is call for binding in bindings):
        return False  # `global opt; opt = Wrapper(opt, ...)`: its first value is from elsewhere.
    return program.types.of(optimizer.value) == {ObjectType.WRAPPER}


class ArgumentReader(LossScaleTypes):
    """Reads the loss scale arguments of one file."""

    def read(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | Review:
        """Returns what a loss scale expression becomes in a call of the constructor."""
        kinds = self.types(node)
        source = self.tree.source(node)
        refusal = self._refusal(node, kinds) or self._refused_object(node, call)
        if refusal is not None:
            return refusal
        folded = self._fold(node, call)
        if folded is not None:
            return folded
        claim = MeaningClaim(source, frozenset(kinds))
        if kinds == {LossScaleType.DYNAMIC} and not isinstance(node, cst.IfExp | cst.Call):
            removes = self._removable(node, call)
            return Arguments([], "dynamic loss scaling is the default", claim, removes=removes)
        if kinds == {LossScaleType.NUMBER}:
            number = str(float(source == "True")) if source in {"True", "False"} else source
            texts = ["dynamic=False", f"initial_scale={number}"]
            return Arguments(texts, "a number is a fixed loss scale", claim)
        refusal = self._refused_by_helper(node)
        if refusal is not None:
            return refusal
        is_short = kinds <= {LossScaleType.DYNAMIC, LossScaleType.NUMBER}
        helper = SHORT_HELPER if is_short else HELPER
        return Arguments(
            [f"**{helper}({source})"],
            "the value is known only when the program runs, so a helper function reads it then",
            claim,
            helper=helper,
            doubt=_doubt(self.program) if LossScaleType.UNKNOWN in kinds else None,
        )

    def _refused_by_helper(self, node: cst.BaseExpression) -> Review | None:
        """Says which loss scale object, of those that a value can be, no optimizer takes over."""
        values = [node, *(binding.value for binding in self.resolver.bindings(node))]
        for made in (side for value in values for side in sides(value)):
            if not isinstance(made, cst.Call):
                continue
            class_name, source = _made_class(made, self.resolver), self.tree.source(made.func)
            if class_name is None and _OWN_CLASS.search(source):
                return Review(
                    f"no current optimizer takes {source}",
                    "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments.",
                )
            keywords = self._keywords(made, class_name) if class_name is not None else None
            if isinstance(keywords, Review):
                return keywords
        return None

    def _refusal(self, node: cst.BaseExpression, kinds: set[LossScaleType]) -> Review | None:
        """Says why a value cannot be the loss scale of an optimizer that stayed."""
        source = self.tree.source(node)
        if kinds <= {LossScaleType.NOTHING, LossScaleType.INVALID}:
            return Review(
                f"loss_scale={source} was an error in every version",
                "Say which loss scale is meant, or do not wrap the optimizer.",
            )
        if any(
            isinstance(part, cst.Attribute)
            and part.attr.value == "loss_scale"
            and self.program.types.is_policy(part.value)
            for part in self.tree.walk(node)
        ):
            return Review(
                "its loss scale is read from a policy, and policies have none any more",
                "Write which one is meant. Under mixed_float16 it was dynamic, unless the policy "
                "was made with another.",
            )
        return None

    def _refused_object(self, node: cst.BaseExpression, call: cst.Call) -> Review | None:
        """Says why an optimizer cannot take over the arguments of a loss scale object alone."""
        if isinstance(node, cst.Call):
            return None
        source = self.tree.source(node)
        bindings = self.resolver.bindings(node)
        for value in [node, *(binding.value for binding in bindings)]:
            owner = attribute_owner(value, self.resolver) if value is not None else None
            if owner is not None and self.program.types.is_wrapper(owner):
                return _shared(f"{source} is the loss scale of another optimizer")
        named = self.program.types.project.modules.named(self.resolver, node)
        made = [getattr(one.binding.node, "default", one.binding.value) for one in named]
        moving = [one for one, by in zip(named, made, strict=True) if is_moving(by, one.resolver)]
        uses = [use for binding in bindings for use in binding.uses]
        if isinstance(node, cst.Attribute):
            uses += self.program.reads_by_attribute.get(node.attr.value, ())
        for use in uses if moving else filter(self._asks_for_state, uses):
            owner = use.value if isinstance(use, cst.Attribute) else None
            is_read = owner is not None and self.program.types.is_wrapper(owner)
            if not (call in self.tree.ancestors(use) or is_read):
                return _shared(f"{source} is also used on line {self.program.line(use)}")
        if any(one.resolver is not self.resolver or self._repeats(one, call) for one in moving):
            return _shared(f"{source} is made once and may be given to several optimizers")
        return None

    def _repeats(self, made: Definition, call: cst.CSTNode) -> bool:
        """Whether a call can run more often than what makes an object."""
        if isinstance(made.binding.node, cst.Param):
            return True
        around = set(self.tree.ancestors(made.binding.node))
        repeating = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.CompFor, cst.BaseComp)
        above = (one for one in self.tree.ancestors(call) if isinstance(one, repeating))
        return any(one not in around for one in above)

    def _asks_for_state(self, use: cst.CSTNode) -> bool:
        """Whether something is called, or asked for a state, which no number and no string has."""
        above, call = self.tree.parent(use), self.tree.call_of(use)
        if isinstance(above, cst.Attribute):
            return above.attr.value in _STATE
        return call is not None and not call.args

    def _fold(self, node: cst.BaseExpression, call: cst.Call) -> Arguments | Review | None:
        """Reads a DynamicLossScale or FixedLossScale, inline or in a variable assigned once."""
        bindings = [*self.resolver.bindings(node)] if isinstance(node, cst.Name) else []
        binding = bindings[0] if len(bindings) == 1 else None
        is_assigned = binding is not None and binding.kind is BindingKind.ASSIGN
        value = binding.value if binding is not None and is_assigned else node
        class_name = _made_class(value, self.resolver)
        if class_name is None or not isinstance(value, cst.Call):
            return None
        keywords = self._keywords(value, class_name)
        if isinstance(keywords, Review):
            return keywords
        removes = self._removable(node, call)
        if binding is not None and not (removes and self._is_constant(value)):
            return None  # A helper function reads it where it is used.
        found = [o for o in self.program.references if o.node is value.func]
        return Arguments(
            keywords,
            f"the arguments of {class_name} become the constructor's own",
            MeaningClaim(self.tree.source(value), class_name=class_name),
            claims=found,
            removes=removes,
        )

    def _keywords(self, value: cst.Call, class_name: str) -> list[str] | Review:
        """Returns the constructor's arguments for those of a loss scale object."""
        order = _PARAMETERS[class_name]
        given: dict[str, str] = {}
        for index, argument in enumerate(value.args):
            if argument.star or (argument.keyword is None and index >= len(order)):
                return Review(
                    f"the arguments of {class_name} are unpacked, so they cannot be seen here",
                    "Pass them one by one to LossScaleOptimizer, as `initial_scale` and "
                    "`dynamic_growth_steps`.",
                )
            name = argument.keyword.value if argument.keyword is not None else order[index]
            given[name] = self.tree.source(argument.value)
        if set(given) - set(order) or (class_name == "FixedLossScale" and not given):
            return Review(
                f"{class_name} takes no such arguments", "Correct the call first, then run again."
            )
        if class_name == "FixedLossScale":
            return ["dynamic=False", f"initial_scale={given['loss_scale_value']}"]
        if "multiplier" in given and constant_or_none(given["multiplier"]) != DEFAULT_MULTIPLIER:
            return Review(
                f"a multiplier of {given['multiplier']} has no equivalent: from TensorFlow 2.4 on "
                "it is always 2",
                "Use multiplier 2, or keep the old optimizer with `--target compat`.",
            )
        # In the order in which they are written, which is that in which they are evaluated.
        return [
            f"{_TAKEN_OVER[name]}={text}" for name, text in given.items() if name in _TAKEN_OVER
        ]

    def _is_constant(self, made: cst.Call) -> bool:
        """Whether a loss scale is made from constants alone."""
        sources = (self.tree.source(argument.value) for argument in made.args)
        return all(constant_or_none(source) is not None for source in sources)

    def _removable(self, node: cst.BaseExpression, call: cst.Call) -> list[Binding]:
        """Returns the variable behind an argument, if nothing else uses it."""
        bindings = self.resolver.bindings(node) if isinstance(node, cst.Name) else ()
        if len(bindings) != 1:
            return []
        (binding,) = bindings
        owner = binding.scope
        shared = (owner, binding.name) in self.program.scopes.rebound_elsewhere
        exported = owner is self.program.scopes.module and (
            binding.name in self.program.exported or binding.name in self.program.exports.users
        )
        if shared or exported or owner.is_class:
            return []
        if len(binding.uses) != 1 or call not in self.tree.ancestors(binding.uses[0]):
            return []
        statement = small_statement(self.tree, binding.node)
        if isinstance(statement, cst.Assign):
            only = len(statement.targets) == 1 and isinstance(statement.targets[0].target, cst.Name)
        else:
            only = isinstance(statement, cst.AnnAssign)
        return [binding] if only else []


def _doubt(program: Program) -> Review | None:
    """Says why the helper function may refuse a value: the file has a class of its own."""
    scales = (Meaning.LOSS_SCALE, Meaning.FIXED, Meaning.DYNAMIC)
    if not any(
        one.meaning in scales and program.usage(one) is Usage.BASE_CLASS
        for one in program.references
    ):
        return None
    return Review(
        "the loss scale is known only when the program runs, and no current optimizer takes one of "
        "a class of this file",
        "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments.",
    )


def _shared(what: str) -> Review:
    """Returns the finding on an object that other code has as well."""
    return Review(f"{what}, and the optimizer no longer shares its state", _APART)


def _made_class(node: cst.CSTNode | None, resolver: Resolver) -> str | None:
    """Returns which of TensorFlow's classes of loss scales a call makes an object of."""
    path = resolver.path(node.func) if isinstance(node, cst.Call) else None
    return loss_scale_class(path) if path is not None else None


def sides(value: cst.CSTNode | None) -> Iterator[cst.CSTNode]:
    """Yields what an expression can be: the sides of a condition."""
    if isinstance(value, cst.IfExp):
        yield from (*sides(value.body), *sides(value.orelse))
    elif isinstance(value, cst.BooleanOperation):
        yield from (*sides(value.left), *sides(value.right))
    elif value is not None:
        yield value


def is_moving(node: cst.CSTNode | None, resolver: Resolver) -> bool:
    """Whether an expression can make a loss scale object whose state an optimizer moves."""
    return any(_made_class(side, resolver) == "DynamicLossScale" for side in sides(node))


def reads_of(binding: Binding, program: Program) -> Iterator[cst.CSTNode]:
    """Yields what reads a variable, or an attribute of anything but a loss-scale optimizer."""
    yield from binding.uses
    if not isinstance(binding.node, cst.Attribute):
        return
    for read in program.reads_by_attribute.get(binding.node.attr.value, ()):
        owner = attribute_owner(read, program.resolver)
        if read not in binding.uses and not (owner and program.types.is_wrapper(owner)):
            yield read


def names_taker(call: cst.Call, program: Program) -> bool:
    """Whether what a call names takes a loss scale, and makes Keras' optimizers use it."""
    for path in program.resolver.paths(call.func):
        old = names.lookup(path) if path is not None else None
        if old is not None and old.meaning in (Meaning.OPTIMIZER, Meaning.POLICY):
            return True
        if path is not None and frameworks.is_new_optimizer(path):
            return True
    return False


def is_moved(path: str) -> bool:
    """Whether a path is that of TensorFlow 2.4's LossScaleOptimizer, in Keras as it was."""
    is_left = path.startswith((KERAS_3_HOME, "tf_keras."))
    return frameworks.is_new_optimizer(path) and not is_left


def old_name(path: str, target: Target) -> OldName:
    """Returns TensorFlow 2.4's LossScaleOptimizer as the old name that it is for Keras 3."""
    return OldName(path, Meaning.NEW_OPTIMIZER, loss_scale_optimizers(target, path))


def stock_constructor(arguments: Iterable[str], made: Rewrite) -> Review:
    """Returns what to say of a constructor of Keras 3's own class, by its arguments as source."""
    if any(text.startswith(("dynamic=", "**")) for text in arguments):
        return NOT_FIXED
    return Review(WITHOUT_FLOOR.message, WITHOUT_FLOOR.advice, unsafe_fix=made)
