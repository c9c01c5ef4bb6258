# SPDX-License-Identifier: Apache-2.0
"""Names, methods and signatures next to the loss-scale API that are gone or other today."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import libcst as cst

from compat_lossscale.legacy.neighbour_names import MEMBERS, METHODS, SIGNATURES, TABLE
from compat_lossscale.legacy.neighbour_names.neighbour import Changed
from lossscale_codemods.domain import Role
from lossscale_codemods.rules.base import (
    Case,
    Found,
    Marker,
    Review,
    Rewrite,
    Rule,
    Verdict,
    setting_policy,
)
from lossscale_codemods.rules.neighbour_uses import (
    NeighbourGuards,
    NeighbourRule,
    is_looked_at,
    markers,
    review,
)
from lossscale_codemods.source.syntax_tree import dotted, is_none
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import WITH_KERAS_2, Target, canonical
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lossscale_codemods.domain import Program


_ROOTS = frozenset(one.name.partition(".")[0] for one in TABLE) - {"tensorflow"}
_case = functools.partial(
    Case.behind,
    setting_policy("mixed_float16", "import numpy as np\nimport tensorflow as tf\n"),
)


class PythonAndNumpy(NeighbourRule):
    """Removed names of NumPy and Python become the current names for the same objects.

    `np.float` was Python's `float`, `np.Inf` is `np.inf`, and `collections.Mapping` is in
    `collections.abc`. Old programs use such names, and would fail at them after the migration.
    If no current name does the same in every case, as for `np.asscalar` and `inspect.getargspec`,
    the rule reports the name and what new code uses. Names behind `try` or `hasattr`, and in
    branches for Python 2, stay.

    LS901 to LS903 look at files with old names, and at files that run in the same program. With
    `--select LS9`, they look at all files. `--target compat` makes no difference, because
    `compat_lossscale` does not have these names: only `compat-lossscale run` restores them. The
    table of [neighbours](../neighbours.md) lists the names.
    """

    id = "LS901"
    title = "Removed names of NumPy and Python"
    group_markers = markers(_ROOTS)
    not_handled = "Names of numpy or Python that a file gets from another file which imports them."
    invalid = (
        _case(
            "x = np.zeros((2, 2), np.float)\nworst = np.Inf\nlowest = np.NINF\n",
            "x = np.zeros((2, 2), float)\nworst = np.inf\nlowest = -np.inf\n",
        ),
        _case(
            "from collections import Mapping, OrderedDict\n"
            "print(isinstance(OrderedDict(), Mapping))\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping\n"
            "print(isinstance(OrderedDict(), Mapping))\n",
        ),
    )
    valid = (
        _case(
            "import imp\nconfig = imp.load_source('config', 'config.py')\n", review="Use importlib"
        ),
        _case("number = np.float if hasattr(np, 'float') else float\nprint(number(1))\n"),
    )

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


class TensorFlow(NeighbourRule):
    """Removed names of TensorFlow become the current names for the same objects.

    `tensorflow.python.keras` was the implementation of `tf.keras`. Today it is a private copy,
    whose layers cannot be used in models of `tf.keras`. Names that are public in `tf.keras` get
    their public name, if everything that a file uses of a module is public.
    `tensorflow.python.training.tracking` is now `tensorflow.python.trackable`, which is private
    too. Names that moved from one private module to another get their public name, if they have
    one. Functions of the private copy that work as they did stay, such as
    `conv_utils.convert_data_format`. The rule reports the rest: `tf.estimator`, `tf.contrib`, and
    names that were never public.

    In old TensorFlow, `tensorflow.python.keras.optimizer_v2.adam.Adam` was
    `tf.keras.optimizers.Adam`. Today it is a separate class, which `LossScaleOptimizer` and
    `compile` of tf-keras refuse, so it becomes `tf.keras.optimizers.legacy.Adam`. Classes without a
    public name are reported. An import in `except ImportError` stays, because it is for
    environments without tf-keras.

    It looks at the same files as LS901. For `tf.contrib.mixed_precision`, see LS603.
    """

    id = "LS902"
    title = "Removed names of TensorFlow"
    group_markers = markers(_TENSORFLOW)
    invalid = (
        _case(
            "from tensorflow.python.keras import backend as K\n"
            "from tensorflow.python.keras.layers.core import Dense\n"
            "print(Dense(1), K.floatx())\n",
            "from tensorflow.keras import backend as K\n"
            "from tensorflow.keras.layers import Dense\n"
            "print(Dense(1), K.floatx())\n",
        ),
        _case(
            "from tensorflow.python.ops import array_ops, control_flow_ops\n"
            "x = control_flow_ops.cond(True, lambda: 1, lambda: 2)\n"
            "print(array_ops.stack([x, x]), array_ops.zeros([1]))\n",
            "from tensorflow.python.ops import array_ops\n"
            "x = tf.compat.v1.cond(True, lambda: 1, lambda: 2)\n"
            "print(tf.stack([x, x]), array_ops.zeros([1]))\n",
        ),
        _case(
            "from tensorflow.python.keras.optimizer_v2.adam import Adam\nopt = Adam()\n",
            "from tensorflow.keras.optimizers.legacy import Adam\nopt = Adam()\n",
        ),
    )
    valid = (
        _case("config = tf.estimator.RunConfig()\n", review="it ended with TensorFlow 2.15"),
        _case("from tensorflow.contrib import slim\n", review="moved to packages of its own"),
    )

    def is_mine(self, path: str) -> bool:
        """Whether it is of TensorFlow, and no other rule says more of it."""
        if not path.startswith("tensorflow.") or path.startswith(_METHODS):
            return False
        return _LOSS_SCALES.match(path) is None and _WORKING.match(path) is None


_COMPUTE_LOSS = next(one for one in MEMBERS if one.short_name == "compute_loss")
"""A method that Keras has itself today, and had not."""
_IS_SHADOWED = Review(
    "Keras' own compute_loss is found before that of this base class, as Keras has one after "
    f"{_COMPUTE_LOSS.until}",
    f"In new code: {_COMPUTE_LOSS.instead}. `compat-lossscale run` finds this one.",
)
_MIXED_IN = (
    "class Loss:\n    def compute_loss(self, x):\n        return x\n\n"
    "class Net(tf.keras.Model, Loss):\n    pass\n"
)


class Methods(Rule):
    """`strategy.experimental_run_v2` becomes `strategy.run`. Other removed methods are reported.

    TensorFlow 2.2 renamed the method, and 2.4 removed the old name. No other class has a method of
    this name, so the object is a strategy, unless the file defines such a method itself.

    The option `map_vectorization` of `tf.data` made datasets faster and did not change them. The
    rule reports it, so that you can remove it. It also reports a class with a `compute_loss`
    method that comes after a Keras model in a list of base classes. Since TensorFlow 2.9, Keras
    has a method of that name, which Python finds first.

    Parameters of some functions and methods moved, were renamed or removed: `model.save(path,
    True, True, "h5")` is an error today, after the training, and in
    `SparseCategoricalCrossentropy(True, "none")` the second argument is another one. The finding
    names the parameters, with which the call is right for old and current versions. The rule looks
    at literal arguments: if their types do not tell in which order they are, the call stays. It
    also reports calls of `serialize_keras_object` and `deserialize_keras_object`, which return and
    take another form today.

    The rule looks at the same files as LS901.
    """

    id = "LS903"
    title = "Removed methods and changed signatures of TensorFlow"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = frozenset(Target)
    not_handled = (
        "A `compute_loss` in a base class that is in another file, and calls whose arguments are "
        "variables, if these alone tell the order."
    )
    group_markers = (
        *(Marker(name.encode()) for name in (*METHODS, "compute_loss")),
        *(
            Marker(name.encode(), pattern=re.compile(rf"(?<!\w){name}(?:\s*\(|\s+as\b)".encode()))
            for name in sorted({one.name for one in SIGNATURES})
        ),
    )
    invalid = (
        _case(
            "strategy = tf.distribute.get_strategy()\n"
            "print(strategy.experimental_run_v2(lambda x: x, args=(1,)))\n",
            "strategy = tf.distribute.get_strategy()\n"
            "print(strategy.run(lambda x: x, args=(1,)))\n",
        ),
    )
    valid = (
        _case(
            "options = tf.data.Options()\n"
            "options.experimental_optimization.map_vectorization.enabled = True\n",
            review="take it out",
        ),
        _case(_MIXED_IN, review="Keras' own compute_loss"),
        _case("model.save('model.h5', True, True, 'h5')\n", review="has other parameters today"),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields attributes of these names, shadowed base classes, and calls in an old form."""
        if not is_looked_at(program, self.id):
            return
        guards = NeighbourGuards(program, self.id)
        for node in program.tree.nodes(cst.Attribute):
            name = node.attr.value
            if name in METHODS and not guards.leaves(node, name, _new(node)):
                yield self.found(node, program, _of_method(node, program), Role.NEIGHBOUR)
        for definition in program.tree.nodes(cst.ClassDef):
            bases = [base.value for base in definition.bases]
            models = [index for index, base in enumerate(bases) if _is_model(base, program)]
            for base in bases[models[0] :] if models else ():
                if _defines(base, "compute_loss", program):
                    yield self.found(base, program, _IS_SHADOWED, Role.NEIGHBOUR)
        for call in program.tree.nodes(cst.Call) if program.target in WITH_KERAS_2 else ():
            changed = _of_signature(call, program)
            if changed is not None and not guards.leaves(call):
                yield self.found(call, program, changed, Role.NEIGHBOUR)


def _of_method(node: cst.Attribute, program: Program) -> Verdict:
    """Respells a method, or says what to do about it."""
    new = _new(node)
    if not new:
        return review(METHODS[node.attr.value])
    if _is_own(node.attr.value, program):
        return Review(
            f"the file has a {node.attr.value} of its own, which this may be",
            f"If it is a strategy's, call {new}.",
        )
    edit = Edit(*program.tree.span(node.attr), new)
    return Rewrite("the current name", lambda _: [edit], is_rename=True)


def _new(node: cst.Attribute) -> str:
    """Returns the name that takes the place of a method's; empty if none does."""
    return METHODS[node.attr.value].successor.rpartition(".")[2]


def _is_model(base: cst.BaseExpression, program: Program) -> bool:
    return any(
        p is not None and frameworks.is_new_keras_model(p) for p in program.resolver.paths(base)
    )


def _defines(base: cst.BaseExpression, method: str, program: Program) -> bool:
    """Whether a base class of the same file defines a method."""
    return any(
        isinstance(statement, cst.FunctionDef) and statement.name.value == method
        for binding in program.resolver.bindings(base)
        if isinstance(binding.node, cst.ClassDef)
        for statement in binding.node.body.body
    )


def _is_own(name: str, program: Program) -> bool:
    """Whether a file defines a function of a name, in a class or elsewhere."""
    return any(node.name.value == name for node in program.tree.nodes(cst.FunctionDef))


_FUNCTIONS = {one.path: one for one in SIGNATURES if not one.is_method}
_METHODS_BY_NAME = {one.name: one for one in SIGNATURES if one.is_method}
_ALIASES = re.compile(r"^tensorflow\.(?=(?:losses|metrics)\.)")
_TYPES: Mapping[str, type] = {
    "True": bool,
    "False": bool,
    "SimpleString": str,
    "FormattedString": str,
    "ConcatenatedString": str,
    "Integer": int,
    "List": list,
    "Tuple": tuple,
    "Dict": dict,
}


def _of_signature(call: cst.Call, program: Program) -> Review | None:
    """Says what to do about a call whose arguments are in an old form."""
    changed = _changed(call, program)
    if changed is None or any(argument.star for argument in call.args):
        return None
    given = {one.keyword.value: one for one in call.args if one.keyword is not None}
    for name, instead in changed.refused.items():
        if name in given and not is_none(given[name].value):
            return Review(f"{changed.name}() has no {name} any more", f"{instead}.")
    if changed.instead:
        return Review(f"{changed.name}() has another form today", f"{changed.instead}.")
    advice = [f"write `{new}` for `{old}`" for old, new in changed.renamed.items() if old in given]
    advice += [f"leave out `{name}`" for name in changed.dropped & given.keys()]
    placed = [argument.value for argument in call.args if argument.keyword is None]
    if changed.then and changed.is_old([_type(value) for value in placed]):
        gone, kept = (
            [name for name in changed.then if (name in changed.dropped) is is_gone]
            for is_gone in (True, False)
        )
        advice += [f"leave out `{name}`, which is argument {changed.same + 1}" for name in gone]
        advice += [f"name the arguments after {changed.same}: {', '.join(kept)}"] if kept else []
    if _is_hdf5(placed, changed) and changed.then and given.keys() & {*changed.then}:
        advice += [] if "save_format" in given else ["give it save_format='h5'"]
    if not advice:
        return None
    owner = changed.path.rpartition(".")[0].replace("tensorflow.", "tf.")
    return Review(
        f"{changed.name}() of {owner} has other parameters today",
        f"If this is it, {', and '.join(advice)}.",
    )


def _changed(call: cst.Call, program: Program) -> Changed | None:
    """Returns the entry of what is called, if it is in the table."""
    for path in program.resolver.paths(call.func):
        public = _ALIASES.sub("tensorflow.keras.", canonical(path or ""))
        if public in _FUNCTIONS:
            return _FUNCTIONS[public]
    if isinstance(call.func, cst.Attribute):
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
    name = value.value if isinstance(value, cst.Name) else type(value).__name__
    if isinstance(value, cst.Attribute) and ".Reduction." in (dotted(value) or ""):
        return str
    return _TYPES.get(name)
