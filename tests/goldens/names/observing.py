# SPDX-License-Identifier: Apache-2.0
"""Runs the cases under whatever TensorFlow runs this, and prints the names they get, as JSON.

    python observing.py         # under TensorFlow's own classes
    python observing.py ours    # under this package's
    python observing.py ours 3  # a third of them, picked at random, but always the same

Old Pythons run this file, from 3.7 on.
"""

# The old names are there once they are installed; the oldest TensorFlows take no Path.
# ruff: noqa: PTH118

import json
import os
import random
import sys
import tempfile

if sys.argv[1:2] == ["ours"]:
    import compat_lossscale

    compat_lossscale.install(legacy_optimizers=False)

import cases
import programs
import tensorflow as tf

v1 = tf.compat.v1


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
        variables, optimizers, _ = programs.build(case)
        found = {"checkpoint_keys": checkpoint_keys(variables, optimizers)}
        return {**found, **observe_optimizers(optimizers, variables)}
    with tf.Graph().as_default() as graph:
        variables, optimizers, results = programs.build(case)
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


def picked(all_cases):
    """All cases, or as many as the command line says."""
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(0)
    return [case for case in all_cases if every == 1 or chance.randrange(every) == 0]


def observe_all(modes):
    found = {}
    for line, case in picked(cases.all_cases().items()):
        has_family = programs.family_of(case.api) is not None
        if case.mode not in modes or case.api not in programs.wrappers() or not has_family:
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
    if programs.TF1:
        v1.enable_eager_execution()
    found.update(observe_all(["eager"] if programs.TF1 else ["graph", "eager", "function"]))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
