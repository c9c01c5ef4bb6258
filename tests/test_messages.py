# SPDX-License-Identifier: Apache-2.0
"""Every message that users meet when something is wrong: what, where, and what next.

Warnings of the callback are in test_callbacks.py, what doctor says of an environment in
test_environment.py, and what the codemod says of its findings in the rules' own tests.
"""

from __future__ import annotations

import ast
import json
import pickle
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import tensorflow as tf  # at the top: the first test then sets up its devices

import compat_lossscale
from compat_lossscale import LossScaleRule, LossScaleSpec, cli, convert_config
from compat_lossscale.cli.migrate import migrate
from tests.messages import says, shared
from tests.support import REPOSITORY, python

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
SGD = {"class_name": "SGD", "config": {"learning_rate": 0.5}}
DYNAMIC = {"dynamic": True, "initial_scale": 64.0, "dynamic_growth_steps": 4}
OWN = {"class_name": "Mine", "config": {}}
DYNAMIC_OLD = {"class_name": "DynamicLossScale", "config": {}}
FIXED = {"dynamic": False, "initial_scale": 64.0, "dynamic_growth_steps": None}


def wrapper(scale: dict[str, Any]) -> str:
    config = {"inner_optimizer": SGD, **scale}
    return json.dumps({"class_name": "LossScaleOptimizer", "config": config})


FILES = {
    "old.py": OLD,
    "broken.py": OLD.rstrip(")\n"),
    "python2.py": f"{OLD}print tf\n",
    "form_feed.py": OLD.replace("tf.keras", "\x0ctf.keras"),
    "readonly.py": OLD,
    "bad.ipynb": '{"cells": [ LossScaleOptimizer',
    "no_cells.ipynb": '{"LossScaleOptimizer": 1}',
    "marked.ipynb": '\ufeff{"cells": ["LossScaleOptimizer"]}',
    "format_3.ipynb": '{"worksheets": ["LossScaleOptimizer"]}',
    "no_type.ipynb": '{"cells": [{"source": "LossScaleOptimizer"}]}',
    "no_text.ipynb": '{"cells": [{"cell_type": "code", "source": [3, "LossScaleOptimizer"]}]}',
    "venv/old.py": OLD,
    "undo.patch": "",
    "unknown_key/pyproject.toml": "[tool.compat-lossscale]\ntargets = 'x'\n",
    "wrong_kind/pyproject.toml": "[tool.compat-lossscale]\njobs = 'x'\n",
    "no_toml/pyproject.toml": "[tool.compat-lossscale]\njobs = \n",
    "utf16/pyproject.toml": "[\0t\0o\0o\0l\0",
    "no_target/pyproject.toml": "[tool.compat-lossscale]\ntarget = 'x'\n",
    "config.json": wrapper(DYNAMIC),
    "fixed.json": wrapper(FIXED),
    "small.json": wrapper({**FIXED, "initial_scale": 0.5}),
    "two/a.json": wrapper(DYNAMIC),
    "two/b.json": wrapper(DYNAMIC),
    "bad.json": "{",
    "text.txt": "hello",
    "no.h5": "no",
    "nothing.h5": "",
    "no.keras": "no",
    "checkpoint.index": "no",
    "folder/text.txt": "hello",
    "no_main/train.py": "",
}

# `...` stands for words that are not ours.

# The command line | a whole line of what it prints | its exit code
COMMANDS: list[tuple[str, str, int]] = [
    (
        "migrate --add-suppressions --prove train.py old.py",
        "Error: --prove is for changes, and --add-suppressions makes none.",
        64,
    ),
    (
        "migrate --add-suppressions -",
        "Error: --add-suppressions needs files or folders, not standard input.",
        64,
    ),
    (
        "migrate --stdin-filename a.py old.py",
        "Error: --stdin-filename is for standard input: give `-` as the path.",
        64,
    ),
    (
        "migrate --config gone.toml old.py",
        "Error: gone.toml cannot be read: No such file or directory.",
        64,
    ),
    (
        "migrate --target tf-keras --no-dependency old.py",
        (
            "Error: --no-dependency is for --target keras3: the result of --target tf-keras needs "
            "nothing of this package, and --target compat is for what it has."
        ),
        64,
    ),
    (
        "frobnicate",
        (
            "Error: There is no command 'frobnicate'. The commands are: doctor, run, "
            "migrate, verify."
        ),
        64,
    ),
    ("--frobnicate", "Error: No such option...--frobnicate...", 64),
    ("run", "Error: Missing argument 'SCRIPT'.", 64),
    (
        "run -I train.py",
        (
            "compat-lossscale: python's option -I leaves out what puts the old names back: run "
            "without it, and call compat_lossscale.install() in the program"
        ),
        2,
    ),
    (
        "run -u -m train",
        (
            "compat-lossscale: python's option -u comes too late, for Python runs another program "
            "already: give it to that"
        ),
        2,
    ),
    ("migrate", "Error: Name the files or folders to migrate, for example `migrate src`.", 64),
    (
        "migrate --write --check old.py",
        (
            "Error: --write and --check exclude each other: --check writes nothing. Give "
            "one of them."
        ),
        64,
    ),
    ("migrate --steps 3 old.py", "Error: --steps needs --prove: without it, nothing is run.", 64),
    ("migrate --rtol 0.1 old.py", "Error: --rtol needs --prove: without it, nothing is run.", 64),
    (
        "migrate --prove train.py -",
        "Error: --prove needs files or folders, not standard input.",
        64,
    ),
    (
        "migrate --undo u.patch old.py",
        "Error: --undo needs --write: without it nothing is changed.",
        64,
    ),
    (
        "migrate --write --undo undo.patch old.py",
        (
            "Error: undo.patch is there already. Name a file that is not, so that no "
            "earlier undo is lost."
        ),
        64,
    ),
    (
        "migrate --html report.txt old.py",
        "Error: The report report.txt needs a name that ends in .html.",
        64,
    ),
    (
        "migrate --html nowhere/report.html old.py",
        (
            "Error: The report nowhere/report.html cannot be written: there is no folder "
            "nowhere. Make it first."
        ),
        64,
    ),
    ("migrate - old.py", "Error: `-` stands alone: give it, or files and folders.", 64),
    (
        "migrate --html report.html -",
        "Error: --html needs files or folders, not standard input.",
        64,
    ),
    (
        "migrate --select LS999 old.py",
        "Error: No rule has an id that starts with 'LS999'. The rules are: LS001, ...",
        64,
    ),
    (
        "migrate --explain LS60",
        "Error: Several ids begin with LS60; name one of: LS601, LS602, LS603.",
        64,
    ),
    (
        "migrate --explain LS999",
        "Error: No rule has an id that starts with 'LS999'. The rules are: LS001, ...",
        64,
    ),
    (
        "migrate --target tf3 old.py",
        "Error: Invalid value for '--target': 'tf3' is not one of 'tf-keras', 'compat'.",
        64,
    ),
    (
        "migrate --jobs 0 old.py",
        "Error: Invalid value for '--jobs': 0 is not in the range x>=1.",
        64,
    ),
    (
        "migrate unknown_key",
        (
            "Error: FOLDER/unknown_key/pyproject.toml: [tool.compat-lossscale] has the "
            "unknown key 'targets'. Did you mean 'target'? Known keys: target, select, "
            "ignore, exclude, per-file-ignores, jobs, quiet, collapse-guards, unsafe-fixes, "
            "legacy-optimizers, no-dependency, no-ignore."
        ),
        64,
    ),
    (
        "migrate wrong_kind",
        (
            "Error: FOLDER/wrong_kind/pyproject.toml: 'jobs' in [tool.compat-lossscale] "
            "must be a whole number, but is 'x'."
        ),
        64,
    ),
    ("migrate no_toml", "Error: FOLDER/no_toml/pyproject.toml is no valid TOML: ...", 64),
    (
        "migrate utf16",
        (
            "Error: FOLDER/utf16/pyproject.toml is not UTF-8, as TOML has to be: it has null "
            "bytes. Save it as UTF-8, then run again."
        ),
        64,
    ),
    ("migrate no_target", "Error: There is no target 'x'; use tf-keras, compat or keras3.", 64),
    ("migrate gone.py", "gone.py: skipped: there is no such file.", 2),
    ("migrate link.py", "link.py: skipped: it is a link to nothing.", 0),
    ("migrate venv", "venv: skipped: folders called venv are left out; --no-ignore overrides.", 0),
    (
        "migrate broken.py",
        (
            f"broken.py: unreadable: It does not parse as Python {sys.version_info.major}."
            f"{sys.version_info.minor}: line 2, column 49: '(' was never closed. Correct it, or "
            "run with the Python that it is for."
        ),
        2,
    ),
    (
        "migrate python2.py",
        (
            "python2.py: unreadable: This is Python 2, which the parser does not read. "
            "Move the file to Python 3 first (for example with 2to3), then run again."
        ),
        2,
    ),
    (
        "migrate form_feed.py",
        (
            "form_feed.py: refused: The parser does not keep a form feed (^L) near line "
            "2, so that nothing in this file can be changed without changing that too. "
            "Take it out, then run again."
        ),
        3,
    ),
    ("migrate bad.ipynb", "bad.ipynb: unreadable: It is not a notebook that can be read: ...", 2),
    (
        "migrate no_cells.ipynb",
        (
            "no_cells.ipynb: unreadable: It is not a notebook that can be read: it has no list of "
            "cells."
        ),
        2,
    ),
    (
        "migrate marked.ipynb",
        (
            "marked.ipynb: unreadable: It is not a notebook that can be read: it begins with a "
            "byte order mark, with which Jupyter does not open it. Save it as UTF-8 without one, "
            "then run again."
        ),
        2,
    ),
    (
        "migrate format_3.ipynb",
        (
            "format_3.ipynb: unreadable: It is not a notebook that can be read: it has the old "
            "notebook format 3. Convert it with `jupyter nbconvert --to notebook --inplace`, then "
            "run again."
        ),
        2,
    ),
    (
        "migrate no_type.ipynb",
        (
            "no_type.ipynb: unreadable: It is not a notebook that can be read: cell 1 has no "
            "cell_type."
        ),
        2,
    ),
    (
        "migrate no_text.ipynb",
        (
            "no_text.ipynb: unreadable: It is not a notebook that can be read: the source of cell "
            "1 is not text."
        ),
        2,
    ),
    (
        "migrate --json --sarif old.py",
        "Error: --json and --sarif exclude each other. Give one of them.",
        64,
    ),
    (
        "migrate --write readonly.py",
        "readonly.py: refused: It is read-only. Make it writable, then run again.",
        3,
    ),
    (
        "migrate --write linked",
        (
            "linked/far.py: refused: It is a link to FOLDER/old.py, outside of "
            "FOLDER/linked. Run on that file itself."
        ),
        3,
    ),
    ("verify", "Error: Missing argument 'PATH...'.", 64),
    (
        "verify --to tf1 config.json",
        (
            "Error: Invalid value for '--to': 'tf1' is not one of 'tf2.3', 'tf2.4', "
            "'tf-keras', 'keras3'."
        ),
        64,
    ),
    (
        "verify --output new.json config.json",
        "Error: --output needs --to and exactly one PATH.",
        64,
    ),
    (
        "verify --to tf2.3 --output new.json two",
        "Error: --output needs one artefact, and the folder has 2. Name one of them.",
        64,
    ),
    (
        "verify --model script.py:made config.json",
        "Error: --model needs --output: the model is built to be converted.",
        64,
    ),
    (
        "verify --overwrite config.json",
        "Error: --overwrite needs --output: no other file is replaced.",
        64,
    ),
    (
        "verify --html report.txt config.json",
        "Error: The report report.txt needs a name that ends in .html.",
        64,
    ),
    ("verify gone.h5", "gone.h5: unreadable: gone.h5 cannot be read: No such file or directory", 2),
    (
        "verify folder",
        (
            "folder: unreadable: it is a folder and no SavedModel: it has no "
            "saved_model.pb, and no artefacts in it"
        ),
        2,
    ),
    (
        "verify text.txt",
        (
            "text.txt: unreadable: it is not one of the artefacts that can be read: a config "
            "(JSON), an .h5 or .keras model, a SavedModel folder, or a TensorFlow "
            "checkpoint"
        ),
        2,
    ),
    (
        "verify bad.json",
        "bad.json: unreadable: the file is not JSON: ...: line 1 column 2 (char 1)",
        2,
    ),
    ("verify no.h5", "no.h5: unreadable: it is not a readable HDF5 file: OSError: ...", 2),
    (
        "verify nothing.h5",
        "nothing.h5: unreadable: the file is empty: whatever wrote it did not finish",
        2,
    ),
    (
        "verify no.keras",
        (
            "no.keras: unreadable: it is not one of the artefacts that can be read: a config "
            "(JSON), an .h5 or .keras model, a SavedModel folder, or a TensorFlow "
            "checkpoint"
        ),
        2,
    ),
    (
        "verify empty.keras",
        (
            "empty.keras: unreadable: it has no config.json, so it is a ZIP archive but "
            "no Keras model"
        ),
        2,
    ),
    (
        "verify checkpoint.index",
        "checkpoint.index: unreadable: its index is cut off, or no TensorFlow checkpoint's",
        2,
    ),
    (
        "verify --to tf2.3 --output config.json config.json",
        "compat-lossscale: the output config.json is the input itself; choose another file",
        2,
    ),
    (
        "verify --to tf2.3 --output fixed.json config.json",
        (
            "compat-lossscale: the output fixed.json is there already; choose another "
            "file, or give --overwrite (overwrite=True)"
        ),
        2,
    ),
    (
        "verify --to tf2.3 --output /dev/null config.json",
        "compat-lossscale: the output /dev/null is no regular file; choose another one",
        2,
    ),
    (
        "verify --to tf2.3 --output two config.json",
        "compat-lossscale: the output two is a folder; choose a file",
        2,
    ),
    (
        "verify --to tf2.3 --output new.doc config.json",
        (
            "compat-lossscale: a config (JSON) cannot be written as .doc: write its "
            "config as .json, or a copy of it with its own extension"
        ),
        2,
    ),
    (
        "verify --to tf2.3 --output nowhere/new.json config.json",
        "compat-lossscale: nowhere/new.json cannot be written: No such file or directory",
        2,
    ),
    (
        "verify --to tf-keras --output new.json checkpoint-1.index",
        (
            "compat-lossscale: there is no config to convert in this TensorFlow "
            "checkpoint: it holds variables only, and which of them is which slot stands in the "
            "config of its model. Load it into the model where it is from, save that as .keras, "
            "and convert the archive"
        ),
        2,
    ),
    (
        "verify --to tf-keras --output new.json configs.json",
        (
            "compat-lossscale: there are ... loss-scale configs in it (..., ...); convert "
            "a file that has one"
        ),
        3,
    ),
    (
        "verify --to tf2.3 --strict --output new.json small.json",
        (
            "compat-lossscale: nothing is written, for this would be lost: initial_scale: "
            "TensorFlow 2.0-2.3 refuses a fixed loss scale below 1 (0.5). Convert to "
            "tf2.4 or tf-keras instead, which take it."
        ),
        1,
    ),
    (
        "verify --to tf2.3 small.json",
        (
            "    lost: initial_scale = 0.5: TensorFlow 2.0-2.3 refuses a fixed loss scale "
            "below 1 (0.5). Convert to tf2.4 or tf-keras instead, which take it."
        ),
        1,
    ),
    (
        "doctor gone",
        (
            "Error: There is no file or folder gone. Name one that is there, or none for "
            "the current folder."
        ),
        64,
    ),
    (
        "doctor --seconds -1",
        "Error: Invalid value for '--seconds': -1.0 is not in the range x>=0.",
        64,
    ),
    (
        "doctor unknown_key",
        (
            "Error: FOLDER/unknown_key/pyproject.toml: [tool.compat-lossscale] has the "
            "unknown key 'targets'. Did you mean 'target'? Known keys: target, select, "
            "ignore, exclude, per-file-ignores, jobs, quiet, collapse-guards, unsafe-fixes, "
            "legacy-optimizers, no-dependency, no-ignore."
        ),
        64,
    ),
]


def read_closed_input() -> None:
    with mock.patch.object(sys, "stdin", None):
        migrate.main(["-"], standalone_mode=False)


# What is wrong | how to provoke it | the whole message. No TensorFlow is needed.
RULE = LossScaleRule(growth_steps=9, min_scale=4.0)
LIBRARY: list[tuple[str, Callable[[], object], str]] = [
    (
        "a rule of another kind",
        lambda: LossScaleSpec(rule=3),
        "rule must be a LossScaleRule, but got: 3.",
    ),
    (
        "a rule of another kind, in a constructor",
        lambda: LossScaleSpec.from_constructor(True, 8.0, None, 3),
        '"rule" must be a LossScaleRule, but got: 3.',
    ),
    (
        "a rule of a fixed loss scale",
        lambda: LossScaleSpec(False, 8.0, None, None, RULE),
        "A fixed loss scale never changes, so growth_steps, multiplier and rule must be None.",
    ),
    (
        "a rule of a fixed loss scale, in a constructor",
        lambda: LossScaleSpec.from_constructor(False, 8.0, None, RULE),
        'A fixed loss scale has no "rule", as it never changes. Leave out one of the two.',
    ),
    (
        "growth steps beside a rule",
        lambda: LossScaleSpec.from_constructor(True, 8.0, 5, RULE),
        (
            'Leave out "dynamic_growth_steps": the rule has growth_steps. For other ones, pass '
            "rule=rule.replace(growth_steps=5)."
        ),
    ),
    (
        "a rule in 2.4",
        lambda: LossScaleSpec(growth_steps=9, rule=RULE).to_config("tf2.4"),
        (
            "TensorFlow 2.4-2.15 moves the loss scale by TensorFlow's rule, and cannot express "
            "growth_steps=9, min_scale=4.0. Only the optimizers of compat_lossscale take a rule."
        ),
    ),
    (
        "closed standard input",
        read_closed_input,
        "The standard input is closed. Give `-` something to read.",
    ),
    (
        "loss scale None",
        lambda: LossScaleSpec.from_argument(None),
        (
            "loss_scale cannot be None. loss_scale must be the string 'dynamic', an int, a "
            "float, a FixedLossScale or a DynamicLossScale."
        ),
    ),
    (
        "loss scale of another kind",
        lambda: LossScaleSpec.from_argument("static"),
        (
            "Could not interpret loss scale identifier: static. loss_scale must be the string "
            "'dynamic', an int, a float, a FixedLossScale or a DynamicLossScale."
        ),
    ),
    (
        "loss scale of a user's class",
        lambda: LossScaleSpec.from_config({"loss_scale": OWN}),
        (
            "The config states a loss scale of a class of its own, 'Mine', whose rules no spec can "
            "state. compat_lossscale.experimental.LossScaleOptimizer.from_config makes it, given "
            "the class in custom_objects."
        ),
    ),
    (
        "infinite",
        lambda: LossScaleSpec.fixed(float("inf")),
        "A loss scale must be a finite number, but got inf.",
    ),
    (
        "too large",
        lambda: LossScaleSpec.fixed(10**400),
        "This loss scale is larger than any float; use a smaller one.",
    ),
    (
        "growth steps of a fixed one",
        lambda: LossScaleSpec(False, 1.0, 2, None),
        "A fixed loss scale never changes, so growth_steps, multiplier and rule must be None.",
    ),
    (
        "dynamic without growth steps",
        lambda: LossScaleSpec(True, 1.0, None, None),
        (
            "A dynamic loss scale needs growth_steps and a multiplier; use "
            "LossScaleSpec.fixed(value) for a fixed one."
        ),
    ),
    (
        "dynamic is a number",
        lambda: LossScaleSpec.from_constructor(128),
        (
            '"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: '
            "128. The loss scale itself goes into initial_scale, with dynamic=False if "
            "it is fixed."
        ),
    ),
    (
        "fixed without a value",
        lambda: LossScaleSpec.from_constructor(False),
        ('"initial_scale" must be specified if "dynamic" is False: it is the fixed loss scale.'),
    ),
    (
        "fixed that grows",
        lambda: LossScaleSpec.from_constructor(False, 1, 2),
        (
            '"dynamic_growth_steps" must be None if "dynamic" is False, but got: 2. A '
            "fixed loss scale never grows; leave it out."
        ),
    ),
    (
        "fixed below 1 in 2.3",
        lambda: LossScaleSpec.fixed(0.5).to_config("tf2.3"),
        (
            "TensorFlow 2.0-2.3 refuses a fixed loss scale below 1 (0.5). Convert to "
            "tf2.4 or tf-keras instead, which take it."
        ),
    ),
    (
        "multiplier 4 in 2.4",
        lambda: LossScaleSpec(True, 8.0, 2, 4.0).to_config("tf2.4"),
        (
            "The tf2.4 config cannot express a multiplier other than 2, and this one is 4.0. Use "
            "compat_lossscale.experimental.LossScaleOptimizer, or the form of TensorFlow 2.0-2.3."
        ),
    ),
    (
        "config is a list",
        lambda: LossScaleSpec.from_config([]),
        "A config must be a dictionary, but got list.",
    ),
    (
        "config without a scale",
        lambda: LossScaleSpec.from_config({"lr": 1}),
        (
            "This config states no loss scale: it has none of the keys loss_scale, "
            "dynamic, initial_scale, initial_loss_scale, loss_scale_value. Its keys are: "
            "['lr']."
        ),
    ),
    (
        "dynamic is text",
        lambda: LossScaleSpec.from_config({**DYNAMIC, "dynamic": "yes"}),
        "'dynamic' must be of type bool, but the config has 'yes'.",
    ),
    (
        "scale is text",
        lambda: LossScaleSpec.from_config({**DYNAMIC, "initial_scale": "8"}),
        "'initial_scale' must be a number, but the config has '8'.",
    ),
    (
        "scale beyond floats",
        lambda: LossScaleSpec.from_config({**DYNAMIC, "initial_scale": 10**400}),
        "'initial_scale' is larger than any float; use a smaller one.",
    ),
    (
        "fixed without a value in a config",
        lambda: LossScaleSpec.from_config({"class_name": "FixedLossScale", "config": {}}),
        "The config of a fixed loss scale must have a loss_scale_value.",
    ),
    (
        "half a step",
        lambda: LossScaleSpec.from_config({**DYNAMIC, "dynamic_growth_steps": 0.5}),
        "'dynamic_growth_steps' must be a whole number, but the config has 0.5.",
    ),
    (
        "no such generation",
        lambda: convert_config(DYNAMIC, to="tf1"),
        "There is no generation 'tf1'. Convert to one of: tf2.3, tf2.4, tf-keras, keras3.",
    ),
    (
        "lost in conversion",
        lambda: convert_config({"inner_optimizer": SGD, **FIXED, "initial_scale": 0.5}, to="tf2.3"),
        (
            "The form of TensorFlow 2.0-2.3 cannot express this config: initial_scale: "
            "TensorFlow 2.0-2.3 refuses a fixed loss scale below 1 (0.5). Convert to tf2.4 "
            "or tf-keras instead, which take it."
        ),
    ),
    (
        "a loss scale of one's own",
        lambda: convert_config({"optimizer": SGD, "loss_scale": OWN}, to="tf-keras"),
        (
            "The config states a loss scale of a class of its own, 'Mine', whose rules no spec can "
            "state. compat_lossscale.experimental.LossScaleOptimizer.from_config makes it, given "
            "the class in custom_objects."
        ),
    ),
    (
        "nothing to convert",
        lambda: convert_config({}, to="tf2.4"),
        (
            "This config states no loss scale: it has none of the keys loss_scale, "
            "dynamic, initial_scale, initial_loss_scale, loss_scale_value. Its keys are: "
            "[]."
        ),
    ),
    (
        "no optimizer in it",
        lambda: convert_config({"inner_optimizer": 3, **DYNAMIC}, to="tf2.3"),
        (
            'The wrapped optimizer must be a dictionary {"class_name": ..., "config": '
            "{...}}, but the config has 3."
        ),
    ),
    (
        "no such name",
        lambda: compat_lossscale.LossScaleOptimiser,
        "module 'compat_lossscale' has no attribute 'LossScaleOptimiser'",
    ),
    (
        "nothing to draw",
        lambda: compat_lossscale.plot_history({"loss": [1.0]}),
        (
            "There is no loss_scale in this dict. It has: loss. Train with a "
            "compat_lossscale.callbacks.LossScaleLogger among the callbacks, then draw "
            "the logger, or what fit() returned."
        ),
    ),
]


def keras(name: str) -> Any:
    import tf_keras

    return getattr(tf_keras.optimizers, name)(0.1)


def keras_legacy(name: str) -> Any:
    import tf_keras

    return getattr(tf_keras.optimizers.legacy, name)(0.1)


def v1_sgd() -> Any:

    return tf.compat.v1.train.GradientDescentOptimizer(0.1)


def wrapped(**kwargs: Any) -> Any:
    return compat_lossscale.LossScaleOptimizer(keras("SGD"), **kwargs)


def wrap_again() -> None:
    inner = keras("SGD")
    compat_lossscale.LossScaleOptimizer(inner)
    compat_lossscale.LossScaleOptimizer(inner)


def wrap_keras_3(name: str = "SGD") -> None:
    import keras as keras_3

    inner = keras_3.optimizers.SGD(0.1)
    is_wrapper = name == "LossScaleOptimizer"
    cls = getattr(keras_3.optimizers, name)
    compat_lossscale.LossScaleOptimizer(cls(inner) if is_wrapper else cls())


def in_cross_replica_context() -> None:

    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        optimizer = wrapped()
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def minimize_without_tape() -> None:

    wrapped().minimize(tf.constant(1.0), [tf.Variable(1.0)])


def rewrite(optimizer: Any, **kwargs: Any) -> None:
    compat_lossscale.v1.enable_mixed_precision_graph_rewrite(optimizer, **kwargs)


def rewrite_under_a_policy() -> None:
    compat_lossscale.experimental.set_policy("mixed_float16")
    rewrite(v1_sgd())


def install_otherwise() -> None:
    with compat_lossscale.installed():
        compat_lossscale.install(legacy_optimizers=False)


def install_for_another_keras() -> None:
    with compat_lossscale.installed():
        compat_lossscale.install(keras=3)


def logger(**kwargs: Any) -> None:
    from compat_lossscale.callbacks import LossScaleLogger

    LossScaleLogger(**kwargs)


def experimental(loss_scale: Any) -> Any:
    return compat_lossscale.experimental.LossScaleOptimizer(keras("SGD"), loss_scale)


def policy(*args: Any, **kwargs: Any) -> Any:
    return compat_lossscale.experimental.Policy(*args, **kwargs)


def own_class_in_config() -> None:
    optimizer = compat_lossscale.experimental.LossScaleOptimizer
    optimizer.from_config({"optimizer": SGD, "loss_scale": OWN})


def spec_of_own_class() -> None:
    class Mine(compat_lossscale.LossScale):
        def __call__(self) -> float:
            return 1.0

        def update(self, grads: Any) -> None: ...

        def get_config(self) -> dict[str, Any]:
            return {}

    LossScaleSpec.from_argument(Mine())


def under(strategy: Callable[[Any], Any]) -> None:

    from compat_lossscale.members.optimizer import check_strategy

    current = {"has_strategy": True, "get_strategy": strategy(tf.distribute)}
    returning = {name: mock.Mock(return_value=value) for name, value in current.items()}
    with mock.patch.multiple(tf.distribute, **returning):
        check_strategy()


def count_in_a_graph() -> None:

    with tf.Graph().as_default():
        _ = compat_lossscale.v1.MixedPrecisionLossScaleOptimizer(v1_sgd(), "dynamic").skipped_steps


def summaries_in_a_graph() -> None:

    with tf.Graph().as_default():
        logger(log_dir="logs")


def apply_unscaled() -> None:

    wrapped().apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def apply_without(*gradients: Any) -> None:

    optimizer = wrapped()
    optimizer.get_scaled_loss(tf.constant(1.0))
    optimizer.get_unscaled_gradients([])
    variables = [tf.Variable(1.0, name=name) for name in "ab"]
    optimizer.apply_gradients(zip(gradients, variables, strict=True))


def apply_with_one_gradient() -> None:

    apply_without(tf.constant(1.0), None)


def unpickle_for_other_variables() -> None:

    optimizer = compat_lossscale.LossScaleOptimizer(keras("Adam"))
    for value in (1.0, [1.0]):
        variable = tf.Variable(value)
        optimizer.minimize(lambda variable=variable: 2 * variable, [variable])
        optimizer = pickle.loads(pickle.dumps(optimizer))


# The same, with TensorFlow.
TENSORFLOW: list[tuple[str, Callable[[], object], str]] = [
    (
        "a new rule for a fixed loss scale",
        lambda: setattr(
            compat_lossscale.LossScaleOptimizer(keras("SGD"), False, 8.0), "loss_scale_rule", RULE
        ),
        (
            "This optimizer's loss scale has no rule, because it is fixed or of a class of your "
            "own. Make a new optimizer with a dynamic loss scale and rule=."
        ),
    ),
    (
        "a new rule where there was none",
        lambda: setattr(compat_lossscale.LossScaleOptimizer(keras("SGD")), "loss_scale_rule", RULE),
        (
            "This loss scale was made without a rule, or with one that says no more than the "
            "growth steps and one factor: these are constants of its functions. To change the rule "
            "later, make the optimizer with rule= and what differs from TensorFlow, for example "
            "rule=LossScaleRule(max_scale=2.0**127)."
        ),
    ),
    (
        "a rule beside a number",
        lambda: compat_lossscale.experimental.LossScaleOptimizer(keras("SGD"), 8, rule=RULE),
        (
            'With a "rule", "loss_scale" must be "dynamic", but is 8. For another first value, '
            "pass loss_scale=DynamicLossScale(value, rule=rule) and leave out the rule."
        ),
    ),
    (
        "not an optimizer",
        lambda: compat_lossscale.LossScaleOptimizer("sgd"),
        (
            "\"inner_optimizer\" must be an instance of OptimizerV2, but got: 'sgd'. OptimizerV2 "
            "is `tf.keras.optimizers.legacy.Optimizer`; an instance of "
            "`tf.keras.optimizers.Optimizer` is wrapped too. A name becomes one "
            "by tf.keras.optimizers.get('sgd')."
        ),
    ),
    (
        "an optimizer of TensorFlow 1",
        lambda: compat_lossscale.experimental.LossScaleOptimizer(v1_sgd(), 8),
        (
            '"optimizer" must be an instance of OptimizerV2, but got: '
            "<tensorflow.python.training.gradient_descent.GradientDescentOptimizer "
            "object at 0x...>. OptimizerV2 is `tf.keras.optimizers.legacy.Optimizer`; an instance "
            "of `tf.keras.optimizers.Optimizer` is wrapped too. An optimizer of "
            "tf.compat.v1.train is wrapped by "
            "compat_lossscale.v1.MixedPrecisionLossScaleOptimizer."
        ),
    ),
    (
        "a loss-scale optimizer of Keras 3",
        lambda: wrap_keras_3("LossScaleOptimizer"),
        (
            '"inner_optimizer" must be an instance of OptimizerV2, but got: '
            "<keras.src.optimizers.loss_scale_optimizer.LossScaleOptimizer object at 0x...>. "
            "OptimizerV2 is `tf.keras.optimizers.legacy.Optimizer`; an instance of "
            "`tf.keras.optimizers.Optimizer` is wrapped too. It is Keras 3's own "
            "LossScaleOptimizer, which scales the loss already. Use it as it is, to train a model "
            "of Keras 3."
        ),
    ),
    (
        "an optimizer that Keras 3 alone has",
        lambda: wrap_keras_3("Lamb"),
        (
            '"inner_optimizer" must be an instance of OptimizerV2, but got: '
            "<keras.src.optimizers.lamb.Lamb object at 0x...>. OptimizerV2 is "
            "`tf.keras.optimizers.legacy.Optimizer`; an instance of "
            "`tf.keras.optimizers.Optimizer` is wrapped too. It is of Keras 3. Use one of "
            "tf_keras.optimizers instead, or Keras 3's own keras.optimizers.LossScaleOptimizer."
        ),
    ),
    (
        "an optimizer of Keras 3",
        wrap_keras_3,
        (
            '"inner_optimizer" must be an instance of OptimizerV2, but got: '
            "<keras.src.optimizers.sgd.SGD object at 0x...>. OptimizerV2 is "
            "`tf.keras.optimizers.legacy.Optimizer`; an instance of "
            "`tf.keras.optimizers.Optimizer` is wrapped too. It is of Keras 3. Use one of "
            "tf_keras.optimizers instead, or Keras 3's own keras.optimizers.LossScaleOptimizer."
        ),
    ),
    (
        "a wrapper",
        lambda: compat_lossscale.LossScaleOptimizer(wrapped()),
        (
            "LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: "
            "<tf_keras.src.mixed_precision.loss_scale_optimizer.LossScaleOptimizerV3 "
            "object at 0x...>. It scales the loss already; use it as it is."
        ),
    ),
    (
        "wrapped already",
        wrap_again,
        (
            '"inner_optimizer" is already wrapped by a LossScaleOptimizer: '
            "<tf_keras.src.optimizers.sgd.SGD object at 0x...>. Use that one: if `compile` "
            "wrapped it, it is `model.optimizer`, so give that to the next `compile`. Or wrap a "
            "second optimizer, type(opt).from_config(opt.get_config()): two loss scales "
            "cannot share the slots and the step count of one."
        ),
    ),
    (
        "loss scale first",
        lambda: wrapped(dynamic=128),
        (
            '"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: '
            "128. The loss scale itself goes into initial_scale, with dynamic=False if "
            "it is fixed."
        ),
    ),
    (
        "no loss scale",
        lambda: experimental(None),
        (
            "loss_scale cannot be None. loss_scale must be the string 'dynamic', an int, a "
            "float, a FixedLossScale or a DynamicLossScale."
        ),
    ),
    (
        "some text",
        lambda: experimental("static"),
        (
            "Could not interpret loss scale identifier: static. loss_scale must be the string "
            "'dynamic', an int, a float, a FixedLossScale or a DynamicLossScale."
        ),
    ),
    (
        "a fixed scale below 1",
        lambda: compat_lossscale.FixedLossScale(0.5),
        (
            "loss_scale_value must be at least 1, but got: 0.5. Smaller ones go into "
            "compat_lossscale.LossScaleOptimizer(opt, dynamic=False, initial_scale=...)."
        ),
    ),
    (
        "a fixed scale that float32 cannot hold",
        lambda: compat_lossscale.FixedLossScale(1e39),
        (
            "The fixed loss scale 1e+39 is infinite in float32, in which the loss is scaled, and "
            "so is every scaled loss. The largest one is about 3.4e38."
        ),
    ),
    (
        "a multiplier of 0",
        lambda: experimental(compat_lossscale.DynamicLossScale(multiplier=0)),
        (
            "This DynamicLossScale has a multiplier of 0, by which the first bad step would make "
            "the loss scale infinite, and the first growth would make it 0. Use one above 1."
        ),
    ),
    (
        "a config with another multiplier",
        lambda: compat_lossscale.LossScaleOptimizer.from_config(
            {"optimizer": SGD, "loss_scale": {**DYNAMIC_OLD, "config": {"multiplier": 4.0}}}
        ),
        (
            "Cannot deserialize LossScaleOptimizer with a DynamicLossScale whose multiplier is not "
            "2. Got DynamicLossScale: DynamicLossScale(32768.0, 2000, 4.0). "
            "compat_lossscale.experimental.LossScaleOptimizer takes it."
        ),
    ),
    (
        "a config without an optimizer",
        lambda: compat_lossscale.LossScaleOptimizer.from_config(DYNAMIC),
        (
            "This config has no optimizer to wrap: it has neither the key 'inner_optimizer', of "
            "TensorFlow 2.4 and later, nor 'optimizer', of 2.0 to 2.3. Its keys are: ['dynamic', "
            "'dynamic_growth_steps', 'initial_scale']."
        ),
    ),
    (
        "a gradient of whole numbers",
        lambda: wrapped().get_unscaled_gradients([8]),
        (
            "A loss or a gradient must be a floating-point tensor, but got: 8. If it is meant to "
            "be one, convert it by tf.cast(..., tf.float32)."
        ),
    ),
    (
        "a fixed scale of text",
        lambda: compat_lossscale.FixedLossScale("8"),
        "loss_scale_value must be a Python int or float, but got: '8'.",
    ),
    (
        "iterating",
        lambda: list(compat_lossscale.FixedLossScale(8)),
        "A loss scale is a scalar and cannot be iterated over.",
    ),
    (
        "len",
        lambda: len(compat_lossscale.FixedLossScale(8)),
        "A loss scale is a scalar and has no len().",
    ),
    (
        "outside of a replica",
        in_cross_replica_context,
        (
            "apply_gradients() must be called in a replica context: from a function that "
            "strategy.run() calls."
        ),
    ),
    (
        "no tape",
        minimize_without_tape,
        (
            "`tape` is required when the loss is a tensor: the tape under which it was "
            "computed. A callable loss needs none."
        ),
    ),
    (
        "a class nobody gave",
        own_class_in_config,
        (
            "Unknown loss scale: 'Mine'. If it is a class of your own, pass it: "
            "custom_objects={'Mine': ...}."
        ),
    ),
    (
        "v1 around Keras",
        lambda: compat_lossscale.v1.MixedPrecisionLossScaleOptimizer(keras("SGD"), 1),
        (
            '"opt" must be an instance of Optimizer, but got: <class '
            "'tf_keras.src.optimizers.sgd.SGD'>. Optimizer is tf.compat.v1.train.Optimizer; a "
            "Keras optimizer is wrapped by compat_lossscale.LossScaleOptimizer."
        ),
    ),
    (
        "rewrite under a policy",
        rewrite_under_a_policy,
        (
            "The mixed precision graph rewrite cannot be enabled, because the global Keras dtype "
            "Policy has been set to a mixed precision policy: "
            "tf.keras.mixed_precision.experimental.set_policy or "
            "tf.keras.mixed_precision.set_global_policy has set 'mixed_float16'. Use that or "
            "enable_mixed_precision_graph_rewrite, not both."
        ),
    ),
    (
        "rewrite of a wrapper",
        lambda: rewrite(wrapped()),
        (
            '"opt" must not already be an instance of a LossScaleOptimizerV3: '
            "enable_mixed_precision_graph_rewrite wraps the optimizer itself."
        ),
    ),
    (
        "layer policy of text",
        lambda: compat_lossscale.experimental.get_layer_policy("dense"),
        (
            "get_policy can only be called on a layer, but got: 'dense'. get_layer_policy takes a "
            "layer of tf-keras."
        ),
    ),
    (
        "policy of nothing",
        lambda: policy("float8"),
        (
            "Cannot convert value float8 to a mixed precision Policy. Valid policies "
            "include 'mixed_float16', 'mixed_bfloat16', and the name of any dtype such "
            "as 'float32'."
        ),
    ),
    (
        "spec of a class of one's own",
        spec_of_own_class,
        (
            "Mine is neither a FixedLossScale nor a DynamicLossScale, so it has rules of "
            "its own that no spec can state. It can still be used as the loss_scale of "
            "compat_lossscale.experimental.LossScaleOptimizer."
        ),
    ),
    (
        "the type of an instance",
        lambda: type(wrapped())(keras_legacy("SGD")),
        (
            "This ..., the type of an instance, wraps only the new "
            "optimizers, but got: <tf_keras.src.optimizers.legacy.gradient_descent.SGD "
            "object at 0x...>. The class LossScaleOptimizer itself wraps both kinds."
        ),
    ),
    (
        "no such attribute of an optimizer",
        lambda: wrapped().nope,
        "'...' object has no attribute 'nope'",
    ),
    (
        "no such attribute of a loss scale",
        lambda: compat_lossscale.FixedLossScale(8).nope,
        "'FixedLossScale' object has no attribute 'nope'",
    ),
    (
        "on a TPU",
        lambda: under(lambda distribute: object.__new__(distribute.TPUStrategy)),
        (
            "Loss scaling is not supported with TPUStrategy, and not needed: TPUs compute "
            "in bfloat16, which has float32's range. Remove the LossScaleOptimizer when "
            "you use TPUs."
        ),
    ),
    (
        "under another strategy",
        lambda: under(lambda distribute: object()),
        (
            "Loss scaling is not supported with the tf.distribute.Strategy: object. Try "
            "using a different Strategy, e.g. a MirroredStrategy."
        ),
    ),
    (
        "no gradients",
        lambda: apply_without(None, None),
        (
            "No gradients provided for any variable: ['a:0', 'b:0']. The loss does not "
            "depend on these variables, or was computed outside of the tape."
        ),
    ),
    (
        "half a config as a loss scale",
        lambda: experimental({"class_name": "FixedLossScale"}),
        (
            "Improper config format: {'class_name': 'FixedLossScale'} needs `class_name` "
            "and `config`."
        ),
    ),
    (
        "counting in a graph",
        count_in_a_graph,
        (
            "Skipped steps are counted in eager mode and in tf.function. This optimizer "
            "was made in a graph of TensorFlow 1, whose Saver would save the counters "
            "with your model. Look at the loss scale instead: it shrinks when a step is "
            "skipped."
        ),
    ),
    (
        "summaries in a graph",
        summaries_in_a_graph,
        (
            "Summaries are written in eager mode only, which is switched off here. Leave "
            'out "log_dir" and "writer", and use the history.'
        ),
    ),
    (
        "install otherwise",
        install_otherwise,
        (
            "The old names are in place already, with legacy_optimizers=True, and now "
            "legacy_optimizers=False is asked for. Leave the argument out to take them "
            "as they are, or call compat_lossscale.uninstall() first."
        ),
    ),
    (
        "install for another Keras",
        install_for_another_keras,
        (
            "The old names are in place already, with keras=2, and now keras=3 is asked for. "
            "Leave the argument out to take them as they are, or call "
            "compat_lossscale.uninstall() first."
        ),
    ),
    (
        "install for no Keras",
        lambda: compat_lossscale.install(keras=4),
        "keras must be 2, for tf-keras, or 3, but got: 4.",
    ),
    (
        "install families for Keras 3",
        lambda: compat_lossscale.install(keras=3, legacy_optimizers=True),
        (
            "legacy_optimizers=True is asked for, and Keras 3 has one family of optimizers "
            "only. Leave the argument out."
        ),
    ),
    (
        "every half batch",
        lambda: logger(every=0.5),
        (
            '"every" must be a positive whole number of batches, or None for epochs '
            "only, but got: 0.5."
        ),
    ),
    (
        "two writers",
        lambda: logger(log_dir="logs", writer=1),
        'Summaries go to one place: give "log_dir" or "writer", not both.',
    ),
]


# What is wrong | how to provoke it | the whole warning, in TensorFlow's logger.
WARNINGS: list[tuple[str, Callable[[], object], str]] = [
    (
        "neither scaled nor unscaled",
        apply_unscaled,
        (
            "You forgot to call LossScaleOptimizer.get_scaled_loss() and "
            "LossScaleOptimizer.get_unscaled_gradients() before "
            "LossScaleOptimizer.apply_gradients(). The model will likely train worse. "
            "Call each exactly once a step, for example:..."
        ),
    ),
    (
        "a policy that needs no loss scale",
        lambda: policy("float32", loss_scale=8.0),
        (
            "The policy 'float32' computes in float32, which needs no loss scaling, but "
            "was given the loss scale 8.0. Loss scaling only costs time here."
        ),
    ),
    (
        "a policy's name of 2.0",
        lambda: policy("float16_with_float32_vars"),
        (
            "The policy name 'float16_with_float32_vars' is of TensorFlow 2.0 and "
            "earlier; use 'mixed_float16' or 'mixed_bfloat16'."
        ),
    ),
    (
        "a variable without a gradient",
        apply_with_one_gradient,
        (
            "Gradients do not exist for variables ['b:0'] when minimizing the loss. The "
            "optimizer leaves them as they are."
        ),
    ),
    (
        "pickled for other variables",
        unpickle_for_other_variables,
        (
            "This optimizer was pickled with slots of other shapes than those of the "
            "variables that it now applies gradients to. The slots start again."
        ),
    ),
]

# What cannot be provoked in the process of the tests: a program | what it says last | where else.
PROGRAMS: list[tuple[str, str, list[str]]] = [
    (
        "import tensorflow as tf\ntf.keras.Model\nimport compat_lossscale as c\nc.install()",
        (
            "compat_lossscale.errors.InstallError: tf.keras is Keras 3 in this process "
            "already, and the old API needs tf-keras. Call compat_lossscale.install() "
            "before `import tensorflow`, or start Python with the environment variable "
            "TF_USE_LEGACY_KERAS=1."
        ),
        ["-"],
    ),
    (
        "import tensorflow.contrib.mixed_precision",
        (
            "ModuleNotFoundError: No module named 'tensorflow.contrib.mixed_precision': "
            "tf.contrib ended with TensorFlow 1, and nothing here stands for it. Take it "
            "out of the program; of tf.contrib.mixed_precision, `compat-lossscale "
            "migrate --explain LS603` says what to use instead"
        ),
        ["-m", "compat_lossscale", "run", "--tf1", "-"],
    ),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {**FILES, ".git/config": ""}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for path in tmp_path.glob("*/pyproject.toml"):
        (path.parent / "train.py").write_text(OLD)
    (tmp_path / "readonly.py").chmod(0o444)
    (tmp_path / "link.py").symlink_to("nowhere")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "far.py").symlink_to(tmp_path / "old.py")
    for path in (REPOSITORY / "tests" / "artefacts" / "2.3").glob("c*[sx1]*"):
        shutil.copy(path, tmp_path)
    with zipfile.ZipFile(tmp_path / "empty.keras", "w") as archive:
        archive.writestr("a", "b")
    return tmp_path


@pytest.mark.parametrize(("line", "expected", "code"), COMMANDS, ids=[c[0] for c in COMMANDS])
def test_what_a_command_says(
    line: str,
    expected: str,
    code: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["compat-lossscale", *line.split()])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    lines = (said.out + said.err).replace(str(folder), "FOLDER").splitlines()
    assert [line for line in lines if says(line, expected)], lines
    assert ended.value.code == code
    # What was wrong with the call is not repeated as a traceback.
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("provoke", "expected"), [c[1:] for c in LIBRARY], ids=[c[0] for c in LIBRARY]
)
def test_what_an_error_says(provoke: Callable[[], object], expected: str) -> None:
    check(provoke, expected)


@pytest.mark.parametrize(
    ("provoke", "expected"), [c[1:] for c in TENSORFLOW], ids=[c[0] for c in TENSORFLOW]
)
def test_what_an_error_about_training_says(provoke: Callable[[], object], expected: str) -> None:
    check(provoke, expected)


@pytest.mark.parametrize(
    ("message", "same"),
    [
        ("There's no command 'frobnicate'. Commands: doctor, run, migrate, verify.", True),
        ("There is no command 'frob'. The commands are: doctor, run, migrate, verify.", False),
        ("There is no command 'frobnicate'.", False),
        ("'frobnicate'", False),
    ],
)
def test_words_may_change_and_facts_may_not(message: str, same: bool) -> None:
    expected = "There is no command 'frobnicate'. The commands are: doctor, run, migrate, verify."
    assert says(message, expected) is same


def check(provoke: Callable[[], object], expected: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011  # the text tells them apart
        provoke()
    assert says(str(raised.value), expected), raised.value


@pytest.mark.parametrize(
    ("provoke", "expected"), [c[1:] for c in WARNINGS], ids=[c[0] for c in WARNINGS]
)
def test_what_a_warning_says(
    provoke: Callable[[], object], expected: str, logged: list[str]
) -> None:
    provoke()
    assert [message for message in logged if says(message, expected)], logged


@pytest.mark.parametrize(("given", "expected", "arguments"), PROGRAMS, ids=["Keras 3", "contrib"])
def test_what_an_error_says_in_a_program(
    given: str, expected: str, arguments: list[str], tmp_path: Path
) -> None:
    done = python(*arguments, given=given, cwd=tmp_path, tensorflow_may_be_imported=True)
    assert done.returncode == 1
    assert says(done.stderr.splitlines()[-1], expected)


def stated() -> list[str]:
    """Every message of the tables."""
    rows = [*COMMANDS, *PROGRAMS]
    return [row[1] for row in rows] + [row[2] for row in (*LIBRARY, *TENSORFLOW, *WARNINGS)]


def test_every_message_says_more_than_a_word_or_two() -> None:
    assert len(stated()) >= 120
    assert [message for message in stated() if len(message.split()) < 4] == []


CODEMOD = "codemods/lossscale_codemods"
# Where messages stand that are stated elsewhere, and where.
ELSEWHERE = {
    "compat_lossscale/_require.py": "tests/test_package.py",
    "compat_lossscale/keras3/": "tests/keras3",
    "compat_lossscale/members/guards.py": "tests/keras3/test_loaded_state.py",
    "compat_lossscale/legacy/install.py": "tests/legacy/test_keras_3_home.py",
    "compat_lossscale/spec/loss_scale_rule.py": "tests/spec/test_loss_scale_rule.py",
    "compat_lossscale/spec/wrapper_configs.py": "tests/spec/test_wrapper_configs.py",
    "compat_lossscale/core/loss_scale.py": "tests/core/test_rule_settings.py",
    "compat_lossscale/watching/logging_hooks.py": "tests/watching/test_loss_scale_logger.py",
    "compat_lossscale/watching/logged_run.py": "tests/watching",
    "compat_lossscale/callbacks.py": "tests/watching/test_loss_scale_logger.py",
    "compat_lossscale/members/optimizer.py": "tests/members/test_counting.py",
    "compat_lossscale/recording/": "tests/recording",
    "compat_lossscale/cli/compare.py": "tests/cli/test_compare.py",
    "compat_lossscale/cli/record.py": "tests/cli/test_record.py",
    "compat_lossscale/cli/run.py": "tests/cli/test_record.py",
    # What old names of others are told, in the words of those others.
    "compat_lossscale/legacy/changed_behaviour.py": "tests/legacy",
    "compat_lossscale/legacy/estimator_training.py": "tests/legacy",
    "compat_lossscale/legacy/library_functions.py": "tests/legacy",
    "compat_lossscale/legacy/serving.py": "tests/legacy",
    # What is wrong with an artefact.
    "compat_lossscale/formats/": "tests/formats/attacks.py",
    "compat_lossscale/models/": "tests/models/test_process.py",
    # Races with other programs, and disks.
    f"{CODEMOD}/running/writing.py": "tests/codemods/running",
    f"{CODEMOD}/running/configuration.py": "tests/cli/test_migrate.py",
    f"{CODEMOD}/source/reading.py": "tests/codemods/running/test_configuration.py",
    # What findings say.
    f"{CODEMOD}/rewriting/import_edits.py": "tests/codemods/rules/test_ls101_imports.py",
    f"{CODEMOD}/rules/neighbours.py": "tests/codemods/rules/test_ls901_python_and_numpy.py",
    f"{CODEMOD}/domain/name_rendering.py": "tests/codemods/rules/test_ls102_aliases.py",
    # Mistakes of ours, which no user can make.
    f"{CODEMOD}/rewriting/resolution.py": "",
    f"{CODEMOD}/rules/base.py": "",
}
SAYING = ("warnings.warn", ".warning", "ctx.fail")


def messages() -> Iterator[tuple[str, str]]:
    """Each message in the sources: its file, and the longest part that is always the same."""
    for path in (
        *REPOSITORY.glob("compat_lossscale/**/*.py"),
        *REPOSITORY.glob("codemods/**/*.py"),
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else node
            if not isinstance(call, ast.Call) or not (
                call is not node or ast.unparse(call.func).endswith(SAYING)
            ):
                continue
            texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant)]
            parts = [p for t in texts if isinstance(t, str) for p in re.split(r"%[rs]", t)]
            longest = max(parts, key=len, default="")
            if len(longest.split()) > 2:
                yield str(path.relative_to(REPOSITORY)), longest


def test_every_message_of_the_sources_is_in_a_table() -> None:
    found = list(messages())
    assert len(found) >= 100
    for where in ELSEWHERE:
        assert any(file.startswith(where) for file, _ in found), where
    missing = [
        (file, part)
        for file, part in found
        if not any(shared(part, message) >= 0.8 for message in stated())
        and not file.startswith(tuple(ELSEWHERE))
    ]
    assert missing == []
