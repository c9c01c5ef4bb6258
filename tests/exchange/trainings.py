# SPDX-License-Identifier: Apache-2.0
"""The trainings whose saved state is exchanged, and the formats in which it is saved.

Plain data, in Python 3.7: `program.py` reads it under every TensorFlow from 1.14 on.
"""

RATE = 0.125
MODES = ("graph", "legacy", "new")
"""How a process runs: a TensorFlow 1 graph; eagerly, with a family of Keras optimizers each."""

# What is named "fixed", "plain", "rewrite", "scope" or "two" is `program.py`'s; the rest goes to
# the optimizer's constructor.
V1 = {
    "descent": ("GradientDescentOptimizer", {}),
    "momentum": ("MomentumOptimizer", {"momentum": 0.75, "use_nesterov": True}),
    "adam": ("AdamOptimizer", {}),
    "adam, graph rewrite": ("AdamOptimizer", {"rewrite": True}),
    "adam, fixed loss scale": ("AdamOptimizer", {"fixed": True}),
    "adam, variable scope": ("AdamOptimizer", {"scope": True}),
    "adam, beside another optimizer": ("AdamOptimizer", {"two": True}),
    "rmsprop": ("RMSPropOptimizer", {"momentum": 0.5, "centered": True}),
    "adagrad": ("AdagradOptimizer", {}),
    "adadelta": ("AdadeltaOptimizer", {}),
    "ftrl": ("FtrlOptimizer", {}),
    "proximal adagrad": ("ProximalAdagradOptimizer", {}),
}
KERAS = {
    "sgd": ("SGD", {}),
    "momentum": ("SGD", {"momentum": 0.75, "nesterov": True}),
    "adam": ("Adam", {}),
    "adam, named as in 2.4": ("Adam", {"plain": True}),
    "adam, fixed loss scale": ("Adam", {"fixed": True}),
    "amsgrad": ("Adam", {"amsgrad": True}),
    "rmsprop": ("RMSprop", {"momentum": 0.5, "centered": True}),
    "adagrad": ("Adagrad", {}),
    "adadelta": ("Adadelta", {}),
    "adamax": ("Adamax", {}),
    "nadam": ("Nadam", {}),
    "ftrl": ("Ftrl", {}),
}
IN_MODELS = ("momentum", "adam", "adam, named as in 2.4", "adam, fixed loss scale")
"""Those of `KERAS` that train a model too."""

CHECKPOINTS = ("Saver", "Checkpoint")
MODELS = ("weights", "h5", "model.h5", "saved_model", "model.keras")


def cells(mode):
    """Yields what a process of this mode saves: (API, training, format)."""
    apis = {"graph": ("v1", "keras"), "legacy": ("v1", "keras"), "new": ("keras",)}[mode]
    for api in apis:
        for training in V1 if api == "v1" else KERAS:
            if mode == "graph":
                yield api, training, "Saver"
                continue
            if training in ("adam, variable scope", "adam, beside another optimizer"):
                continue  # they are about names, which eager checkpoints do not hold
            yield api, training, "Checkpoint"
            if api == "keras" and training in IN_MODELS:
                for form in MODELS:
                    yield api, training, form
