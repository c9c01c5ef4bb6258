# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 lacks or has otherwise, as a table: names, what is otherwise, and what to do.

Where a row has a fix, the place is rewritten. Where it has none, or what it is met on is not
proven, it is reported. The first row of a rule that fits a place decides it, so rows with a
condition come first.
"""

from __future__ import annotations

from lossscale_codemods.rules.shared import keras_3_conditions as met
from lossscale_codemods.rules.shared.keras_3_rows import Keras3Row as Row
from lossscale_codemods.tables import keras_3
from lossscale_codemods.tables.names import Target

_CHECKPOINT = (
    "checkpoints have the variables of Keras 3's optimizers under other names: from one of "
    "tf-keras, the optimizer's state and its loss scale are not restored"
)
_CONVERT = (
    "Convert old checkpoints, with a function that builds the model: `compat-lossscale verify OLD "
    "--to keras3 --model SCRIPT:FUNCTION --output NEW.keras`."
)
_SAVED = (
    "as `.keras` and `.h5` alone in Keras 3, and loads no loss-scale optimizer of "
    "compat_lossscale.keras3 from `.h5`"
)
_WEIGHTS = (
    "Keras 3 saves and loads weights as `.weights.h5` alone",
    f"End its name with that. {_CONVERT}",
)
_RATES = ("lr", "learning_rate")

_MEMBERS_OF_OPTIMIZERS = (
    Row(
        _RATES,
        "in Keras 3, `learning_rate` is the rate of this moment, also where it comes of a schedule",
        "Read it without a call, or keep the schedule under a name of its own.",
        of=met.OPTIMIZER,
        when=met.is_called_or_tested,
    ),
    Row(
        (*_RATES, "iterations"),
        "assigned, as `set_value` of Keras 3 takes no variable",
        "Write `learning_rate.assign()`.",
        of=met.OPTIMIZER,
        when=met.is_set_by_the_backend,
        fix=met.assign,
    ),
    Row(
        (*_RATES, "iterations"),
        "a variable of Keras has no value(), read_value(), eval() and op",
        "Give it to `int`, `float` or `tf.convert_to_tensor`.",
        of=met.OPTIMIZER,
        when=met.reads_member_of_variable,
        stops=True,
    ),
    Row(
        ("lr",),
        "`lr` is `learning_rate` in Keras 3",
        "Write `learning_rate`.",
        of=met.OPTIMIZER,
        fix=met.renamed("learning_rate"),
        stops=True,
    ),
    Row(
        ("get_config",),
        "Keras 3 writes configs of optimizers in another form, with other keys",
        "Pass it to Keras, and do not read its keys yourself.",
        of=met.OPTIMIZER,
        when=met.is_not_made_again,
    ),
    Row(
        ("apply_gradients",),
        "in Keras 3, apply_gradients() returns the variable that counts steps",
        "Do without what it returned.",
        of=met.OPTIMIZER,
        when=met.result_is_used,
    ),
    Row(
        ("apply_gradients",),
        "an optimizer of Keras 3 knows the variables of its first step alone, and it has others in "
        "another step of this file",
        "Make an optimizer for each, or build() it for all of them first.",
        of=met.OPTIMIZER,
        when=met.has_other_variables,
        stops=True,
    ),
    Row(
        ("apply_gradients",),
        "Keras 3 sums gradients over the replicas when it applies them, and cannot be told not to",
        "Leave out the argument, and do not sum them yourself.",
        of=met.OPTIMIZER,
        when=met.does_not_sum,
    ),
    Row(
        ("apply_gradients",),
        "apply_gradients() of Keras 3 takes the gradients alone",
        "Leave out the other arguments.",
        of=met.OPTIMIZER,
        when=met.names_arguments_of_old_steps,
        stops=True,
    ),
    Row(
        keras_3.HYPERPARAMETERS,
        "if this is a loss-scale optimizer, Keras 3 has this at its inner_optimizer alone",
        "Ask inner_optimizer, if it is one.",
        of=met.WRAPPER,
        stops=True,
    ),
    *(
        Row(names, message, advice, of=met.OPTIMIZER, stops=True)
        for names, message, advice in keras_3.OF_OPTIMIZERS
    ),
    Row(
        ("delattr()", "dir()", "getattr()", "hasattr()", "setattr()", "vars()"),
        "{name} looks up what Keras 3's optimizers may lack, or have under another name",
        "Ask for what they have: `learning_rate`, `variables`, `inner_optimizer`.",
        when=met.looks_up_what_is_gone,
    ),
    Row(
        ("type()()", ".__class__"),
        "Keras 3's optimizers take other arguments, and make nothing of some old ones",
        "Write `learning_rate` for `lr`, and a schedule instead of `decay`.",
        when=met.makes_one_like_another,
        stops=True,
    ),
)
_MINIMIZE = (
    Row(
        ("minimize",),
        "Keras 3's optimizers have no `minimize`",
        "Compute the gradients with tf.GradientTape, and apply them: `gradients = "
        "tape.gradient(loss, variables)`, `optimizer.apply_gradients(zip(gradients, variables))`. "
        "Scale the loss before, and unscale the gradients, if it is a loss-scale optimizer.",
        of=met.OPTIMIZER,
        stops=True,
    ),
)
_STEPS = (
    Row(
        ("get_scaled_loss", "get_unscaled_gradients", "apply_gradients"),
        "Keras 3 cannot unscale gradients for you: its `apply` takes scaled ones",
        "Write `scale_loss` and `apply`, and do nothing with the gradients between them; or do "
        "without --no-dependency.",
        of=met.STEP_OF_STOCK,
        stops=True,
        target=Target.KERAS3_ALONE,
    ),
    Row(
        ("apply_gradients",),
        "once `fit` has trained with this optimizer, it takes the gradients for scaled ones, as "
        "`fit` gives them",
        "Unscale them with `get_unscaled_gradients`, or use another optimizer.",
        of=met.WRAPPER,
        when=met.is_step_behind_fit,
        target=Target.KERAS3,
    ),
)
_LOSS_SCALES_OF_STOCK = tuple(
    Row(
        names,
        f"Keras 3's own LossScaleOptimizer has no {name}",
        "Read `dynamic_scale` and `step_counter` once the optimizer is built, and `initial_scale` "
        "before; or do without --no-dependency.",
        of=of,
        stops=True,
        target=Target.KERAS3_ALONE,
    )
    for names, name, of in (
        (("loss_scale", "_loss_scale", "getattr()"), "loss_scale", met.LOSS_SCALE),
        (("dynamic", "dynamic_counter"), "{name}", met.WRAPPER),
    )
)
_VALUES = (
    Row(
        (".clear_session", "clear_session()"),
        "in Keras 3, clear_session() also resets the global policy",
        "Set the policy again after it.",
        when=met.sets_a_policy,
    ),
    Row(
        keras_3.MEMBERS_OF_DTYPES,
        "the dtype of a variable of Keras 3, or of an input of a model, is a string",
        "Give it to `tf.as_dtype`, which takes both.",
        when=met.is_of_a_dtype_of_keras,
        stops=True,
    ),
    Row(
        ("__mro__", "__bases__", "__base__", "mro"),
        "classes of Keras 3 have other base classes",
        "Test with isinstance() for `keras.optimizers.Optimizer`.",
    ),
    Row(
        keras_3.LOGS,
        "Keras 3 logs the learning rate as `learning_rate`, tf-keras as `lr`",
        "Expect the other key.",
        when=met.reads_all_logs,
    ),
    Row(
        ("[lr]",),
        "Keras 3 logs the learning rate as `learning_rate`",
        "Read it under that name.",
        when=met.reads_logs,
        stops=True,
    ),
    Row(
        ("[dtype]",),
        "Keras 3 writes the dtype of a layer in another form",
        "Ask the layer: `compute_dtype`, `variable_dtype`, `dtype_policy.name`.",
        when=met.reads_config_of_a_layer,
    ),
)
_NAMES_OF_KERAS_2 = (
    *(
        Row(
            (name,),
            f"{{name}} of Keras 3's backend {why}",
            "Use a method or attribute of the variable or tensor itself.",
            when=met.is_broken_function,
            stops=True,
        )
        for name, why in keras_3.BROKEN.items()
    ),
    *(
        Row(
            (name,),
            "models and layers of Keras 3 have no {name}",
            f"Use {instead}.",
            of=met.MODEL_OR_LAYER,
            stops=True,
        )
        for name, instead in keras_3.OF_MODELS.items()
    ),
    Row(
        ("reset_states",),
        "metrics of Keras 3 have `reset_state`",
        "Write `reset_state`. For a model, call it on each layer with a state.",
        of=met.METRIC,
        fix=met.renamed("reset_state"),
        stops=True,
    ),
    Row(
        ("def reset_states",),
        "Keras 3 calls `reset_state` of a metric, and never this",
        "Rename it, and the calls of it, to `reset_state`.",
        when=met.is_defined_in_a_metric,
    ),
    Row(
        ("class",),
        "layers of Keras 3 are no tf.Module, so `variables` and `trainable_variables` of this "
        "class leave them out, and an optimizer that is given these trains nothing",
        "Derive the class from tf.keras.Model or tf.keras.layers.Layer, or collect the variables "
        "of its layers.",
        when=met.hides_layers,
    ),
    Row(
        ("keras.mixed_precision.Policy.from_config",),
        "Keras 3's policies take no config with a loss scale",
        "Make the policy by its name.",
        stops=True,
    ),
    Row(
        keras_3.GRAPH_MODE,
        "Keras 3 does not run in graphs that a program builds by itself",
        "Run eagerly, or in tf.function; or stay with tf-keras.",
        when=met.makes_optimizers_or_models,
        stops=True,
    ),
    Row(
        (".add_weight",),
        "`add_weight` of Keras 3 takes the shape first",
        "Name its arguments: `name=`, `shape=`, `dtype=`, `initializer=`.",
        of=met.OWN_LAYER_OR_METRIC,
        when=met.has_unnamed_arguments,
        stops=True,
    ),
    Row(
        ("return",),
        "`fit` of Keras 3 shows the values of its own metrics, of which one is named `loss`, in "
        "the place of what this returns",
        "Return it under another name, or keep it in a metric that `metrics` of the model returns.",
        when=met.returns_a_loss_of_a_step,
    ),
)
_FILES = (
    Row(
        ("tensorflow.train.Checkpoint", "tensorflow.compat.v1.train.Checkpoint"),
        _CHECKPOINT,
        _CONVERT,
        when=met.gets_an_optimizer,
    ),
    Row(
        (
            "tensorflow.train.list_variables",
            "tensorflow.train.load_checkpoint",
            "tensorflow.train.load_variable",
        ),
        _CHECKPOINT,
        _CONVERT,
    ),
    Row(
        ("keras.models.load_model", "keras.saving.load_model"),
        "Keras 3 loads no SavedModel, no `.keras` file of tf-keras under mixed_float16, and from "
        "`.h5` none of the optimizer's state",
        "Convert old files: `compat-lossscale verify OLD --to keras3 --output NEW.keras`.",
        when=met.is_no_keras_file,
    ),
    Row(
        ("keras.callbacks.ModelCheckpoint",),
        f"the callback saves models {_SAVED}",
        "Save as `.keras`.",
        when=met.keeps_other_models,
    ),
    Row(
        (".save",),
        f"it saves models {_SAVED}",
        "Save as `.keras`.",
        of=met.MODEL,
        when=met.is_no_keras_file,
    ),
    Row(
        ("keras.callbacks.ModelCheckpoint",),
        *_WEIGHTS,
        when=met.keeps_other_weights,
        stops=True,
    ),
    Row(
        (".save_weights", ".load_weights"),
        *_WEIGHTS,
        of=met.MODEL,
        when=met.keeps_other_weights,
        stops=True,
    ),
)
_STOPS = (
    Row(
        tuple(f"keras.layers.{layer}" for layer in keras_3.SIZES),
        "Keras 3 takes Python's int alone for the size of a layer",
        when=met.has_a_size_that_is_no_int,
        fix=met.with_int_sizes,
        stops=True,
    ),
    Row(
        ("AUTO",),
        "AUTO was this outside of strategies, and losses of Keras 3 have no AUTO",
        when=met.is_reduction,
        fix=met.replaced_by("'sum_over_batch_size'"),
        stops=True,
    ),
    Row(
        ("keras.callbacks.LearningRateScheduler",),
        "LearningRateScheduler of Keras 3 wants a float, and this gives a tensor",
        "Give it `lambda epoch: float(schedule(epoch))`.",
        when=met.gets_a_schedule,
        stops=True,
    ),
    Row(
        ("tensorflow",),
        "a function of TensorFlow takes no input of a model, nor what Keras 3 computes of one",
        "Use keras.ops, or call the function in a layer, such as tf.keras.layers.Lambda.",
        when=met.gets_an_input,
        stops=True,
    ),
    Row(
        tuple(keras_3.INDEXED),
        "Keras 3 gives a loss its labels in the dtype of the predictions, so they are no integers",
        "Cast them: tf.cast(labels, tf.int32).",
        when=met.gets_labels,
        stops=True,
    ),
    Row(
        (".compile",),
        "`compile` of Keras 3 takes no sample_weight_mode, and no target_tensors",
        "Leave them out.",
        when=met.has_keyword("sample_weight_mode", "target_tensors"),
        stops=True,
    ),
    Row(
        (".compile",),
        "an optimizer of Keras 3 trains one model, and another is compiled with this one",
        "Make an optimizer for each model: type(opt).from_config(opt.get_config()).",
        when=met.compiles_with_the_optimizer_of_another,
        stops=True,
    ),
    Row(
        (".compiled_loss",),
        "`compiled_loss` of Keras 3 adds the losses of layers, which were left out here",
        "Call the loss function itself to leave them out.",
        of=met.OWN_LAYER_OR_METRIC,
        when=met.leaves_out_losses_of_layers,
    ),
    Row(
        (".get_initial_state",),
        "get_initial_state of Keras 3 takes the batch size alone",
        "Give it batch_size, and cast the result.",
        when=met.gives_more_than_the_batch_size,
        stops=True,
    ),
)
TABLE = {
    "LS321": _MEMBERS_OF_OPTIMIZERS,
    "LS322": _MINIMIZE,
    "LS323": _STEPS,
    "LS324": _LOSS_SCALES_OF_STOCK,
    "LS325": _VALUES,
    "LS911": _NAMES_OF_KERAS_2,
    "LS912": _FILES,
    "LS913": _STOPS,
}
"""The rows of each rule, by its id."""
