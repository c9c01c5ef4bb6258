# SPDX-License-Identifier: Apache-2.0
"""Optimizers of TensorFlow's private copy of Keras become those of tf-keras.

In old TensorFlow, `tensorflow.python.keras.optimizer_v2.adam.Adam` was `tf.keras.optimizers.Adam`.
Today it is a separate class, which `LossScaleOptimizer` and `compile` of tf-keras refuse.
`compat-lossscale run` gives programs the classes of tf-keras under these names, and this rule
writes their public names. It reports classes without a public name.

An import in `except ImportError` stays, because it is for environments without tf-keras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import all_bindings
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.optimizer_names import OptimizerNames
from lossscale_codemods.rules.base import (
    Case,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.vocabulary.names import Meaning, OldName, Target
from lossscale_codemods.vocabulary.optimizer_families import (
    is_private,
    is_private_module,
    public_class,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_OF_TF_KERAS = ("tf_keras.", "tensorflow.keras.")
_HEAD = "from tensorflow.keras.mixed_precision import experimental as mp\n"
_NEW_HEAD = "from tensorflow.keras import mixed_precision as mp\n"
_MESSAGE = "the public name of what this was"
_ADVICE = "Take what you need from tf.keras.optimizers.legacy, which it was."


class OtherKerasOptimizers(Rule):
    """Writes the public names of these classes."""

    id = "LS214"
    title = "Optimizers of another Keras"
    order = 1
    targets = frozenset(Target)
    shows_imports = True
    invalid = (
        Case(
            f"{_HEAD}from tensorflow.python.keras.optimizer_v2.adam import Adam\n"
            "opt = mp.LossScaleOptimizer(Adam(), 'dynamic')\n",
            f"{_NEW_HEAD}from tensorflow.keras.optimizers.legacy import Adam\n"
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
            f"{_HEAD}from tensorflow.python.keras import optimizers\n"
            "opt = mp.LossScaleOptimizer(optimizers.get(name), 'dynamic')\n",
            f"{_NEW_HEAD}from tensorflow.python.keras import optimizers\n"
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
            return rename(_MESSAGE, occurrence)
        return Review(
            "it is of TensorFlow's private copy of Keras now, and tf-keras takes none of its "
            "optimizers",
            _ADVICE,
        )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import of a class."""
        del occurrence
        if state.reason == "suppressed":
            return Suppressed()
        if any(binding.moved or binding.dropped for binding in state.bindings):
            return Rewrite(_MESSAGE, lambda _: [])
        return Review(
            f"the import stays as it is: {state.reason or 'it cannot be taken apart'}", _ADVICE
        )


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
