# SPDX-License-Identifier: Apache-2.0
"""State of a loss scale that starts again, splits in two or raises with the new class is reported.

`load_model` of tf-keras makes an optimizer with the initial loss scale. With `--target compat`, it
makes the class of tf-keras, and not the one of `compat_lossscale`. Nothing is to be done in a
program that only predicts with the model, or compiles it again; the rule does not see that.

Under one policy, the models of a program shared one loss scale up to TensorFlow 2.3. Now each
`compile` makes its own. `copy.deepcopy` and `pickle` of a loss-scale optimizer raise an error on
tf-keras. A checkpoint that TensorFlow 2.0 to 2.2 wrote has the number of steps under a name at
which the class of tf-keras does not look for it. `compat_lossscale` does all of these as the old
versions did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import is_part_of_old, model_compile
from lossscale_codemods.rules.base import Case, Found, Review, Rule
from lossscale_codemods.rules.loss_scale_arguments import loss_scale_argument
from lossscale_codemods.rules.policies import SCALED, compiles_wrapped, name_of
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.domain import Program

_SCALING = frozenset({Meaning.OPTIMIZER, Meaning.POLICY, Meaning.SET_POLICY, Meaning.REWRITE})
_SAVING = ("save", "save_model", "ModelCheckpoint")
_COPIES = frozenset({"copy.deepcopy", "pickle.dump", "pickle.dumps"})
_COPIES |= {"cloudpickle.dumps", "dill.dumps", "joblib.dump"}
_KEEP = "or keep the old behavior with `--target compat`."
_HEAD = (
    "import tensorflow as tf\n"
    "from tensorflow.keras.mixed_precision import experimental as mp\n"
    "opt = mp.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(), 'dynamic')\n"
)
_NEW_HEAD = (
    "import tensorflow as tf\n"
    "from tensorflow.keras import mixed_precision as mp\n"
    "opt = mp.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())\n"
)


def _case(body: str, review: str | None = None) -> Case:
    return Case(_HEAD + body, _NEW_HEAD + body, review=review)


class KeptState(Rule):
    """Reports state that the program keeps or copies, and the new class does not."""

    id = "LS521"
    title = "Loss-scale state in files and copies"
    meanings = frozenset()
    targets = frozenset(Target)
    valid = (
        _case(
            "model.compile(opt)\nmodel.save(path)\n"
            "model = tf.keras.models.load_model(path)\nmodel.fit(x, y)\n",
            review="starts again with the initial loss scale",
        ),
        _case("import copy\nother = copy.deepcopy(opt)\n", review="raises an error"),
        _case(
            "checkpoint = tf.train.Checkpoint(optimizer=opt)\ncheckpoint.restore(path)\n",
            review="TensorFlow 2.0 to 2.2",
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the calls, unless all old names are in branches for old versions."""
        is_scaled = any(one.meaning in _SCALING for one in program.references)
        if is_scaled and is_part_of_old(program):
            for node, review in self._calls(program):
                yield self.found(node, program, review)

    def _calls(self, program: Program) -> Iterator[tuple[cst.Call, Review]]:
        calls = [node for node in program.tree.parents if isinstance(node, cst.Call)]
        others = _compiled_besides(calls, program) if program.target is not Target.COMPAT else []
        if others:
            yield others[0], _SHARED
        if program.target not in WITH_KERAS_2:
            return
        if any(program.reads_by_attribute.get(word) for word in _SAVING):
            for call in calls:
                if _loads_optimizer(call, program):
                    yield call, _loaded(program.target)
        if program.target is Target.COMPAT:
            for call in calls:
                path = program.resolver.path(call.func) or ""
                if frameworks.is_framework(path) and path.endswith(".optimizers.deserialize"):
                    yield call, _loaded(program.target)
            return
        for call in calls:
            if _copies_wrapper(call, program):
                yield call, _COPIED
            elif _restores_wrapper(call, program):
                yield call, _RESTORED


def _loaded(target: Target) -> Review:
    if target is Target.COMPAT:
        return Review(
            "it makes the LossScaleOptimizer of tf-keras, and not the one of compat_lossscale",
            "Compile the model again with an optimizer of your own, or run the program with "
            "`compat-lossscale run`.",
        )
    return Review(
        "the optimizer of the loaded model starts again with the initial loss scale",
        "Nothing is to be done if the model is not trained any more, or is compiled again, or if "
        "the first steps may be skipped until the scale fits. Otherwise keep the optimizer in a "
        "checkpoint (`tf.train.Checkpoint`), which has the loss scale.",
    )


_COPIED = Review(
    "copying or pickling a loss-scale optimizer raises an error in tf-keras",
    f"Make a second optimizer from the same arguments, {_KEEP}",
)
_RESTORED = Review(
    "from checkpoints that TensorFlow 2.0 to 2.2 wrote, tf-keras does not restore `iterations`",
    "Nothing is to be done for checkpoints of later versions. Otherwise restore once with "
    "`compat-lossscale run` and save again.",
)
_SHARED = Review(
    "models that are compiled under one policy no longer share its loss scale: each has its own",
    f"Nothing is to be done if they may scale apart. Otherwise give both one optimizer, {_KEEP}",
)


def _loads_optimizer(call: cst.Call, program: Program) -> bool:
    path = program.resolver.path(call.func)
    if path is None or not frameworks.is_framework(path) or not path.endswith(".load_model"):
        return False
    return all(a.keyword is None or a.keyword.value != "compile" for a in call.args)


def _copies_wrapper(call: cst.Call, program: Program) -> bool:
    path = program.resolver.path(call.func)
    return path in _COPIES and bool(call.args) and program.types.is_wrapper(call.args[0].value)


def _restores_wrapper(call: cst.Call, program: Program) -> bool:
    """Whether a call makes a checkpoint with a loss-scale optimizer, which is restored."""
    path = program.resolver.path(call.func) or ""
    if not path.startswith("tensorflow.") or not path.endswith("train.Checkpoint"):
        return False
    restores = [*program.reads_by_attribute.get("restore", ())]
    restores += program.reads_by_attribute.get("restore_or_initialize", ())
    return bool(restores) and any(program.types.is_wrapper(a.value) for a in call.args)


def _compiled_besides(calls: list[cst.Call], program: Program) -> list[cst.Call]:
    """Returns the calls that compile a second model, or a third, under the policy of the first."""
    if not _sets_moving_scale(program):
        return []
    seen: set[str] = set()
    besides = []
    for call in calls:
        compiled = model_compile(call, program)
        name = dotted(call.func) or ""
        if compiled is None or not compiled.is_proven or compiled.optimizer is None:
            continue
        if compiles_wrapped(call, program):
            continue
        if seen and name not in seen:
            besides.append(call)
        seen.add(name)
    return besides


def _sets_moving_scale(program: Program) -> bool:
    """Whether the program sets the policy that has a dynamic loss scale, under an old name."""
    old = [o for o in program.references if o.meaning in (Meaning.POLICY, Meaning.SET_POLICY)]
    calls = [call for one in old if (call := program.call(one)) is not None]
    scales = [loss_scale_argument(call) for call in calls]
    moves = cst.SimpleString | cst.Call
    return any(name_of(call, program) == SCALED for call in calls) and all(
        scale is None or isinstance(scale.value, moves) for scale in scales
    )
