# SPDX-License-Identifier: Apache-2.0
"""The program of each case, under whatever TensorFlow runs it.

Old Pythons run this file, from 3.7 on; it is in the API of the oldest TensorFlow that has a name.
"""

# Old Pythons have no strict zip.
# ruff: noqa: B905

import contextlib

import tensorflow as tf

v1 = tf.compat.v1
TF1 = tf.__version__.startswith("1.")
FIXED_SCALE = 8
SETTINGS = {
    "Adam amsgrad": {"amsgrad": True},
    "RMSprop centered": {"centered": True, "momentum": 0.5},
    "RMSProp centered": {"centered": True, "momentum": 0.5},
    "SGD momentum": {"momentum": 0.5},
    "Momentum": {"momentum": 0.5},
}


# --- optimizers -----------------------------------------------------------------------------------


def family_of(api):
    """Where an API's optimizers are."""
    if api in ("v1", "rewrite"):
        return v1.train
    if api == "new":
        return tf.keras.optimizers if hasattr(tf.keras.optimizers, "legacy") else None
    return getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers)


def inner_optimizer(case):
    family = family_of(case.api)
    name = case.optimizer.split()[0] + ("Optimizer" if family is v1.train else "")
    settings = dict(SETTINGS.get(case.optimizer, {}))
    if name == "AdagradDAOptimizer":
        settings["global_step"] = v1.train.get_or_create_global_step()
    return getattr(family, name)(0.5, **settings)


def wrappers():
    """Makes a wrapper, by API, of those that this TensorFlow has."""
    old = v1.train.experimental
    found = {"v1": old.MixedPrecisionLossScaleOptimizer}
    found["rewrite"] = found["rewrite_keras"] = old.enable_mixed_precision_graph_rewrite
    keras = tf.keras.mixed_precision
    if hasattr(keras, "experimental"):
        found["experimental"] = keras.experimental.LossScaleOptimizer
    if hasattr(keras, "LossScaleOptimizer"):
        found["public"] = found["new"] = keras.LossScaleOptimizer
    return found


def wrap(case):
    inner = inner_optimizer(case)
    wrapper = wrappers()[case.api]
    fixed = case.scale == "fixed"
    if case.api in ("public", "new"):
        return wrapper(inner, **({"dynamic": False, "initial_scale": FIXED_SCALE} if fixed else {}))
    return wrapper(inner, FIXED_SCALE if fixed else "dynamic")


def is_keras(case):
    return case.api not in ("v1", "rewrite")


# --- programs -------------------------------------------------------------------------------------


def make_variables(case):
    def make(name, shape):
        value = v1.zeros_initializer()
        if case.mode in ("eager", "function"):
            return tf.Variable(value(shape, tf.float32), name=name)
        kwargs = {} if case.mode == "session" and not is_keras(case) else {"use_resource": True}
        return v1.get_variable(name, shape, tf.float32, value, **kwargs)

    if case.variables == "one":
        return [make("weight", [])]
    return [make("kernel", [40, 30]), make("bias", [30]), make("table", [10, 4])]


def loss_of(case, variables):
    if case.variables == "one":
        return variables[0] * 2.0
    kernel, bias, table = variables
    product = tf.matmul(tf.ones([2, 40]), kernel) + bias
    return tf.reduce_sum(product) + tf.reduce_sum(tf.gather(table, [1, 3]))


def make_step(case, opt, variables):
    """One step. Returns what the optimizer returned."""

    def loss():
        return loss_of(case, variables)

    in_graph = case.mode in ("session", "graph")
    kwargs = {"name": "train"} if case.call.endswith("_named") else {}
    if not is_keras(case):
        kwargs["global_step"] = v1.train.get_or_create_global_step()
    if case.call.startswith("minimize"):
        if is_keras(case):
            return opt.minimize(loss, variables, **kwargs)
        return opt.minimize(loss() if in_graph else loss, var_list=variables, **kwargs)
    if not is_keras(case):
        return opt.apply_gradients(opt.compute_gradients(loss(), variables), **kwargs)
    if case.call == "updates":
        return opt.get_updates(loss(), variables)
    gradients = opt.get_unscaled_gradients(
        v1.gradients(opt.get_scaled_loss(loss()), variables, name="gradients")
    )
    return opt.apply_gradients(zip(gradients, variables), **kwargs)


def user_cond(case):
    """A tf.cond of the user's own."""
    return v1.cond(v1.placeholder_with_default(True, []), lambda: tf.zeros([]), lambda: tf.ones([]))


@contextlib.contextmanager
def scope_of(case, part):
    if case.scope not in (part, "both"):
        yield
    elif part == "model" and case.mode in ("session", "graph"):
        with v1.variable_scope("model"):
            yield
    else:
        with v1.name_scope(part):
            yield


def build(case):
    """Runs a case's program. Returns its variables, its optimizers and what its steps returned."""
    with scope_of(case, "model"):
        variables = make_variables(case)
    results = []
    if case.beside in ("cond_before", "conds"):
        results.append(user_cond(case))
    with scope_of(case, "step"):
        optimizers = [wrap(case)]
        if case.beside == "optimizer":
            optimizers.append(wrap(case))
        steps = optimizers * 2 if case.beside == "step" else optimizers
        if case.mode == "function":
            # One function a step: the first call of each may make variables.
            for opt in steps:
                run_in_function(case, opt, variables)
        else:
            results += [make_step(case, opt, variables) for opt in steps]
    if case.beside in ("cond_after", "conds"):
        results.append(user_cond(case))
    if case.beside != "nothing" and case.mode in ("session", "graph"):
        # A variable of a name that has been used.
        tf.Variable(0.0, name="cond", **({"use_resource": True} if TF1 else {}))
    return variables, optimizers, results


def run_in_function(case, opt, variables):
    @tf.function
    def step():
        make_step(case, opt, variables)

    step()
