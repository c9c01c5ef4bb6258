# SPDX-License-Identifier: Apache-2.0
"""Builds the cases under whatever TensorFlow runs this, and prints the names they get, as JSON.

    python observing.py         # under TensorFlow's own classes
    python observing.py ours    # under this package's

Old Pythons run this file, from 3.7 on; it is in the API of the oldest TensorFlow that has a name.
"""

# Old Pythons have no strict zip, and the oldest TensorFlows take no Path.
# ruff: noqa: B905, E402, PTH118

import contextlib
import json
import os
import sys
import tempfile

OURS = sys.argv[1:] == ["ours"]
if OURS:
    import compat_lossscale

    compat_lossscale.install(legacy_optimizers=False)

import cases
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
    if not hasattr(keras, "experimental"):
        # There, TensorFlow's own function gives Keras optimizers the public class.
        found["rewrite_keras"] = old.enable_mixed_precision_graph_rewrite
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


# --- observations ---------------------------------------------------------------------------------


def name_of(one):
    """A variable's, tensor's or operation's name; of anything else, what it is."""
    if isinstance(one, (list, tuple)):
        return [name_of(each) for each in one]
    name = getattr(one, "name", None)
    return name if isinstance(name, str) else type(one).__name__


def observe_graph(graph):
    collections = {
        str(key): [name_of(each) for each in graph.get_collection(key)]
        for key in graph.get_all_collection_keys()
        if key not in ("cond_context", "while_context")
    }
    return {"variables": collections.pop("variables"), "collections": collections}


def saver_keys(graph):
    v1.train.Saver()
    names = graph.get_operation_by_name("save/SaveV2/tensor_names").get_attr("value").string_val
    return sorted(each.decode() for each in names)


def observe_optimizer(opt, variables):
    inner = opt._optimizer
    found = {}
    if hasattr(inner, "get_slot_names"):
        found["slots"] = {
            slot: [name_of(inner.get_slot(variable, slot)) for variable in variables]
            for slot in inner.get_slot_names()
        }
        try:
            found["wrapper_slots"] = sorted(opt.get_slot_names())
        except AttributeError:
            found["wrapper_slots"] = "AttributeError"
    found["inner_variables"] = variables_of(inner)
    found["wrapper_variables"] = variables_of(opt)
    weights = getattr(opt._loss_scale, "_weights", {})
    found["loss_scale_variables"] = [name_of(each) for each in weights.values()]
    return found


def variables_of(opt):
    """What a method gives; of new optimizers, an attribute."""
    try:
        found = opt.variables() if callable(opt.variables) else opt.variables
    except AttributeError:  # The Keras wrapper of 1.14 has no variables of its own.
        return "AttributeError"
    return [name_of(each) for each in found]


def checkpoint_keys(variables, optimizers, session=None):
    parts = {f"variable{i}": variable for i, variable in enumerate(variables)}
    parts.update({f"optimizer{i}": opt for i, opt in enumerate(optimizers)})
    checkpoint = (v1 if session else tf).train.Checkpoint(**parts)
    with tempfile.TemporaryDirectory() as folder:
        kwargs = {"session": session} if session else {}
        path = checkpoint.write(os.path.join(folder, "checkpoint"), **kwargs)
        keys = [key for key, _ in tf.train.list_variables(path)]
    suffix = "/.ATTRIBUTES/VARIABLE_VALUE"
    return [key.replace(suffix, "") for key in keys if key != "_CHECKPOINTABLE_OBJECT_GRAPH"]


def is_saved(case):
    """In graphs, to save takes a session, which takes its time."""
    few = case.optimizer in ("Adam", "Momentum") and case.scope == "none"
    return few and case.beside in ("nothing", "optimizer") and case.call == "minimize"


def observe(case):
    if case.mode in ("eager", "function"):
        variables, optimizers, _ = build(case)
        found = {"checkpoint_keys": checkpoint_keys(variables, optimizers)}
        return {**found, **observe_optimizers(optimizers, variables)}
    with tf.Graph().as_default() as graph:
        variables, optimizers, results = build(case)
        found = {"results": [name_of(each) for each in results], **observe_graph(graph)}
        if is_saved(case):
            found["saver_keys"] = saver_keys(graph)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                found["checkpoint_keys"] = checkpoint_keys(variables, optimizers, session)
        return {**found, **observe_optimizers(optimizers, variables)}


def observe_optimizers(optimizers, variables):
    return {
        f"{key}{i}" if i else key: value
        for i, opt in enumerate(optimizers)
        for key, value in observe_optimizer(opt, variables).items()
    }


def reset(case):
    """Forgets what outlives a program: unique names, and the graph rewrite."""
    tf.keras.backend.clear_session()
    if case.api.startswith("rewrite"):
        v1.train.experimental.disable_mixed_precision_graph_rewrite()


def observe_all(modes):
    found = {}
    for line, case in cases.all_cases().items():
        has_family = family_of(case.api) is not None
        if case.mode not in modes or case.api not in wrappers() or not has_family:
            continue
        try:
            found[line] = observe(case)
        except Exception as error:
            found[line] = {"error": type(error).__name__}
        reset(case)
    return found


def main():
    """Runs each half in a process of its own: TensorFlow 1 behavior can't be taken back."""
    with tempfile.TemporaryFile("w+") as file:
        process = os.fork()
        if process == 0:
            v1.disable_v2_behavior()
            json.dump(observe_all(["session"]), file)
            file.flush()
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if status:
            sys.exit("the process of TensorFlow 1 failed")
        file.seek(0)
        found = json.load(file)
    if TF1:
        v1.enable_eager_execution()
    found.update(observe_all(["eager"] if TF1 else ["graph", "eager", "function"]))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
