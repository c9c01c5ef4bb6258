# SPDX-License-Identifier: Apache-2.0
"""Trains, saves and goes on; or loads what another TensorFlow saved, and goes on.

    python program.py MODE save FOLDER
    python program.py MODE load FOLDER=FILE...

`save` saves each training in each format into FOLDER, and writes `FOLDER/MODE.json`: the state
after each of the steps that follow. `load` loads each, takes the same steps, and writes such a FILE
for each FOLDER. What cannot be done is an error in it.

Six steps precede the saving, the third with NaN gradients. Six follow, the last with NaN gradients;
the loss scale grows in them. This file is Python 3.7, and in the API of the oldest version that has
a name.
"""

# The oldest versions take no Path.
# ruff: noqa: PTH100, PTH103, PTH104, PTH107, PTH118, PTH120, PTH123

import json
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "artefacts")]
import trainings  # noqa: E402
import write  # noqa: E402

v1 = tf.compat.v1
BEFORE, AFTER = range(6), range(6, 12)
OWN = ("fixed", "plain", "rewrite", "scope", "two")
# Kept apart from `write.py`'s: here a later step overflows too.
NAN_STEPS = (2, 11)


def gradient(step, size, fixed):
    """The gradients of a step. A fixed loss scale applies NaN, so it is given none."""
    if step in NAN_STEPS and not fixed:
        return [float("nan")] * size
    return [((step * 7 + i * 5) % 11 - 5) / 4 for i in range(size)]


def split(options):
    """What is this program's, and what is the optimizer's."""
    own = {name: options.get(name, False) for name in OWN}
    return own, {name: value for name, value in options.items() if name not in OWN}


def loss_scale(fixed):
    scales = tf.train.experimental if hasattr(tf.train, "experimental") else None
    if not hasattr(scales, "DynamicLossScale"):
        scales = v1.mixed_precision
    if fixed:
        return scales.FixedLossScale(write.FIXED_SCALE)
    return scales.DynamicLossScale(write.INITIAL_SCALE, write.GROWTH_STEPS, 2.0)


def optimizer(api, training, mode):
    """The optimizer of a training, with loss scaling."""
    name, options = (trainings.V1 if api == "v1" else trainings.KERAS)[training]
    own, options = split(options)
    if api == "keras":
        of_family = tf.keras.optimizers
        if mode != "new" and hasattr(of_family, "legacy"):
            of_family = of_family.legacy
        inner = getattr(of_family, name)(trainings.RATE, **options)
        by_new_name = own["plain"] and has_new_name()
        return (write.wrap_by_new_name if by_new_name else write.wrap)(inner, own["fixed"])
    inner = getattr(v1.train, name)(trainings.RATE, **options)
    if own["rewrite"]:
        rewrite = v1.train.experimental if hasattr(v1.train, "experimental") else None
        if not hasattr(rewrite, "enable_mixed_precision_graph_rewrite"):
            rewrite = v1.mixed_precision
        wrapped = rewrite.enable_mixed_precision_graph_rewrite(inner, loss_scale(own["fixed"]))
        rewrite.disable_mixed_precision_graph_rewrite()
        return wrapped
    precision = getattr(v1, "mixed_precision", None)
    if not hasattr(precision, "MixedPrecisionLossScaleOptimizer"):
        precision = v1.train.experimental
    return precision.MixedPrecisionLossScaleOptimizer(inner, loss_scale(own["fixed"]))


def has_new_name():
    return hasattr(tf.keras.mixed_precision, "LossScaleOptimizer")


def is_fixed(api, training):
    return "fixed" in (trainings.V1 if api == "v1" else trainings.KERAS)[training][1]


def live_scale(opt):
    """The loss scale and its counter, wherever this version has them."""
    live = opt.loss_scale if hasattr(opt, "loss_scale") else opt._loss_scale
    scale = live() if callable(live) else live
    if hasattr(opt, "dynamic_counter"):
        counter = opt.dynamic_counter
    else:
        counter = getattr(live, "_num_good_steps", None)
    return scale, counter


def plain(value):
    """A value as JSON, which has no NaN."""
    value = write.number(value)
    if isinstance(value, list):
        return [plain(part) for part in value]
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value


def state(loss, variables, opt, global_step=None):
    """All that a step reads and writes."""
    scale, counter = live_scale(opt)
    inner = getattr(opt, "inner_optimizer", None) or opt._optimizer
    iterations = global_step if isinstance(inner, v1.train.Optimizer) else inner.iterations
    if hasattr(inner, "get_slot"):
        names = inner.get_slot_names()
        kept = [inner.get_slot(variable, name) for name in names for variable in variables]
    else:
        others = [v for v in inner.variables if "learning_rate" not in v.name]
        kept = [v for v in others if v is not iterations]
    if isinstance(inner, v1.train.Optimizer):
        # Adam's powers. Slots are called otherwise once they are restored.
        slots = [id(slot) for slot in kept]
        powers = [v for v in inner.variables() if id(v) not in slots]
        kept += sorted(powers, key=lambda v: v.name)
    return {
        "loss": plain(loss),
        "variables": [plain(variable) for variable in variables],
        "slots": [plain(slot) for slot in kept],
        "loss scale": plain(scale),
        "good steps": None if counter is None else plain(counter),
        "iterations": plain(iterations),
    }


# --- tf.train.Saver, in a graph -------------------------------------------------------------------


class GraphTraining:
    def __init__(self, api, training, mode):
        del mode
        self.fixed = is_fixed(api, training)
        own, _ = split((trainings.V1 if api == "v1" else trainings.KERAS)[training][1])
        self.graph = tf.Graph()
        with self.graph.as_default():
            with v1.variable_scope("tower" if own["scope"] else v1.get_variable_scope()):
                self._build(api, training, own["two"])
            self.variables = {v.op.name: v for v in v1.global_variables()}
            self.saver = v1.train.Saver()
            self.session = v1.Session()
            self.session.run(v1.global_variables_initializer())

    def _build(self, api, training, has_two):
        resource = api == "keras"  # its optimizers know no other variables
        start = tf.constant([1.0, -2.0, 0.5])
        weight = v1.get_variable("weight", initializer=start, use_resource=resource)
        bias = v1.get_variable("bias", initializer=tf.constant(0.25), use_resource=resource)
        step = v1.train.get_or_create_global_step()
        self.given = v1.placeholder(tf.float32, [4])

        def loss():
            return tf.reduce_sum(weight * self.given[:3]) + bias * self.given[3]

        self.loss = loss()
        opt = optimizer(api, training, "graph")
        if api == "keras":
            self.minimize = opt.minimize(loss, [weight, bias])
            return
        variables = [weight] if has_two else [weight, bias]
        self.minimize = opt.minimize(loss(), global_step=step, var_list=variables)
        if has_two:
            second = optimizer(api, "momentum", "graph")
            self.minimize = [self.minimize, second.minimize(loss(), var_list=[bias])]

    def save(self, path):
        self.saver.save(self.session, path, write_meta_graph=False, write_state=False)

    def load(self, path):
        self.saver.restore(self.session, path)

    def step(self, number):
        given = {self.given: gradient(number, 4, self.fixed)}
        loss = self.session.run(self.loss, given)
        self.session.run(self.minimize, given)
        result = {"loss": plain(loss)}
        for name, value in self.session.run(self.variables).items():
            result[name] = plain(value)
        return result


# --- tf.train.Checkpoint, eagerly -----------------------------------------------------------------


class CheckpointTraining:
    def __init__(self, api, training, mode):
        self.fixed = is_fixed(api, training)
        self.weight = tf.Variable([1.0, -2.0, 0.5], name="weight")
        self.bias = tf.Variable(0.25, name="bias")
        self.opt = optimizer(api, training, mode)
        parts = {"weight": self.weight, "bias": self.bias, "optimizer": self.opt}
        self.global_step = None
        if api == "v1":
            self.global_step = parts["step"] = tf.Variable(0, dtype=tf.int64, name="global_step")
        self.checkpoint = tf.train.Checkpoint(**parts)

    def save(self, path):
        self.checkpoint.save(path)

    def load(self, path):
        self.checkpoint.restore(path + "-1")

    def step(self, number):
        given = gradient(number, 4, self.fixed)
        losses = []

        def loss():
            value = tf.reduce_sum(self.weight * given[:3]) + self.bias * given[3]
            losses.append(value)
            return value

        variables = [self.weight, self.bias]
        if self.global_step is None:
            self.opt.minimize(loss, variables)
        else:
            self.opt.minimize(loss, self.global_step, variables)
        return state(losses[0], variables, self.opt, self.global_step)


# --- models ---------------------------------------------------------------------------------------


class ModelTraining:
    def __init__(self, api, training, mode):
        self.fixed = is_fixed(api, training)
        layer = tf.keras.layers.Dense(2, input_shape=(3,), name="dense")
        self.model = tf.keras.Sequential([layer], name="tiny")
        start = np.arange(6, dtype="float32").reshape(3, 2) / 4
        layer.set_weights([start, np.ones(2, "float32")])
        self.model.compile(optimizer=optimizer(api, training, mode), loss="mse")

    def step(self, number):
        x = np.array([gradient(number, 3, self.fixed)], "float32")
        loss = self.model.train_on_batch(x, np.array([[1.0, -1.0]], "float32"))
        return state(loss, self.model.trainable_weights, self.model.optimizer)


class WeightsTraining(ModelTraining):
    def save(self, path):
        options = {} if path.endswith(".h5") else {"save_format": "tf"}
        self.model.save_weights(path, **options)

    def load(self, path):
        inner = getattr(self.model.optimizer, "inner_optimizer", None)
        if inner is not None and not hasattr(inner, "get_slot"):
            self.model.optimizer.build(self.model.trainable_variables)
        self.model.load_weights(path)


class WholeModelTraining(ModelTraining):
    def save(self, path):
        options = {"save_format": "tf"} if path.endswith("saved_model") else {}
        self.model.save(path, **options)
        if path.endswith(".keras"):
            with open(path, "rb") as file:
                if file.read(2) != b"PK":
                    raise ValueError("this version writes HDF5 into .keras files")

    def load(self, path):
        self.model = tf.keras.models.load_model(path)


CLASSES = {
    "Saver": GraphTraining,
    "Checkpoint": CheckpointTraining,
    "weights": WeightsTraining,
    "h5": WeightsTraining,
    "model.h5": WholeModelTraining,
    "saved_model": WholeModelTraining,
    "model.keras": WholeModelTraining,
}


def file_name(api, training, form):
    words = "".join(c if c.isalnum() else " " for c in training).split()
    return "-".join([api, *words]) + "." + form


def trained(mode, action, folder, cell):
    """What the steps after saving or loading gave; an error if one of it failed."""
    api, training, form = cell
    path = os.path.join(folder, mode + "-" + file_name(*cell))
    try:
        tf.keras.backend.clear_session()  # or names count on from those of the cell before
        one = CLASSES[form](api, training, mode)
        if action == "save":
            if "named as in 2.4" in training and not has_new_name():
                raise ValueError("this version has no such name")
            for step in BEFORE:
                one.step(step)
            one.save(path)
        else:
            one.load(path)
        return [one.step(step) for step in AFTER]
    except Exception as error:
        if action == "save":
            remove(path)
        words = " ".join(str(error).replace(path, "FILE").split())
        return {"error": type(error).__name__ + ": " + words[:160]}


def remove(path):
    """Removes what a failed attempt left behind."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def every(cells, first=0):
    """Every fifth cell if the environment has EXCHANGE_EVERY=5, for short forms of the tests."""
    step = int(os.environ.get("EXCHANGE_EVERY", "1"))
    return cells[first % step :: step]


def save(mode, folder):
    os.makedirs(folder, exist_ok=True)
    cells = every(list(trainings.cells(mode)))
    steps = {" / ".join(cell): trained(mode, "save", folder, cell) for cell in cells}
    write_json(os.path.join(folder, mode + ".json"), steps)


def load(mode, folder, target, first):
    with open(os.path.join(folder, mode + ".json")) as file:
        saved = json.load(file)
    keys = every([key for key in sorted(saved) if "error" not in saved[key]], first)
    steps = {key: trained(mode, "load", folder, key.split(" / ")) for key in keys}
    write_json(target, steps)


def write_json(path, steps):
    with open(path + ".part", "w") as file:
        json.dump(steps, file, sort_keys=True)
    os.rename(path + ".part", path)


def main():
    mode, action = sys.argv[1:3]
    if mode == "graph":
        v1.disable_v2_behavior()
    elif write.TF1:
        v1.enable_v2_behavior()
    if action == "save":
        save(mode, sys.argv[3])
    else:
        for number, pair in enumerate(sys.argv[3:]):
            load(mode, *pair.split("="), first=number)


if __name__ == "__main__":
    main()
