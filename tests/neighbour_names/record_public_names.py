# SPDX-License-Identifier: Apache-2.0
"""Records the public names of a TensorFlow, and their signatures: `PYTHON record_public_names.py`.

Runs under an old TensorFlow, on the Python that it has, without this package. It writes JSON: by
its path in `tf`, what each function and class takes, and of each class the public members. A
parameter that can be left out ends in `=`; `*` stands before those that have to be named.
"""

import inspect
import json
import sys
import types

import tensorflow as tf

LEFT_OUT = {
    "tf.compat.v1.compat",
    "tf.compat.v2",
    "tf.core",
    "tf.compiler",
    "tf.contrib",
    "tf.include",
    "tf.python",
    "tf.python_io",
    "tf.tools",
    "tf.tsl",
}
"""Modules that are the same again, or not public."""
ROOTS = ("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras", "tf_keras")


def signature(function):
    """Returns the parameters of a function; `None` if it does not tell them."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if parameters and parameters[0].name in ("self", "cls"):
        del parameters[0]
    told = []
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not any(each.startswith("*") for each in told):
            told.append("*")
        sign = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty or sign else "="
        told.append(sign + one.name + default)
    return told


def members(cls):
    """Returns the public members of a class, each with its signature if it is a method."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] in ROOTS:
            for name in vars(base):
                if not name.startswith("_"):
                    value = inspect.getattr_static(cls, name)
                    function = getattr(value, "__func__", value)
                    found[name] = signature(function) if callable(function) else None
    return found


def walk(path, module, seen, found):
    """Records what is in a module and below it."""
    if path in LEFT_OUT or id(module) in seen:
        return
    seen = seen | {id(module)}
    for name in sorted(dir(module)):
        if name.startswith("_"):
            continue
        try:
            value = getattr(module, name)
        except Exception:
            continue
        below = path + "." + name
        if isinstance(value, types.ModuleType):
            home = value.__name__
            if (home.partition(".")[0] in ROOTS and ".python" not in home) or ".api." in home:
                walk(below, value, seen, found)
        elif inspect.isclass(value):
            found[below] = {"takes": signature(value.__init__), "has": members(value)}
        elif callable(value):
            found[below] = {"takes": signature(value)}
        else:
            found[below] = {}


def main():
    """Writes the recording."""
    found = {}
    walk("tf", tf, frozenset(), found)
    json.dump({"tensorflow": tf.__version__, "names": found}, sys.stdout, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
