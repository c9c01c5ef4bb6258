# SPDX-License-Identifier: Apache-2.0
"""Which family of classes Keras optimizers are of: the old one, or that of TensorFlow 2.11."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    Binding,
    BindingKind,
    ObjectType,
    Occurrence,
    OptimizerNames,
    Role,
    all_bindings,
    import_path,
    is_part_of_old,
)
from lossscale_codemods.rules.base import (
    OLD_NAMES,
    Case,
    Found,
    ImportState,
    Marker,
    Review,
    Rewrite,
    Rule,
    Verdict,
    moved_import,
    rename,
)
from lossscale_codemods.source.edits import insert_line_behind
from lossscale_codemods.tables import keras_3, optimizer_families
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, OldName, Target
from lossscale_codemods.tables.optimizer_families import (
    is_private,
    is_private_module,
    public_class,
)
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.domain import Program


_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_MESSAGE = "the class that TensorFlow had under this name up to 2.10"


class OptimizerFamily(Rule):
    """Keras optimizers keep their class: `tf.keras.optimizers.Adam` is in `legacy` today.

    TensorFlow 2.11 gave the names in `tf.keras.optimizers` to a new family of classes:
    https://github.com/tensorflow/tensorflow/releases/tag/v2.11.0. The old classes are in
    `tf.keras.optimizers.legacy`. The new family takes no `decay`, has no `get_gradients`,
    `get_weights` or `add_slot`, and calls other methods of a subclass than
    `_resource_apply_dense`. Its Adam and RMSprop differ in the sixth digit. `compat-lossscale run`
    gives programs the old classes, and so does this rule, wherever a program creates a class,
    inherits from it, tests for it or passes it on.

    The rule applies to files with old names, and to files that run in the same program. A program
    of TensorFlow 2.4 to 2.10 can have names of today alone. If it gives an optimizer `decay`, `lr`
    or another argument that only the old classes take, it is an old program as well.
    `--new-optimizers` leaves the names as they are: see LS213.
    """

    id = "LS211"
    title = "Family of Keras optimizers"
    meanings = frozenset()
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    markers = (*OLD_NAMES, Marker(b"set_global_policy", (b"decay", b"lr", b"gradient_")))
    not_handled = (
        "Optimizers that a file outside of the paths makes, of Keras 3, and of packages such as "
        "`tensorflow_addons`."
    )
    invalid = (
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n"
            f"opt = {_OLD}.LossScaleOptimizer(opt, 'dynamic')\n",
            f"{_HEAD}opt = tf.keras.optimizers.legacy.Adam(1e-3, decay=1e-4)\n"
            f"opt = {_NEW}.LossScaleOptimizer(opt)\n",
        ),
        Case(
            "from tensorflow.keras import mixed_precision\n"
            "from tensorflow.keras.optimizers import SGD, schedules\n\n"
            "mixed_precision.experimental.set_policy('mixed_float16')\n"
            "opt = SGD(schedules.ExponentialDecay(0.1, 100, 0.9))\n",
            "from tensorflow.keras import mixed_precision\n"
            "from tensorflow.keras.optimizers import schedules\n"
            "from tensorflow.keras.optimizers.legacy import SGD\n\n"
            "mixed_precision.set_global_policy('mixed_float16')\n"
            "opt = SGD(schedules.ExponentialDecay(0.1, 100, 0.9))\n",
        ),
        Case(
            f"{_HEAD}{_OLD}.set_policy('mixed_float16')\n\n"
            "class Mine(tf.keras.optimizers.Optimizer):\n"
            "    pass\n\n"
            "assert isinstance(opt, (Mine, tf.keras.optimizers.SGD))\n",
            f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n\n"
            "class Mine(tf.keras.optimizers.legacy.Optimizer):\n"
            "    pass\n\n"
            "assert isinstance(opt, (Mine, tf.keras.optimizers.legacy.SGD))\n",
        ),
        Case(
            f"from tensorflow.keras.optimizers import *\n{_HEAD}"
            f"{_OLD}.set_policy('mixed_float16')\nopt = Adam(1e-3)\n",
            "from tensorflow.keras.optimizers import *\n"
            f"from tensorflow.keras.optimizers.legacy import *\n{_HEAD}"
            f"{_NEW}.set_global_policy('mixed_float16')\nopt = Adam(1e-3)\n",
        ),
        Case(
            f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.Adam(decay=1))\n",
            f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.legacy.Adam(decay=1))\n",
        ),
    )
    valid = (
        Case(f"{_HEAD}opt = tf.keras.optimizers.Adam(1e-3)\n"),
        Case(f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))\n"),
        Case(
            f"{_HEAD}{_OLD}.set_policy('mixed_float16')\n"
            "opt = tf.keras.optimizers.legacy.Adam(1e-3)\n",
            f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n"
            "opt = tf.keras.optimizers.legacy.Adam(1e-3)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the classes where they are read of their module, and star imports of that."""
        if program.legacy_optimizers and is_part_of_old(program):
            names = OptimizerNames(program, self.id)
            yield from names.classes()
            yield from names.stars()

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields imports of the classes."""
        if program.legacy_optimizers and is_part_of_old(program):
            yield from OptimizerNames(program, self.id).imports()

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class: it was of the legacy family, whatever is done with it."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.ImportFrom):
            line = program.tree.statement(node)
            text = f"from {import_path(node)}.legacy import *"
            return Rewrite(
                "the classes that TensorFlow had under these names up to 2.10 take their place",
                lambda _: insert_line_behind(program.tree, line, text),
                is_rename=True,
            )
        if occurrence.ambiguous:
            return Review(
                "what is in front of the class can be the module of Keras' optimizers, and "
                "other things",
                "Take the class from tf.keras.optimizers.legacy where it is of tf.keras, to keep "
                "it what it was.",
            )
        start, end = occurrence.span
        place = _end_of_module(occurrence, program)
        old = program.tree.slice(occurrence.span)
        new = f"{program.tree.slice((start, place))}.legacy{program.tree.slice((place, end))}"
        return Rewrite(
            _MESSAGE,
            lambda _: [Edit(place, place, ".legacy")],
            is_rename=True,
            instead=(old, new),
        )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import of a class."""
        del occurrence
        advice = "Import the class from tensorflow.keras.optimizers.legacy to keep it what it was."
        return moved_import(state, _MESSAGE, advice)


def _end_of_module(occurrence: Occurrence, program: Program) -> int:
    """Returns where the module ends that is in front of a class."""
    node = occurrence.node
    if isinstance(node, cst.Attribute):
        return program.tree.full_span(node.value)[1]
    if isinstance(node, cst.Call):
        return program.tree.full_span(node.args[0].value)[1]
    module = program.tree.slice(occurrence.span).rpartition(".")[0]
    return occurrence.span[0] + len(module.encode())


_SETTING = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
)
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
_REFUSED = {
    "decay": "refuse `decay`",
    "lr": "do not look at `lr`, but take their default learning rate",
    "gradient_aggregator": "refuse `gradient_aggregator`",
    "gradient_transformers": "refuse `gradient_transformers`",
}
_GONE = keras_3.STATE_MEMBERS | keras_3.HOOK_MEMBERS | keras_3.GRADIENT_MEMBERS | {"_decayed_lr"}
_GONE -= {"_compute_gradients", "variables", "weights"}
_KEEP = "leave out --new-optimizers to keep the classes that these were."


class NewOptimizers(Rule):
    """With `--new-optimizers`, differences of the new family of Keras optimizers are reported.

    The names in `tf.keras.optimizers` stay, and mean the classes of TensorFlow 2.11 and later. To
    keep the old classes, see LS211. The new classes refuse `decay` and ignore `lr`. Their
    subclasses implement `build` and `update_step`, and some methods of the old classes no longer
    exist.
    """

    id = "LS213"
    title = "New Keras optimizers"
    meanings = frozenset()
    order = 1
    targets = WITH_KERAS_2
    valid = (
        Case(
            f"{_SETTING}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n",
            review="refuse `decay`",
            new_optimizers=True,
        ),
        Case(
            f"{_SETTING}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            f"{_NEW_HEAD}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            review="other methods of a subclass",
            new_optimizers=True,
        ),
        Case(
            f"{_SETTING}state = tf.keras.optimizers.Adam().get_weights()\n",
            f"{_NEW_HEAD}state = tf.keras.optimizers.Adam().get_weights()\n",
            review="have no get_weights",
            new_optimizers=True,
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields what is written for the old family."""
        if program.legacy_optimizers or not is_part_of_old(program):
            return
        for node in program.scopes.scope_of_read:
            review = _review(node, program) if isinstance(node, cst.Name | cst.Attribute) else None
            if review is not None:
                yield self.found(node, program, review, Role.OPTIMIZER)


def _review(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    paths = program.resolver.paths(node)
    if any(path is not None and optimizer_families.legacy_class(path) for path in paths):
        return _of_class(node, program)
    if isinstance(node, cst.Attribute) and node.attr.value in _GONE:
        kinds = program.types.of(node.value)
        if kinds <= {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}:
            return Review(
                f"the new optimizers have no {node.attr.value}",
                f"Use what they have instead, such as `variables` and `build`, or {_KEEP}",
            )
    return None


def _of_class(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    above = program.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node:
        given = [a.keyword.value for a in above.args if a.keyword and a.keyword.value in _REFUSED]
        if given:
            what = " and ".join(_REFUSED[name] for name in given)
            return Review(
                f"the new optimizers {what}",
                f"Give a learning rate, or a schedule, as `learning_rate`, or {_KEEP}",
            )
    if isinstance(above, cst.Arg) and isinstance(program.tree.parent(above), cst.ClassDef):
        return Review(
            "the new optimizers call other methods of a subclass",
            f"Implement `build` and `update_step`, or {_KEEP}",
        )
    return None


_OF_TF_KERAS = ("tf_keras.", "tensorflow.keras.")
_IMPORTING = "from tensorflow.keras.mixed_precision import experimental as mp\n"
_NEW_IMPORTING = "from tensorflow.keras import mixed_precision as mp\n"
_PUBLIC_NAME = "the public name of what this was"
_ADVICE = "Take what you need from tf.keras.optimizers.legacy, which it was."


class OtherKerasOptimizers(Rule):
    """Optimizers of TensorFlow's private copy of Keras become those of tf-keras.

    In old TensorFlow, `tensorflow.python.keras.optimizer_v2.adam.Adam` was
    `tf.keras.optimizers.Adam`. Today it is a separate class, which `LossScaleOptimizer` and
    `compile` of tf-keras refuse. `compat-lossscale run` gives programs the classes of tf-keras
    under these names, and this rule writes their public names. It reports classes without a public
    name.

    An import in `except ImportError` stays, because it is for environments without tf-keras.
    """

    id = "LS214"
    title = "Optimizers of another Keras"
    meanings = frozenset()
    order = 1
    targets = frozenset(Target)
    invalid = (
        Case(
            f"{_IMPORTING}from tensorflow.python.keras.optimizer_v2.adam import Adam\n"
            "opt = mp.LossScaleOptimizer(Adam(), 'dynamic')\n",
            f"{_NEW_IMPORTING}from tensorflow.keras.optimizers.legacy import Adam\n"
            "opt = mp.LossScaleOptimizer(Adam())\n",
        ),
        Case(
            "import tensorflow as tf\n"
            "from tensorflow.python.keras.optimizer_v2 import optimizer_v2\n"
            "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
            "ok = isinstance(opt, optimizer_v2.OptimizerV2)\n",
            "import tensorflow as tf\n"
            "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
            "ok = isinstance(opt, tf.keras.optimizers.legacy.Optimizer)\n",
        ),
    )
    valid = (
        Case(
            f"{_IMPORTING}from tensorflow.python.keras import optimizers\n"
            "opt = mp.LossScaleOptimizer(optimizers.get(name), 'dynamic')\n",
            f"{_NEW_IMPORTING}from tensorflow.python.keras import optimizers\n"
            "opt = mp.LossScaleOptimizer(optimizers.get(name))\n",
            review="tf-keras takes none of its optimizers",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields reads of what is in these modules, and imports of what has no public name."""
        if not is_part_of_old(program):
            return
        names = OptimizerNames(program, self.id)
        for reads in program.reads_by_attribute.values():
            for read in reads:
                path = program.resolver.path(read)
                if path is not None and is_private(path) and not names.is_left(read):
                    yield self._found(read, path, program, Role.OPTIMIZER)
        for binding in _imported(program):
            path = binding.path or ""
            if _is_seen_through(binding, program) and not is_private(path):
                continue  # Reads of its members are found by themselves.
            if public_class(path) is None and not _is_left(binding, names):
                yield self._found(binding.node, path, program, Role.OPTIMIZER)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields imports of what has a public name."""
        if not is_part_of_old(program):
            return
        names = OptimizerNames(program, self.id)
        for binding in _imported(program):
            path = binding.path or ""
            if public_class(path) is not None and not _is_left(binding, names):
                yield self._found(binding.node, path, program, Role.IMPORT)

    def _found(self, node: cst.CSTNode, path: str, program: Program, role: Role) -> Occurrence:
        new = public_class(path)
        old = () if new is None else (OldName(path, Meaning.KERAS_OPTIMIZER, (new,)),)
        return Occurrence(node, program.tree.span(node), role, old, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Writes the public name, if there is one."""
        del program
        if occurrence.rule != self.id:
            return None
        if occurrence.names:
            return rename(_PUBLIC_NAME, occurrence)
        return Review(
            "it is of TensorFlow's private copy of Keras now, and tf-keras takes none of its "
            "optimizers",
            _ADVICE,
        )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import of a class."""
        del occurrence
        return moved_import(state, _PUBLIC_NAME, _ADVICE)


def _imported(program: Program) -> Iterator[Binding]:
    for binding in all_bindings(program.resolver):
        if binding.kind is BindingKind.IMPORT and is_private_module(binding.path or ""):
            yield binding


def _is_seen_through(binding: Binding, program: Program) -> bool:
    """Whether all that is done with an imported module is to read its members, or to delete it."""
    return all(
        isinstance(program.tree.parent(use), cst.Attribute)
        or any(isinstance(above, cst.Del) for above in program.tree.ancestors(use))
        for use in binding.uses
    )


def _is_left(binding: Binding, names: OptimizerNames) -> bool:
    """Whether an import is for other versions, or takes the place of one of tf-keras."""
    tree = names.tree
    handler = next(
        (a for a in tree.ancestors(binding.node) if isinstance(a, cst.ExceptHandler)), None
    )
    tried = tree.parent(handler) if handler is not None else None
    if isinstance(tried, cst.Try):
        for other in binding.scope.bindings.get(binding.name, []):
            is_of_tf_keras = (other.path or "").startswith(_OF_TF_KERAS)
            if is_of_tf_keras and tried.body in tree.ancestors(other.node):
                return True
    return names.is_left(binding.node)
