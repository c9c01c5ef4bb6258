# SPDX-License-Identifier: Apache-2.0
"""One Keras at work, in a process of its own: makes, trains and saves models, or loads them.

    python side.py tf_keras|keras|compat_lossscale|compat_lossscale.keras3 FOLDER

The last two are tf-keras and Keras 3 with this package. The others do not import it. Each line of
standard input is a JSON list of tasks; the answer to a line is `done`. The result of each task is
in FOLDER: `NAME.npz`, or `NAME.error`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import zoo

BEFORE = (0, 1, 2)
"""The steps before a model is saved."""
BAD = (1, 5)
"""Steps with a NaN among the gradients, with a dynamic loss scale only: it skips them.

The last step is one of them, because tf-keras counts skipped steps and Keras 3 does not.
"""
AFTER = (3, 4, 5)
"""The steps after it is loaded, or goes on."""
OURS, OURS_ON_KERAS_3 = "compat_lossscale", "compat_lossscale.keras3"
INITIAL_SCALE, GROWTH_STEPS, FIXED_SCALE = 64.0, 3, 128.0


def optimizer(keras: Any, task: dict[str, Any]) -> Any:
    """The optimizer of a task, as `compile` takes it."""
    is_tf_keras = keras.__name__ == "tf_keras"
    module = keras.optimizers
    if task.get("family") == "legacy":
        module = module.legacy
    settings = dict(task["settings"])
    if isinstance(settings.get("learning_rate"), dict):
        schedule = settings["learning_rate"]
        settings["learning_rate"] = getattr(keras.optimizers.schedules, schedule["name"])(
            **schedule["settings"]
        )
    made = getattr(module, task["optimizer"])(**settings)
    scale = task["scale"]
    if scale == "none":
        return made
    ours = sys.modules.get(OURS if is_tf_keras else OURS_ON_KERAS_3)
    wrapper = (ours or keras.mixed_precision).LossScaleOptimizer
    if scale == "fixed":
        if is_tf_keras or ours:
            return wrapper(made, dynamic=False, initial_scale=FIXED_SCALE)
        made.loss_scale_factor = FIXED_SCALE
        return made
    if scale == "rule":
        rule = sys.modules[OURS].LossScaleRule(growth_steps=GROWTH_STEPS, hysteresis=2)
        return wrapper(made, initial_scale=INITIAL_SCALE, rule=rule)
    return wrapper(made, initial_scale=INITIAL_SCALE, dynamic_growth_steps=GROWTH_STEPS)


def made(keras: Any, task: dict[str, Any]) -> Any:
    """A new model, compiled if it is trained."""
    sample = zoo.MODELS[task["model"]]
    keras.utils.set_random_seed(7)
    keras.mixed_precision.set_global_policy(task["policy"])
    model = sample.make(keras)
    keras.mixed_precision.set_global_policy("float32")
    compile_model(keras, model, task)
    return model


def compile_model(keras: Any, model: Any, task: dict[str, Any]) -> None:
    """Compiles it as the task says."""
    sample = zoo.MODELS[task["model"]]
    if sample.trains:
        options: dict[str, Any] = {"run_eagerly": True}
        if keras.__name__ == "keras" and task["scale"] == "fixed":
            # Otherwise Keras 3 wraps the optimizer, and drops its `loss_scale_factor`.
            options["auto_scale_loss"] = False
        model.compile(optimizer(keras, task), sample.loss, **options)


def state(keras: Any, model: Any) -> dict[str, Any]:
    """All that a step reads and writes."""
    weights = [np.array(value).astype("float64") for value in model.get_weights()]
    values = {f"weight {number}": value for number, value in enumerate(weights)}
    wrapper = getattr(model, "optimizer", None)
    if wrapper is None:
        return values
    inner = getattr(wrapper, "inner_optimizer", wrapper)
    variables = inner.variables() if callable(inner.variables) else inner.variables
    slots = [np.array(variable).astype("float64") for variable in variables]
    values["iterations"] = np.array(inner.iterations).astype("int64")
    for number, value in enumerate(slot for slot in slots if slot.ndim):
        values[f"slot {number}"] = value
    if inner is not wrapper:
        scale = getattr(wrapper, "dynamic_scale", None)
        values["scale"] = np.array(wrapper.loss_scale if scale is None else scale, "float32")
        # Of the class for Keras 3, a fixed one has the former too, and `None` for the latter.
        counter = getattr(wrapper, "step_counter", None)
        counter = getattr(wrapper, "dynamic_counter", counter)
        if counter is not None:
            values["counter"] = np.array(counter).astype("int64")
    elif getattr(wrapper, "loss_scale_factor", None) is not None:
        values["scale"] = np.array(wrapper.loss_scale_factor, "float32")
    return values


def train(model: Any, task: dict[str, Any], step: int) -> None:
    """Takes a step; a bad one is good with a loss scale that cannot skip it."""
    sample = zoo.MODELS[task["model"]]
    bad = step in BAD and task["scale"] == "dynamic"
    model.train_on_batch(*zoo.data(sample, step, bad=bad))


def followed(keras: Any, model: Any, task: dict[str, Any]) -> dict[str, Any]:
    """What the model says and has, and what it has after each further step."""
    sample = zoo.MODELS[task["model"]]
    inputs, _ = zoo.data(sample, 99)
    predicted = model(inputs, training=False)
    if isinstance(predicted, dict):
        predicted = [predicted[name] for name in sorted(predicted)]
    outputs = predicted if isinstance(predicted, list) else [predicted]
    found = {f"output {n}": np.array(output, "float64") for n, output in enumerate(outputs)}
    found |= {f"now {name}": value for name, value in state(keras, model).items()}
    if sample.trains:
        for step in AFTER:
            train(model, task, step)
            for name, value in state(keras, model).items():
                found[f"step {step} {name}"] = value
    return found


def save(keras: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Makes a model, trains and saves it, and goes on."""
    model = made(keras, task)
    if zoo.MODELS[task["model"]].trains:
        for step in BEFORE:
            train(model, task, step)
    model.save(task["path"])
    return followed(keras, model, task)


def load(keras: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Loads a model and goes on. A warning that something was not restored is an error."""
    with warnings.catch_warnings():
        if task["family"] != "legacy":
            # tf-keras saves no variables of legacy optimizers in archives.
            warnings.filterwarnings("error", message=".*[Ss]kipping|.*could not be loaded")
        model = keras.models.load_model(task["path"])
    return followed(keras, model, task)


def do(keras: Any, task: dict[str, Any], folder: str) -> None:
    """Does one task."""
    target = Path(folder, task["name"])
    try:
        np.savez(f"{target}.npz", **{"save": save, "load": load}[task["do"]](keras, task))
    except Exception:
        Path(f"{target}.error").write_text(traceback.format_exc(), encoding="utf-8")
    keras.backend.clear_session()


def main() -> None:
    """Does the tasks of one line after the other."""
    name, folder = sys.argv[1:]
    if name in ("tf_keras", OURS):
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
    keras = importlib.import_module({OURS: "tf_keras", OURS_ON_KERAS_3: "keras"}.get(name, name))
    if name in (OURS, OURS_ON_KERAS_3):
        # Importing it registers its class in place of that of tf-keras or Keras 3.
        assert importlib.import_module(name).LossScaleOptimizer
    for line in sys.stdin:
        for task in json.loads(line):
            do(keras, task, folder)
        assert name in (OURS, OURS_ON_KERAS_3) or OURS not in sys.modules
        print("done", flush=True)


if __name__ == "__main__":
    main()
