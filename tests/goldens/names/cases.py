# SPDX-License-Identifier: Apache-2.0
"""The programs whose names are recorded: a list of combinations.

Each entry of `PRODUCTS` gives some aspects several values and stands for all their combinations;
what it leaves out has the value of `DEFAULTS`. Old Pythons run this file, from 3.7 on.
"""

import collections
import itertools

TRAIN_OPTIMIZERS = [
    "Adadelta", "Adagrad", "AdagradDA", "Adam", "Ftrl", "GradientDescent", "Momentum",
    "ProximalAdagrad", "ProximalGradientDescent", "RMSProp", "RMSProp centered",
]  # fmt: skip
"""The optimizers of `tf.compat.v1.train`."""
KERAS_OPTIMIZERS = [
    "Adadelta", "Adagrad", "Adam", "Adam amsgrad", "Adamax", "Ftrl", "Nadam", "RMSprop",
    "RMSprop centered", "SGD", "SGD momentum",
]  # fmt: skip
"""Those of Keras, from TensorFlow 2.0 to 2.10; later they are the legacy ones."""
NEW_OPTIMIZERS = [
    "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adam amsgrad", "Adamax", "Ftrl", "Lion",
    "Nadam", "RMSprop", "RMSprop centered", "SGD", "SGD momentum",
]  # fmt: skip
"""Those of Keras since."""

ASPECTS = {
    # Which wrapper. `rewrite` is enable_mixed_precision_graph_rewrite of a tf.train optimizer,
    # `rewrite_keras` of a Keras one; `experimental`, `public` and `new` are Keras'
    # LossScaleOptimizer, of which `new` is the public one around a new optimizer.
    "api": ["v1", "rewrite", "experimental", "rewrite_keras", "public", "new"],
    "optimizer": sorted({*TRAIN_OPTIMIZERS, *KERAS_OPTIMIZERS, *NEW_OPTIMIZERS}),
    "scale": ["dynamic", "fixed"],
    # One is a number; several are a large matrix, a vector, and a table that is gathered from.
    "variables": ["one", "several"],
    # `model`: the variables are in a variable scope. `step`: the optimizer is in a name scope.
    "scope": ["none", "model", "step", "both"],
    # Besides the optimizer: it makes a second step, another optimizer, tf.cond around the step.
    "beside": ["nothing", "step", "optimizer", "cond_before", "cond_after", "conds"],
    # How a step is made. `named` gives it a name, `apply` makes it of its parts, `updates` is
    # Keras' get_updates.
    "call": ["minimize", "minimize_named", "apply", "apply_named", "updates"],
    # `session` is TensorFlow 1: tf.cond there makes no functions, and variables are references.
    # `graph` is a tf.Graph of TensorFlow 2.
    "mode": ["session", "graph", "eager", "function"],
}
"""The values that each aspect of a case can have."""
DEFAULTS = {
    "scale": ["dynamic"],
    "variables": ["one"],
    "scope": ["none"],
    "beside": ["nothing"],
    "call": ["minimize"],
}

BOTH = ASPECTS["scale"]
SEVERAL = ["several"]
KERAS = ["experimental", "public"]
CALLS = ["minimize_named", "apply", "apply_named"]

PRODUCTS = [
    # Every optimizer.
    {
        "api": ["v1"],
        "optimizer": TRAIN_OPTIMIZERS,
        "scale": BOTH,
        "variables": SEVERAL,
        "mode": ["session"],
    },
    {"api": ["v1"], "optimizer": TRAIN_OPTIMIZERS, "mode": ["graph", "eager"]},
    {
        "api": ["experimental"],
        "optimizer": KERAS_OPTIMIZERS,
        "scale": BOTH,
        "variables": SEVERAL,
        "mode": ["session"],
    },
    {"api": ["public"], "optimizer": KERAS_OPTIMIZERS, "variables": SEVERAL, "mode": ["session"]},
    {"api": KERAS, "optimizer": KERAS_OPTIMIZERS, "mode": ["graph", "eager"]},
    {"api": ["new"], "optimizer": NEW_OPTIMIZERS, "mode": ["eager"]},
    # Every place. Adam makes variables when it applies, the first of which belong to no variable.
    {
        "api": ["v1", "experimental"],
        "optimizer": ["Adam"],
        "scope": ASPECTS["scope"],
        "beside": ASPECTS["beside"],
        "mode": ["session"],
    },
    {
        "api": ["public"],
        "optimizer": ["Adam"],
        "scope": ["none", "both"],
        "beside": ASPECTS["beside"],
        "mode": ["session", "graph"],
    },
    {
        "api": ["v1"],
        "optimizer": ["Adam"],
        "scope": ["none", "both"],
        "beside": ASPECTS["beside"],
        "mode": ["graph"],
    },
    {
        "api": ["v1", *KERAS],
        "optimizer": ["Adam"],
        "scale": ["fixed"],
        "scope": ["both"],
        "beside": ["step", "conds"],
        "mode": ["session"],
    },
    {
        "api": ["v1", "public"],
        "optimizer": ["Adam"],
        "variables": SEVERAL,
        "scope": ["both"],
        "beside": ["step", "optimizer", "conds"],
        "mode": ["session"],
    },
    {
        "api": [*KERAS, "new"],
        "optimizer": ["Adam"],
        "variables": SEVERAL,
        "scope": ["both"],
        "beside": ["step", "optimizer"],
        "mode": ["eager", "function"],
    },
    # Every call.
    {
        "api": ["v1"],
        "optimizer": ["Adam"],
        "scale": BOTH,
        "scope": ["both"],
        "call": CALLS,
        "mode": ["session"],
    },
    {
        "api": KERAS,
        "optimizer": ["Adam"],
        "scale": BOTH,
        "scope": ["both"],
        "call": [*CALLS, "updates"],
        "mode": ["session"],
    },
    {
        "api": ["v1", *KERAS],
        "optimizer": ["Adam"],
        "scope": ["both"],
        "call": CALLS,
        "mode": ["graph"],
    },
    {"api": ["v1", *KERAS, "new"], "optimizer": ["Adam"], "scale": BOTH, "mode": ["eager"]},
    {
        "api": ["rewrite", "rewrite_keras"],
        "optimizer": ["Adam"],
        "scale": BOTH,
        "mode": ["session"],
    },
]

Case = collections.namedtuple("Case", list(ASPECTS))


def all_cases():
    """Returns every case, once, by the line that names it in recordings."""
    found = {}
    for product in PRODUCTS:
        aspects = {**DEFAULTS, **product}
        for values in itertools.product(*(aspects[aspect] for aspect in ASPECTS)):
            case = Case(*values)
            found["; ".join(case)] = case
    return found
