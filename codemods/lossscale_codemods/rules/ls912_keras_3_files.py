# SPDX-License-Identifier: Apache-2.0
"""Files that Keras 3 writes and reads differently are reported (`--target keras3`).

In a checkpoint, tf-keras and Keras 3 store an optimizer's variables and its loss scale under
different names. If you restore a checkpoint of tf-keras into an optimizer of Keras 3, it silently
ignores them. Keras 3 saves models as `.keras` and `.h5` only, and weights as `.weights.h5`. It
loads no SavedModel and, from `.h5`, no loss-scale optimizer of compat_lossscale.keras3. To keep a
model with its optimizer, convert the old file: `compat-lossscale verify OLD --to keras3 --output
NEW.keras`. OLD is an `.h5` file, a SavedModel or a `.keras` file; a checkpoint takes `--model
SCRIPT:FUNCTION` besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.keras_3_places import Places, optimizer_kinds
from lossscale_codemods.vocabulary.names import WITH_KERAS_3
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_SAVING = ("save", "save_weights", "load_weights")
_LOADING = (
    "tensorflow.keras.models.load_model",
    "keras.models.load_model",
    "keras.saving.load_model",
)
_CHECKPOINTS = ("tensorflow.train.Checkpoint", "tensorflow.compat.v1.train.Checkpoint")
_LISTING = (
    "tensorflow.train.list_variables",
    "tensorflow.train.load_variable",
    "tensorflow.train.load_checkpoint",
)
_MODEL_CHECKPOINT = "keras.callbacks.ModelCheckpoint"
_HEAD = (
    "import tensorflow as tf\n"
    "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    "model = tf.keras.Sequential(layers)\n"
)
_NEW_HEAD = (
    "import tensorflow as tf\n"
    "tf.keras.mixed_precision.set_global_policy('float32')\n"
    "model = tf.keras.Sequential(layers)\n"
)
_ASK = "Convert old files: `compat-lossscale verify OLD --to keras3 --output NEW.keras`."
_ASK_WITH_MODEL = (
    "Convert old checkpoints, with a function that builds the model: `compat-lossscale verify OLD "
    "--to keras3 --model SCRIPT:FUNCTION --output NEW.keras`."
)
_CHECKPOINT = Review(
    "checkpoints have the variables of Keras 3's optimizers under other names: from one of "
    "tf-keras, the optimizer's state and its loss scale are not restored",
    _ASK_WITH_MODEL,
)
_WEIGHTS = Review(
    "Keras 3 saves and loads weights as `.weights.h5` alone",
    f"End its name with that. {_ASK_WITH_MODEL}",
)


class Keras3Files(Rule):
    """Reports where files are written and read."""

    id = "LS912"
    title = "Files of Keras 3"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    valid = (
        Case(
            f"{_HEAD}model.save('model')\n",
            f"{_NEW_HEAD}model.save('model')\n",
            review="as `.keras` and `.h5` alone",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.SGD(0.1)\n"
            "tf.train.Checkpoint(optimizer=opt).restore(path)\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.SGD(0.1)\n"
            "tf.train.Checkpoint(optimizer=opt).restore(path)\n",
            review="are not restored",
        ),
        Case(f"{_HEAD}model.save('model.keras')\n", f"{_NEW_HEAD}model.save('model.keras')\n"),
        Case(
            f"{_HEAD}tf.keras.callbacks.ModelCheckpoint('m.keras', save_weights_only=True)\n",
            f"{_NEW_HEAD}tf.keras.callbacks.ModelCheckpoint('m.keras', save_weights_only=True)\n",
            review="as `.weights.h5` alone",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields calls that save and load."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for call in program.tree.parents:
            if not isinstance(call, cst.Call) or _verdict(call, program) is None:
                continue
            if not places.is_for_old(call):
                yield places.occurrence(call.func)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what is otherwise."""
        call = program.tree.parent(occurrence.node)
        if occurrence.rule != self.id or not isinstance(call, cst.Call):
            return None
        return _verdict(call, program)


def _verdict(call: cst.Call, program: Program) -> Review | None:
    path = canonical(program.resolver.path(call.func) or "")
    if path in _CHECKPOINTS:
        return _CHECKPOINT if any(_has_optimizer(a, program) for a in call.args) else None
    if path in _LISTING:
        return _CHECKPOINT
    if path in _LOADING:
        return _of_loading(call)
    if path.endswith(_MODEL_CHECKPOINT):
        if _saves_weights(call):
            return None if _ends(call, ".weights.h5") else _WEIGHTS
        return None if _ends(call, ".keras") else _saved_as("the callback saves models")
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _SAVING:
        return None
    if ObjectType.MODEL not in program.types.of(call.func.value):
        return None
    name = call.func.attr.value
    if name != "save":
        return None if _ends(call, ".weights.h5") else _WEIGHTS
    if _ends(call, ".keras"):
        return None
    return _saved_as("it saves models")


def _saves_weights(call: cst.Call) -> bool:
    """Whether a callback is surely told to save weights alone."""
    return any(
        a.keyword is not None
        and a.keyword.value == "save_weights_only"
        and isinstance(a.value, cst.Name)
        and a.value.value == "True"
        for a in call.args
    )


def _saved_as(what: str) -> Review:
    return Review(
        f"{what} as `.keras` and `.h5` alone in Keras 3, and loads no loss-scale optimizer of "
        "compat_lossscale.keras3 from `.h5`",
        "Save as `.keras`.",
    )


def _of_loading(call: cst.Call) -> Review | None:
    if _ends(call, ".keras"):
        return None
    return Review(
        "Keras 3 loads no SavedModel, no `.keras` file of tf-keras under mixed_float16, and from "
        "`.h5` none of the optimizer's state",
        _ASK,
    )


def _ends(call: cst.Call, suffix: str) -> bool:
    """Whether a call is given the name of a file that surely ends so, and nothing else."""
    first = call.args[0].value if call.args and not call.args[0].star else None
    if any(a.keyword is not None and a.keyword.value == "save_format" for a in call.args):
        return False
    if isinstance(first, cst.FormattedString) and first.parts:
        last = first.parts[-1]
        return isinstance(last, cst.FormattedStringText) and last.value.endswith(suffix)
    if isinstance(first, cst.BinaryOperation):
        first = first.right
    text = first.evaluated_value if isinstance(first, cst.SimpleString) else ""
    return str(text).endswith(suffix)


def _has_optimizer(argument: cst.Arg, program: Program) -> bool:
    kinds = program.types.of(argument.value)
    return bool(optimizer_kinds(argument.value, program) or ObjectType.MODEL in kinds) or (
        argument.keyword is not None and "opt" in argument.keyword.value
    )
