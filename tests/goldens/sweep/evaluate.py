# SPDX-License-Identifier: Apache-2.0
"""Evaluates the expressions of versions under the TensorFlow at hand, and prints what they give.

    python tests/goldens/sweep/evaluate.py 2.3 [2.4 ...]

Prints one JSON object: what each expression gave, by the expression. Old Pythons run this file.
"""

import ast
import json
import math
import re
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import expressions
import numpy as np
import tensorflow as tf

GLOBAL_STATE = (
    "mixed_precision_global_state",
    "mixed_precision.policy",
    "mixed_precision.experimental.policy",
)
# The words of a message that programs match on: names, and what is quoted.
WORDS = re.compile(
    r"\w*[a-z]_[a-z]\w*|[A-Z][a-z]+[A-Z]\w*|instance of [\w.]+|[\"'`](?:[\w.]+)[\"'`]"
)
UNNAMED = ("object", "BaseException", "Exception", "Trackable", "ABC", "Checkpointable")
v1 = tf.compat.v1


def names():
    """What the expressions can name."""
    keras = tf.keras
    mixed_precision = keras.mixed_precision
    experimental = mixed_precision.experimental

    class OwnLossScale(tf.train.experimental.LossScale):
        def __call__(self):
            return tf.constant(4.0)

        def update(self, grads):
            return None, True

        def get_config(self):
            return {}

    class OwnPolicy(experimental.Policy):
        own = "own"

    def compiled(optimizer):
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
        model.compile(optimizer, "mse")
        return model.optimizer

    return {
        "DynamicLossScale": tf.train.experimental.DynamicLossScale,
        "FixedLossScale": tf.train.experimental.FixedLossScale,
        "LossScale": tf.train.experimental.LossScale,
        "OwnLossScale": OwnLossScale,
        "OwnPolicy": OwnPolicy,
        "GradientDescent": v1.train.GradientDescentOptimizer,
        "Momentum": v1.train.MomentumOptimizer,
        "MixedPrecisionLossScaleOptimizer": v1.train.experimental.MixedPrecisionLossScaleOptimizer,
        "SGD": keras.optimizers.SGD,
        "Adam": keras.optimizers.Adam,
        "Dense": keras.layers.Dense,
        "compiled": compiled,
        "disable_rewrite": v1.train.experimental.disable_mixed_precision_graph_rewrite,
        "experimental": experimental,
        "get_layer_policy": getattr(experimental, "get_layer_policy", None),
        "global_policy": experimental.global_policy,
        "mixed_precision": mixed_precision,
        "np": np,
        "rewrite": tf.train.experimental.enable_mixed_precision_graph_rewrite,
        "rewrite_v1": v1.train.experimental.enable_mixed_precision_graph_rewrite,
        "set_policy": experimental.set_policy,
        "tf": tf,
    }


class GlobalState:
    """The values that policies and the graph rewrite keep in modules."""

    def __init__(self):
        modules = [
            (name, module) for name, module in sys.modules.items()
            if name.endswith(GLOBAL_STATE) and isinstance(module, types.ModuleType)
        ]  # fmt: skip
        self._found = [(module, dict(vars(module))) for name, module in modules]

    def restore(self):
        """Puts back what an expression has changed."""
        for module, values in self._found:
            for name, value in values.items():
                if getattr(module, name, None) is not value:
                    setattr(module, name, value)
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})


def evaluate(expression, given):
    """What an expression gives, or the error it ends with, as JSON data."""
    given = dict(given)
    *before, last = ast.parse(expression).body
    try:
        if tf.executing_eagerly():
            return _result(before, last, given, None)
        with tf.Graph().as_default(), v1.Session() as session:
            v1.keras.backend.set_session(session)
            return _result(before, last, given, session)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is recorded
        return _error(error)


def _result(before, last, given, session):
    for statement in before:
        module = ast.parse("")
        module.body = [statement]
        exec(compile(module, "expression", "exec"), given)
    value = eval(compile(ast.Expression(last.value), "expression", "eval"), given)
    if session is not None:
        session.run(v1.global_variables_initializer())
    return describe(value, session)


def _error(error):
    message = re.sub(r"<[^<>]*>", "", str(error)[:600])  # without what shows a value
    words = {word.strip("\"'`") for word in WORDS.findall(message)}
    return {
        "error": _classes(type(error)),
        "words": sorted(word for word in words if len(word) > 2 and "tensorflow." not in word),
    }


def _classes(cls):
    """The names of a class and its bases, without what no program names."""
    names = [one.__name__ for one in cls.__mro__ if not one.__name__.startswith("_")]
    return [name for name in names if name not in UNNAMED]


def describe(value, session=None):
    """A value as JSON data: its kind, and what it holds."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return re.sub(r" at 0x\w+", "", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return {"numpy": value.dtype.name, "value": describe(value.tolist())}
    if isinstance(value, type):
        return {"class": value.__name__}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, dict):
        return _mapping(value, session)
    if isinstance(value, tuple):
        return {"tuple": [describe(one, session) for one in value]}
    if isinstance(value, list):
        return [describe(one, session) for one in value]
    return _object(value, session)


def _mapping(value, session):
    config = value.get("config")
    if isinstance(config, dict) and "learning_rate" in config:
        # Which other hyperparameters an inner optimizer has is not of loss scaling.
        value = dict(value, config={"learning_rate": config["learning_rate"]})
    for key in ("module", "registered_name"):
        value = {name: one for name, one in value.items() if name != key}
    return {str(name): describe(one, session) for name, one in value.items()}


def _object(value, session):
    if isinstance(value, tf.Operation):
        return {"operation": value.type}
    if isinstance(value, tf.IndexedSlices):
        return {"slices": [describe(one, session) for one in (value.indices, value.values)]}
    if isinstance(value, tf.train.experimental.LossScale):
        return {"is": _classes(type(value)), "config": describe(value.get_config())}
    if hasattr(value, "assign_add"):
        return {"variable": value.dtype.name, "value": _number(value, session)}
    if isinstance(value, tf.Tensor):
        return {"tensor": value.dtype.name, "value": _number(value, session)}
    if hasattr(value, "apply_gradients"):
        return _optimizer(value, session)
    if "Policy" in type(value).__name__:
        return _policy(value)
    return {"is": _classes(type(value))}


def _policy(value):
    dtypes = [value.compute_dtype, value.variable_dtype]
    described = {"is": _classes(type(value)), "name": value.name, "dtypes": dtypes}
    if hasattr(value, "loss_scale"):
        described["loss scale"] = describe(value.loss_scale)
    return described


def _number(value, session):
    return describe((value.numpy() if session is None else session.run(value)).tolist())


def _optimizer(value, session):
    described = {"is": _classes(type(value))}
    inner = getattr(value, "_optimizer", None)
    if inner is not None:
        described["inner"] = type(inner).__name__
        scale = value._loss_scale
        scale = scale() if callable(scale) else scale
        is_number = isinstance(scale, float)
        described["loss scale"] = describe(scale) if is_number else _number(scale, session)
    return described


def main():
    """Evaluates the expressions of the versions on the command line."""
    v1.logging.set_verbosity(v1.logging.FATAL)
    given = names()
    state = GlobalState()
    found = {}
    for expression in expressions.expressions(sys.argv[1:]):
        found[expression] = evaluate(expression, given)
        state.restore()
    print(json.dumps(found, indent=0, sort_keys=True))


if __name__ == "__main__":
    main()
