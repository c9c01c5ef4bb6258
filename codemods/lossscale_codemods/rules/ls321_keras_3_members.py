# SPDX-License-Identifier: Apache-2.0
"""Members of optimizers that Keras 3 lacks are rewritten or reported (`--target keras3`).

| old | in Keras 3 |
| --- | --- |
| `opt.lr` | `opt.learning_rate` |
| `opt.lr(opt.iterations)` of a schedule | `opt.learning_rate`, the current rate |
| `K.set_value(opt.lr, x)` | `opt.learning_rate.assign(x)` |
| `opt.beta_1` and similar of a loss-scale optimizer | `opt.inner_optimizer.beta_1` |

The rule reports slots by name, weights, `get_updates`, `get_gradients`, hyperparameters by name,
and arguments of `apply_gradients` that Keras 3 does not take. If it is not proven that an object is
an optimizer, but its name says so, the rule reports `opt.lr`, and rewrites it with
`--unsafe-fixes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.what_is import looks_like_optimizer
from lossscale_codemods.editing.edits import remove_item
from lossscale_codemods.rules.base import Case, ObservedFix, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.rules.shared.keras_3_places import Places, optimizer_kinds
from lossscale_codemods.rules.shared.step_variables import OTHER_VARIABLES, has_other_variables
from lossscale_codemods.vocabulary.keras_3_members import (
    AGGREGATION,
    GONE,
    KEPT_CONFIG_KEYS,
    NOT_OF_VARIABLES,
    ONLY_OF_OPTIMIZERS,
)
from lossscale_codemods.vocabulary.keras_3_optimizers import HYPERPARAMETERS
from lossscale_codemods.vocabulary.names import WITH_KERAS_3
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_RATES = ("lr", "learning_rate")
_LOOKING_UP = frozenset({"delattr", "dir", "getattr", "hasattr", "setattr", "vars"})
_VARIABLES = ("iterations", *_RATES)
_SETTERS = ("tensorflow.keras.backend.set_value", "keras.backend.set_value")
_LOOKED_AT = (*_RATES, "iterations", "get_config", "apply_gradients", *HYPERPARAMETERS, *GONE)
_HEAD = (
    "import tensorflow as tf\n"
    "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)
_NEW_HEAD = (
    "import tensorflow as tf\n"
    "tf.keras.mixed_precision.set_global_policy('float32')\n"
    "opt = tf.keras.optimizers.SGD(0.1)\n"
)
_CALLED = Review(
    "in Keras 3, `learning_rate` is the rate of this moment, also where it comes of a schedule",
    "Read it without a call, or keep the schedule under a name of its own.",
)


class Keras3Members(Rule):
    """Respells what Keras 3 has under another name, and reports what it lacks."""

    id = "LS321"
    title = "Members of optimizers in Keras 3"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    invalid = (
        Case(
            f"{_HEAD}opt.lr = opt.lr * 0.5\n",
            f"{_NEW_HEAD}opt.learning_rate = opt.learning_rate * 0.5\n",
        ),
        Case(
            f"{_HEAD}tf.keras.backend.set_value(opt.lr, 0.5)\n",
            f"{_NEW_HEAD}opt.learning_rate.assign(0.5)\n",
        ),
        Case(
            f"{_HEAD}print(opt.learning_rate(opt.iterations))\n",
            f"{_NEW_HEAD}print(opt.learning_rate)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}print(opt.get_slot(weight, 'momentum'))\n",
            f"{_NEW_HEAD}print(opt.get_slot(weight, 'momentum'))\n",
            review="no slots by name",
        ),
        Case(
            f"{_HEAD}def halve(optimizer):\n    optimizer.lr = optimizer.lr / 2\n",
            f"{_NEW_HEAD}def halve(optimizer):\n    optimizer.lr = optimizer.lr / 2\n",
            review="not proven",
            unsafe=f"{_NEW_HEAD}def halve(optimizer):\n"
            "    optimizer.learning_rate = optimizer.learning_rate / 2\n",
        ),
        Case(f"{_HEAD}print(args.lr)\n", f"{_NEW_HEAD}print(args.lr)\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields reads, and assignments, of members of optimizers."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for node in places.reads(*_LOOKED_AT):
            if _Member(node, program).verdict() is not None:
                yield places.occurrence(node)
        for call in places.calls():
            if _of_call(call, program) is not None:
                yield places.occurrence(call)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the member, or says why it is not there."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.Call):
            return _of_call(node, program)
        return _Member(node, program).verdict() if isinstance(node, cst.Attribute) else None


def _of_call(call: cst.Call, program: Program) -> Review | None:
    return _of_look_up(call, program) or _of_making(call, program)


def _of_making(call: cst.Call, program: Program) -> Review | None:
    """Reports an optimizer that is made by the class of another: `type(opt)(lr=0.1)`."""
    match call.func:
        case cst.Attribute(value=owner, attr=cst.Name("__class__")):
            pass
        case cst.Call(func=cst.Name("type"), args=[cst.Arg(value=owner)]):
            pass
        case _:
            return None
    if not call.args or not optimizer_kinds(owner, program):
        return None
    return Review(
        "Keras 3's optimizers take other arguments, and make nothing of some old ones",
        "Write `learning_rate` for `lr`, and a schedule instead of `decay`.",
    )


def _of_look_up(call: cst.Call, program: Program) -> Review | None:
    """Reports a member that is looked up by its name, such as `hasattr(opt, "get_slot")`."""
    asks = dotted(call.func)
    if asks not in _LOOKING_UP or not call.args or any(argument.star for argument in call.args):
        return None
    kinds = optimizer_kinds(call.args[0].value, program)
    if not kinds:
        return None
    name = call.args[1].value if len(call.args) > 1 else None
    text = name.evaluated_value if isinstance(name, cst.SimpleString) else None
    if text is not None:
        is_gone = text in GONE or text in {"lr", "minimize"}
        if not is_gone and not (text in HYPERPARAMETERS and ObjectType.WRAPPER in kinds):
            return None
    return Review(
        f"{asks}() looks up what Keras 3's optimizers may lack, or have under another name",
        "Ask for what they have: `learning_rate`, `variables`, `inner_optimizer`.",
    )


class _Member:
    """A member that is read of something, or assigned to it.

    Args:
        node: The attribute.
        program: The file.
    """

    def __init__(self, node: cst.Attribute, program: Program) -> None:
        self.node = node
        self.name = node.attr.value
        self.program = program
        self.tree = program.tree
        self.above = program.tree.parent(node)

    def verdict(self) -> Verdict | None:
        """Says what becomes of it; nothing if it is no optimizer's, or right as it is."""
        kinds = optimizer_kinds(self.node.value, self.program)
        if not kinds:
            return self._of_unproven()
        if self.name in _RATES:
            return self._of_rate()
        if self.name == "iterations":
            return self._of_variable()
        if self.name == "get_config":
            return self._of_config()
        if self.name == "apply_gradients":
            return self._of_step(kinds)
        if self.name in HYPERPARAMETERS:
            return self._of_hyperparameter(kinds)
        return Review(*GONE[self.name])

    def _of_unproven(self) -> Verdict | None:
        """Says what may be to do, if the name of the object says that it is an optimizer."""
        owner = self.node.value
        is_unknown = ObjectType.UNKNOWN in self.program.types.of(owner)
        if not is_unknown or self._is_of_module():
            return None
        if self.name in ONLY_OF_OPTIMIZERS and self.program.resolver.class_of(owner) is None:
            why, advice = GONE[self.name]
            return Review(f"{why}; that this is one is not proven in this file", advice)
        if not looks_like_optimizer(owner):
            return None
        if self.name == "lr":
            found = self._of_rate()
            fix = found if isinstance(found, Rewrite) else None
            return Review(
                "Keras 3's optimizers have no `lr`; that this is one is not proven in this file",
                "If it is one, write `learning_rate`.",
                unsafe_fix=fix,
                observed_fixes=[ObservedFix("lr", (), fix)],
            )
        called = isinstance(self.above, cst.Call) and self.above.func is self.node
        if self.name in GONE and called:
            why, advice = GONE[self.name]
            return Review(f"{why}; that this is one is not proven in this file", advice)
        return None

    def _is_of_module(self) -> bool:
        return any(path is not None for path in self.program.resolver.paths(self.node.value))

    def _of_rate(self) -> Verdict | None:
        if isinstance(self.above, cst.Call) and self.above.func is self.node:
            return self._of_called_rate(self.above)
        call = self.tree.parent(self.above) if isinstance(self.above, cst.Arg) else None
        if isinstance(call, cst.Call) and dotted(call.func) in {"type", "isinstance"}:
            return _CALLED
        setting = self._setting()
        if setting is not None:
            return setting
        odd = self._of_variable()
        if odd is not None or self.name != "lr":
            return odd
        edit = Edit(*self.tree.span(self.node.attr), "learning_rate")
        return rewrite("`lr` is `learning_rate`", [edit])

    def _of_called_rate(self, call: cst.Call) -> Verdict:
        owner = self.tree.source(self.node.value)
        given = [self.tree.source(argument.value) for argument in call.args]
        if given not in ([f"{owner}.iterations"], [f"{owner}.iterations.value()"]):
            return _CALLED
        start = self.tree.span(self.node.attr)[0]
        edit = Edit(start, self.tree.span(call)[1], "learning_rate")
        return rewrite("the rate of this moment, which the schedule gives", [edit])

    def _setting(self) -> Verdict | None:
        """Says what becomes of `K.set_value(opt.lr, x)`."""
        call = self.tree.parent(self.above) if isinstance(self.above, cst.Arg) else None
        if not isinstance(call, cst.Call) or len(call.args) != 2 or call.args[0] is not self.above:
            return None
        path = self.program.resolver.path(call.func)
        if path is None or canonical(path) not in _SETTERS:
            return None
        start, end = self.tree.span(call)
        value_start, value_end = self.tree.full_span(call.args[1].value)
        name = "learning_rate" if self.name == "lr" else self.name
        owner = self.tree.source(self.node.value)
        edits = [
            Edit(start, value_start, f"{owner}.{name}.assign("),
            Edit(value_end, end, ")"),
        ]
        return rewrite("assigned, as `set_value` of Keras 3 takes no variable", edits)

    def _of_variable(self) -> Verdict | None:
        setting = self._setting() if self.name == "iterations" else None
        if setting is not None:
            return setting
        above = self.above
        if isinstance(above, cst.Attribute) and above.value is self.node:
            called = self.tree.parent(above)
            is_called = isinstance(called, cst.Call) and called.func is above
            if above.attr.value in NOT_OF_VARIABLES or (above.attr.value == "value" and is_called):
                return Review(
                    f"a variable of Keras has no {above.attr.value}()",
                    "Give it to `int`, `float` or `tf.convert_to_tensor`.",
                )
        if self.name == "iterations" and self.node in self.program.scopes.binding_at:
            return Review(
                "Keras 3 counts in a variable of its own", "Assign to that: `iterations.assign()`."
            )
        return None

    def _of_config(self) -> Review | None:
        """Reports a config that is looked into."""
        call = self.above
        if not isinstance(call, cst.Call):
            return None
        user = self.tree.parent(call)
        if isinstance(user, cst.Subscript) and user.value is call:
            index = user.slice[0].slice
            key = index.value if isinstance(index, cst.Index) else None
            if isinstance(key, cst.SimpleString) and key.evaluated_value in KEPT_CONFIG_KEYS:
                return None
        if isinstance(user, cst.Arg):
            taker = self.tree.parent(user)
            func = taker.func if isinstance(taker, cst.Call) else None
            if isinstance(func, cst.Attribute) and func.attr.value == "from_config":
                return None
        return Review(
            "Keras 3 writes configs of optimizers in another form, with other keys",
            "Pass it to Keras, and do not read its keys yourself.",
        )

    def _of_step(self, kinds: frozenset[ObjectType]) -> Verdict | None:
        call = self.above
        if not isinstance(call, cst.Call) or call.func is not self.node:
            return None
        user = self.tree.parent(call)
        if not isinstance(user, cst.Expr | cst.Return | cst.Lambda):
            return Review(
                "in Keras 3, apply_gradients() returns the variable that counts steps",
                "Do without what it returned.",
            )
        if has_other_variables(self.node, self.program):
            return OTHER_VARIABLES
        gone = []
        for argument in call.args:
            name = argument.keyword.value if argument.keyword is not None else None
            if name in AGGREGATION:
                is_default = self.tree.source(argument.value) == str(name == AGGREGATION[0])
                if not is_default:
                    return Review(
                        "Keras 3 sums gradients over the replicas when it applies them, and "
                        "cannot be told not to",
                        "Leave out the argument, and do not sum them yourself.",
                    )
            if name is not None and name != "grads_and_vars":
                gone.append(argument)
        if not gone or kinds == {ObjectType.WRAPPER}:
            return None
        edits = remove_item(self.tree, call.args, gone)
        return rewrite("without the arguments that Keras 3 has no use for", edits)

    def _of_hyperparameter(self, kinds: frozenset[ObjectType]) -> Verdict | None:
        if kinds == {ObjectType.WRAPPER}:
            end = self.tree.full_span(self.node.value)[1]
            edit = Edit(end, end, ".inner_optimizer")
            return rewrite("a hyperparameter of the optimizer that is wrapped", [edit])
        if ObjectType.WRAPPER in kinds:
            return Review(
                "if this is a loss-scale optimizer, Keras 3 has this at its inner_optimizer alone",
                "Ask inner_optimizer, if it is one.",
            )
        if isinstance(self.above, cst.Attribute) and self.above.value is self.node:
            return Review(
                f"{self.name} is a Python number in Keras 3", "Read it, or assign to it, as such."
            )
        return None
