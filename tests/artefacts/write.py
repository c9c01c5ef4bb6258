# SPDX-License-Identifier: Apache-2.0
"""Writes one kind of artefact under whatever TensorFlow runs it, from 1.14 to today's.

    python write.py KIND FOLDER

Six steps are trained, the third with NaN gradients; then the artefact is saved; then four more
steps are trained. `FOLDER/KIND.json` says what the writer had when it saved (`saved`), what it had
four steps later (`continued`), and what it had if it loaded its own artefact into a fresh process
state and went on from there (`reloaded`; an error's first line where it cannot).

The gradients are given, so that a step is nothing but the optimizer's arithmetic. This file is
Python 3.7 and in the API of the oldest version that has a name.
"""

# The oldest versions take no Path.
# ruff: noqa: PTH103, PTH107, PTH118, PTH123

import json
import math
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

INITIAL_SCALE, GROWTH_STEPS, FIXED_SCALE = 64.0, 4, 8.0
STEPS_BEFORE, STEPS_AFTER, NAN_STEP = 6, 4, 2
LEARNING_RATE = 0.125

FORMS = {
    "h5": "model%s.h5",
    "keras": "model%s.keras",
    "saved_model": "saved_model%s",
    "weights": "weights%s",
}

KERAS3 = hasattr(tf.keras, "__version__") and tf.keras.__version__.startswith("3")
TF1 = tf.__version__.startswith("1.")


def gradient(step, size):
    """The gradients of a step: multiples of 1/4, never all equal."""
    if step == NAN_STEP:
        return [float("nan")] * size
    return [((step * 7 + i * 5) % 11 - 5) / 4 for i in range(size)]


# --- optimizers -----------------------------------------------------------------------------------


def adam(family):
    optimizers = tf.keras.optimizers
    return (optimizers.legacy if family == "legacy" else optimizers).Adam(LEARNING_RATE)


def wrap(inner, fixed=False, multiplier=2.0, default=False):
    """The loss-scale optimizer of this version, by its oldest name."""
    precision = tf.keras.mixed_precision
    if hasattr(precision, "experimental"):
        scales = tf.train.experimental
        if fixed:
            scale = scales.FixedLossScale(FIXED_SCALE)
        elif default:
            scale = "dynamic"
        else:
            scale = scales.DynamicLossScale(INITIAL_SCALE, GROWTH_STEPS, multiplier)
        return precision.experimental.LossScaleOptimizer(inner, scale)
    return wrap_by_new_name(inner, fixed, multiplier, default)


def wrap_by_new_name(inner, fixed=False, multiplier=2.0, default=False):
    if multiplier != 2:
        raise ValueError("no multiplier but 2")
    if fixed:
        kwargs = {"dynamic": False, "initial_scale": FIXED_SCALE}
    elif default:
        kwargs = {}
    else:
        kwargs = {"initial_scale": INITIAL_SCALE, "dynamic_growth_steps": GROWTH_STEPS}
    return tf.keras.mixed_precision.LossScaleOptimizer(inner, **kwargs)


def number(value):
    value = value.numpy() if hasattr(value, "numpy") else value
    return np.asarray(value).tolist()


def state(variables, opt):
    """All that a step reads and writes, as JSON."""
    if KERAS3:
        scale, counter = opt.dynamic_scale, opt.step_counter
    else:
        # A LossScale up to 2.3, in 1.14 under no public name; a tensor from 2.4 on.
        live = opt.loss_scale if hasattr(opt, "loss_scale") else opt._loss_scale
        scale = live() if callable(live) else live
        if hasattr(opt, "dynamic_counter"):
            counter = opt.dynamic_counter
        else:
            counter = getattr(live, "_num_good_steps", None)
    # Up to 2.3 the wrapper passes only a few attributes on.
    inner = getattr(opt, "inner_optimizer", None) or opt._optimizer
    if hasattr(inner, "_momentums"):
        slots = {"m": inner._momentums, "v": inner._velocities}
    else:
        slots = {name: [inner.get_slot(v, name) for v in variables] for name in ("m", "v")}
    return {
        "variables": [number(variable) for variable in variables],
        "slots": {name: [number(slot) for slot in of_name] for name, of_name in slots.items()},
        "loss_scale": number(scale),
        "good_steps": None if counter is None else number(counter),
        "iterations": number(inner.iterations),
    }


# --- object-based checkpoints ---------------------------------------------------------------------


def checkpoint_parts(family, fixed):
    weight = tf.Variable([1.0, -2.0, 0.5], name="weight")
    bias = tf.Variable(0.25, name="bias")
    opt = wrap(adam(family), fixed)
    return weight, bias, opt, tf.train.Checkpoint(weight=weight, bias=bias, optimizer=opt)


def train(weight, bias, opt, steps):
    for step in steps:
        values = gradient(step, 4)
        opt.minimize(
            lambda: tf.reduce_sum(weight * values[:3]) + bias * values[3],  # noqa: B023  # called now
            [weight, bias],
        )


def steps_before(fixed):
    return [s for s in range(STEPS_BEFORE) if not (fixed and s == NAN_STEP)]


STEPS_AFTER_SAVING = range(STEPS_BEFORE, STEPS_BEFORE + STEPS_AFTER)


def write_checkpoint(folder, kind, family, fixed):
    weight, bias, opt, checkpoint = checkpoint_parts(family, fixed)
    train(weight, bias, opt, steps_before(fixed))
    path = checkpoint.save(os.path.join(folder, kind))
    os.remove(os.path.join(folder, "checkpoint"))
    saved = state([weight, bias], opt)
    train(weight, bias, opt, STEPS_AFTER_SAVING)
    continued = state([weight, bias], opt)

    def reload():
        weight, bias, opt, checkpoint = checkpoint_parts(family, fixed)
        checkpoint.restore(path)
        train(weight, bias, opt, STEPS_AFTER_SAVING)
        return state([weight, bias], opt)

    return {"saved": saved, "continued": continued, "reloaded": attempt(reload)}


def attempt(function):
    try:
        return function()
    except Exception as error:
        return {"error": type(error).__name__ + ": " + str(error).strip().split("\n")[0]}


# --- models ---------------------------------------------------------------------------------------


def model_parts(family, fixed):
    layer = tf.keras.layers.Dense(2, input_shape=(3,), name="dense")
    model = tf.keras.Sequential([layer], name="tiny")
    layer.set_weights([np.arange(6, dtype="float32").reshape(3, 2) / 4, np.ones(2, "float32")])
    model.compile(optimizer=wrap(adam(family), fixed), loss="mse")
    return model


def train_model(model, steps):
    for step in steps:
        x = np.array([gradient(step, 3)], "float32")
        model.train_on_batch(x, np.array([[1.0, -1.0]], "float32"))


def model_state(model):
    return state(model.trainable_weights, model.optimizer)


def save_model(model, folder, kind, form):
    path = os.path.join(folder, kind)
    if form == "h5":
        model.save(path)
    elif form == "keras":
        model.save(path)
        with open(path, "rb") as file:
            if file.read(2) != b"PK":
                os.remove(path)
                raise ValueError("this version writes HDF5 into .keras files")
    elif form == "saved_model":
        model.save(path, save_format="tf")
        shutil.rmtree(os.path.join(path, "debug"), ignore_errors=True)
    else:
        model.save_weights(path, save_format="tf")
        os.remove(os.path.join(folder, "checkpoint"))
    return path


def write_model(folder, kind, family, fixed, form):
    model = model_parts(family, fixed)
    train_model(model, steps_before(fixed))
    path = save_model(model, folder, kind, form)
    saved = model_state(model)
    train_model(model, STEPS_AFTER_SAVING)
    continued = model_state(model)

    def reload():
        if form == "weights":
            loaded = model_parts(family, fixed)
            loaded.load_weights(path)
        else:
            loaded = tf.keras.models.load_model(path)
        train_model(loaded, STEPS_AFTER_SAVING)
        return model_state(loaded)

    return {"saved": saved, "continued": continued, "reloaded": attempt(reload)}


# --- name-based checkpoints -----------------------------------------------------------------------


def write_saver(folder, kind):
    v1 = tf.compat.v1
    precision = v1.mixed_precision if hasattr(v1, "mixed_precision") else None
    if precision is None or not hasattr(precision, "MixedPrecisionLossScaleOptimizer"):
        precision = v1.train.experimental
    weight = v1.get_variable("weight", initializer=tf.constant([1.0, -2.0, 0.5]))
    bias = v1.get_variable("bias", initializer=tf.constant(0.25))
    step = v1.train.get_or_create_global_step()
    given = v1.placeholder(tf.float32, [4])
    inner = v1.train.AdamOptimizer(LEARNING_RATE)
    scale = precision.DynamicLossScale(INITIAL_SCALE, GROWTH_STEPS, 2.0)
    opt = precision.MixedPrecisionLossScaleOptimizer(inner, scale)
    loss = tf.reduce_sum(weight * given[:3]) + bias * given[3]
    minimize = opt.minimize(loss, global_step=step)
    by_name = {variable.op.name: variable for variable in v1.global_variables()}
    path = os.path.join(folder, kind)

    def train_session(session, steps):
        for number_of_step in steps:
            session.run(minimize, {given: gradient(number_of_step, 4)})
        return {name: np.asarray(value).tolist() for name, value in session.run(by_name).items()}

    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        saved = train_session(session, range(STEPS_BEFORE))
        v1.train.Saver().save(session, path, write_meta_graph=False)
        os.remove(os.path.join(folder, "checkpoint"))
        continued = train_session(session, STEPS_AFTER_SAVING)

    def reload():
        with v1.Session() as session:
            v1.train.Saver().restore(session, path)
            return train_session(session, STEPS_AFTER_SAVING)

    return {"saved": saved, "continued": continued, "reloaded": attempt(reload)}


# --- configs --------------------------------------------------------------------------------------


def write_configs(family):
    """What `get_config()` and `serialize()` give for one optimizer after another."""
    optimizers = tf.keras.optimizers
    of_family = optimizers.legacy if family == "legacy" else optimizers
    inners = {
        "sgd": lambda: of_family.SGD(0.5, momentum=0.75),
        "adam": lambda: of_family.Adam(LEARNING_RATE),
    }
    wrappers = {
        "default": {"default": True},
        "dynamic": {},
        "fixed": {"fixed": True},
        "multiplier": {"multiplier": 4.0},
    }
    makers = {"": wrap}
    if hasattr(tf.keras.mixed_precision, "LossScaleOptimizer"):
        makers["new-name-"] = wrap_by_new_name
    result = {}
    for prefix, make in makers.items():
        for inner_name, inner in inners.items():
            for name, kwargs in wrappers.items():
                key = prefix + inner_name + "-" + name
                result[key] = attempt(lambda: configs_of(make(inner(), **kwargs)))  # noqa: B023  # called within the round
    experimental = getattr(tf.keras.mixed_precision, "experimental", None)
    if experimental:
        result["policy-default"] = attempt(
            lambda: experimental.Policy("mixed_float16").get_config()
        )
        result["policy-fixed"] = attempt(
            lambda: experimental.Policy("mixed_float16", loss_scale=FIXED_SCALE).get_config()
        )
    return result


def configs_of(opt):
    if KERAS3:
        serialized = tf.keras.optimizers.serialize(opt)
        return {"get_config": opt.get_config(), "serialize": serialized}
    serialize = tf.keras.optimizers.serialize
    configs = {"get_config": opt.get_config(), "serialize": attempt(lambda: serialize(opt))}
    if family_is_split():
        configs["serialize_legacy"] = attempt(lambda: serialize(opt, use_legacy_format=True))
    return configs


def family_is_split():
    """Whether there are two families of Keras optimizers (since 2.11)."""
    version = tuple(int(number) for number in tf.__version__.split(".")[:2])
    return not KERAS3 and version >= (2, 11)


def kinds():
    """The kinds of artefact by name; every other version knows some of them only."""
    if KERAS3:
        return {
            "configs": lambda folder, kind: write_configs("default"),
            "model.h5": lambda folder, kind: write_model(folder, kind, "default", False, "h5"),
            "model.keras": lambda folder, kind: write_model(
                folder, kind, "default", False, "keras"
            ),
        }
    families = {"": "default"}
    if family_is_split():
        families["-legacy"] = "legacy"
    result = {"saver": write_saver}
    for suffix, family in families.items():
        result["configs" + suffix] = lambda folder, kind, f=family: write_configs(f)
        for prefix, fixed in (("", False), ("fixed-", True)):
            result[prefix + "checkpoint" + suffix] = lambda folder, kind, f=family, x=fixed: (
                write_checkpoint(folder, kind, f, x)
            )
        for form, name in FORMS.items():
            result[name % suffix] = lambda folder, kind, f=family, o=form: write_model(
                folder, kind, f, False, o
            )
    return result


def encode(value):
    """Numbers of numpy's and tensors, which some versions leave in configs."""
    value = number(value)
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def main():
    kind, folder = sys.argv[1:]
    if kind.startswith("saver"):
        tf.compat.v1.disable_v2_behavior()
    elif TF1:
        tf.compat.v1.enable_v2_behavior()
    if kind == "list":
        print(" ".join(kinds()))
        return
    os.makedirs(folder, exist_ok=True)
    result = kinds()[kind](folder, kind)
    writer = {"tensorflow": tf.__version__}
    if hasattr(tf.keras, "__version__"):
        writer["keras"] = tf.keras.__version__
    result = {"artefact": result} if "configs" in kind else result
    result["writer"] = writer
    with open(os.path.join(folder, kind + ".json"), "w") as file:
        json.dump(result, file, indent=1, sort_keys=True, default=encode)
        file.write("\n")


if __name__ == "__main__":
    main()
