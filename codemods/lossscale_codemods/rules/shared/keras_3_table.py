# SPDX-License-Identifier: Apache-2.0
"""What Keras 3 lacks or has otherwise, as a table.

Where a row has a fix, the place is rewritten. Where it has none, or what it is met on is not
proven, it is reported. The first row of a rule that fits a place decides it, so rows with a
condition come first.
"""

from __future__ import annotations

from lossscale_codemods.rules.shared import keras_3_conditions as met
from lossscale_codemods.rules.shared.keras_3_rows import Keras3Row
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
_STATE = "Keras 3's optimizers have the learning rate among their variables, and no slots by name"
_MOMENT = (
    "in Keras 3, `learning_rate` is the rate of this moment, also where it comes of a schedule"
)
_STOCK = "Keras 3's own LossScaleOptimizer has no {name}"
_READ_STOCK = (
    "Read `dynamic_scale` and `step_counter` once the optimizer is built, and `initial_scale` "
    "before; or do without --no-dependency."
)
_NO_STRING = "the dtype of a variable of Keras 3 is a string"
_RATES = ("lr", "learning_rate")
_ALONE = (Target.KERAS3_ALONE,)

OF_OPTIMIZERS = (
    Keras3Row(
        rule="LS321",
        names=_RATES,
        of=met.OPTIMIZER,
        when=met.asks_for_the_rate_of_now,
        message="the rate of this moment, which the schedule gives",
        advice="Read it without a call.",
        fix=met.read_without_a_call,
    ),
    Keras3Row(
        rule="LS321",
        names=_RATES,
        of=met.OPTIMIZER,
        when=met.is_called_or_tested,
        message=_MOMENT,
        advice="Read it without a call, or keep the schedule under a name of its own.",
    ),
    Keras3Row(
        rule="LS321",
        names=(*_RATES, "iterations"),
        of=met.OPTIMIZER,
        when=met.is_set_by_the_backend,
        message="assigned, as `set_value` of Keras 3 takes no variable",
        advice="Write `learning_rate.assign()`.",
        fix=met.assign,
    ),
    Keras3Row(
        rule="LS321",
        names=(*_RATES, "iterations"),
        of=met.OPTIMIZER,
        when=met.reads_member_of_variable,
        message="a variable of Keras has no value(), read_value(), eval() and op",
        advice="Give it to `int`, `float` or `tf.convert_to_tensor`.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("iterations",),
        of=met.OPTIMIZER,
        when=met.is_assigned,
        message="Keras 3 counts in a variable of its own",
        advice="Assign to that: `iterations.assign()`.",
    ),
    Keras3Row(
        rule="LS321",
        names=("lr",),
        of=met.OPTIMIZER,
        message="`lr` is `learning_rate` in Keras 3",
        advice="Write `learning_rate`.",
        fix=met.renamed("learning_rate"),
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("get_config",),
        of=met.OPTIMIZER,
        when=met.reads_other_keys,
        message="Keras 3 writes configs of optimizers in another form, with other keys",
        advice="Pass it to Keras, and do not read its keys yourself.",
    ),
    Keras3Row(
        rule="LS321",
        names=("apply_gradients",),
        of=met.OPTIMIZER,
        when=met.result_is_used,
        message="in Keras 3, apply_gradients() returns the variable that counts steps",
        advice="Do without what it returned.",
    ),
    Keras3Row(
        rule="LS321",
        names=("apply_gradients",),
        of=met.OPTIMIZER,
        when=met.has_other_variables,
        message="an optimizer of Keras 3 knows the variables of its first step alone, and it has "
        "others in another step of this file",
        advice="Make an optimizer for each, or build() it for all of them first.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("apply_gradients",),
        of=met.OPTIMIZER,
        when=met.does_not_sum,
        message="Keras 3 sums gradients over the replicas when it applies them, and cannot be told "
        "not to",
        advice="Leave out the argument, and do not sum them yourself.",
    ),
    Keras3Row(
        rule="LS321",
        names=("apply_gradients",),
        of=met.OPTIMIZER,
        when=met.names_arguments_of_old_steps,
        message="without the arguments that Keras 3 has no use for",
        advice="Leave them out.",
        fix=met.without_arguments_of_old_steps,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.HYPERPARAMETERS,
        of=met.WRAPPER_ALONE,
        message="a hyperparameter of the optimizer that is wrapped",
        advice="Read it from `inner_optimizer`.",
        fix=met.of_the_wrapped_optimizer,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.HYPERPARAMETERS,
        of=met.WRAPPER,
        message="if this is a loss-scale optimizer, Keras 3 has this at its inner_optimizer alone",
        advice="Ask inner_optimizer, if it is one.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.HYPERPARAMETERS,
        of=met.OPTIMIZER,
        when=met.has_a_member_read,
        message="{name} is a Python number in Keras 3",
        advice="Read it, or assign to it, as such.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.STATE_MEMBERS,
        of=met.OPTIMIZER,
        message=_STATE,
        advice="Read `variables`, each of which has a `path`, or save the optimizer with the "
        "model.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("_decayed_lr",),
        of=met.OPTIMIZER,
        message="Keras 3's optimizers have no `_decayed_lr`",
        advice="Read `learning_rate`, which is the current value.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.HOOK_MEMBERS,
        of=met.OPTIMIZER,
        message="Keras 3's optimizers have no hyperparameters by name, and other methods",
        advice="Use the attributes of Keras 3's optimizers, and `build` and `update_step` in "
        "subclasses.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=keras_3.GRADIENT_MEMBERS,
        of=met.OPTIMIZER,
        message="Keras 3's optimizers take gradients, and compute none",
        advice="Compute them with tf.GradientTape, and give them to `apply`.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("decay",),
        of=met.OPTIMIZER,
        message="Keras 3's optimizers have no `decay`",
        advice="Ask the schedule that took its place, or take it out.",
        stops=True,
    ),
    Keras3Row(
        rule="LS321",
        names=("delattr()", "dir()", "getattr()", "hasattr()", "setattr()", "vars()"),
        when=met.looks_up_what_is_gone,
        message="{name} looks up what Keras 3's optimizers may lack, or have under another name",
        advice="Ask for what they have: `learning_rate`, `variables`, `inner_optimizer`.",
    ),
    Keras3Row(
        rule="LS321",
        names=("type()()", ".__class__"),
        when=met.makes_one_like_another,
        message="Keras 3's optimizers take other arguments, and make nothing of some old ones",
        advice="Write `learning_rate` for `lr`, and a schedule instead of `decay`.",
        stops=True,
    ),
    Keras3Row(
        rule="LS322",
        names=("minimize",),
        of=met.OPTIMIZER,
        message="Keras 3's optimizers have no `minimize`",
        advice="Compute the gradients with tf.GradientTape, and apply them: `gradients = "
        "tape.gradient(loss, variables)`, `optimizer.apply_gradients(zip(gradients, variables))`. "
        "Scale the loss before, and unscale the gradients, if it is a loss-scale optimizer.",
        stops=True,
    ),
    Keras3Row(
        rule="LS323",
        names=("get_scaled_loss", "get_unscaled_gradients", "apply_gradients"),
        of=met.STEP_OF_STOCK,
        targets=_ALONE,
        message="Keras 3 cannot unscale gradients for you: its `apply` takes scaled ones",
        advice="Write `scale_loss` and `apply`, and do nothing with the gradients between them; or "
        "do without --no-dependency.",
        stops=True,
    ),
    Keras3Row(
        rule="LS323",
        names=("apply_gradients",),
        of=met.WRAPPER,
        when=met.is_step_behind_fit,
        targets=(Target.KERAS3,),
        message="once `fit` has trained with this optimizer, it takes the gradients for scaled "
        "ones, as `fit` gives them",
        advice="Unscale them with `get_unscaled_gradients`, or use another optimizer.",
    ),
    Keras3Row(
        rule="LS324",
        names=("loss_scale", "_loss_scale", "getattr()"),
        of=met.LOSS_SCALE,
        targets=_ALONE,
        message=_STOCK.replace("{name}", "loss_scale"),
        advice=_READ_STOCK,
        stops=True,
    ),
    Keras3Row(
        rule="LS324",
        names=("dynamic", "dynamic_counter"),
        of=met.SURE_WRAPPER,
        targets=_ALONE,
        message=_STOCK,
        advice=_READ_STOCK,
        stops=True,
    ),
)
VALUES = (
    Keras3Row(
        rule="LS325",
        names=(".clear_session", "clear_session()"),
        when=met.sets_a_policy,
        message="in Keras 3, clear_session() also resets the global policy",
        advice="Set the policy again after it.",
    ),
    Keras3Row(
        rule="LS325",
        names=met.MEMBERS_OF_DTYPES,
        when=met.is_of_the_dtype_of_a_variable,
        message=_NO_STRING,
        advice="Give it to `tf.as_dtype`, which takes both.",
        stops=True,
    ),
    Keras3Row(
        rule="LS325",
        names=("__mro__", "__bases__", "__base__", "mro"),
        message="classes of Keras 3 have other base classes",
        advice="Test with isinstance() for `keras.optimizers.Optimizer`.",
    ),
    Keras3Row(
        rule="LS325",
        names=met.LOGS,
        when=met.reads_all_logs,
        message="Keras 3 logs the learning rate as `learning_rate`, tf-keras as `lr`",
        advice="Expect the other key.",
    ),
    Keras3Row(
        rule="LS325",
        names=("[dtype]",),
        when=met.reads_config_of_a_layer,
        message="Keras 3 writes the dtype of a layer in another form",
        advice="Ask the layer: `compute_dtype`, `variable_dtype`, `dtype_policy.name`.",
    ),
    Keras3Row(
        rule="LS325",
        names=("[lr]",),
        when=met.reads_logs,
        message="Keras 3 logs the learning rate as `learning_rate`",
        advice="Read it under that name.",
        stops=True,
    ),
)
OF_KERAS = (
    *(
        Keras3Row(
            rule="LS911",
            names=(name,),
            when=met.is_broken_function,
            message=f"{{name}} of Keras 3's backend {why}",
            advice="Use a method or attribute of the variable or tensor itself.",
            stops=True,
        )
        for name, why in keras_3.BROKEN.items()
    ),
    Keras3Row(
        rule="LS911",
        names=("dtype",),
        when=met.is_dtype_of_a_weight,
        message=_NO_STRING,
        advice="Compare it with a string.",
    ),
    *(
        Keras3Row(
            rule="LS911",
            names=(name,),
            of=met.MODEL_OR_LAYER,
            message="models and layers of Keras 3 have no {name}",
            advice=f"Use {instead}.",
            stops=True,
        )
        for name, instead in keras_3.OF_MODELS.items()
    ),
    Keras3Row(
        rule="LS911",
        names=("reset_states",),
        of=met.METRIC,
        message="metrics of Keras 3 have `reset_state`",
        advice="Write `reset_state`. For a model, call it on each layer with a state.",
        fix=met.renamed("reset_state"),
        stops=True,
    ),
    Keras3Row(
        rule="LS911",
        names=("def reset_states",),
        when=met.is_defined_in_a_metric,
        message="Keras 3 calls `reset_state` of a metric, and never this",
        advice="Rename it, and the calls of it, to `reset_state`.",
    ),
    Keras3Row(
        rule="LS911",
        names=("class",),
        when=met.hides_layers,
        message="layers of Keras 3 are no tf.Module, so `variables` and `trainable_variables` of "
        "this class leave them out, and an optimizer that is given these trains nothing",
        advice="Derive the class from tf.keras.Model or tf.keras.layers.Layer, or collect the "
        "variables of its layers.",
    ),
    Keras3Row(
        rule="LS911",
        names=("keras.mixed_precision.Policy.from_config",),
        message="Keras 3's policies take no config with a loss scale",
        advice="Make the policy by its name.",
        stops=True,
    ),
    Keras3Row(
        rule="LS911",
        names=keras_3.GRAPH_MODE,
        when=met.makes_optimizers_or_models,
        message="Keras 3 does not run in graphs that a program builds by itself",
        advice="Run eagerly, or in tf.function; or stay with tf-keras.",
        stops=True,
    ),
    Keras3Row(
        rule="LS911",
        names=(".add_weight",),
        of=met.OWN_LAYER_OR_METRIC,
        when=met.has_unnamed_arguments,
        message="`add_weight` of Keras 3 takes the shape first",
        advice="Name its arguments.",
        fix=met.named_weight,
        stops=True,
    ),
    Keras3Row(
        rule="LS911",
        names=("return",),
        when=met.returns_a_loss_of_a_step,
        message="`fit` of Keras 3 shows the values of its own metrics, of which one is named "
        "`loss`, in the place of what this returns",
        advice="Return it under another name, or keep it in a metric that `metrics` of the model "
        "returns.",
    ),
)
FILES = (
    Keras3Row(
        rule="LS912",
        names=("tensorflow.train.Checkpoint", "tensorflow.compat.v1.train.Checkpoint"),
        when=met.gets_an_optimizer,
        message=_CHECKPOINT,
        advice=_CONVERT,
    ),
    Keras3Row(
        rule="LS912",
        names=(
            "tensorflow.train.list_variables",
            "tensorflow.train.load_checkpoint",
            "tensorflow.train.load_variable",
        ),
        message=_CHECKPOINT,
        advice=_CONVERT,
    ),
    Keras3Row(
        rule="LS912",
        names=("keras.models.load_model", "keras.saving.load_model"),
        when=met.is_no_keras_file,
        message="Keras 3 loads no SavedModel, no `.keras` file of tf-keras under mixed_float16, "
        "and from `.h5` none of the optimizer's state",
        advice="Convert old files: `compat-lossscale verify OLD --to keras3 --output NEW.keras`.",
    ),
    Keras3Row(
        rule="LS912",
        names=("keras.callbacks.ModelCheckpoint",),
        when=met.keeps_other_models,
        message=f"the callback saves models {_SAVED}",
        advice="Save as `.keras`.",
    ),
    *(
        Keras3Row(
            rule="LS912",
            names=names,
            of=of,
            when=met.keeps_other_weights,
            message="Keras 3 saves and loads weights as `.weights.h5` alone",
            advice=f"End its name with that. {_CONVERT}",
            stops=True,
        )
        for of, names in (
            (met.ANYTHING, ("keras.callbacks.ModelCheckpoint",)),
            (met.MODEL, (".save_weights", ".load_weights")),
        )
    ),
    Keras3Row(
        rule="LS912",
        names=(".save",),
        of=met.MODEL,
        when=met.is_no_keras_file,
        message=f"it saves models {_SAVED}",
        advice="Save as `.keras`.",
    ),
)
STOPS = (
    *(
        Keras3Row(
            rule="LS913",
            names=(f"keras.layers.{layer}",),
            when=met.has_a_size_that_is_no_int,
            message="Keras 3 takes Python's int alone for the size of a layer",
            fix=met.with_int_sizes,
            stops=True,
        )
        for layer in keras_3.SIZES
    ),
    Keras3Row(
        rule="LS913",
        names=("AUTO",),
        when=met.is_reduction,
        message="AUTO was this outside of strategies, and losses of Keras 3 have no AUTO",
        fix=met.replaced_by("'sum_over_batch_size'"),
        stops=True,
    ),
    Keras3Row(
        rule="LS913",
        names=("name",),
        when=met.is_of_the_dtype_of_an_input,
        message="the dtype of an input of a model is a string in Keras 3",
        advice="Leave out `.name`.",
        stops=True,
    ),
    Keras3Row(
        rule="LS913",
        names=("keras.callbacks.LearningRateScheduler",),
        when=met.gets_a_schedule,
        message="LearningRateScheduler of Keras 3 wants a float, and this gives a tensor",
        advice="Give it `lambda epoch: float(schedule(epoch))`.",
        stops=True,
    ),
    Keras3Row(
        rule="LS913",
        names=("tensorflow",),
        when=met.gets_an_input,
        message="a function of TensorFlow takes no input of a model, nor what Keras 3 computes of "
        "one",
        advice="Use keras.ops, or call the function in a layer, such as tf.keras.layers.Lambda.",
        stops=True,
    ),
    Keras3Row(
        rule="LS913",
        names=tuple(keras_3.INDEXED),
        when=met.gets_labels,
        message="Keras 3 gives a loss its labels in the dtype of the predictions, so they are no "
        "integers",
        advice="Cast them: tf.cast(labels, tf.int32).",
        stops=True,
    ),
    *(
        Keras3Row(
            rule="LS913",
            names=(".compile",),
            when=met.has_keyword(gone),
            message=f"`compile` of Keras 3 has no {gone}",
            advice="Leave it out.",
            stops=True,
        )
        for gone in ("sample_weight_mode", "target_tensors")
    ),
    Keras3Row(
        rule="LS913",
        names=(".compile",),
        when=met.compiles_with_the_optimizer_of_another,
        message="an optimizer of Keras 3 trains one model, and another is compiled with this one",
        advice="Make an optimizer for each model: type(opt).from_config(opt.get_config()).",
        stops=True,
    ),
    Keras3Row(
        rule="LS913",
        names=(".compiled_loss",),
        of=met.OWN_LAYER_OR_METRIC,
        when=met.leaves_out_losses_of_layers,
        message="`compiled_loss` of Keras 3 adds the losses of layers, which were left out here",
        advice="Call the loss function itself to leave them out.",
    ),
    Keras3Row(
        rule="LS913",
        names=(".get_initial_state",),
        when=met.gives_more_than_the_batch_size,
        message="get_initial_state of Keras 3 takes the batch size alone",
        advice="Give it batch_size, and cast the result.",
        stops=True,
    ),
)
ROWS = (*OF_OPTIMIZERS, *VALUES, *OF_KERAS, *FILES, *STOPS)
