# SPDX-License-Identifier: Apache-2.0
"""Reports state of a loss scale that starts again, splits in two or raises with the new class."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lossscale_codemods.domain import Compile, Program, is_part_of_old, model_compile
from lossscale_codemods.rules.base import Found, Review, Rule
from lossscale_codemods.rules.loss_scale_arguments import loss_scale_argument
from lossscale_codemods.rules.policies import SCALED, compiles_wrapped, name_of
from lossscale_codemods.source.syntax_tree import dotted, keywords_of
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import WITH_KERAS_2, Meaning, Target

_SCALING = frozenset({Meaning.OPTIMIZER, Meaning.POLICY, Meaning.SET_POLICY, Meaning.REWRITE})
_SAVING = ("save", "save_model", "ModelCheckpoint")
_COPIES = frozenset({"copy.deepcopy", "pickle.dump", "pickle.dumps"})
_COPIES |= {"cloudpickle.dumps", "dill.dumps", "joblib.dump"}
_KEEP = "or keep the old behavior with `--target compat`."


class KeptState(Rule):
    """Reports state that the program keeps or copies, and the new class does not."""

    id = "LS521"
    title = "Loss-scale state in files and copies"
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields the calls, unless all old names are in branches for old versions."""
        is_scaled = any(one.meaning in _SCALING for one in program.references)
        if is_scaled and is_part_of_old(program):
            for node, review in self._calls(program):
                yield self.found(node, program, review)

    def _calls(self, program: Program) -> Iterator[tuple[cst.Call, Review]]:
        target, reads = program.target, program.reads_by_attribute
        calls = program.tree.nodes(cst.Call)
        others = _compiled_besides(calls, program) if target is not Target.COMPAT else []
        yield from ((one, _SHARED) for one in others[:1])
        is_saved = any(reads.get(word) for word in _SAVING)
        is_restored = bool(reads.get("restore") or reads.get("restore_or_initialize"))
        for call in calls if target in WITH_KERAS_2 else ():
            path = program.resolver.path(call.func) or ""
            is_framework = frameworks.is_framework(path)
            wrappers = [one for one in call.args if program.types.is_wrapper(one.value)]
            if is_framework and path.endswith(".load_model"):
                if is_saved and "compile" not in keywords_of(call):
                    yield call, _loaded(target)
            elif target is Target.COMPAT:
                if is_framework and path.endswith(".optimizers.deserialize"):
                    yield call, _loaded(target)
            elif path in _COPIES and wrappers[:1] == [*call.args[:1]]:
                yield call, _COPIED
            elif is_framework and path.endswith("train.Checkpoint") and wrappers and is_restored:
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
    "optimizers that `compile` wraps no longer share the policy's loss scale: each has a new one",
    f"Nothing is to be done if they may scale apart. Otherwise give models one optimizer, {_KEEP}",
)


def _compiled_besides(calls: list[cst.Call], program: Program) -> list[cst.Call]:
    """Returns the calls that wrap several optimizers, or another model's, under one policy."""
    if not _sets_moving_scale(program):
        return []
    compiled = [one for call in calls if (one := model_compile(call, program)) is not None]
    around = program.tree.around  # Another branch is another block.
    several = [one.call for one in compiled if one.is_likely and _wraps_several(one, program)]
    if several and program.target in WITH_KERAS_2:  # Keras 3 takes one optimizer alone.
        return several
    sharing = [
        one.call
        for one in compiled
        if one.is_likely and one.optimizer and not compiles_wrapped(one.call, program)
    ]
    return [one for one in sharing[:1] if _runs_again(one, program)] or [
        call
        for call in sharing[1:]
        if dotted(call.func) != dotted(sharing[0].func)
        or around(call, cst.IndentedBlock) is around(sharing[0], cst.IndentedBlock)
    ]


def _runs_again(call: cst.Call, program: Program) -> bool:
    """Whether a call is in a loop, or in a function that is called again, without a new policy."""
    tree, function = program.tree, program.tree.around(call, cst.FunctionDef)
    calls = [call, *_calls_of(function, program)]
    around = {above for one in calls for above in tree.ancestors(one)}
    loops = {one for one in around if isinstance(one, cst.For | cst.ListComp)}
    policies = [one.node for one in program.references if one.meaning is Meaning.SET_POLICY]
    for one in [*policies]:
        policies += _calls_of(tree.around(one, cst.FunctionDef), program)
    if any(above in (function, *loops) for one in policies for above in tree.ancestors(one)):
        return False
    return bool(loops) or len({tree.around(one, cst.IndentedBlock) for one in calls}) < len(calls)


def _calls_of(function: cst.FunctionDef | None, program: Program) -> list[cst.Call]:
    """Returns the calls of a function, or method, but for one that stands behind an `else`."""
    tree = program.tree
    names = [f"{of}{function.name.value}" for of in ("", "self.", "cls.")] if function else []
    calls = [one for one in tree.nodes(cst.Call) if dotted(one.func) in names]
    return [one for one in calls if getattr(tree.parent(one), "orelse", None) is not one]


def _wraps_several(compiled: Compile, program: Program) -> bool:
    """Whether a model gets a list of optimizers, some of which `compile` wraps."""
    given = compiled.optimizer and compiled.optimizer.value
    elements = given.elements if isinstance(given, cst.List | cst.Tuple) else ()
    return sum(not program.types.is_wrapper(one.value) for one in elements) > 1


def _sets_moving_scale(program: Program) -> bool:
    """Whether the program sets the policy that has a dynamic loss scale, under an old name."""
    old = [o for o in program.references if o.meaning in (Meaning.POLICY, Meaning.SET_POLICY)]
    calls = [call for one in old if (call := program.call(one)) is not None]
    scales = [loss_scale_argument(call) for call in calls]
    moves = cst.SimpleString | cst.Call
    return any(name_of(call, program) == SCALED for call in calls) and all(
        scale is None or isinstance(scale.value, moves) for scale in scales
    )
