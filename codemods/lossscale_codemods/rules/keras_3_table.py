# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 lacks or has otherwise, as a table: names, what is otherwise, and what to do.

Where a row has a fix, the place is rewritten. Where it has none, or what it is met on is not
proven, it is reported. The first row of a rule that fits a place decides it, so rows with a
condition come first.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import libcst as cst

from compat_lossscale.legacy.neighbour_names.keras_names import instead_of
from lossscale_codemods.domain import Certainty, Program
from lossscale_codemods.rules import keras_3_conditions as met
from lossscale_codemods.rules.base import ObservedFix, Review, Verdict, rewrite
from lossscale_codemods.source.syntax_tree import dotted, key_of, keywords_of, last_name
from lossscale_codemods.tables import frameworks, keras_3
from lossscale_codemods.tables.keras_3 import below_keras, gone_at, gone_from_keras
from lossscale_codemods.tables.names import Meaning, Target, canonical
from lossscale_codemods.tables.records import Edit


@dataclasses.dataclass(frozen=True)
class Keras3Row:
    """One difference of Keras 3.

    Attributes:
        names: The attributes, methods (`.name`), called paths, keys (`[name]`) or definitions;
            `keras.layers.*` is anything of a module that is called, `tensorflow.*` any function of
            TensorFlow, and `()` any call.
        message: What is otherwise; `{name}` is the name that is met.
        advice: What to do about it.
        fix: Makes the edits that settle it; where it makes none, the row does not fit.
        of: How sure it is that the name is a member of what it has to be.
        inside: What a base of the class around it has to be, by its path.
        when: A further condition.
        stops: Whether the program does not run there, rather than train otherwise.
        unsafe: Whether the fix is an unsafe one.
        target: What the program is migrated to, if the row is for one target alone.
    """

    names: Collection[str]
    message: str
    advice: str = ""
    _: dataclasses.KW_ONLY
    fix: met.Fix | None = None
    of: met.Owner | None = None
    inside: Callable[[str], bool] | None = None
    when: met.Condition | None = None
    stops: bool = False
    unsafe: bool = False
    target: Target | None = None

    @property
    def said(self) -> str:
        """What the row says, and what to do, of all its names."""
        message = self.message.replace("{name}", ", ".join(sorted(self.names)))
        return f"{message}. {self.advice}".rstrip()

    def verdict(self, node: cst.CSTNode, name: str, program: Program) -> Verdict | None:
        """Says what becomes of a node; nothing if the row does not fit it."""
        owner = program.tree.around(node, cst.ClassDef) if self.inside is not None else None
        if self.inside is not None and not program.inherits(owner, self.inside):
            return None
        if self.when is not None and not self.when(node, program):
            return None
        certainty = Certainty.PROVEN if self.of is None else self.of(node, program)
        if certainty is Certainty.NO:
            return None
        message = self.message.replace("{name}", name)
        edits = self.fix(node, program) if self.fix is not None else []
        if self.fix is not None and not edits:
            return None
        made = rewrite(message, edits) if edits else None
        if certainty is Certainty.PROVEN:
            review = Review(message, self.advice, stops=self.stops)
            return dataclasses.replace(review, unsafe_fix=made) if self.unsafe else made or review
        return Review(
            f"{message}; that this is one is not proven in this file",
            f"If it is one, {self.advice[0].lower()}{self.advice[1:]}",
            unsafe_fix=made,
            observed_fixes=[ObservedFix(name, (), made)],
            stops=self.stops,
        )


def fitting(
    table: Mapping[str, Sequence[Keras3Row]], program: Program
) -> Iterator[tuple[str, cst.CSTNode, Verdict]]:
    """Yields where a row fits: the id of its rule, the place, and what becomes of it."""
    by_name: dict[str, list[tuple[str, Keras3Row]]] = {}
    for rule, rows in table.items():
        for row in rows:
            for name in row.names if row.target in (None, program.target) else ():
                by_name.setdefault(name, []).append((rule, row))
    for node in program.tree.parents:
        decided = set()
        for name in _names(node, program):
            for rule, row in by_name.get(name, ()):
                verdict = row.verdict(node, name, program) if rule not in decided else None
                if verdict is not None:
                    decided.add(rule)
                    yield rule, _place(node), verdict


def _names(node: cst.CSTNode, program: Program) -> Iterator[str]:
    """Yields the names by which a row can be met on a node."""
    match node:
        case cst.Attribute():
            yield node.attr.value
        case cst.Call():
            yield from _names_of_call(node, program)
        case cst.Subscript():
            yield f"[{key_of(node)}]"
        case cst.FunctionDef():
            yield f"def {node.name.value}"
        case cst.ClassDef():
            yield "class"
        case cst.Return():
            yield "return"
        case cst.If() | cst.While():
            yield "if"


def _names_of_call(node: cst.Call, program: Program) -> Iterator[str]:
    yield "()"
    match node.func:
        case cst.Name(value=name):
            yield f"{name}()"
        case cst.Attribute(attr=cst.Name(value=name)):
            yield f".{name}"
    path = program.resolver.path(node.func)
    below = below_keras(path) if path is not None else ""
    if path is not None:
        name = f"keras.{below}" if below else canonical(path)
        yield name
        yield f"{name.rpartition('.')[0]}.*"
        if not below and canonical(path).startswith("tensorflow."):
            yield "tensorflow.*"


def _place(node: cst.CSTNode) -> cst.CSTNode:
    """Returns what of a node is reported."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return node.name
    if isinstance(node, cst.If | cst.While):
        return node.test
    return node.func if isinstance(node, cst.Call) else node


def gone(path: str) -> Review | None:
    """Says what there is to say of a name that Keras 3 lacks, or has in `tf.keras` alone."""
    below = gone_at(path)
    if below is not None:
        home = "tf.keras of " if below in keras_3.ONLY_IN_KERAS else ""
        return Review(f"{home}Keras 3 has no {below}", f"Use {instead_of(below)}.", stops=True)
    if keras_3.OLD_MODULE.fullmatch(path.removeprefix("keras.")):
        return Review(f"Keras 3 has no {path}", "Import what it has from `keras`.", stops=True)
    below = gone_from_keras(path)
    if below is None:
        return None
    return Review(
        f"Keras 3 has {below} in tf.keras alone, and not in keras",
        "Use tf.keras for it, which needs TensorFlow as the backend.",
        stops=True,
    )


_OfOptimizer = functools.partial(Keras3Row, of=met.of_optimizer)
_Stopping = functools.partial(Keras3Row, stops=True)
_StoppingOfOptimizer = functools.partial(_OfOptimizer, stops=True)
_CHECKPOINT = (
    "checkpoints have much of Keras 3 under other names: from one of tf-keras, kernels of layers, "
    "the optimizer's state and its loss scale are not restored, and nothing says so"
)
_CONVERT = (
    "Convert old checkpoints, with a function that builds the model: `compat-lossscale verify OLD "
    "--to keras3 --model SCRIPT:FUNCTION --output NEW.keras`."
)
_SAVED = (
    "as `.keras` and `.h5` alone in Keras 3, and loads no loss-scale optimizer of "
    "compat_lossscale.keras3 from `.h5`"
)
_WEIGHTS = ("Keras 3 saves weights as `.weights.h5` alone", "End its name with that.")
_RATES = ("lr", "learning_rate")

_MEMBERS_OF_OPTIMIZERS = (
    _OfOptimizer(
        _RATES,
        "in Keras 3, `learning_rate` is the rate of this moment, also where it comes of a schedule",
        "Read it without a call, or keep the schedule under a name of its own.",
        when=met.is_called_or_tested,
    ),
    _OfOptimizer(
        (*_RATES, "iterations"),
        "assigned, as `set_value` of Keras 3 takes no variable",
        "Write `learning_rate.assign()`.",
        fix=met.assign,
    ),
    _StoppingOfOptimizer(
        (*_RATES, "iterations"),
        "a variable of Keras has no value(), read_value(), eval() and op",
        "Give it to `int`, `float` or `tf.convert_to_tensor`.",
        when=met.reads_member_of_variable,
    ),
    _StoppingOfOptimizer(
        ("iterations",),
        "`iterations` of Keras 3's optimizers cannot be set",
        "Write `iterations.assign()`, where it is to have another value.",
        when=lambda node, program: isinstance(program.tree.parent(node), cst.AssignTarget),
    ),
    _StoppingOfOptimizer(
        ("lr",),
        "`lr` is `learning_rate` in Keras 3",
        "Write `learning_rate`.",
        fix=met.renamed("learning_rate"),
    ),
    _OfOptimizer(
        ("get_config",),
        "Keras 3 writes configs of optimizers in another form, with other keys",
        "Pass it to Keras, and do not read its keys yourself.",
        when=met.is_not_made_again,
    ),
    _OfOptimizer(
        ("apply_gradients",),
        "in Keras 3, apply_gradients() returns the variable that counts steps",
        "Do without what it returned.",
        when=met.result_is_used,
    ),
    _StoppingOfOptimizer(
        ("apply_gradients",),
        "an optimizer of Keras 3 knows the variables of its first step alone, and it has others in "
        "another step of this file",
        "Make an optimizer for each, or build() it for all of them first.",
        when=met.has_other_variables,
    ),
    _OfOptimizer(
        ("apply_gradients",),
        "Keras 3 sums gradients over the replicas when it applies them, and cannot be told not to",
        "Leave out the argument, and do not sum them yourself.",
        when=met.does_not_sum,
    ),
    _StoppingOfOptimizer(
        ("apply_gradients",),
        "apply_gradients() of Keras 3 takes the gradients alone",
        "Leave out the other arguments.",
        when=met.names_arguments_of_old_steps,
    ),
    _Stopping(
        keras_3.HYPERPARAMETERS,
        "if this is a loss-scale optimizer, Keras 3 has this at its inner_optimizer alone",
        "Ask inner_optimizer, if it is one.",
        of=met.of_wrapper,
    ),
    *(_StoppingOfOptimizer(*row) for row in keras_3.OF_OPTIMIZERS),
    Keras3Row(
        ("delattr()", "dir()", "getattr()", "hasattr()", "setattr()", "vars()"),
        "{name} looks up what Keras 3's optimizers may lack, or have under another name",
        "Ask for what they have: `learning_rate`, `variables`, `inner_optimizer`.",
        when=met.looks_up_what_is_gone,
    ),
    _StoppingOfOptimizer(
        ("minimize",),
        "Keras 3's optimizers have no `minimize`",
        "Compute the gradients with tf.GradientTape, and apply them: `gradients = "
        "tape.gradient(loss, variables)`, `optimizer.apply_gradients(zip(gradients, variables))`. "
        "Scale the loss before, and unscale the gradients, if it is a loss-scale optimizer.",
    ),
)
_STEPS = (
    _Stopping(
        ("get_scaled_loss", "get_unscaled_gradients", "apply_gradients"),
        "Keras 3 cannot unscale gradients for you: its `apply` takes scaled ones",
        "Write `scale_loss` and `apply`, and do nothing with the gradients between them; or do "
        "without --no-dependency.",
        of=met.of_step_of_stock,
        target=Target.KERAS3_ALONE,
    ),
    _Stopping(
        ("get_scaled_loss",),
        "what `compile` of Keras 3 wraps is of Keras' own class, which has no get_scaled_loss",
        "Where a model is compiled with it, give it a compat_lossscale.keras3.LossScaleOptimizer.",
        when=met.is_compiled_elsewhere,
        target=Target.KERAS3,
    ),
    Keras3Row(
        ("apply_gradients",),
        "once `fit` has trained with this optimizer, it takes the gradients for scaled ones, as "
        "`fit` gives them",
        "Unscale them with `get_unscaled_gradients`, or use another optimizer.",
        of=met.of_wrapper,
        when=met.is_step_behind_fit,
        target=Target.KERAS3,
    ),
)
_LOSS_SCALES_OF_STOCK = tuple(
    _Stopping(
        names,
        f"Keras 3's own LossScaleOptimizer has no {name}",
        "Read `dynamic_scale` and `step_counter` once the optimizer is built, and `initial_scale` "
        "before; or do without --no-dependency.",
        of=of,
        target=Target.KERAS3_ALONE,
    )
    for names, name, of in (
        (("loss_scale", "_loss_scale", "getattr()"), "loss_scale", met.of_loss_scale),
        (("dynamic", "dynamic_counter"), "{name}", met.of_wrapper),
    )
)
_VALUES = (
    Keras3Row(
        (".clear_session", "clear_session()"),
        "in Keras 3, clear_session() also resets the global policy",
        "Set the policy again after it.",
        when=lambda _, program: Meaning.SET_POLICY in {one.meaning for one in program.references},
    ),
    Keras3Row(
        keras_3.MEMBERS_OF_DTYPES,
        "the dtype of a variable of Keras 3, or of an input of a model, is a string, which "
        "`tf.as_dtype` takes as well",
        when=met.is_of_a_dtype_of_keras,
        fix=met.as_dtype,
    ),
    _Stopping(
        keras_3.MEMBERS_OF_DTYPES,
        "the dtype of a variable of Keras 3, or of an input of a model, is a string",
        "Give it to `tf.as_dtype`, which takes both.",
        when=met.is_of_a_dtype_of_keras,
    ),
    _Stopping(
        ("get_shape", *keras_3.MEMBERS_OF_SHAPES),
        "the shape of a variable of Keras 3, or of an input of a model, is a tuple",
        fix=met.as_tensor_shape,
    ),
    Keras3Row(
        ("keras.utils.to_categorical",),
        "to_categorical gave float32, and Keras 3's gives float64, which `fit` alone casts",
        fix=met.as_float32,
        when=lambda _, program: bool({"GradientTape", "map"} & program.reads_by_attribute.keys()),
    ),
    _Stopping(
        ("[lr]", ".get", ".pop"),
        "Keras 3 logs the learning rate as `learning_rate`",
        "Read it under that name.",
        when=met.reads_rate_of_logs,
    ),
    Keras3Row(
        keras_3.LOGS,
        "Keras 3 logs the learning rate as `learning_rate`, tf-keras as `lr`",
        "Expect the other key.",
        when=met.reads_all_logs,
    ),
    Keras3Row(
        ("keras.layers.*",),
        "`hard_sigmoid`, the default of ConvLSTM in tf-keras, is another function in Keras 3",
        "Give the layer the old one: `lambda x: tf.clip_by_value(0.2 * x + 0.5, 0, 1)`.",
        when=met.has_hard_sigmoid,
    ),
    Keras3Row(
        ("[dtype]",),
        "Keras 3 writes the dtype of a layer in another form",
        "Ask the layer: `compute_dtype`, `variable_dtype`, `dtype_policy.name`.",
        when=met.reads_config_of_a_layer,
    ),
    Keras3Row(
        ("__mro__", "__bases__", "__base__", "mro"),
        "classes of Keras 3 have other base classes",
        "Test with isinstance() for `keras.optimizers.Optimizer`.",
    ),
)
_NAMES_OF_KERAS_2 = (
    *(
        _Stopping(
            (f"keras.backend.{name}",),
            f"{name} of Keras 3's backend {why}",
            "Use a method or attribute of the variable or tensor itself.",
            when=met.is_of_no_rate,
        )
        for name, why in keras_3.BROKEN.items()
    ),
    *(
        _Stopping(
            (name,),
            "models and layers of Keras 3 have no {name}",
            f"Use {instead}.",
            of=met.of_model,
        )
        for name, instead in keras_3.OF_MODELS.items()
    ),
    Keras3Row(
        ("metrics_names",),
        "`metrics_names` of Keras 3 has `compile_metrics` in the place of the metrics",
        "Ask evaluate() for the names: return_dict=True.",
    ),
    _Stopping(
        ("reset_states",),
        "metrics of Keras 3 have `reset_state`",
        "Write `reset_state`. For a model, call it on each layer with a state.",
        of=met.of_metric,
        fix=met.renamed("reset_state"),
    ),
    Keras3Row(
        ("def reset_states",),
        "Keras 3 calls `reset_state` of a metric, and never this",
        "Rename it, and the calls of it, to `reset_state`.",
        inside=met.is_metric,
    ),
    Keras3Row(
        ("class",),
        "layers of Keras 3 are no tf.Module, so `variables` and `trainable_variables` of this "
        "class leave them out, and an optimizer that is given these trains nothing",
        "Derive the class from tf.keras.Model or tf.keras.layers.Layer, or collect the variables "
        "of its layers.",
        when=met.hides_layers,
    ),
    Keras3Row(
        ("tensorflow.Variable",),
        "layers and models of Keras 3 have no tf.Variable among their variables, so this one is "
        "not saved, and not trained by an optimizer that is given these",
        "Make it with self.add_weight(): `name=`, `shape=`, `initializer=`, `trainable=`.",
        when=met.is_kept_in_a_layer,
    ),
    _Stopping(
        ("keras.mixed_precision.Policy.from_config",),
        "Keras 3's policies take no config with a loss scale",
        "Make the policy by its name.",
    ),
    _Stopping(
        ("[TF_USE_LEGACY_KERAS]",),
        "with it, `tf.keras` is tf-keras and not Keras 3",
        "Leave it out.",
        when=lambda node, program: any(
            "1" in program.tree.source(one.value) and node in [to.target for to in one.targets]
            for one in program.tree.ancestors(node)
            if isinstance(one, cst.Assign)
        ),
    ),
    _Stopping(
        keras_3.GRAPH_MODE,
        "Keras 3 does not run in graphs that a program builds by itself",
        "Run eagerly, or in tf.function; or stay with tf-keras.",
        when=met.in_a_program_of_keras,
    ),
    _Stopping(
        [f"tensorflow.{v}{m}.*" for v in ("", "compat.v1.") for m in ("layers", "nn.rnn_cell")],
        "the layers of TensorFlow 1 do not work beside Keras 3",
        "Use those of tf.keras.layers, or stay with tf-keras.",
    ),
    _Stopping(
        (".add_variable", ".add_weight"),
        "`add_weight` of Keras 3 takes its arguments by name",
        "Name them: `name=`, `shape=`, `dtype=`, `initializer=`.",
        of=met.of_own_layer,
        fix=met.as_named_weight,
    ),
    _Stopping(
        (".add_variable", ".add_weight"),
        "`add_weight` of Keras 3 takes the shape first",
        "Name them: `name=`, `shape=`, `dtype=`, `initializer=`.",
        of=met.of_own_layer,
        when=lambda call, _: any(one.keyword is None for one in call.args),
    ),
    Keras3Row(
        ("return",),
        "Keras 3 keeps a metric of its own for `loss`, which this step does not set, and `fit` "
        "shows that",
        "Return the loss under another name, or keep it in a metric of the model's own: Keras 3 "
        "shows those that its property `metrics` returns.",
        inside=frameworks.is_layer,
        when=met.returns_a_loss_of_a_step,
    ),
    _Stopping(
        ("def train_step",),
        "Keras 3 saves no model that was never called, and this step calls its parts alone",
        "Call `build()` of the model with the shapes of its inputs, before it is saved.",
        inside=frameworks.is_layer,
        when=met.calls_its_parts_alone,
    ),
)
_FILES = (
    Keras3Row(
        ("tensorflow.train.Checkpoint", "tensorflow.compat.v1.train.Checkpoint"),
        _CHECKPOINT,
        _CONVERT,
        when=met.gets_an_optimizer,
    ),
    Keras3Row(
        [f"tensorflow.train.{n}" for n in ("list_variables", "load_checkpoint", "load_variable")],
        _CHECKPOINT,
        _CONVERT,
    ),
    Keras3Row(
        ("keras.models.load_model", "keras.saving.load_model"),
        "Keras 3 loads no SavedModel, no `.keras` file of tf-keras under mixed_float16, and from "
        "`.h5` none of the optimizer's state",
        "Convert old files: `compat-lossscale verify OLD --to keras3 --output NEW.keras`.",
        when=met.is_named_otherwise(".keras"),
    ),
    Keras3Row(
        ("keras.callbacks.ModelCheckpoint",),
        f"the callback saves models {_SAVED}",
        "Save as `.keras`.",
        when=met.is_named_otherwise(".keras", weights=False),
    ),
    Keras3Row(
        (".save",),
        f"it saves models {_SAVED}",
        "Save as `.keras`.",
        of=met.of_model,
        when=met.is_named_otherwise(".keras"),
    ),
    _Stopping(
        ("keras.callbacks.ModelCheckpoint",),
        *_WEIGHTS,
        when=met.is_named_otherwise(".weights.h5", weights=True),
    ),
    _Stopping(
        (".save_weights",), *_WEIGHTS, of=met.of_model, when=met.is_named_otherwise(".weights.h5")
    ),
    _Stopping(
        (".load_weights",),
        "Keras 3 loads weights from `.weights.h5`, and from the `.h5` files of Keras 2, alone",
        f"Save them as one of these. {_CONVERT}",
        of=met.of_model,
        when=met.is_named_otherwise(".h5", ".hdf5"),
    ),
)
_STOPS = (
    _Stopping(
        tuple(f"keras.layers.{name}{n}D" for name in ("AveragePooling", "AvgPool") for n in "123"),
        "average pooling of Keras 3 has no default size, which was 2",
        fix=met.with_pool_size,
    ),
    _Stopping(
        (".add_loss",),
        "a model of Keras 3 takes a loss in its `call` alone",
        "Add it in the `call` of a layer or of the model, or compute it in the step.",
        of=met.of_model,
        when=lambda call, program: program.resolver.class_of(met.owner_of(call)) is None,
    ),
    _Stopping(
        tuple(f"keras.layers.{layer}" for layer in keras_3.SIZES),
        "Keras 3 takes Python's int alone for the size of a layer",
        fix=met.with_int_sizes,
    ),
    _Stopping(
        ("keras.Input", "keras.layers.Input", ".add_weight"),
        "Keras 3 takes a tuple alone for the shape of an input or a weight",
        fix=met.with_shape_as_tuple,
    ),
    _Stopping(
        ("def call",),
        "Keras 3 gives a layer `training` only where its `call` has a default for it",
        inside=frameworks.is_layer,
        fix=met.with_default_training,
    ),
    _Stopping(
        ("def call",),
        "for several inputs, Keras 3 gives a layer a list of masks, `[None, None]` if none has one",
        "Take the mask out of the list, and test that for None.",
        inside=frameworks.is_layer,
        when=met.takes_one_mask_of_several,
    ),
    _Stopping(
        ("def _compute_attention",),
        "Keras 3 gives this a further argument, `return_attention_scores`",
        "Add it behind the others: `return_attention_scores=False`.",
        inside=lambda path: path.endswith(".MultiHeadAttention"),
        when=lambda node, _: len(node.params.params) == 6,
    ),
    Keras3Row(
        ("AUTO",),
        "AUTO was this outside of strategies, and losses of Keras 3 have no AUTO",
        fix=lambda node, program: [Edit(*program.tree.span(node), "'sum_over_batch_size'")],
        when=lambda node, program: met.below(node, program) == "losses.Reduction.AUTO",
        stops=True,
    ),
    _Stopping(
        ("embeddings", "kernel"),
        "`{name}` of layers of Keras 3 cannot be set",
        "Write `assign()`, or compute with the tensor in the `call` of a layer of your own.",
        when=met.sets_a_weight_of_keras,
    ),
    _Stopping(
        ("keras.callbacks.LearningRateScheduler",),
        "LearningRateScheduler of Keras 3 wants a float, and this gives a tensor",
        "Give it `lambda epoch: float(schedule(epoch))`.",
        when=met.gets_a_schedule,
    ),
    _Stopping(
        ("def __call__",),
        "Keras 3 gives a schedule the step as an integer, which was a float",
        "Write `step = tf.cast(step, tf.float32)` first.",
        inside=lambda path: path.endswith(".LearningRateSchedule"),
        when=met.computes_with_whole_steps,
        fix=met.cast_step,
    ),
    _Stopping(
        ("()",),
        "layers of Keras 3 take tensors alone by position",
        "Name the arguments behind the first: `training=`, `mask=`.",
        when=met.gives_training_by_position,
    ),
    _Stopping(
        ("()",),
        "a tf.function gets tensors of the variables of Keras 3 that it is given, and assigns none",
        "Give it the model, and read its variables in the function.",
        when=met.gives_variables_to_a_function,
    ),
    _Stopping(
        ("tensorflow.logical_and", "tensorflow.math.logical_and"),
        "layers of Keras 3 take `training` as Python's bool alone, and this is a tensor",
        "Write `training and self.trainable`.",
        when=lambda call, _: any(dotted(one.value) == "training" for one in call.args),
    ),
    Keras3Row(
        ("if",),
        "Keras 3 makes no graph of the branches in a layer or a model, so a test of a tensor stops "
        "`fit`, and every tf.function",
        "Write tf.cond or tf.where.",
        inside=frameworks.is_layer,
        when=met.tests_a_tensor,
    ),
    _Stopping(
        (".__init__",),
        "a model of Keras 3 takes nothing by position here",
        "Write `super().__init__()`.",
        inside=frameworks.is_layer,
        when=lambda call, _: (
            not last_name(met.owner_of(call))
            and "self" in {dotted(one.value) for one in call.args[:1]}
        ),
    ),
    _Stopping(
        ("tensorflow.*",),
        "a function of TensorFlow takes no input of a model, nor what Keras 3 computes of one",
        "Use keras.ops, or call the function in a layer, such as tf.keras.layers.Lambda.",
        when=met.gets_an_input,
    ),
    _Stopping(
        (".call",),
        "`call` gets inputs of a model here, which functions of TensorFlow in it do not take",
        "Call the layer or model itself: `self(...)`.",
        of=met.of_own_layer,
        when=met.gets_an_input,
    ),
    _Stopping(
        ("()",),
        "names of layers and models of Keras 3 have no `/`",
        "Write another character for it, and do not load files by these names.",
        fix=met.without_slashes,
        unsafe=True,
    ),
    _Stopping(
        tuple(keras_3.INDEXED),
        "Keras 3 gives a loss its labels in the dtype of the predictions, so they are no integers",
        "Cast them: tf.cast(labels, tf.int32).",
        when=met.gets_labels,
    ),
    _Stopping(
        ("keras.metrics.SparseTopKCategoricalAccuracy", "keras.metrics.TopKCategoricalAccuracy"),
        "the metric of Keras 3 takes no float16, which a model of mixed_float16 gives",
        "Give the last layer dtype='float32'.",
        when=lambda _, program: bool(keras_3.FLOAT16_ALONE.match(program.source)),
    ),
    *(
        _Stopping(
            names,
            f"Keras 3 takes no {name} here",
            instead,
            when=lambda call, _, name=name: name in keywords_of(call),  # type: ignore[misc]
        )
        for names, arguments in keras_3.ARGUMENTS_GONE
        for name, instead in arguments.items()
    ),
    _Stopping(
        (".run", ".experimental_run_v2"),
        "under a strategy of several replicas, Keras 3 makes no variables in a tf.function, and "
        "nothing here builds the model before its first step",
        "Build it in the scope of the strategy: model.build(input_shape).",
        when=lambda call, program: (
            last_name(met.owner_of(call)).lower().endswith("strategy")
            and bool(keras_3.NOT_BUILT.match(program.source))
        ),
    ),
    _Stopping(
        (".compile",), "Keras 3 has another name for this loss", fix=met.with_losses_of_keras_3
    ),
    _Stopping(
        (".compile",), "Keras 3 takes metrics in a list alone", fix=met.with_metrics_in_a_list
    ),
    _Stopping(
        (".compile",),
        "Keras 3 takes a list of metrics for each output; tf-keras gave all of one list to each",
        "Write a list for each, with all that it is to have: `metrics=[[...], [...]]`.",
        when=met.has_one_list_of_metrics,
    ),
    _Stopping(
        (".compile",),
        "the metric binary_crossentropy of Keras 3 takes no labels with an axis less than the "
        "predictions",
        "Give labels of the shape (batch, 1), if they have one axis.",
        when=lambda call, program: bool(keras_3.OF_LABELS.search(program.tree.source(call))),
    ),
    _Stopping(
        (".compile",),
        "an optimizer of Keras 3 trains one model, and another is compiled with this one",
        "Make an optimizer for each model: type(opt).from_config(opt.get_config()).",
        when=met.compiles_with_the_optimizer_of_another,
    ),
    Keras3Row(
        (".compiled_loss",),
        "`compiled_loss` of Keras 3 adds the losses of layers, which were left out here",
        "Call the loss function itself to leave them out.",
        of=met.of_own_layer,
        when=lambda call, _: "regularization_losses" not in keywords_of(call),
    ),
    _Stopping(
        (".get_initial_state",),
        "get_initial_state of Keras 3 takes the batch size alone",
        "Give it batch_size, and cast the result.",
        when=lambda call, _: len(call.args) > 1 or bool({"dtype", "inputs"} & {*keywords_of(call)}),
    ),
)
TABLE = {
    "LS321": _MEMBERS_OF_OPTIMIZERS,
    "LS323": (*_STEPS, *_LOSS_SCALES_OF_STOCK),
    "LS911": (*_NAMES_OF_KERAS_2, *_STOPS, *_VALUES),
    "LS912": _FILES,
}
"""The rows of each rule, by its id."""
