# SPDX-License-Identifier: Apache-2.0
"""What is read of a loss-scale optimizer: rewritten on a proven one, or reported.

`loss_scale()`, attributes of `loss_scale` and `_optimizer` are rewritten; LS311 reports every other
use.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    ATTRIBUTES,
    BindingKind,
    Certainty,
    Program,
    Role,
    Use,
    UseKind,
    asks_whether_callable,
    attribute_owner,
    class_with_old_base,
    guards_of_call,
    is_called_in,
    looks_like_optimizer,
    looks_like_settings,
    loss_scale_optimizer,
    makes_optimizers,
    uses_of,
)
from lossscale_codemods.rules.base import (
    LOSS_SCALE_PATTERN,
    OLD_NAMES,
    Case,
    Found,
    Marker,
    Review,
    Rewrite,
    Rule,
    Verdict,
    rewrite,
)
from lossscale_codemods.rules.loss_scale_arguments import (
    SETTINGS,
    is_given_to_optimizer,
    is_moving,
    names_taker,
    reads_of,
    sides,
)
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import (
    WITH_KERAS_3,
    WITH_LOSS_SCALE,
    Meaning,
    is_loss_scale_class,
    loss_scale_class,
)
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.domain import Resolver

NEW_ATTRIBUTES = {
    "initial_loss_scale": "initial_scale",
    "_initial_loss_scale": "initial_scale",
    "_loss_scale_value": "initial_scale",
    "increment_period": "dynamic_growth_steps",
    "_increment_period": "dynamic_growth_steps",
    "_current_loss_scale": "loss_scale",
    "_num_good_steps": "dynamic_counter",
}
"""Attributes of a loss scale object, and those of the optimizer that took their place."""
OLD_ATTRIBUTES = frozenset(
    {
        *NEW_ATTRIBUTES,
        "multiplier",
        "_multiplier",
        "get_config",
        "from_config",
        "update",
        "_weights",
        "_add_weight",
    }
)
"""What only a loss scale object had."""
TENSOR_ATTRIBUTES = frozenset({"device", "dtype", "graph", "ndim", "numpy", "op", "shape"})
"""What a loss scale object has, or gives, that the tensor has as well."""
_DISTINCT = ("_current_loss_scale", "_num_good_steps")
_OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
_NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
_SCALE = "tf.mixed_precision.experimental.DynamicLossScale"
_NEW_SCALE = "tf.compat.v1.mixed_precision.DynamicLossScale"
_TF = "import tensorflow as tf\n"
_HEAD = f"{_TF}opt = {_OLD}(opt, 'dynamic')\n"
_NEW_HEAD = f"{_TF}opt = {_NEW}(opt)\n"


def _case(body: str, after: str | None = None, review: str | None = None) -> Case:
    """Returns an example about the optimizer of the first lines, which are migrated."""
    return Case(_HEAD + body, _NEW_HEAD + (body if after is None else after), review=review)


class LossScaleCalls(Rule):
    """`opt.loss_scale()` becomes `opt.loss_scale`, which is the scale itself today.

    Since TensorFlow 2.4, `loss_scale` is not an object that you call:
    https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The rule changes proven loss-scale
    optimizers only: objects that the constructor created, that `isinstance` tests, or that are
    annotated. With `--unsafe-fixes`, a name that looks like an optimizer is enough.
    """

    id = "LS301"
    title = "Calls of `optimizer.loss_scale()`"
    meanings = frozenset()
    targets = WITH_LOSS_SCALE
    invalid = (
        _case("print(opt.loss_scale())\n", "print(opt.loss_scale)\n"),
        _case("scale = opt.loss_scale().numpy()\n", "scale = opt.loss_scale.numpy()\n"),
        _case("print(opt._loss_scale())\n", "print(opt.loss_scale)\n"),
        _case("print((opt.loss_scale)())\n", "print((opt.loss_scale))\n"),
    )
    valid = (
        _case("print(getattr(opt, 'loss_scale')())\n", review="what getattr gives is called"),
        Case(
            "import tensorflow as tf  # LossScale\n"
            "def log(optimizer):\n    print(optimizer.loss_scale())\n",
            review="not proven",
            unsafe="import tensorflow as tf  # LossScale\n"
            "def log(optimizer):\n    print(optimizer.loss_scale)\n",
        ),
        Case(
            f"{_TF}class Mine({_OLD}):\n    def log(self):\n        print(self.loss_scale())\n",
            review="belongs to the class Mine",
        ),
        Case("import tensorflow as tf  # LossScale\nprint(config.loss_scale())\n"),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields `x.loss_scale()` where x is, or can be, a loss-scale optimizer."""
        for node in _reads(program):
            owner, call = attribute_owner(node, program.resolver), called(program, node)
            if owner is None or call is None:
                continue
            if loss_scale_optimizer(owner, program).can_be:
                verdict = _of_call(node, call, owner, program)
                yield self.found(node, program, verdict, Role.FOUND)


class InnerOptimizer(Rule):
    """`opt._optimizer` of a loss-scale optimizer becomes the public `opt.inner_optimizer`.

    The attribute was private, and `inner_optimizer` is public since TensorFlow 2.4. Most
    `_optimizer` attributes belong to other classes, so the rule changes proven loss-scale
    optimizers only. For Keras 3, which has no such name, it reports others, with an unsafe fix.
    """

    id = "LS302"
    title = "The wrapped optimizer"
    meanings = frozenset()
    not_handled = (
        "`_optimizer` of an object that is not proven to be a loss-scale optimizer: tf-keras has "
        "the name too, so it gets a finding for Keras 3 alone."
    )
    invalid = (
        Case(
            f"{_TF}def lr(opt):\n    if isinstance(opt, {_OLD}):\n        opt = opt._optimizer\n"
            "    return opt.lr\n",
            f"{_TF}def lr(opt):\n    if isinstance(opt, {_NEW}):\n"
            "        opt = opt.inner_optimizer\n    return opt.lr\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf  # LossScale\n"
            "class Trainer:\n    def lr(self):\n        return self._optimizer.lr\n"
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields `x._optimizer` of what is, or can be, a loss-scale optimizer."""
        for node in attributes(program, "_optimizer"):
            edits = replace(program, node, node.value, ".inner_optimizer")
            respelled = rewrite("the public name of the wrapped optimizer", edits)
            answer = loss_scale_optimizer(node.value, program)
            if answer.is_sure:
                yield self.found(node, program, respelled, Role.FOUND)
                continue
            is_self = program.resolver.class_of(node.value) is not None
            is_gone = program.target in WITH_KERAS_3 and not is_self
            if is_gone and makes_optimizers(program) and answer.can_be:
                advice = "If it is one, write `.inner_optimizer`."
                review = Review(answer.reason, advice, unsafe_fix=respelled)
                yield self.found(node, program, review, Role.FOUND)


class LossScaleAttributes(Rule):
    """Attributes of `opt.loss_scale` become attributes of the optimizer.

    Since TensorFlow 2.4, `opt.loss_scale` is a tensor, which does not have these attributes:
    https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0.

    | old | new |
    | --- | --- |
    | `opt.loss_scale.initial_loss_scale` | `opt.initial_scale` |
    | `opt.loss_scale.increment_period` | `opt.dynamic_growth_steps` |
    | `opt.loss_scale._loss_scale_value` | `opt.initial_scale` |
    | `opt.loss_scale._current_loss_scale` | `opt.loss_scale`, where it is used as a number |
    | `opt.loss_scale._num_good_steps` | `opt.dynamic_counter` |

    There is no attribute for the multiplier, which is always 2.

    With `--unsafe-fixes`, a name that looks like an optimizer is enough.
    """

    id = "LS303"
    title = "Attributes of the loss scale"
    meanings = frozenset()
    targets = WITH_LOSS_SCALE
    markers = (
        *OLD_NAMES,
        Marker(b"loss_scale", tuple(name.encode() for name in _DISTINCT), LOSS_SCALE_PATTERN),
    )
    invalid = tuple(
        _case(f"print(float(opt.loss_scale.{old}))\n", f"print(float(opt.{new}))\n")
        for old, new in NEW_ATTRIBUTES.items()
    )
    valid = (
        _case("print(opt.loss_scale.get_config())\n", review="get_config of the loss scale object"),
        _case("print(opt.loss_scale.multiplier)\n", review="always 2"),
        _case("opt.loss_scale._current_loss_scale.assign(8.0)\n", review="was a variable"),
        Case(
            f"{_HEAD}metrics = {{'loss_scale': opt.loss_scale._current_loss_scale}}\n",
            f"{_NEW_HEAD}metrics = {{'loss_scale': opt.loss_scale._current_loss_scale}}\n",
            review="was a variable",
            unsafe=f"{_NEW_HEAD}metrics = {{'loss_scale': opt.loss_scale}}\n",
        ),
        Case(
            "import tensorflow as tf  # LossScale\n"
            "def log(model):\n    print(model.optimizer.loss_scale._current_loss_scale)\n",
            review="not proven",
            unsafe="import tensorflow as tf  # LossScale\n"
            "def log(model):\n    print(model.optimizer.loss_scale)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields attributes of the `loss_scale` of something."""
        for nodes in list(program.reads_by_attribute.values()):
            for node in nodes:
                owner = attribute_owner(node.value, program.resolver)
                if owner is not None and _is_old_attribute(node, owner, program):
                    yield self.found(node, program, _of_attribute(node, owner, program), Role.FOUND)


class LossScaleUses(Rule):
    """Every other use of an optimizer's loss scale is reported: kept, passed on, printed or set.

    Up to TensorFlow 2.3, `opt.loss_scale` was a live object with settings. Since TensorFlow 2.4, it
    is a tensor with the value of that moment:
    https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. So code that keeps it, asks of
    which class it is, or looks it up by name sees something else. The keys of the optimizer's
    config are others as well: `inner_optimizer`, `dynamic`, `initial_scale` and
    `dynamic_growth_steps`.

    An optimizer and other code shared a loss scale object, `scale = DynamicLossScale(); opt =
    LossScaleOptimizer(opt, scale)`. The current optimizer keeps its own state, so the rule reports
    reads of objects that other code gets as well.
    """

    id = "LS311"
    title = "Other uses of an optimizer's loss scale"
    meanings = frozenset()
    targets = WITH_LOSS_SCALE
    valid = (
        _case(
            "scale = opt.loss_scale\ntrain(opt)\nprint(scale().numpy())\n",
            review="with the loss scale of this moment",
        ),
        _case("log(opt.loss_scale)\n", review="with the loss scale of this moment"),
        _case("print(opt.loss_scale)\n", review="prints as a tensor now"),
        _case(
            f"if isinstance(opt.loss_scale, {_SCALE}):\n    print('moves')\n",
            f"if isinstance(opt.loss_scale, {_NEW_SCALE}):\n    print('moves')\n",
            review="of no such class",
        ),
        _case("opt._loss_scale = scale\n", review="cannot be replaced"),
        _case("print(vars(opt)['_loss_scale'])\n", review="looked up by a name"),
        _case("print(opt.get_config()['loss_scale'])\n", review="no key of the new config"),
        Case(f"{_NEW_HEAD}scale = opt.loss_scale\nprint(scale())\n", review="which is a tensor"),
        Case(f"{_NEW_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale)\n"),
        _case("x = opt.loss_scale * 2\n"),
        Case(
            f"{_TF}scale = {_SCALE}(64)\nopt = wrap(inner, scale)\nprint(scale().numpy())\n",
            f"{_TF}scale = {_NEW_SCALE}(64)\nopt = wrap(inner, scale)\nprint(scale().numpy())\n",
            review="no longer moves",
        ),
        Case(
            f"{_TF}scale = {_SCALE}(64)\nopts = [{_OLD}(o, scale) for o in inner]\n",
            review="share its state",
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the uses."""
        for node, review in _Uses(program).found():
            yield self.found(node, program, review)
        for node in _lost_places(program):
            yield self.found(node, program, _LOST)


_WAYS_TO_LOOK_UP = frozenset({"getattr", "vars", "getmembers"})
_GETTERS = frozenset({"attrgetter", "methodcaller"})
_WAYS_TO_SET = frozenset({"setattr", "delattr"})
_MEMBERS = frozenset({*ATTRIBUTES, "_optimizer", *NEW_ATTRIBUTES})
"""What optimizers and loss scales had under these names."""
_PARTS = frozenset({"loss_", "_loss_", "loss", "scale", "_scale"})
_FIELD = re.compile(r"\{[^{}]*\.(?:_?loss_scale|_optimizer)\b[^{}]*\}")
"""A field of a text for `str.format` that reads such a member."""
_OLD_KEYS = frozenset({"optimizer", "loss_scale"})
_BUILT_IN = frozenset({"callable", "hasattr", "id", "isinstance", "type"})

_KEPT = Review(
    "it was a live object, and is a tensor with the loss scale of this moment now",
    "Keep or give on the optimizer, and read its `loss_scale` where the loss scale is needed.",
)
_TEXT = Review(
    "it printed itself with its settings, and prints as a tensor now",
    "Print `float(optimizer.loss_scale)`, or leave it if nothing reads what is printed. Later runs "
    "do not report it, because a tensor is right there in new code.",
)
_CALLED = Review(
    "what is called here, or asked for its settings, can be the loss scale of an optimizer, which "
    "is a tensor now",
    "Read `loss_scale` of the optimizer instead.",
)
_CLASS_ASKED = Review(
    "the loss scale of an optimizer is a tensor now, and of no such class",
    "Ask the optimizer instead: `optimizer.dynamic`.",
)
_PRIVATE = Review(
    "_loss_scale is something else in the optimizer of today",
    "Read its `loss_scale`.",
)
_REPLACED = Review(
    "the loss scale of an optimizer cannot be replaced any more",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_LOOKED_UP = Review(
    "the loss scale of an optimizer can be looked up by a name here",
    "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
)
_KEY = Review(
    "it is no key of the new config",
    "Its keys are inner_optimizer, dynamic, initial_scale and dynamic_growth_steps.",
)
_LOST = Review(
    "the object is given to other code, and no longer moves if that makes an optimizer of it: "
    "optimizers do not share its state",
    "Read `loss_scale` of the optimizer here.",
)


def _reads(program: Program) -> Iterator[cst.BaseExpression]:
    """Yields `x.loss_scale` and `getattr(x, "loss_scale")`."""
    yield from attributes(program, *ATTRIBUTES)
    if b"getattr" in program.source:
        for node in program.tree.nodes(cst.Call):
            if attribute_owner(node, program.resolver) is not None:
                yield node


def _of_call(
    node: cst.BaseExpression, call: cst.Call, owner: cst.BaseExpression, program: Program
) -> Verdict:
    """Takes the call off `x.loss_scale()`, if x is proven."""
    if not isinstance(node, cst.Attribute):
        return Review(
            "what getattr gives is called, and of a loss-scale optimizer it is a tensor now",
            "Take off the (). A default of getattr must be a number.",
        )
    message = "the scale itself, which is no longer called"
    uncalled = rewrite(message, _uncalled(node, call, program))
    answer = loss_scale_optimizer(owner, program)
    if answer.is_sure:
        return uncalled
    own = class_with_old_base(owner, program.resolver)
    if own is not None:
        return Review(
            f"it belongs to the class {own.name.value}, whose base class stays as it is",
            "Change the base class first: `loss_scale` of the current one is not called.",
        )
    return Review(
        answer.reason,
        "If it is one, take off the (): from TensorFlow 2.4 on `loss_scale` is the scale.",
        unsafe_fix=uncalled,
    )


def _uncalled(node: cst.Attribute, call: cst.Call, program: Program) -> list[Edit]:
    if not node.lpar:
        return replace(program, call, node.value, ".loss_scale")
    brackets = Edit(program.tree.full_span(node)[1], program.tree.span(call)[1], "")
    return [brackets, Edit(*program.tree.span(node.attr), "loss_scale")]


def _is_old_attribute(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> bool:
    """Whether an attribute of `x.loss_scale` is one that the object had, and the tensor lacks."""
    name = node.attr.value
    if program.types.is_policy(owner):
        return False
    if program.types.is_wrapper(owner) or name in _DISTINCT:
        is_old = program.old_types.is_wrapper(owner)
        return name in OLD_ATTRIBUTES or (is_old and name not in TENSOR_ATTRIBUTES)
    if name not in OLD_ATTRIBUTES or looks_like_settings(owner):
        return False
    return makes_optimizers(program) and loss_scale_optimizer(owner, program).can_be


def _of_attribute(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Verdict:
    """Respells what has an equivalent, of proven optimizers."""
    name, is_changed = node.attr.value, node in program.scopes.binding_at
    has_new = name in NEW_ATTRIBUTES and not is_changed
    respelled = _respelled(node, owner, program) if has_new else None
    answer = loss_scale_optimizer(owner, program)
    if not answer.is_sure:
        return Review(
            answer.reason,
            f"If it does, write `.{NEW_ATTRIBUTES.get(name, 'loss_scale')}` of the optimizer "
            "instead.",
            unsafe_fix=respelled,
        )
    if is_changed:
        return Review(
            f"{name} of the loss scale object is changed here",
            "Make a new LossScaleOptimizer to change what it has been made with.",
        )
    if not is_read_as_number(node, program.resolver):
        return Review(
            "it was a variable, and the loss scale of the optimizer is a tensor of this moment",
            "Read `loss_scale` of the optimizer where it is needed. It has no public way to set "
            "it.",
            unsafe_fix=respelled if _is_kept(node, program) else None,
        )
    if respelled is not None:
        return respelled
    if "multiplier" in name:
        return Review("the multiplier has no name any more, because it is always 2", "Write 2.")
    return Review(
        f"{name} of the loss scale object has no equivalent on the optimizer",
        "Read loss_scale, initial_scale or dynamic_growth_steps of the optimizer instead.",
    )


def _respelled(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Rewrite:
    new = NEW_ATTRIBUTES[node.attr.value]
    if isinstance(node.value, cst.Attribute) and not node.value.lpar:
        edits = replace(program, node, owner, f".{new}")
    else:
        edits = [put(program, program.tree.span(node), f"{program.tree.source(owner)}.{new}")]
    return rewrite(f"{node.attr.value} is {new} of the optimizer", edits)


def _is_kept(node: cst.Attribute, program: Program) -> bool:
    """Whether something is only kept under a key, as what is logged is."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Assign):
        return all(isinstance(target.target, cst.Subscript) for target in above.targets)
    return isinstance(above, cst.DictElement) and above.value is node


class _Uses:
    """The other uses in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.names_old_class = any(o.meaning is Meaning.OPTIMIZER for o in program.references)

    def found(self) -> Iterator[tuple[cst.CSTNode, Review]]:
        """Yields the uses, each with what to say about it."""
        reported: set[cst.CSTNode] = set()
        for node in _reads(self.program):
            review = self._of_read(node)
            if review is not None:
                reported.add(node)
                yield node, review
        yield from self._misused_names(reported)
        if not makes_optimizers(self.program):
            return
        for part in self.tree.parents:
            review = None
            if isinstance(part, cst.Attribute):
                review = self._of_attribute(part)
            elif isinstance(part, cst.Call):
                review = self._of_call(part)
            elif isinstance(part, cst.SimpleString) and self.names_old_class:
                review = _LOOKED_UP if _FIELD.search(part.value) else None
            if review is not None:
                yield part, review

    def _of_read(self, node: cst.BaseExpression) -> Review | None:
        owner = attribute_owner(node, self.resolver)
        if owner is None or node in self.program.scopes.binding_at:
            return None
        answer = loss_scale_optimizer(owner, self.program)
        if not answer.can_be or self.program.reachability.is_only_new(node):
            return None
        if any(guards_of_call(self.program, node)) or self._is_called_if_it_can_be(node):
            return None
        is_old = self.program.old_types.is_wrapper(owner)
        uses = uses_of(node, self.resolver)
        reviews = [self._of_use(use, node, is_old=is_old or not answer.is_sure) for use in uses]
        review = next((one for one in reviews if one is not None), None)
        is_private = isinstance(node, cst.Attribute) and node.attr.value == "_loss_scale"
        if review is None and is_old and is_private:
            is_handled = uses[-1].kind in (UseKind.CALLED, UseKind.READ)
            return None if is_handled else _PRIVATE
        if answer.certainty is Certainty.LIKELY and review is not _CLASS_ASKED:
            return review if self._matters(owner) else None
        return review

    def _is_called_if_it_can_be(self, node: cst.BaseExpression) -> bool:
        """Whether a condition around a read asks whether that can be called, and one side does."""
        text = self.tree.source(node)
        return any(
            asks_whether_callable(self.tree, text, above.test)
            and any(
                is_called_in(self.tree, text, part) for part in (above.body, above.orelse) if part
            )
            for above in self.tree.ancestors(node)
            if isinstance(above, cst.If | cst.IfExp)
        )

    def _matters(self, owner: cst.BaseExpression) -> bool:
        """Whether what has a loss scale is called as an optimizer can be, where such are made."""
        named = isinstance(owner, cst.Name) or looks_like_optimizer(owner)
        return self.names_old_class and named and not looks_like_settings(owner)

    def _of_use(self, use: Use, node: cst.BaseExpression, *, is_old: bool) -> Review | None:
        call = self.tree.parent(use.user) if isinstance(use.user, cst.Arg) else None
        if use.kind is UseKind.TESTED:
            return _CLASS_ASKED if self._asks_for_class(call) else None
        if not is_old or use.kind in (UseKind.IGNORED, UseKind.NUMBER):
            return None
        if use.kind is UseKind.TEXT:
            return _TEXT
        if use.kind in (UseKind.CALLED, UseKind.READ) and use.node is node:
            return _KEPT if self._is_bound_method(use.user) else None  # Others are other rules'.
        if isinstance(call, cst.Call) and is_given_to_optimizer(call, self.program):
            return None
        return _KEPT

    def _asks_for_class(self, call: cst.CSTNode | None) -> bool:
        """Whether a test asks for a class of loss scales."""
        return isinstance(call, cst.Call) and any(
            path is not None and is_loss_scale_class(path)
            for argument in call.args[1:2]
            for part in self.tree.walk(argument)
            if isinstance(part, cst.Name | cst.Attribute)
            for path in self.resolver.paths(part)
        )

    def _is_bound_method(self, read: cst.CSTNode | None) -> bool:
        """Whether `numpy` of the object is read and not called at once."""
        above = self.tree.parent(read) if read is not None else None
        is_called = isinstance(above, cst.Call) and above.func is read
        return isinstance(read, cst.Attribute) and read.attr.value == "numpy" and not is_called

    def _misused_names(
        self, reported: set[cst.CSTNode]
    ) -> Iterator[tuple[cst.BaseExpression, Review]]:
        """Yields names of a loss scale that are called, or asked for what only the object had."""
        for node in self.program.scopes.scope_of_read:
            if not isinstance(node, cst.Name | cst.Attribute) or not self._is_misuse(node):
                continue
            bindings = self.resolver.bindings(node)
            reads = [read for b in bindings for read in sides(b.value)]
            if any(b.kind is BindingKind.NARROWED for b in bindings) or not reported.isdisjoint(
                reads
            ):
                continue
            owners = [attribute_owner(read, self.resolver) for read in reads]
            if any(
                o is not None and loss_scale_optimizer(o, self.program).can_be for o in owners
            ) and not any(guards_of_call(self.program, node)):
                yield node, _CALLED

    def _is_misuse(self, node: cst.BaseExpression) -> bool:
        above = self.tree.parent(node)
        if isinstance(above, cst.Call):
            return above.func is node and not above.args
        return isinstance(above, cst.Attribute) and above.attr.value in OLD_ATTRIBUTES

    def _of_attribute(self, node: cst.Attribute) -> Review | None:
        """Says what there is to say about `x.__dict__` and about `x.loss_scale = ...`."""
        if node.attr.value == "__dict__":
            return _LOOKED_UP if self._is_looked_into(node.value) else None
        if node in self.program.scopes.binding_at and node.attr.value in ATTRIBUTES:
            return _REPLACED if self._is_replaced(node) else None
        return None

    def _of_call(self, call: cst.Call) -> Review | None:
        """Says what there is to say about a call that sets, looks up or describes."""
        name = (dotted(call.func) or "").rpartition(".")[2]
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "get_config":
            return _KEY if self._is_old_key(call) else None
        strings = [a.value for a in call.args if isinstance(a.value, cst.SimpleString)]
        named = any(
            not set(str(s.evaluated_value).split(".")).isdisjoint(_MEMBERS) for s in strings
        )
        if name in _WAYS_TO_SET and call.args and named:
            return _REPLACED if self._can_be_old(call.args[0].value) else None
        if name in _GETTERS:
            unclear = self.names_old_class and self._names_member and len(strings) < len(call.args)
            return _LOOKED_UP if named or unclear else None
        if name not in _WAYS_TO_LOOK_UP or not call.args or (name == "getattr" and strings):
            return None
        return _LOOKED_UP if self._is_looked_into(call.args[0].value) else None

    def _is_looked_into(self, node: cst.BaseExpression) -> bool:
        """Whether what is looked up by a name can be an optimizer's, and the name an old one."""
        if self.program.old_types.is_wrapper(node):
            return True
        is_self = self.resolver.class_of(node) is not None
        if is_self or not self._names_member or not self._matters(node):
            return False
        return loss_scale_optimizer(node, self.program).certainty is Certainty.LIKELY

    @functools.cached_property
    def _names_member(self) -> bool:
        """Whether a string of the file is the name of an old member, or a part that is joined."""
        return any(
            isinstance(node, cst.SimpleString)
            and (
                node.raw_value in _MEMBERS
                or (
                    node.raw_value in _PARTS
                    and isinstance(self.tree.parent(node), cst.BinaryOperation)
                )
            )
            for node in self.tree.parents
        )

    def _can_be_old(self, node: cst.BaseExpression) -> bool:
        if self.program.old_types.is_wrapper(node):
            return True
        answer = loss_scale_optimizer(node, self.program)
        return answer.certainty is Certainty.LIKELY and looks_like_optimizer(node)

    def _is_replaced(self, node: cst.Attribute) -> bool:
        """Whether the attribute that is set is an optimizer's, which does not take the value."""
        if self._can_be_old(node.value):
            return True
        if not self.program.types.is_wrapper(node.value):
            return False
        values = [b.value for b in self.program.scopes.binding_at[node] if b.value is not None]
        return node.attr.value == "loss_scale" or any(
            isinstance(value, cst.Call)
            and any(path and loss_scale_class(path) for path in self.resolver.paths(value.func))
            for value in values
        )

    def _is_old_key(self, call: cst.Call) -> bool:
        """Whether an old key of an optimizer's config is read at once."""
        subscript = self.tree.parent(call)
        if not isinstance(subscript, cst.Subscript) or subscript.value is not call:
            return False
        index = subscript.slice[0].slice
        if not isinstance(index, cst.Index) or not isinstance(index.value, cst.SimpleString):
            return False
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        if owner is None or index.value.evaluated_value not in _OLD_KEYS:
            return False
        if self.program.types.is_wrapper(owner):
            return True
        return looks_like_optimizer(owner) and loss_scale_optimizer(owner, self.program).can_be


def _lost_places(program: Program) -> Iterator[cst.CSTNode]:
    """Yields uses of the state of objects that an optimizer made elsewhere may have taken.

    The second use that gives an object to other code is one: there may be two optimizers then.
    """
    for value, bindings in program.bound_to.items():
        if not is_moving(value, program.resolver):
            continue
        places = dict.fromkeys(read for binding in bindings for read in reads_of(binding, program))
        uses = [(place, use) for place in places for use in uses_of(place, program.resolver)]
        given = [(place, use) for place, use in uses if _leaves(use, program)]
        if given:
            yield from (place for place, use in uses if _is_live(use))
            yield from (place for place, use in given[1:] if use.kind is UseKind.PASSED)


def _is_live(use: Use) -> bool:
    """Whether a use asks for an object's state."""
    if use.kind is UseKind.READ and isinstance(use.user, cst.Attribute):
        return use.user.attr.value.lstrip("_") not in SETTINGS
    return use.kind in (UseKind.CALLED, UseKind.READ, UseKind.NUMBER, UseKind.TEXT)


def _leaves(use: Use, program: Program) -> bool:
    """Whether a use hands an object to code that may make an optimizer with it."""
    if use.kind in (UseKind.HELD, UseKind.RETURNED, UseKind.OTHER):
        return True
    call = program.tree.parent(use.user) if use.user is not None else None
    if use.kind is not UseKind.PASSED or not isinstance(call, cst.Call):
        return use.kind is UseKind.NAMED
    if dotted(call.func) in _BUILT_IN and not program.resolver.bindings(call.func):
        return False
    if names_taker(call, program):
        return False  # The rule for constructors says what there is to say.
    paths = program.resolver.paths(call.func)
    return not paths or not all(p is not None and frameworks.is_framework(p) for p in paths)


def is_read_as_number(node: cst.Attribute, resolver: Resolver) -> bool:
    """Whether an attribute of a loss scale object is no variable, or is used as a number only."""
    if node.attr.value != "_current_loss_scale":
        return True
    for use in uses_of(node, resolver):
        reads = use.user.attr.value if isinstance(use.user, cst.Attribute) else None
        if use.kind is not UseKind.NUMBER and reads not in TENSOR_ATTRIBUTES:
            return False
    return True


def attributes(program: Program, *names: str) -> Iterator[cst.Attribute]:
    """Yields every read of an attribute of one of these names."""
    for name in names:
        yield from program.reads_by_attribute.get(name, [])


def called(program: Program, node: cst.CSTNode) -> cst.Call | None:
    """Returns the call `node()` without arguments, if it is one."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node and not above.args:
        return above
    return None


def replace(program: Program, node: cst.CSTNode, start_at: cst.CSTNode, text: str) -> list[Edit]:
    """Returns the edit that puts `text` behind `start_at`, up to the end of `node`."""
    return [Edit(program.tree.full_span(start_at)[1], program.tree.span(node)[1], text)]


def put(program: Program, span: tuple[int, int], text: str) -> Edit:
    """Returns the edit that writes `text` over a span, apart from a word in front of it."""
    before = program.tree.text[max(span[0] - 1, 0) : span[0]].decode("utf-8", "replace")
    return Edit(*span, f" {text}" if before.isidentifier() or before.isdigit() else text)
